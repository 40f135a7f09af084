/** The parameters of a call that a person edits before it is approved. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema, Stream } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { Agent } from "../../../src/agent/index.ts"
import type { Read } from "../../../src/cli/agent/lines.ts"
import { answerAll } from "../../../src/cli/agent/questions.ts"
import { Memory, Thought } from "../../../src/index.ts"
import { Testing } from "../../../src/testing/index.ts"
import { askingWith } from "./asking.ts"

const refund = Tool.make("refund", { parameters: Schema.Struct({ number: Schema.Int }), success: Schema.String })
const toolkit = Toolkit.make(refund.annotate(Tool.Destructive, true))
const agent = Agent.make("desk", { instructions: "You answer at a desk.", toolkit, triage: false })
const model = Testing.scripted([Testing.calls([{ name: "refund", params: { number: 17 } }])])
const tools = toolkit.toLayer({ refund: ({ number }) => Effect.succeed(`Order ${number} was refunded.`) })

describe("the parameters of a call", () => {
  it.effect("are edited on from what did not fit, and from those of the call after an empty line", () =>
    Effect.gen(function* () {
      const typed = ["e", "{", `{"number":"x"}`, "", "e", `{"number":4}`]
      const asked: Array<readonly [prompt: string, text?: string]> = []
      const said: Array<string> = []
      const next = (...given: readonly [string, string?]): Effect.Effect<Read> =>
        Effect.sync(() => {
          asked.push(given)
          const [text] = typed.splice(0, 1)
          return text === undefined ? { _tag: "End" } : { _tag: "Line", text }
        })
      const asking = askingWith({
        next,
        notice: (text) => Effect.sync(() => void said.push(text)),
        report: ({ event }) => Effect.sync(() => void (event === "Question" || said.push(event)))
      })
      const thought = yield* Thought.make("test")
      yield* Effect.exit(Stream.runDrain(Agent.stream(agent, thought, "refund 17", { durable: { id: "run" } })))
      assert.strictEqual(yield* answerAll(asking, "run"), "answered")
      const question = ["Approve? (y, n, a reason not to, or e to edit the parameters) "]
      assert.deepStrictEqual(asked, [
        question,
        ["Parameters: ", `{"number":17}`],
        ["Parameters: ", "{"],
        ["Parameters: ", `{"number":"x"}`],
        question,
        ["Parameters: ", `{"number":17}`]
      ] as never)
      assert.match(said[1] ?? "", /^cogito: That is not JSON\. Give the parameters again, /)
      assert.match(said[2] ?? "", /^cogito: The answer does not fit: [^\n]* Give the parameters again, /)
      assert.deepStrictEqual(said.slice(3), ["Answered"])
      const { ledger } = yield* Memory.Memory
      const [wait] = (yield* ledger.load("run"))?.waits ?? []
      assert.deepStrictEqual(
        [wait?.answeredBy, JSON.parse(wait?.answer ?? "")],
        ["terminal", { value: { approved: true, params: { number: 4 } } }]
      )
    }).pipe(Effect.provide(Layer.mergeAll(model.layer, tools, Testing.memory)))
  )
})
