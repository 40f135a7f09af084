/** Vectors in the answer of an embeddings call, read without trust in what the server sends. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

const decodeJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {}

/** Numbers as they are, or as little-endian floats in base64. */
const vectorOf = (value: unknown): Float32Array | undefined => {
  if (Array.isArray(value)) {
    return value.every((one) => typeof one === "number") ? Float32Array.from(value) : undefined
  }
  if (typeof value !== "string") return undefined
  const bytes = Buffer.from(value, "base64")
  if (bytes.length === 0 || bytes.length % 4 !== 0) return undefined
  return Float32Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(4 * i))
}

/** One vector for each index from 0, in their order; nothing where one is missing, given twice or none; nothing for no list. */
export const toVectors = (text: string): ReadonlyArray<Float32Array | undefined> | undefined => {
  const { data } = record(Option.getOrUndefined(decodeJson(text)))
  if (!Array.isArray(data)) return undefined
  const vectors = Array.from<Float32Array | undefined>({ length: data.length })
  for (const one of data) {
    const { embedding, index } = record(one)
    if (typeof index !== "number" || !Number.isInteger(index) || index < 0 || index >= data.length) return [undefined]
    if (vectors[index] !== undefined) return [undefined]
    vectors[index] = vectorOf(embedding)
  }
  return vectors
}
