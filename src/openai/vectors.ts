/** Reads the vectors of an embeddings response, and does not trust what the server sends. */
import { isObject } from "../schema/jsonSchema.ts"

/** Reads a list of numbers, or little-endian floats in base64. */
const vectorOf = (value: unknown): Float32Array | undefined => {
  if (Array.isArray(value)) {
    return value.every((one) => typeof one === "number") ? Float32Array.from(value) : undefined
  }
  if (typeof value !== "string") return undefined
  const bytes = Buffer.from(value, "base64")
  if (bytes.length === 0 || bytes.length % 4 !== 0) return undefined
  return Float32Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(4 * i))
}

/**
 * The vectors in the order of their indexes, from 0. An entry is undefined if its vector is missing or invalid. The result
 * is `[undefined]` if an index is invalid or occurs twice, and undefined if the body has no list.
 */
export const toVectors = (body: unknown): ReadonlyArray<Float32Array | undefined> | undefined => {
  const data = isObject(body) ? body["data"] : undefined
  if (!Array.isArray(data)) return undefined
  const vectors = Array.from<Float32Array | undefined>({ length: data.length })
  for (const one of data) {
    const { embedding, index } = isObject(one) ? one : {}
    if (typeof index !== "number" || !Number.isInteger(index) || index < 0 || index >= data.length) return [undefined]
    if (vectors[index] !== undefined) return [undefined]
    vectors[index] = vectorOf(embedding)
  }
  return vectors
}
