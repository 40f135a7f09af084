import { assert, describe, it } from "@effect/vitest"
import { OpenAi } from "cogito/openai"
import { Embedder } from "cogito"
import { Effect, Fiber } from "effect"
import { assertClean, key } from "../faults/clean.ts"
import { reply, serve } from "./server.ts"

const secret = "canary text about a secret ticket"

type Options = Partial<OpenAi.EmbedderOptions>

const vectorOf = (text: string, length: number) => Array.from({ length }, (_, i) => (i === 0 ? text.length : i / 8))

/** Answers as an embeddings server does. */
const embeddings = (length: number, change = (data: any) => data) =>
  serve((response, request, asked) => {
    const { encoding_format, input } = asked.body
    const data = (input as ReadonlyArray<string>).map((text, index) => {
      const vector = vectorOf(text, length)
      const embedding =
        encoding_format === "base64" ? Buffer.from(Float32Array.from(vector).buffer).toString("base64") : vector
      return { object: "embedding", index, embedding }
    })
    const body = { object: "list", data: change(data), model: "m", usage: { prompt_tokens: 1, total_tokens: 1 } }
    reply(200, body)(response, request, asked)
  })

const embed = (texts: ReadonlyArray<string>, options: OpenAi.EmbedderOptions) =>
  Embedder.Embedder.use((embedder) => embedder.embedMany(texts)).pipe(Effect.provide(OpenAi.embedder(options)))

const local = (baseUrl: string, more: Options = {}): OpenAi.EmbedderOptions => ({
  model: "local",
  apiKey: key,
  baseUrl,
  dimensions: 4,
  ...more
})

/** Sends calls for api.openai.com to the server of a test. */
const redirectTo =
  (baseUrl: string): typeof fetch =>
  (input, init) =>
    fetch(new globalThis.Request(input).url.replace("https://api.openai.com/v1", baseUrl), init)

