import { assert, describe, it } from "@effect/vitest"
import { Memory, Pipeline, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { Effect } from "effect"

// Blank ids, as an empty header or variable gives: whatever has one would be taken for one and the same.

const blanks = ["", " ", "\n\t"]
const step = Step.make("step", { run: Effect.void })

describe("a blank text is refused", () => {
  it("as the trace or task of a thought", () => {
    for (const blank of blanks) {
      assert.throws(
        () => Thought.make("triage", {}, { traceId: blank }),
        /needs a non-empty string as the option traceId\./
      )
      assert.throws(
        () => Thought.make("triage", {}, { taskId: blank }),
        /needs a non-empty string as the option taskId\./
      )
    }
  })

  it("as a scope", () => {
    for (const blank of blanks) assert.throws(() => Memory.withScope(blank), /scope must be a non-empty string/)
  })

  it.effect("as the id of a durable run", () =>
    Effect.gen(function* () {
      const thought = yield* Thought.make("triage", { message: "Hello" })
      for (const id of blanks) {
        const { message } = yield* Effect.flip(Pipeline.run(step, thought, { durable: { id } }))
        assert.include(message, "The id of a run must have 1 to 200 characters, and must not be blank")
      }
    }).pipe(Effect.provide(Testing.memory))
  )
})
