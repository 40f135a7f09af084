/** Embedders behind OpenAI's embeddings API. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { checkModel } from "../arguments/checked.ts"
import { taking } from "../arguments/taking.ts"
import { Embedder, EmbedderError, type Shape } from "../Embedder.ts"
import { estimateTokens } from "../Session.ts"
import type { ProviderError } from "../Provider.ts"
import { connect } from "./api/client.ts"
import { parse } from "../http/decoding.ts"
import { fail } from "../http/Endpoint.ts"
import { errorOf } from "../http/failure.ts"
import { callOptions, type ServerOptions } from "../http/options.ts"
import { toVectors } from "./vectors.ts"

/**
 * Options of an embedder: which model, where, and with which key.
 *
 * **Details**
 *
 * - `model`: its name at the server
 * - `apiKey`, `baseUrl`, `timeout`, `headers`, `allowInsecureHttp`, `fetch`: as for a provider. `timeout` applies to
 *   each request
 * - `dimensions`: length of every vector. Default: the length of OpenAI's model; required for any other model. It is
 *   sent to models named `text-embedding-3…`; other models must return that length on their own
 * - `maxTokens`: longest input, by default 8191
 * - `countTokens`: counts the model's tokens, as `cogito/tokenizer` does. Default: an estimate
 * - `id`: names the space of the vectors, by default the model. Two servers that return different vectors for one model
 *   name need different ids
 *
 * @category embedders
 */
export interface EmbedderOptions extends Pick<ServerOptions, (typeof callOptions)[number]> {
  readonly dimensions?: number
  readonly maxTokens?: number
  readonly countTokens?: (text: string) => number
  readonly id?: string
}

const ownDimensions: Readonly<Record<string, number>> = {
  "text-embedding-3-small": 1536,
  "text-embedding-3-large": 3072,
  "text-embedding-ada-002": 1536
}

/** The limits of one request. */
const mostTexts = 2048
const mostTokens = 300_000
/** An estimate may be a third too low. */
const mostEstimated = 200_000

const batchesOf = (
  texts: ReadonlyArray<string>,
  most: number,
  count: (text: string) => number
): ReadonlyArray<ReadonlyArray<string>> => {
  const batches: Array<Array<string>> = []
  let tokens = 0
  for (const text of texts) {
    const own = count(text)
    const last = batches.at(-1)
    if (last === undefined || last.length === mostTexts || tokens + own > most) {
      batches.push([text])
      tokens = own
    } else {
      last.push(text)
      tokens += own
    }
  }
  return batches
}

const taken = { options: 0, known: [...callOptions, "countTokens", "dimensions", "id", "maxTokens"] } as const

/**
 * Builds an embedder over OpenAI's embeddings API.
 *
 * **Details**
 *
 * Texts are sent in requests of at most 2048 texts and 300,000 tokens, one after the other, without retries.
 * Interrupting a call closes its connection. Building it fails as `make` does, and with `InvalidRequest` if the length
 * of the model's vectors is unknown.
 *
 * **Example** (A local model, whose vectors have a length of their own)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { OpenAi } from "cogito/openai"
 *
 * const options = { model: "nomic-embed-text", baseUrl: "http://localhost:11434/v1" }
 * const embedder = await Effect.runPromise(OpenAi.makeEmbedder({ ...options, dimensions: 768 }))
 * assert.equal(embedder.dimensions, 768)
 *
 * const error = await Effect.runPromise(Effect.flip(OpenAi.makeEmbedder(options)))
 * assert.equal(error.reason._tag, "InvalidRequest")
 * ```
 *
 * @category embedders
 */
export const makeEmbedder = taking(
  "OpenAi.makeEmbedder",
  taken
)((options: EmbedderOptions): Effect.Effect<Shape, ProviderError> => {
  checkModel("OpenAi.makeEmbedder", options)
  return Effect.gen(function* () {
    const { countTokens, id = options.model, maxTokens = 8191, model } = options
    const { ask, endpoint, official } = yield* connect(options)
    const dimensions = options.dimensions ?? ownDimensions[model]
    if (dimensions === undefined || !Number.isInteger(dimensions) || dimensions < 1) {
      const message = "the length of the model's vectors is unknown: pass it as dimensions, a whole number"
      return yield* fail(endpoint, { _tag: "InvalidRequest", message, parameter: "dimensions" })
    }
    const broken = (message: string) => new EmbedderError({ embedder: id, message, retryable: false })

    const toError = (cause: ProviderError) =>
      new EmbedderError({ embedder: id, message: cause.message, retryable: cause.isRetryable, cause })

    const embedBatch = Effect.fnUntraced(function* (texts: ReadonlyArray<string>) {
      const answer = yield* ask((client, signal) =>
        client.embeddings.create(
          {
            model,
            // the server refuses an empty text
            input: texts.map((one) => (one === "" ? " " : one)),
            encoding_format: official ? "base64" : "float",
            ...(model.startsWith("text-embedding-3") && { dimensions })
          },
          { signal }
        )
      ).pipe(Effect.mapError(toError))
      const body = parse(answer.text)
      const vectors = toVectors(body)
      if (vectors === undefined) {
        const error = errorOf(body, answer, endpoint)
        if (error !== undefined) return yield* toError(error)
        return yield* broken(`${endpoint.host} did not send embeddings: check model and baseUrl`)
      }
      if (vectors.length !== texts.length || vectors.includes(undefined)) {
        return yield* broken(`${endpoint.host} did not send one embedding for each of ${texts.length} texts`)
      }
      const found = vectors.filter((vector) => vector !== undefined)
      const other = found.find((vector) => vector.length !== dimensions)
      if (other !== undefined) {
        return yield* broken(
          `${endpoint.host} sent a vector with ${other.length} numbers instead of ${dimensions}: correct the option dimensions`
        )
      }
      return found
    })

    return {
      id,
      dimensions,
      maxTokens,
      metric: "cosine",
      ...(countTokens !== undefined && { countTokens }),
      embedMany: (texts) => {
        const batches =
          countTokens === undefined
            ? batchesOf(texts, mostEstimated, estimateTokens)
            : batchesOf(texts, mostTokens, countTokens)
        return Effect.map(Effect.forEach(batches, embedBatch), (found) => found.flat())
      }
    }
  })
})

/**
 * Provides an embedding model behind OpenAI's API. Building the layer fails as `makeEmbedder` does.
 *
 * **Example** (Short vectors)
 *
 * ```ts
 * import { Effect } from "effect"
 * import assert from "node:assert/strict"
 * import { Embedder } from "cogito"
 * import { OpenAi } from "cogito/openai"
 *
 * const embedder = OpenAi.embedder({ model: "text-embedding-3-small", dimensions: 512, apiKey: "sk-example" })
 *
 * const dimensions = Embedder.Embedder.use((one) => Effect.succeed(one.dimensions))
 * assert.equal(await Effect.runPromise(Effect.provide(dimensions, embedder)), 512)
 * ```
 *
 * @category embedders
 */
export const embedder = taking(
  "OpenAi.embedder",
  taken
)((options: EmbedderOptions): Layer.Layer<Embedder, ProviderError> => Layer.effect(Embedder, makeEmbedder(options)))
