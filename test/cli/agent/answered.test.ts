/** What happens to the questions of a run: a person answers them, `--yes` answers them, or they stay open. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { TestClock } from "effect/testing"
import type { Read } from "../../../src/cli/agent/lines.ts"
import { answerAll } from "../../../src/cli/agent/questions.ts"
import { Agent } from "../../../src/agent/index.ts"
import { Memory, Pipeline, Primitive, Step, Thought } from "../../../src/index.ts"
import { Testing } from "../../../src/testing/index.ts"
import { askingWith } from "./asking.ts"

const people = Pipeline.concurrent("people", {
  allowed: Primitive.approve("allowed", { prompt: "May we?" }),
  much: Pipeline.waitFor("much", { schema: Schema.Finite, prompt: "How much?", timeout: "1 minute" }),
  sure: Pipeline.waitFor("sure", { schema: Schema.Boolean, prompt: "Is it sure?" })
})

const rate = Step.make("rate", { schema: Schema.Finite, run: () => 1 })

interface Given {
  /** What the person types. An effect runs first and gives the text. */
  readonly typed?: ReadonlyArray<string | Effect.Effect<string>>
  readonly interactive?: boolean
  readonly yes?: boolean
}

/** Everything that happens while a run gets its answers, and the answers that are stored. */
const answersOf = ({ interactive = true, typed = [], yes = false }: Given) =>
  Effect.gen(function* () {
    const log: Array<unknown> = []
    const note = (what: unknown) => Effect.sync(() => void log.push(what))
    const rest = [...typed]
    const next = (prompt: string): Effect.Effect<Read> =>
      Effect.suspend(() => {
        log.push(prompt)
        const [text] = rest.splice(0, 1)
        if (text === undefined) return Effect.succeed({ _tag: "End" as const })
        const read = (text: string): Read => (text === "^C" ? { _tag: "Interrupted" } : { _tag: "Line", text })
        return typeof text === "string" ? Effect.succeed(read(text)) : Effect.map(text, read)
      })
    const report = ({ event, questions, ...rest }: Readonly<Record<string, unknown>>, text: string) =>
      // of each read, which the prompts show here
      event === "Question"
        ? Effect.void
        : note(
            questions === undefined
              ? [event, rest["key"] ?? rest, rest["by"], text]
              : [
                  event,
                  (questions as ReadonlyArray<any>).map(({ command, key }) => [key, command]),
                  text.split("\n")[0]
                ]
          )
    const asking = askingWith({ next, notice: note, report, interactive, yes })
    const exit = yield* Effect.exit(answerAll({ ...asking, goOn: "GO ON" }, "run"))
    const { ledger } = yield* Memory.Memory
    const waits = (yield* ledger.load("run"))?.waits ?? []
    return {
      log,
      outcome: Exit.isSuccess(exit) ? exit.value : (Cause.squash(exit.cause) as Error).message,
      stored: Object.fromEntries(
        waits.map(({ answer, answeredBy, key }) => [key, answer && [JSON.parse(answer), answeredBy]])
      )
    }
  })

/** The same for a new run that waits. */
const answered = (given: Given) =>
  Effect.gen(function* () {
    yield* Effect.exit(Pipeline.run(people, yield* Thought.make("test"), { durable: { id: "run" } }))
    return yield* answersOf(given)
  }).pipe(Effect.provide(Testing.memory))

const approve = "Approve? (y, n, a reason not to) "
const [amount, sure] = ["Answer as JSON (number): ", "Answer as JSON (boolean): "]
const waiting = "The run run waits for an answer. Answer with the command above, then go on with: GO ON"
const command = (key: string, value: string) => `npx cogito runs answer run ${key} ${value}`

