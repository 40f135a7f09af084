/** What is sent, and what the model reads and bills, by mode. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { Signal, Thought } from "cogito"
import { Agent } from "cogito/agent"
import { Provider } from "cogito/Provider"
import { Testing } from "cogito/testing"
import { baseOf, cycles, sized } from "./cycles.ts"
import { making } from "./making.ts"
import { serveModes } from "./server.ts"

describe("the tokens of n cycles", () => {
  it.live("are B + n·r sent in resume, (n + 1)·B + (a + r)·n·(n + 1) / 2 in replay, and as many read in both", () =>
    Effect.gen(function* () {
      for (const [n, a, r, query] of [
        [1, 30, 30, 500],
        [3, 30, 30, 500],
        [5, 30, 30, 500],
        [5, 40, 10, 60],
        [5, 10, 100, 60],
        [10, 30, 30, 50]
      ] as const) {
        const B = baseOf({ query, a, r })
        const resume = yield* cycles("resume", n, { query, a, r })
        const replay = yield* cycles("replay", n, { query, a, r })
        const linear = B + n * r
        const square = (n + 1) * B + ((a + r) * n * (n + 1)) / 2
        assert.strictEqual(resume.received, linear)
        assert.strictEqual(resume.reported, linear)
        assert.strictEqual(replay.received, square)
        assert.strictEqual(replay.reported, square)
        assert.strictEqual(resume.processed, square)
        assert.strictEqual(replay.processed, square)
        assert.strictEqual(resume.read, square)
        assert.deepStrictEqual(resume.each, [B, ...Array.from({ length: n }, () => r)])
        // but for the digits of the id of the answer before
        const frames = resume.eachBytes.slice(1)
        assert.isAtMost(Math.max(...frames) - Math.min(...frames), 1)
        if (a === r) assert.strictEqual(replay.received / resume.received, n + 1)
        if (n === 5 && a >= r) assert.isAtLeast(replay.received / resume.received, 6)
        assert.deepStrictEqual([resume.sockets, resume.count], [1, n + 1])
        assert.deepStrictEqual([replay.sockets, replay.count], [0, n + 1])
      }
    })
  )

  it.live("are in the signals of an agent, with the tools that each request repeats", () =>
    Effect.gen(function* () {
      const look = Tool.make("look", { parameters: Schema.Struct({ n: Schema.Int }), success: Schema.String }).annotate(
        Tool.Readonly,
        true
      )
      const toolkit = Toolkit.make(look)
      const guide = Agent.make("guide", { instructions: "You look.", triage: false, toolkit })
      const n = 5
      const run = (mode: "resume" | "replay") =>
        Effect.gen(function* () {
          const server = yield* serveModes({
            model: (view) => {
              const round = view.filter((item) => item.startsWith("result")).length
              return round === n ? "seen" : { calls: [{ id: `call_${round}`, name: "look", params: `{"n":${round}}` }] }
            }
          })
          const provider = yield* making(server.baseUrl, { mode })
          const signals: Array<Extract<Signal.Signal, { readonly _tag: "CallCompleted" }>> = []
          const thought = yield* Thought.make("looking", { message: "What is there?" })
          const said = Agent.say(guide, thought, "Look five times.").pipe(
            Signal.listen((signal) => {
              if (signal._tag === "CallCompleted") signals.push(signal)
            }),
            Effect.provide(
              Layer.mergeAll(
                Layer.succeed(Provider, provider),
                toolkit.toLayer({ look: () => Effect.succeed(sized(200)) }),
                Layer.fresh(Testing.memory)
              )
            )
          )
          assert.strictEqual((yield* said).get("answer"), "seen")
          const total = (pick: (request: (typeof server.requests)[number]) => number) =>
            server.requests.reduce((sum, request) => sum + pick(request), 0)
          return {
            sent: signals.map(({ sent }) => sent?.tokens ?? Number.NaN),
            what: signals.map(({ sent }) => sent?.what),
            usage: signals.map(({ usage }) => usage.inputTokens),
            received: total(({ sent }) => sent)
          }
        }).pipe(Effect.scoped)
      const resume = yield* run("resume")
      const replay = yield* run("replay")
      assert.deepStrictEqual(resume.what, ["all", "rest", "rest", "rest", "rest", "rest"])
      assert.deepStrictEqual(resume.usage, replay.usage)
      assert.strictEqual(resume.sent[0], replay.sent[0])
      // the same for each cycle, however long the conversation is
      assert.strictEqual(new Set(resume.sent.slice(1)).size, 1)
      const growth = replay.sent.slice(1).map((tokens, i) => tokens - (replay.sent[i] ?? 0))
      assert.strictEqual(new Set(growth).size, 1)
      assert.isBelow(resume.received, replay.received / 3)
    })
  )
})
