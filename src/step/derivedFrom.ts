import * as Effect from "effect/Effect"
import { gather } from "../thought/gathered.ts"
import { Run } from "../run/run.ts"
import { stateOf } from "../thought/state.ts"
import type { Note } from "../thought/Note.ts"

/**
 * Declares, inside the code of a step, that the step's value is made from these notes.
 *
 * **Details**
 *
 * Use it if their text came from a source that the library cannot see, such as a queue, a file or your own search. The
 * notes that the step writes list them in `derivedFrom`: if one of them is redacted or untrusted, so are these notes.
 *
 * Not needed for notes that the step declares as read, notes found by `Memory.search` or `Memory.survey`, and notes of
 * a thought from `Memory.load`. A note given by its id (a UUID in lower case) is untrusted, unless the running thought
 * has it as trusted. Outside of a step it does nothing.
 *
 * **Example** (A text from a cache)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Schema } from "effect"
 * import { Memory, Pipeline, Step, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const program = Effect.gen(function*() {
 *   const memory = yield* Memory.Memory
 *   const old = yield* memory.commit(yield* Thought.make("triage", { message: "My card is 4111" }))
 *   const note = Thought.notes(old)[0]!
 *   const cache = new Map([[note.id, "They wrote: My card is 4111"]])
 *
 *   const quote = Step.make("quote", {
 *     schema: Schema.String,
 *     run: Effect.as(Step.derivedFrom([note.id]), cache.get(note.id) ?? "")
 *   })
 *   const done = yield* Pipeline.run(quote, yield* Thought.make("reply"))
 *   assert.deepEqual(done.note("quote")?.derivedFrom, [note.id])
 *
 *   yield* Memory.redact(note)
 *   assert.equal((yield* Memory.load(done.id)).note("quote"), undefined)
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category services
 */
export const derivedFrom = (notes: ReadonlyArray<string | Pick<Note, "id" | "trust">>): Effect.Effect<void> =>
  Effect.flatMap(Run, ({ given }) => {
    const known = new Map(
      given === undefined ? [] : Array.from(stateOf(given).log, (note) => [note.id, note.trust] as const)
    )
    return gather(() =>
      notes.map((note) =>
        typeof note === "string"
          ? { id: note, trust: known.get(note) ?? "untrusted" }
          : { id: note.id, trust: note.trust }
      )
    )
  })