describe("the questions of a run", () => {
  it.effect("are asked one by one, and again if an answer does not fit", () =>
    Effect.gen(function* () {
      const { log, outcome, stored } = yield* answered({
        typed: ["y", "a lot", '"a lot"', "9007199254740993", "", "12.5", "yes", " true "]
      })
      assert.strictEqual(outcome, "answered")
      assert.deepStrictEqual(stored, {
        allowed: [{ value: { approved: true } }, "terminal"],
        much: [{ value: 12.5 }, "terminal"],
        sure: [{ value: true }, "terminal"]
      })
      const notJson = "cogito: That is not JSON. Answer again."
      assert.deepStrictEqual(log, [
        "  | May we?",
        approve,
        ["Answered", "allowed", "terminal", ""],
        "  | How much?",
        amount,
        notJson,
        amount,
        "cogito: The answer does not fit: expected number. Answer again.",
        amount,
        "cogito: That has a number with more digits than can be kept. Answer again.",
        amount,
        amount,
        ["Answered", "much", "terminal", ""],
        "  | Is it sure?",
        sure,
        notJson,
        sure,
        ["Answered", "sure", "terminal", ""]
      ])
    })
  )

  it.effect("stay open once the input ends, and are cancelled by Ctrl-C", () =>
    Effect.gen(function* () {
      for (const last of [[], ["exit"], [" /quit "]]) {
        const left = yield* answered({ typed: ["no: it is late", ...last] })
        assert.deepStrictEqual(left.stored, {
          allowed: [{ value: { approved: false, reason: "it is late" } }, "terminal"],
          much: undefined,
          sure: undefined
        })
        assert.strictEqual(left.outcome, waiting)
        assert.deepStrictEqual(left.log.at(-1), [
          "Waiting",
          [
            ["much", command("much", "VALUE")],
            ["sure", command("sure", "yes")]
          ],
          "much, until 1970-01-01T00:01:00.000Z:"
        ])
      }
      const cancelled = yield* answered({ typed: ["n", "^C", "never"] })
      assert.deepStrictEqual(
        [cancelled.outcome, cancelled.log.at(-1), cancelled.stored["allowed"], cancelled.stored["much"]],
        ["cancelled", amount, [{ value: { approved: false } }, "terminal"], undefined]
      )
    })
  )

  it.effect("are answered by --yes only if they are about calls of tools, even after another open question", () => {
    const asked = Agent.asTool(
      "asked",
      Pipeline.sequence("asked", [Primitive.approve("allowed", { prompt: "May we?" }), rate]),
      {
        description: "Asks a person",
        parameters: Schema.Struct({ text: Schema.String }),
        answer: rate
      }
    )
    const pay = Tool.make("pay", { success: Schema.String }).annotate(Tool.Destructive, true)
    const toolkit = Toolkit.make(asked.tool, pay)
    const clerk = Agent.make("clerk", { instructions: "You pay.", toolkit, triage: false })
    const model = Testing.scripted([
      Testing.calls([
        { name: "asked", params: { text: "a" } },
        { name: "pay", params: {} }
      ])
    ])
    return Effect.gen(function* () {
      const start = yield* Thought.make("pay", { message: "Pay" })
      yield* Effect.exit(Pipeline.run(clerk, start, { durable: { id: "run" } }))
      const { log, outcome, stored } = yield* answersOf({ yes: true, interactive: false })
      assert.deepStrictEqual(stored, {
        allowed: undefined,
        "clerk.approval": [{ value: { approved: true } }, "--yes"]
      })
      assert.strictEqual(outcome, waiting)
      assert.deepStrictEqual(log, [
        ["Answered", "clerk.approval", "--yes", "[approved] pay"],
        ["Waiting", [["allowed", command("allowed", "yes")]], "allowed:"]
      ])
    }).pipe(
      Effect.provide(
        Layer.mergeAll(model.layer, asked.layer, Toolkit.make(pay).toLayer({ pay: () => Effect.succeed("paid") })).pipe(
          Layer.provideMerge(Testing.memory)
        )
      )
    )
  })

  it.effect("are asked with --yes where they are about no call", () =>
    Effect.gen(function* () {
      const here = yield* answered({ yes: true, typed: ["no need to hurry", "3", "false"] })
      assert.deepStrictEqual(here.stored, {
        allowed: [{ value: { approved: false, reason: "no need to hurry" } }, "terminal"],
        much: [{ value: 3 }, "terminal"],
        sure: [{ value: false }, "terminal"]
      })
      assert.deepStrictEqual(here.log.slice(0, 2), ["  | May we?", approve])
    })
  )

  it.effect("are not asked again after an answer that comes too late, and a notice says why", () =>
    Effect.gen(function* () {
      const late = Effect.as(TestClock.adjust("2 minutes"), "4")
      const overdue = yield* answered({ typed: ["y", late, "true"] })
      assert.strictEqual(overdue.outcome, "answered")
      assert.deepStrictEqual(overdue.log, [
        "  | May we?",
        approve,
        ["Answered", "allowed", "terminal", ""],
        "  | How much?",
        amount,
        'cogito: The question "much" of the run "run" could be answered until 1970-01-01T00:01:00.000Z. The run goes on without an answer when it is resumed, if it has not done so.',
        "  | Is it sure?",
        sure,
        ["Answered", "sure", "terminal", ""]
      ])
      assert.notDeepEqual(overdue.stored["much"], [{ value: 4 }, "terminal"])
    })
  )

  it.effect("keep an answer that somebody else gave first, and a notice says so", () =>
    Effect.gen(function* () {
      yield* Effect.exit(Pipeline.run(people, yield* Thought.make("test"), { durable: { id: "run" } }))
      const memory = yield* Memory.Memory
      const quicker = Pipeline.answer("run", "allowed", { approved: false }, { by: "jane" }).pipe(
        Effect.provideService(Memory.Memory, memory),
        Effect.orDie,
        Effect.as("y")
      )
      const { log, outcome, stored } = yield* answersOf({ typed: [quicker, "4", "true"] })
      assert.strictEqual(outcome, "answered")
      assert.deepStrictEqual(stored["allowed"], [{ value: { approved: false } }, "jane"])
      assert.deepStrictEqual(log.slice(0, 4), [
        "  | May we?",
        approve,
        'cogito: The question "allowed" of the run "run" was answered by "jane" at 1970-01-01T00:00:00.000Z.',
        "  | How much?"
      ])
    }).pipe(Effect.provide(Testing.memory))
  )
})
