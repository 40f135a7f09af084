import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { listedOf } from "../../../src/cli/runs/listed.ts"
import { Memory, Pipeline, Step, Thought } from "../../../src/index.ts"
import { Testing } from "../../../src/testing/index.ts"

/** The memory, and what was asked of it. */
const watched = Effect.map(Memory.Memory, ({ ledger, load }) => {
  const asked: Array<string> = []
  const counting = {
    load: (ref: Parameters<typeof load>[0]) => {
      asked.push("load")
      return load(ref)
    },
    ledger: {
      ...ledger,
      waits: (query: Parameters<typeof ledger.waits>[0]) => {
        asked.push("waits")
        return ledger.waits(query)
      }
    }
  }
  return { counting, asked }
})

const reply = Step.make("reply", { schema: Schema.String, run: () => "hello" })
const amount = Pipeline.waitFor("amount", { schema: Schema.Finite, prompt: "How much?" })

it.effect("the thought of many runs is loaded once", () =>
  Effect.gen(function* () {
    const { asked, counting } = yield* watched
    let chat: Thought.Thought<any> = yield* Thought.make("chat")
    for (const id of ["first", "second", "third"]) chat = yield* Pipeline.run(reply, chat, { durable: { id } })
    const listed = yield* listedOf(counting, yield* Pipeline.runs())
    assert.deepStrictEqual(asked, ["load"])
    const [answer, ...others] = new Set(listed.flatMap(({ answers }) => answers.map(({ seq }) => seq)))
    assert.isDefined(answer)
    assert.lengthOf(others, 2)
  }).pipe(Effect.provide(Testing.memory))
)

it.effect("the questions of all runs are read at once", () =>
  Effect.gen(function* () {
    const { asked, counting } = yield* watched
    for (const id of ["first", "second", "third"])
      yield* Effect.flip(Pipeline.run(amount, yield* Thought.make("pay"), { durable: { id } }))
    const listed = yield* listedOf(counting, yield* Pipeline.runs())
    assert.deepStrictEqual(
      asked.filter((name) => name === "waits"),
      ["waits"]
    )
    assert.isTrue(listed.every(({ questions, run }) => questions.length === 1 && questions[0]?.runId === run.id))
  }).pipe(Effect.provide(Testing.memory))
)

it.effect("a run has its questions also where the scope has more than are read at once", () =>
  Effect.gen(function* () {
    const { counting } = yield* watched
    const asked = (_: unknown, n: number) => Pipeline.waitFor(`q${n}`, { schema: Schema.Finite, prompt: "How much?" })
    const many = Pipeline.concurrent("many", Array.from({ length: 500 }, asked))
    yield* Effect.flip(Pipeline.run(many, yield* Thought.make("many"), { durable: { id: "many" } }))
    yield* Effect.flip(Pipeline.run(amount, yield* Thought.make("pay"), { durable: { id: "last" } }))
    const listed = yield* listedOf(counting, yield* Pipeline.runs())
    assert.deepStrictEqual(
      listed.map(({ questions }) => questions.length).toSorted((a, b) => a - b),
      [1, 500]
    )
  }).pipe(Effect.provide(Testing.memory))
)
