import { assert, describe, it } from "@effect/vitest"
import { Memory, Thought } from "cogito"
import { Reranker } from "cogito/rerank"
import { Testing } from "cogito/testing"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { assertClean, key } from "../faults/clean.ts"
import { reply, serve } from "../faults/server.ts"

// Rerankers on a loopback server.

const texts = ["The canary mug came broken", "Sent a new one", "The weather is fine"]

const remembered = Effect.gen(function* () {
  for (const content of texts) yield* Memory.commit(yield* Thought.make("triage", { message: content }))
})

const search = (score: Memory.Rerank["score"], deadline?: "100 millis") =>
  Memory.search("a new mug", { rerank: { score, ...(deadline === undefined ? {} : { deadline }) } })

const contents = ({ matches }: Memory.SearchResult) => matches.map(({ note }) => note.content)

/** Answers with the length of each text as its score, the best first, as servers do. */
const lengths = (asked: ReadonlyArray<string>) =>
  asked.map((text, index) => ({ index, value: text.length })).toSorted((a, b) => b.value - a.value)

const cohere = serve((response, request, asked) => {
  const results = lengths(asked.body.documents).map(({ index, value }) => ({ index, relevance_score: value }))
  reply(200, { id: "x", results, meta: {} })(response, request, asked)
})

const tei = serve((response, request, asked) => {
  const results = lengths(asked.body.texts).map(({ index, value }) => ({ index, score: value }))
  reply(200, results)(response, request, asked)
})

const live = Layer.fresh(Testing.memory)

