/**
 * Rerankers behind HTTP: Cohere's, and those of servers that speak its API, such as vLLM, Jina and llama.cpp, or that of
 * Text Embeddings Inference (TEI).
 */
import * as Effect from "effect/Effect"
import { taking } from "../arguments/taking.ts"
import { checkTimes, deadlinesOf } from "../http/deadlines.ts"
import { parse } from "../http/decoding.ts"
import { fail } from "../http/Endpoint.ts"
import { errorOf } from "../http/failure.ts"
import { guarded } from "../http/guarded.ts"
import { callOptions, type ServerOptions } from "../http/options.ts"
import { serverOf } from "../http/server.ts"
import { body as bodyOf } from "../http/transport.ts"
import type { Note } from "../Note.ts"
import type { ProviderError } from "../Provider.ts"
import { isObject } from "../schema/jsonSchema.ts"
import { quoted } from "../text/legible.ts"
import { formats } from "./formats.ts"

/**
 * Options of a reranker: which model, where, and with which key.
 *
 * **Details**
 *
 * - `model`, `apiKey`, `baseUrl`, `timeout`, `headers`, `allowInsecureHttp`, `fetch`: as for a provider. `/rerank` is added
 *   to `baseUrl`, which is Cohere's by default. `timeout` applies to each request
 * - `api`: `"cohere"` (default) or `"tei"`. A server with TEI's API has one model and ignores `model`
 *
 * @category models
 */
export interface Options extends Pick<ServerOptions, (typeof callOptions)[number]> {
  readonly api?: keyof typeof formats
}

/** Scores notes, as the option `rerank` of a search wants it. */
type Score = (query: string, notes: ReadonlyArray<Note>) => Effect.Effect<ReadonlyArray<number>, ProviderError>

const vendor = {
  name: "rerank",
  baseUrl: "https://api.cohere.com/v2",
  keyName: "COHERE_API_KEY",
  addressEnd: "where /rerank follows"
}

/**
 * Rerankers read some thousand tokens of a text at most. More would only make requests longer than servers accept: 32 texts
 * of this length are under the 2 MB of Text Embeddings Inference.
 */
const mostCharacters = 16_000

/** The beginning of a text, without half a character at its end. */
const beginning = (text: string): string => text.slice(0, mostCharacters).replace(/[\ud800-\udbff]$/, "")

/** The error of a response, with the properties that an SDK's errors have. */
const refused = async (response: Response): Promise<Error> => {
  const body = parse(await response.text())
  const { code, error, error_type, message, type } = isObject(body) ? body : {}
  const inner = isObject(error) ? error : { message: error }
  return Object.assign(new Error("the request was refused"), {
    status: response.status,
    headers: response.headers,
    code: code ?? error_type ?? inner["code"],
    type: type ?? inner["type"],
    apiMessage: message ?? inner["message"]
  })
}

/**
 * Builds a function that scores notes, for the option `rerank` of a search. Nothing is sent yet.
 *
 * **Details**
 *
 * It fails with a `ProviderError` whose reason is:
 *
 * - `Authentication` if Cohere's key is missing, or a key cannot be sent in a header
 * - `InvalidRequest` if `baseUrl` is invalid, or a key or headers would go unencrypted to another machine
 *
 * Throws if `api` is not one of its values, or a time is zero or negative.
 *
 * Each search sends one request, with TEI's API one for each 32 notes. It has the first 16,000 characters of the question
 * and of each note. Calls are not repeated: a search whose reranker fails or is late answers in its own order and says so
 * in `arms.rerank`.
 *
 * **Example** (A search that a server scores again)
 *
 * ```ts
 * import { Effect } from "effect"
 * import { Memory, Thought } from "cogito"
 * import { Reranker } from "cogito/rerank"
 * import { Testing } from "cogito/testing"
 * import assert from "node:assert/strict"
 *
 * // a server of your own has no need of this
 * const fetch = async () => Response.json([{ index: 1, score: 0.9 }, { index: 0, score: 0.1 }])
 *
 * const program = Effect.gen(function*() {
 *   const score = yield* Reranker.make({ api: "tei", baseUrl: "http://127.0.0.1:8080", model: "bge-reranker-base", fetch })
 *   const memory = yield* Memory.Memory
 *   yield* memory.commit(yield* Thought.make("triage", { a: "The parcel was lost", b: "The lost parcel was found" }))
 *   const { arms } = yield* memory.search("lost parcel", { rerank: { score, deadline: "1 second" } })
 *   assert.equal(arms.rerank, "ok")
 * })
 *
 * await Effect.runPromise(Effect.provide(program, Testing.memory))
 * ```
 *
 * @category constructors
 */
export const make = taking("Reranker.make", { options: 0, known: [...callOptions, "api"] })((
  options: Options
): Effect.Effect<Score, ProviderError> => {
  const { api = "cohere" } = options
  if (!Object.hasOwn(formats, api)) throw new Error(`api must be "cohere" or "tei", not ${quoted(api)}.`)
  checkTimes("Reranker", options)
  return Effect.map(serverOf(options, vendor), ({ baseUrl, endpoint, key }) => {
    const { body, mostTexts, scores } = formats[api]
    const send = guarded(options.fetch ?? globalThis.fetch)
    const url = `${baseUrl.replace(/\/+$/, "")}/rerank`
    const headers = {
      "content-type": "application/json",
      ...(key === "" ? {} : { authorization: `Bearer ${key}` }),
      ...options.headers
    }
    const deadlines = deadlinesOf(options)

    const scored = Effect.fnUntraced(function* (
      query: string,
      texts: ReadonlyArray<string>
    ): Effect.fn.Return<ReadonlyArray<number>, ProviderError> {
      const content = JSON.stringify(body(options.model, query, texts))
      const answer = yield* bodyOf(endpoint, deadlines, async (signal) => {
        const response = await send(url, { method: "POST", headers, body: content, signal }).catch((cause: unknown) => {
          throw Object.assign(new Error("there was no response", { cause }), { status: undefined })
        })
        if (!response.ok) throw await refused(response)
        return response
      })
      const received = parse(answer.text)
      const found = scores(received)
      if (found === undefined) {
        const error = errorOf(received, answer, endpoint)
        if (error !== undefined) return yield* error
        const message = `${endpoint.host} did not send scores: check api (${api}) and baseUrl`
        return yield* fail(endpoint, { _tag: "InvalidResponse", message })
      }
      const byIndex = new Map(found)
      if (found.length !== texts.length || texts.some((_, i) => !byIndex.has(i))) {
        const message = `${endpoint.host} did not send one score for each of ${texts.length} texts`
        return yield* fail(endpoint, { _tag: "InvalidResponse", message })
      }
      return texts.map((_, i) => byIndex.get(i) ?? 0)
    })

    return (query, notes) => {
      const texts = notes.map(({ content }) => beginning(content))
      const parts = Array.from({ length: Math.ceil(texts.length / mostTexts) }, (_, i) =>
        texts.slice(i * mostTexts, (i + 1) * mostTexts)
      )
      return Effect.map(
        Effect.forEach(parts, (part) => scored(beginning(query), part), { concurrency: "unbounded" }),
        (all) => all.flat()
      )
    }
  })
})
