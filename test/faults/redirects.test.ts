import { assert, describe, it } from "@effect/vitest"
import { OpenAi } from "cogito/openai"
import { Provider, type ProviderError, type Request } from "cogito/Provider"
import { Effect, Stream } from "effect"
import { adapters } from "./adapters.ts"
import { assertClean, key, prompt } from "./clean.ts"
import { reply, serve } from "./server.ts"

const request: Request = {
  messages: [{ role: "user", text: prompt }],
  task: { kind: "greet", instruction: prompt, questions: [], context: [] },
  phase: "reason",
  sampling: {}
}

const statuses = [300, 301, 302, 303, 304, 307, 308]

/** A server that redirects to another one, which must never be asked. */
const redirecting = (status: number) =>
  Effect.gen(function* () {
    const other = yield* serve(reply(200, {}))
    const first = yield* serve(reply(status, status === 304 ? "" : prompt, { location: `http://${other.host}/v1/x` }))
    return { first, other }
  })

const assertRefused = (error: ProviderError, host: string, status: number) => {
  assertClean(error)
  assert.deepInclude(error.reason, { _tag: "InvalidRequest", parameter: "baseUrl" })
  assert.include(error.message, `${host} redirects (${status})`)
  assert.include(error.message, "set baseUrl to")
  assert.isFalse(error.isRetryable)
}

describe("a redirect is not followed", () => {
  for (const name of ["chat", "responses", "messages"] as const) {
    for (const status of statuses) {
      it.live(`${name}, ${status}`, () =>
        Effect.gen(function* () {
          const { first, other } = yield* redirecting(status)
          const provider = yield* adapters[name].make(`http://${first.host}`, { apiKey: key })
          assertRefused(yield* Effect.flip(provider.complete(request)), first.host, status)
          assertRefused(yield* Effect.flip(Stream.runCollect(provider.stream(request))), first.host, status)
          assert.lengthOf(first.recorded, 2)
          assert.strictEqual(other.connections(), 0)
        }).pipe(Effect.scoped)
      )
    }

    it.live(`${name}, by a fetch that follows it or hides it`, () =>
      Effect.gen(function* () {
        const { first, other } = yield* redirecting(307)
        const following = (input: string | URL | globalThis.Request, init?: RequestInit) =>
          globalThis.fetch(input, { ...init, redirect: "follow" })
        // what a browser gives for a redirect that is not followed
        const hiding = () =>
          Promise.resolve(Object.defineProperty(Response.error(), "type", { value: "opaqueredirect" }))
        for (const fetch of [following, hiding]) {
          const provider = yield* adapters[name].make(`http://${first.host}`, { apiKey: key, fetch })
          assertRefused(yield* Effect.flip(provider.complete(request)), first.host, 302)
        }
        assert.strictEqual(other.connections(), 1)
      }).pipe(Effect.scoped)
    )
  }

  it.live("decisions", () =>
    Effect.gen(function* () {
      const { first, other } = yield* redirecting(307)
      const questions = [{ _tag: "Predicate", name: "urgent", question: prompt }] as const
      const options = { model: "m", apiKey: key, baseUrl: first.baseUrl }
      const decider = yield* Effect.provide(Provider, OpenAi.decider(options))
      const byProbability = yield* OpenAi.make({ ...options, decisions: "logprobs" })
      for (const { decide } of [decider, byProbability]) {
        assert.isDefined(decide)
        const asked = decide({ messages: request.messages, task: { ...request.task, questions } })
        assertRefused(yield* Effect.flip(asked), first.host, 307)
      }
      assert.strictEqual(other.connections(), 0)
    }).pipe(Effect.scoped)
  )

  it.live("embeddings", () =>
    Effect.gen(function* () {
      const { first, other } = yield* redirecting(308)
      const options = {
        model: "m",
        dimensions: 3,
        apiKey: key,
        baseUrl: first.baseUrl,
        headers: { "x-team": "canary" }
      }
      const embedder = yield* OpenAi.makeEmbedder(options)
      const error = yield* Effect.flip(embedder.embedMany([prompt]))
      assertClean(error)
      assert.include(error.message, `${first.host} redirects (308)`)
      assert.isFalse(error.retryable)
      assert.strictEqual(other.connections(), 0)
    }).pipe(Effect.scoped)
  )
})