describe("a reranker", () => {
  it.live("scores notes with Cohere's API", () =>
    Effect.gen(function* () {
      const { baseUrl, recorded } = yield* cohere
      const score = yield* Reranker.make({ model: "rerank-v3.5", apiKey: key, baseUrl })
      yield* remembered
      const found = yield* search(score)
      assert.strictEqual(found.arms.rerank, "ok")
      assert.deepStrictEqual(
        contents(found),
        texts.toSorted((a, b) => b.length - a.length)
      )
      assert.lengthOf(recorded, 1)
      const { body, headers, path } = recorded[0]!
      assert.deepStrictEqual([path, headers.authorization], ["/v1/rerank", `Bearer ${key}`])
      assert.deepStrictEqual(Object.keys(body), ["model", "query", "documents"])
      assert.deepStrictEqual([body.model, body.query], ["rerank-v3.5", "a new mug"])
      assert.sameMembers(body.documents, texts)
    }).pipe(Effect.provide(live), Effect.scoped)
  )

  it.live("scores notes with the API of Text Embeddings Inference, 32 in a request", () =>
    Effect.gen(function* () {
      const { baseUrl, recorded } = yield* tei
      const score = yield* Reranker.make({ api: "tei", model: "bge-reranker-base", baseUrl: `${baseUrl}/` })
      const thought = yield* Thought.make(
        "triage",
        Object.fromEntries(Array.from({ length: 70 }, (_, i) => [`k${i}`, "x".repeat(i + 1)]))
      )
      const scores = yield* score("x", Thought.notes(thought))
      assert.deepStrictEqual(
        scores,
        Array.from({ length: 70 }, (_, i) => i + 1)
      )
      assert.deepStrictEqual(
        recorded.map(({ body }): number => body.texts.length).toSorted((a, b) => a - b),
        [6, 32, 32]
      )
      assert.deepStrictEqual(Object.keys(recorded[0]!.body), ["query", "texts", "truncate"])
      assert.isTrue(recorded.every(({ path }) => path === "/v1/rerank"))
      assert.isUndefined(recorded[0]!.headers.authorization)
      assert.deepStrictEqual(yield* score("x", []), [])
    }).pipe(Effect.provide(live), Effect.scoped)
  )

  it.live("sends at most 1000 notes in a request with Cohere's API, with custom headers", () =>
    Effect.gen(function* () {
      const { baseUrl, recorded } = yield* cohere
      const headers = { "x-team": "triage", authorization: "Basic abc" }
      const score = yield* Reranker.make({ model: "m", apiKey: key, baseUrl, headers })
      const thought = yield* Thought.make(
        "triage",
        Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`k${i}`, "x".repeat(i)]))
      )
      assert.deepStrictEqual(
        yield* score("x", Thought.notes(thought)),
        Array.from({ length: 1001 }, (_, i) => i)
      )
      assert.deepStrictEqual(
        recorded.map(({ body }): number => body.documents.length).toSorted((a, b) => a - b),
        [1, 1000]
      )
      for (const sent of recorded) {
        const { "content-type": type, authorization, "x-team": team } = sent.headers
        assert.deepStrictEqual([type, authorization, team], ["application/json", "Basic abc", "triage"])
      }
    }).pipe(Effect.provide(live), Effect.scoped)
  )

  it.effect("fails after the time that a request may take", () =>
    Effect.gen(function* () {
      const thought = yield* Thought.make("triage", { a: "a" })
      for (const [options, millis] of [
        [{}, 60_000],
        [{ timeout: "2 minutes" }, 120_000]
      ] as const) {
        const silent = yield* serve(() => {})
        const score = yield* Reranker.make({ model: "m", baseUrl: silent.baseUrl, ...options })
        const fiber = yield* Effect.forkChild(Effect.flip(score("x", Thought.notes(thought))))
        yield* silent.arrived
        yield* TestClock.adjust(millis - 1)
        assert.isUndefined(fiber.pollUnsafe())
        yield* TestClock.adjust(1)
        assert.strictEqual((yield* Fiber.join(fiber)).reason._tag, "Timeout")
      }
    }).pipe(Effect.scoped)
  )

  it.effect("refuses a key that is no text, as in a program without types", () =>
    Effect.gen(function* () {
      for (const apiKey of [5, {}, true]) {
        const options = { model: "m", baseUrl: "http://127.0.0.1:1", apiKey: apiKey as unknown as string }
        const { message, reason } = yield* Effect.flip(Reranker.make(options))
        assert.strictEqual(reason._tag, "Authentication")
        assert.match(message, /the API key must be a text/)
      }
    })
  )

  it.live("is sent the beginning of long notes and questions, so that a request fits into what servers accept", () =>
    Effect.gen(function* () {
      const { baseUrl, recorded } = yield* tei
      const score = yield* Reranker.make({ api: "tei", model: "m", baseUrl })
      const long = `${"語".repeat(15_999)}🎉${"語".repeat(100_000)}`
      const thought = yield* Thought.make(
        "triage",
        Object.fromEntries(Array.from({ length: 32 }, (_, i) => [`k${i}`, `${i} ${long}`]))
      )
      assert.lengthOf(yield* score(long, Thought.notes(thought)), 32)
      const [{ body }] = recorded as [(typeof recorded)[number]]
      // the limit of Text Embeddings Inference unless it is started with another one
      assert.isBelow(new TextEncoder().encode(JSON.stringify(body)).length, 2_000_000)
      // no character is cut in two
      assert.strictEqual(body.query, "語".repeat(15_999))
      assert.isTrue(body.texts.every((text: string) => text.length >= 15_999 && text.isWellFormed()))
    }).pipe(Effect.provide(live), Effect.scoped)
  )

  it.live("that fails or is late costs its deadline, never the search", () =>
    Effect.gen(function* () {
      yield* remembered
      const plain = contents(yield* Memory.search("a new mug"))
      const silent = yield* serve(() => {})
      const late = yield* Reranker.make({ model: "m", baseUrl: silent.baseUrl })
      const found = yield* search(late, "100 millis")
      assert.deepStrictEqual([contents(found), found.arms.rerank], [plain, "late"])
      const down = yield* Reranker.make({ model: "m", baseUrl: "http://127.0.0.1:1" })
      const without = yield* search(down)
      assert.deepStrictEqual([contents(without), without.arms.rerank], [plain, "failed"])
    }).pipe(Effect.provide(live), Effect.scoped)
  )

  it.live.each<readonly [string, number, unknown, string, RegExp]>([
    ["refuses the key", 401, { message: "invalid api token" }, "Authentication", /COHERE_API_KEY/],
    ["has too many requests", 429, { message: "slow down" }, "RateLimited", /too many requests/],
    [
      "is overloaded",
      503,
      { error: "no", error_type: "Overloaded" },
      "Overloaded",
      /internal error \(503 Overloaded\)/
    ],
    [
      "refuses the batch",
      413,
      { error: "batch size 40 > maximum", error_type: "Validation" },
      "ContextTooLong",
      /\(413 Validation\): send less/
    ],
    ["names a code within its error", 400, { error: { code: "insufficient_quota" } }, "QuotaExhausted", /credit/],
    ["names a type alone", 404, { type: "not_found", message: "no" }, "InvalidRequest", /\(404 not_found\)/],
    ["redirects", 302, "", "InvalidRequest", /redirects are not followed/],
    ["sends no JSON", 200, "<html>", "InvalidResponse", /did not send scores: check api \(cohere\)/],
    ["sends the other form", 200, [{ index: 0, score: 1 }], "InvalidResponse", /did not send scores/],
    ["states an error", 200, { error: { message: "no", code: "overloaded" } }, "Overloaded", /internal error/],
    ["leaves out a note", 200, { results: [] }, "InvalidResponse", /one score for each of 3 texts/],
    [
      "scores a note twice",
      200,
      { results: [0, 0, 1].map((index) => ({ index, relevance_score: 1 })) },
      "InvalidResponse",
      /one score for each of 3 texts/
    ],
    [
      "scores more notes than it was sent",
      200,
      { results: [0, 1, 2, 3].map((index) => ({ index, relevance_score: 1 })) },
      "InvalidResponse",
      /one score for each of 3 texts/
    ],
    [
      "sends no number",
      200,
      { results: [{ index: 0, relevance_score: null }] },
      "InvalidResponse",
      /did not send scores/
    ]
  ])("says what is wrong if its server %s", ([, status, body, tag, message]) =>
    Effect.gen(function* () {
      const { baseUrl } = yield* serve(reply(status, body))
      const score = yield* Reranker.make({ model: "m", apiKey: key, baseUrl })
      const thought = yield* Thought.make("triage", { a: texts[0]!, b: texts[1]!, c: texts[2]! })
      const error = yield* Effect.flip(score("a new mug", Thought.notes(thought)))
      const { reason } = error
      assert.strictEqual(reason._tag, tag)
      assert.match(reason.message, message)
      assert.instanceOf(error, Error)
      assertClean(error)
    }).pipe(Effect.provide(live), Effect.scoped)
  )

  it.effect("is refused with options that cannot work", () =>
    Effect.gen(function* () {
      const tagOf = (options: Reranker.Options) =>
        Effect.map(Effect.flip(Reranker.make(options)), ({ reason }) => reason._tag)
      assert.strictEqual(yield* tagOf({ model: "rerank-v3.5" }), "Authentication")
      assert.strictEqual(yield* tagOf({ model: "m", baseUrl: "somewhere" }), "InvalidRequest")
      assert.strictEqual(yield* tagOf({ model: "m", apiKey: key, baseUrl: "http://example.com" }), "InvalidRequest")
      assert.throws(
        () => Reranker.make({ model: "m", api: "jina" as "tei" }),
        'api must be "cohere" or "tei", not "jina"'
      )
      assert.throws(() => Reranker.make({ model: "m", timeout: 0 }), /timeout/)
    })
  )
})
