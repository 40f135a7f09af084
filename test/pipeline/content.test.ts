import { assert, describe, it } from "@effect/vitest"
import { Memory, Note, Pipeline, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { Cause, Effect, Exit, Schema } from "effect"

const none: ReadonlyArray<readonly [value: unknown, what: string]> = [
  [undefined, "undefined"],
  [null, "null"],
  [42, "a number"],
  [true, "a boolean"],
  [10n, "a bigint"],
  [Symbol("canary"), "a symbol"],
  [() => "canary", "a function"],
  [Promise.resolve("canary"), "a promise: await it first"],
  [["canary"], "an array: give its JSON"],
  [{ text: "canary" }, "an object: give its JSON"],
  [{ content: 42 }, "a number"],
  [{ content: undefined }, "undefined"]
]

const read = Step.make("read", {
  schema: Schema.String,
  run: Note.from(Note.handle("message", Schema.String), (t) => t)
})

/** The message that a program dies with. */
const deathOf = (program: Effect.Effect<unknown, unknown>) =>
  Effect.map(Effect.exit(program), (exit) => {
    assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
    const squashed = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
    return squashed instanceof Error ? squashed.message : ""
  })

describe("a note whose content is not text is refused by its key, without its content", () => {
  for (const [value, what] of none) {
    const message = `The note "message" needs a string as its content, and has ${what}`
    it.effect(`when it is ${what}`, () =>
      Effect.gen(function* () {
        const notes = { message: value as string }
        for (const program of [
          Thought.make("try", notes),
          Effect.flatMap(Thought.make("try"), (thought) => Thought.append(thought, "message", value as string))
        ]) {
          const told = yield* deathOf(program)
          assert.include(told, message)
          assert.notInclude(told, "canary")
        }
        const memory = Testing.memory
        const rejected: unknown = yield* Effect.promise(() =>
          Pipeline.runPromise(read, { intent: "try", notes }, { layer: memory }).catch((error: unknown) => error)
        )
        assert.include(rejected instanceof Error ? rejected.message : "", message)
      })
    )
  }

  it.effect("when it comes from outside of a run, and nothing is stored", () =>
    Effect.gen(function* () {
      const thought = yield* Memory.commit(yield* Thought.make("try", { message: "Hello" }))
      for (const [value, what] of none) {
        const content = typeof value === "object" && value !== null && "content" in value ? value.content : value
        const good = { key: "good", content: "fine" }
        const error = yield* Effect.flip(
          Memory.append(thought.id, [good, { key: "message", content: content as string }])
        )
        assert.deepInclude(error.reason, { _tag: "InvalidText", field: "content" })
        assert.include(error.message, `The note "message" needs a string as its content, and has ${what}`)
      }
      assert.strictEqual((yield* Memory.load(thought.id)).length, 1)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("when its key is invalid", () =>
    Effect.gen(function* () {
      for (const key of [undefined, 42, {}]) {
        const told = yield* deathOf(Effect.flatMap(Thought.make("try"), (t) => Thought.append(t, key as never, "text")))
        assert.include(told, "A note's key, which names its step, must be a text")
      }
    })
  )
})