describe("embedding with OpenAI", () => {
  it.effect("returns one vector for each text, in order, whatever the order of the answer", () =>
    Effect.gen(function* () {
      const server = yield* embeddings(4, (data: ReadonlyArray<unknown>) => data.toReversed())
      const vectors = yield* embed(["a", "", "ccc"], local(server.baseUrl))
      assert.deepStrictEqual(
        vectors.map((vector) => [...vector]),
        ["a", " ", "ccc"].map((text) => vectorOf(text, 4))
      )
      const { body, headers, path } = server.last()
      assert.deepStrictEqual(body, { model: "local", input: ["a", " ", "ccc"], encoding_format: "float" })
      assert.strictEqual(path, "/v1/embeddings")
      assert.strictEqual(headers.authorization, `Bearer ${key}`)
      assert.deepStrictEqual(yield* embed([], local(server.baseUrl)), [])
      assert.strictEqual(server.recorded.length, 1)
    }).pipe(Effect.scoped)
  )

  it.effect("asks OpenAI for packed vectors of the length that was chosen", () =>
    Effect.gen(function* () {
      const server = yield* embeddings(256)
      const options = { model: "text-embedding-3-small", apiKey: key, dimensions: 256 }
      const vectors = yield* embed(["one", "two"], { ...options, fetch: redirectTo(server.baseUrl) })
      assert.deepStrictEqual([...vectors[1]!], vectorOf("two", 256))
      assert.deepStrictEqual(server.last().body, {
        model: "text-embedding-3-small",
        input: ["one", "two"],
        encoding_format: "base64",
        dimensions: 256
      })
    }).pipe(Effect.scoped)
  )

  it.effect("knows OpenAI's own models, and requires the length of any other model's vectors", () =>
    Effect.gen(function* () {
      for (const [model, dimensions] of [
        ["text-embedding-3-small", 1536],
        ["text-embedding-3-large", 3072],
        ["text-embedding-ada-002", 1536]
      ] as const) {
        const embedder = yield* OpenAi.makeEmbedder({ model, apiKey: key })
        assert.deepInclude(embedder, { id: model, dimensions, maxTokens: 8191, metric: "cosine" })
        assert.notProperty(embedder, "countTokens")
      }
      for (const dimensions of [undefined, 0, 1.5]) {
        const options = { model: "other", apiKey: key, ...(dimensions !== undefined && { dimensions }) }
        const error = yield* Effect.flip(OpenAi.makeEmbedder(options))
        assert.deepInclude(error.reason, { _tag: "InvalidRequest", parameter: "dimensions" })
      }
      const own = { countTokens: (text: string) => text.length, id: "mine@1", maxTokens: 512 }
      const embedder = yield* OpenAi.makeEmbedder({ model: "text-embedding-3-small", apiKey: key, ...own })
      assert.deepInclude(embedder, own)
      const missing = yield* Effect.flip(OpenAi.makeEmbedder({ model: "text-embedding-3-small" }))
      assert.strictEqual(missing.reason._tag, "Authentication")
    })
  )

  it.effect("sends at most 2048 texts in a request", () =>
    Effect.gen(function* () {
      const server = yield* embeddings(4)
      const texts = Array.from({ length: 5000 }, (_, i) => "x".repeat(1 + (i % 7)))
      const vectors = yield* embed(texts, local(server.baseUrl))
      assert.deepStrictEqual(
        vectors.map(([first]) => first),
        texts.map((text) => text.length)
      )
      assert.deepStrictEqual(
        server.recorded.map(({ body }) => body.input.length),
        [2048, 2048, 904]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("sends at most 300,000 tokens in a request, and fewer if they are estimated", () =>
    Effect.gen(function* () {
      const server = yield* embeddings(4)
      const texts = Array.from({ length: 100 }, () => "x".repeat(8000))
      yield* embed(texts, local(server.baseUrl, { countTokens: (text) => text.length }))
      assert.deepStrictEqual(
        server.recorded.map(({ body }) => body.input.length),
        [37, 37, 26]
      )
      server.recorded.length = 0
      yield* embed([...texts, ...texts], local(server.baseUrl))
      assert.deepStrictEqual(
        server.recorded.map(({ body }) => body.input.length),
        [100, 100]
      )
    }).pipe(Effect.scoped)
  )

  const wrong: ReadonlyArray<readonly [string, (data: Array<any>) => unknown]> = [
    ["too few vectors", (data) => data.slice(1)],
    ["too many", (data) => [...data, { ...data[0], index: 2 }]],
    ["one twice", (data) => [data[0], data[0]]],
    ["an index that is none", (data) => [data[0], { ...data[1], index: 7 }]],
    ["an index below 0", (data) => [data[0], { ...data[1], index: -1 }]],
    ["an index between two", (data) => [data[0], { ...data[1], index: 0.5 }]],
    ["an index as a text", (data) => [data[0], { ...data[1], index: "1" }]],
    ["null for one", (data) => [data[0], null]],
    ["no vector for one", (data) => [data[0], { index: 1 }]],
    ["a text among the numbers", (data) => [data[0], { index: 1, embedding: [0, 1, "2", 3] }]],
    ["no bytes", (data) => [data[0], { index: 1, embedding: "" }]],
    ["shorter vectors", (data) => data.map((one) => ({ ...one, embedding: one.embedding.slice(1) }))],
    ["texts for numbers", (data) => data.map((one) => ({ ...one, embedding: ["a"] }))],
    ["bytes that are no floats", (data) => data.map((one) => ({ ...one, embedding: "AAA=" }))],
    ["nothing", () => null]
  ]
  for (const [what, change] of wrong) {
    it.effect(`fails, typed and for good, when it is sent ${what}`, () =>
      Effect.gen(function* () {
        const server = yield* embeddings(4, change)
        const error = yield* Effect.flip(embed([secret, "two"], local(server.baseUrl)))
        assert.instanceOf(error, Embedder.EmbedderError)
        assert.isFalse("retryable" in error && error.retryable)
        assertClean(error)
      }).pipe(Effect.scoped)
    )
  }

  const refused: ReadonlyArray<readonly [number, string, boolean]> = [
    [400, "InvalidRequest", false],
    [401, "Authentication", false],
    [429, "RateLimited", true],
    [500, "Overloaded", true]
  ]
  for (const [status, tag, retryable] of refused) {
    it.effect(`fails as a call of the model does, once: ${status}`, () =>
      Effect.gen(function* () {
        const server = yield* serve(reply(status, { error: { message: `${key} said: ${secret}`, type: "some" } }))
        const error = yield* Effect.flip(embed([secret], local(server.baseUrl)))
        assert.deepInclude(error, { _tag: "EmbedderError", embedder: "local", retryable })
        assert.strictEqual((error as { cause?: any }).cause.reason._tag, tag)
        assertClean(error)
        assert.strictEqual(server.recorded.length, 1)
      }).pipe(Effect.scoped)
    )
  }

  it.effect("closes the connection of a call that is interrupted", () =>
    Effect.gen(function* () {
      const server = yield* serve(() => {})
      const fiber = yield* Effect.forkChild(embed(["a"], local(server.baseUrl)))
      yield* server.arrived
      yield* Fiber.interrupt(fiber)
      yield* server.closed
    }).pipe(Effect.scoped)
  )

  it.live("gives up on a request after its time", () =>
    Effect.gen(function* () {
      const server = yield* serve(() => {})
      const error = yield* Effect.flip(embed(["a"], local(server.baseUrl, { timeout: "50 millis" })))
      assert.deepInclude(error, { _tag: "EmbedderError", retryable: true })
      yield* server.idle()
    }).pipe(Effect.scoped)
  )
})
