/** Vectors in the answer of an embeddings call, read without trust in what the server sends. */
import { isObject } from "../schema/jsonSchema.ts"

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

/**
 * One vector for each index from 0, in their order; nothing where one is missing, given twice or invalid. Undefined if the
 * body holds no list.
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
