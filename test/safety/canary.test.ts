/**
 * What keys, headers and texts must never get into: logs, errors, spans, signals, and what the vendors' packages print.
 *
 * Each API is called by a pipeline through every kind of trouble, with servers that repeat key and prompt in their answers,
 * and everything that tells of it is searched.
 */
import { assert, describe, it } from "@effect/vitest"
import { Pipeline, Primitive, Provider, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { Effect, Exit, Layer, Schema, Stream } from "effect"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { vi } from "vitest"
import { adapters } from "../faults/adapters.ts"
import { answering } from "../faults/answering.ts"
import { key, prompt } from "../faults/clean.ts"
import { type Answer, reply, send, serve, stream } from "../faults/server.ts"
import { seen, watched } from "./watched.ts"

const canary = "canary"
const echo = `${key} said ${prompt}`

const Counts = Schema.Record(Schema.String, Schema.Int)
const steps = Pipeline.sequence("guarded", [
  Primitive.analyze("counts", { schema: Counts, prompt: "Count the words", introspect: true }),
  Primitive.decide("escalate", { question: "Should a senior agent take it?" })
])

/** What the model says to a request, which has the requests before it in it. */
const answer = ({ prompt: asked }: { readonly prompt: string }): string => {
  if (asked.includes("senior agent")) return JSON.stringify({ decision: true, confidence: 0.9, reasoning: [echo] })
  return asked.includes("Look back") ? `The ${canary} sings.` : JSON.stringify({ [echo]: 1 })
}

/** Servers that answer well, answer in the wrong form, or fail; all of them repeat what they were sent. */
const servers: ReadonlyArray<readonly [name: string, answer: Answer]> = [
  ["answers", answering(answer)],
  ["answers with keys of its own that do not fit", answering(() => JSON.stringify({ [echo]: echo, decision: echo }))],
  ["answers in prose", answering(() => `I will not: ${echo}`)],
  ["answers with cut JSON", answering(() => `{"${echo}": `)],
  ...[400, 401, 404, 413, 429, 500].map(
    (status) =>
      [
        `answers with ${status}`,
        reply(status, { error: { message: echo, type: echo, param: echo, code: echo } })
      ] as const
  ),
  ["answers with a page", send(`<html>${echo}</html>`, "ended", { "content-type": "text/html" })],
  ["cuts its answer", send(`{"id":"${echo}","choices":[`, "destroyed")],
  ["streams nonsense", stream([`data: {"half ${echo}\n\n`, `event: ${echo}\ndata: null\n\n`])]
]

const layerOf = (name: keyof typeof adapters, origin: string) =>
  Layer.effect(Provider.Provider, adapters[name].make(origin, { apiKey: key }))

describe("keys and texts", () => {
  for (const name of ["chat", "responses", "messages"] as const) {
    it.live(`are in no log, error, span or signal: ${name}`, () =>
      Effect.gen(function* () {
        vi.stubEnv("OPENAI_LOG", "debug")
        vi.stubEnv("ANTHROPIC_LOG", "debug")
        let failures = 0
        for (const [what, server] of servers) {
          const { baseUrl } = yield* serve(server)
          const provider = layerOf(name, new URL(baseUrl).origin)
          const thought = yield* Thought.make("look", { message: prompt, [`${canary} key`]: prompt })
          const run = Pipeline.run(steps, thought)
          const streamed = Pipeline.stream(steps, thought).pipe(Stream.runDrain)
          for (const program of [run, streamed]) {
            const { exit, spans, told } = yield* watched(
              program.pipe(Effect.provide(Layer.merge(provider, Testing.memory)), Effect.asVoid)
            )
            if (Exit.isFailure(exit)) failures++
            else assert.strictEqual(what, "answers")
            assert.isAbove(spans.length, 2)
            for (const one of told) {
              // the name of a note is the caller's own word
              assert.notInclude(
                seen(one).replaceAll(`${canary} key`, ""),
                canary,
                `${what}: ${seen(one).slice(0, 400)}`
              )
            }
          }
        }
        assert.strictEqual(failures, 2 * (servers.length - 1))
        vi.unstubAllEnvs()
      }).pipe(Effect.scoped)
    )

    it.live(`and the key is in no recording: ${name}`, () =>
      Effect.gen(function* () {
        const folder = mkdtempSync(join(tmpdir(), "cogito-canary-"))
        const path = join(folder, "run.json")
        const { baseUrl } = yield* serve(answering((asked) => answer(asked).replaceAll(key, "")))
        const provider = layerOf(name, new URL(baseUrl).origin).pipe(Provider.record(path))
        yield* Pipeline.run(steps, yield* Thought.make("look", { message: prompt })).pipe(
          Effect.provide(Layer.merge(provider, Testing.memory))
        )
        const text = readFileSync(path, "utf8")
        rmSync(folder, { recursive: true })
        assert.strictEqual(JSON.parse(text).calls.length, 3)
        assert.include(text, prompt)
        assert.notInclude(text, key)
        assert.notMatch(text, /authorization|x-api-key|bearer/i)
      }).pipe(Effect.scoped)
    )
  }
})
