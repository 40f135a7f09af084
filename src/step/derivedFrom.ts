import * as Effect from "effect/Effect"
import { gather } from "../thought/gathered.ts"
import { Run } from "../run/run.ts"
import { stateOf } from "../thought/state.ts"
import type { Note } from "../thought/Note.ts"

/**
 * Says, in code that a step runs, that the step's value is made from these notes: their text came by a way that the step
 * knows nothing of, such as a queue, a file or a search of your own.
 *
 * What the step writes then lists them in `derivedFrom`: it is redacted when one of them is, and untrusted when one of them
 * is. Notes that the step declares as read, notes found by `Memory.search` and `Memory.survey`, and notes of a thought from
 * `Memory.load` are known without it. Of a note given by its id, which is a UUID in lower case, the trust is known if the
 * running thought has it; otherwise it counts as untrusted. Outside of a step's code it does nothing.
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
