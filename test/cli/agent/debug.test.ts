/** What `--debug` prints. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { debugging, type Part, partsOf } from "../../../src/cli/agent/debug.ts"
import { type Provider, Thought } from "../../../src/index.ts"
import { Testing } from "../../../src/testing/index.ts"
import { writtenBy } from "./written.ts"

const request = (text: string, more: Partial<Provider.Request> = {}): Provider.Request => ({
  messages: [
    { role: "system", text: "You help." },
    { role: "user", text }
  ],
  task: { kind: "test", instruction: "", questions: [], context: [] },
  phase: "reason",
  sampling: {},
  ...more
})

const { provider } = Testing.scripted(() => "Yes.", { decide: () => [] })

/** What is printed of calls and after them, to the standard error; nothing is printed elsewhere. */
const printedBy = (parts: ReadonlyArray<Part>, work: (watched: Provider.Shape) => Effect.Effect<unknown, unknown>) =>
  Effect.gen(function* () {
    const { after, watched } = debugging(new Set(parts))
    const thought = yield* Thought.make("test", { message: "two\nlines" })
    const all = Effect.andThen(Effect.orDie(work(watched(provider))), after(thought))
    const { stderr, stdout } = yield* writtenBy(all)
    assert.strictEqual(stdout, "")
    return stderr
  })

describe("--debug", () => {
  it.effect("takes all, or parts in any order, and nothing else", () =>
    Effect.gen(function* () {
      for (const [text, parts] of [
        ["all", ["state", "context", "requests"]],
        [" all ", ["state", "context", "requests"]],
        ["requests , state", ["state", "requests"]],
        ["state,state", ["state"]],
        ["context", ["context"]]
      ] as const) {
        assert.deepStrictEqual([...(yield* partsOf(text))], [...parts], text)
      }
      for (const wrong of ["", ",", "all,all", "state,", "state,nothing", "States"]) {
        assert.strictEqual((yield* Effect.flip(partsOf(wrong)))._tag, "UsageError", wrong)
      }
    })
  )

  it.effect("prints each request before it is made, of whatever kind", () =>
    Effect.gen(function* () {
      const asked = request("a\u001b[2J")
      const { messages, task } = asked
      const shown = yield* printedBy(["requests"], (watched) =>
        Effect.all([
          watched.complete(asked),
          Stream.runDrain(watched.stream(request("b"))),
          watched.decide!({ messages, task })
        ])
      )
      assert.notInclude(shown, "\u001b")
      const printed = shown.trimEnd().split("\n")
      assert.deepStrictEqual(
        printed.map((line) => JSON.parse(line.replace(/^request: /, ""))),
        [asked, request("b"), { messages, task }]
      )
      assert.strictEqual(yield* printedBy([], (watched) => watched.decide!({ messages, task })), "")
    })
  )

  it.effect("prints the context that the model saw last, with the calls and results in it", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* printedBy(["context"], () => Effect.void), "context: no model was asked\n")
      const call = { id: "1", name: "look", params: `{"at":"\u202e"}` }
      const calls = request("here", {
        messages: [
          { role: "user", text: "first\nsecond" },
          { role: "assistant", text: "", calls: [call] },
          { role: "tool", text: "", results: [{ id: "1", name: "look", text: "It\nrains", isFailure: false }] },
          { role: "assistant", text: "It rains.\nI listen.", calls: [{ id: "2", name: "hear", params: "{}" }] },
          { role: "tool", text: "", results: [{ id: "2", name: "hear", text: "It is loud.", isFailure: true }] }
        ],
        tools: [
          { name: "look", description: "", parameters: {} },
          { name: "hear", description: "", parameters: {} }
        ]
      })
      const shown = yield* printedBy(["context"], (watched) =>
        Effect.andThen(watched.complete(request("before")), Stream.runDrain(watched.stream(calls)))
      )
      assert.strictEqual(
        shown,
        [
          "context: 5 messages; tools: look, hear",
          "user:",
          "  | first",
          "  | second",
          "assistant:",
          String.raw`  calls look with {"at":"[U+202E]"}`,
          "tool:",
          "  result of look: It[U+000A]rains",
          "assistant:",
          "  | It rains.",
          "  | I listen.",
          "  calls hear with {}",
          "tool:",
          "  result of hear: It is loud.",
          ""
        ].join("\n")
      )
    })
  )

  it.effect("prints the newest note of each key, and where it is from", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* printedBy(["state"], () => Effect.void),
        "state: message #1 from user\n  | two\n  | lines\n"
      )
    })
  )
})
