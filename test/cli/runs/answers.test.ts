import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { answerLine, answersOf } from "../../../src/cli/runs/answers.ts"
import { Memory, Pipeline, Step, Thought } from "../../../src/index.ts"
import { Testing } from "../../../src/testing/index.ts"

it.effect("an answer that a run has given again stands where it was given last", () =>
  Effect.gen(function* () {
    const memory = yield* Memory.Memory
    let versions = 0
    const draft = Step.make("draft", { schema: Schema.String, run: () => `version ${++versions}` })
    const review = Step.make("review", { schema: Schema.String, run: () => "too long" })
    const twice = Pipeline.gen("twice", function* () {
      for (const step of [draft, review, draft]) yield* Pipeline.ask(step)
    })
    yield* Pipeline.run(twice, yield* Thought.make("test"), { durable: { id: "run" } })
    const { run } = (yield* memory.ledger.load("run"))!
    const answers = yield* answersOf(memory, run)
    assert.deepStrictEqual(answers.map(answerLine), ["review: too long", "draft: version 2"])
  }).pipe(Effect.provide(Testing.memory))
)
