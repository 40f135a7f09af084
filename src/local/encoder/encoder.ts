/**
 * The forward pass of Universal Sentence Encoder Lite: two transformer layers, the mean over tokens, one dense layer.
 *
 * Plain arrays in row-major order throughout; T is the number of tokens, D the width of a row.
 */
import * as Matmul from "./matmul.ts"
import * as Tokenizer from "./tokenizer.ts"

/** The weights of one transformer layer. */
export interface LayerWeights {
  readonly attentionNormScale: Float32Array
  readonly attentionNormBias: Float32Array
  readonly queryKeyValue: Float32Array
  readonly queryKeyValueBias: Float32Array
  readonly attentionOut: Float32Array
  readonly attentionOutBias: Float32Array
  readonly feedForwardNormScale: Float32Array
  readonly feedForwardNormBias: Float32Array
  readonly expand: Float32Array
  readonly expandBias: Float32Array
  readonly contract: Float32Array
  readonly contractBias: Float32Array
}

/** The weights of the whole model. */
export interface Weights {
  readonly vocabulary: ReadonlyArray<Tokenizer.Piece>
  readonly embedding: Float32Array
  readonly inverseTimescales: Float32Array
  readonly first: LayerWeights
  readonly second: LayerWeights
  /** Widens the residual of the first layer from 256 to 512. */
  readonly adjust: Float32Array
  readonly adjustBias: Float32Array
  readonly dense: Float32Array
  readonly denseBias: Float32Array
}

/** A loaded encoder. `embed` is synchronous, deterministic, and returns a fresh vector of length 1. */
export interface Encoder {
  readonly embed: (text: string) => Float32Array<ArrayBuffer>
}

/** Length of a vector. */
export const dimensions = 512

const inputWidth = 256
const feedForwardWidth = 1536
const heads = 4

// All loops below stay within arrays whose sizes the weights fix, hence the non-null assertions.

const layerNorm = (x: Float32Array, T: number, D: number, scale: Float32Array, bias: Float32Array): Float32Array => {
  const out = new Float32Array(T * D)
  for (let t = 0; t < T; t++) {
    const row = t * D
    let mean = 0
    let variance = 0
    for (let i = 0; i < D; i++) mean += x[row + i]!
    mean /= D
    for (let i = 0; i < D; i++) variance += (x[row + i]! - mean) ** 2
    const inverse = 1 / Math.sqrt(variance / D + 1e-6)
    for (let i = 0; i < D; i++) out[row + i] = (x[row + i]! - mean) * inverse * scale[i]! + bias[i]!
  }
  return out
}

/** Multi-head self-attention over rows that hold query, key and value side by side. */
const attention = (qkv: Float32Array, T: number, D: number): Float32Array => {
  const size = D / heads
  const scale = 1 / Math.sqrt(size)
  const stride = 3 * D
  const out = new Float32Array(T * D)
  const weights = new Float32Array(T)
  for (let head = 0; head < heads; head++) {
    for (let i = 0; i < T; i++) {
      const query = i * stride + head * size
      let max = -Infinity
      let total = 0
      for (let j = 0; j < T; j++) {
        const key = j * stride + D + head * size
        let value = 0
        for (let c = 0; c < size; c++) value += qkv[query + c]! * qkv[key + c]!
        value *= scale
        weights[j] = value
        if (value > max) max = value
      }
      for (let j = 0; j < T; j++) {
        const weight = Math.exp(weights[j]! - max)
        weights[j] = weight
        total += weight
      }
      const target = i * D + head * size
      for (let j = 0; j < T; j++) {
        const source = j * stride + 2 * D + head * size
        const weight = weights[j]! / total
        for (let c = 0; c < size; c++) out[target + c]! += weight * qkv[source + c]!
      }
    }
  }
  return out
}

const addTo = (x: Float32Array, y: Float32Array): Float32Array => {
  for (let i = 0; i < x.length; i++) x[i]! += y[i]!
  return x
}

const relu = (x: Float32Array): Float32Array => {
  for (let i = 0; i < x.length; i++) if (x[i]! < 0) x[i] = 0
  return x
}

const meanOf = (x: Float32Array, T: number): Float32Array => {
  const mean = new Float32Array(dimensions)
  for (let t = 0; t < T; t++) for (let i = 0; i < dimensions; i++) mean[i]! += x[t * dimensions + i]! / T
  return mean
}

const matrices = (layer: LayerWeights) => [
  layer.queryKeyValue,
  layer.queryKeyValueBias,
  layer.attentionOut,
  layer.attentionOutBias,
  layer.expand,
  layer.expandBias,
  layer.contract,
  layer.contractBias
]

/**
 * Builds the encoder of the weights.
 */
export const make = (weights: Weights): Encoder => {
  const { adjust, adjustBias, dense, denseBias, embedding, inverseTimescales } = weights
  const tokens = Tokenizer.make(weights.vocabulary)
  const matmul = Matmul.make(
    [adjust, adjustBias, dense, denseBias, ...matrices(weights.first), ...matrices(weights.second)],
    feedForwardWidth
  )

  /** Token embeddings plus positions. The published graph adds the embedding twice. */
  const inputOf = (ids: ReadonlyArray<number>): Float32Array => {
    const half = inputWidth / 2
    const x = new Float32Array(ids.length * inputWidth)
    for (const [t, id] of ids.entries()) {
      for (let i = 0; i < half; i++) {
        const angle = t * inverseTimescales[i]!
        const source = id * inputWidth + i
        const target = t * inputWidth + i
        x[target] = 2 * embedding[source]! + Math.sin(angle)
        x[target + half] = 2 * embedding[source + half]! + Math.cos(angle)
      }
    }
    return x
  }

  const attend = (x: Float32Array, T: number, D: number, w: LayerWeights): Float32Array => {
    const normed = layerNorm(x, T, D, w.attentionNormScale, w.attentionNormBias)
    const qkv = matmul(normed, T, D, w.queryKeyValue, 3 * D, w.queryKeyValueBias)
    return matmul(attention(qkv, T, D), T, D, w.attentionOut, dimensions, w.attentionOutBias)
  }

  const feedForward = (x: Float32Array, T: number, w: LayerWeights): Float32Array => {
    const normed = layerNorm(x, T, dimensions, w.feedForwardNormScale, w.feedForwardNormBias)
    const hidden = relu(matmul(normed, T, dimensions, w.expand, feedForwardWidth, w.expandBias))
    return addTo(matmul(hidden, T, feedForwardWidth, w.contract, dimensions, w.contractBias), x)
  }

  const embed = (text: string): Float32Array<ArrayBuffer> => {
    const ids = tokens(text)
    const T = ids.length
    const input = inputOf(ids)
    const widened = matmul(input, T, inputWidth, adjust, dimensions, adjustBias)
    const first = feedForward(addTo(attend(input, T, inputWidth, weights.first), widened), T, weights.first)
    const second = feedForward(addTo(attend(first, T, dimensions, weights.second), first), T, weights.second)
    const out = matmul(meanOf(second, T), 1, dimensions, dense, dimensions, denseBias)
    let norm = 0
    for (let i = 0; i < dimensions; i++) {
      out[i] = Math.tanh(out[i]!)
      norm += out[i]! * out[i]!
    }
    const inverse = 1 / Math.sqrt(norm)
    return out.map((value) => value * inverse)
  }

  return { embed }
}
