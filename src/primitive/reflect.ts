import * as Effect from "effect/Effect"
import * as forms from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import type { Text } from "../thought/Note.ts"
import type { Provider } from "../provider/Provider.ts"
import type { ProviderError } from "../provider/ProviderError.ts"
import type { Keyed } from "../step/runtime/model.ts"
import { inOrder } from "../thought/render.ts"
import { current, unpublished } from "../thought/Thought.ts"
import { NoNotes } from "./reasoning/errors.ts"
import { callingForms } from "./reasoning/options.ts"
import { makeSummary, type SummaryOptions } from "./reasoning/summary.ts"

const defaultPrompt =
  "Summarise these notes in a few sentences: what is known, what was concluded from it, and what is still open."

/**
 * Summarises the thought's own notes in a side session, and writes the summary.
 *
 * **Details**
 *
 * Shows all current notes, or only the unpublished ones (`unpublishedOnly`, default false). The conversation stays as
 * it is: unpublished notes stay unpublished, and the summary is unpublished until the next call. The note's metadata
 * has `source_note_count` and `unpublished_only`. Fails with `NoNotes` if there is nothing to read, before the model is
 * called, and with `ProviderError` if the call fails.
 *
 * **Example** (Taking stock)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Layer } from "effect"
 * import { Pipeline, Primitive, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const stock = Primitive.reflect("stock", { prompt: "What do we know so far?" })
 * const provider = Testing.scripted(["Ada was charged twice."])
 *
 * const program = Effect.gen(function*() {
 *   const thought = yield* Thought.make("triage", { message: "I was charged twice!", customer: "Ada" })
 *   const done = yield* Pipeline.run(stock, thought)
 *   assert.equal(done.get("stock"), "Ada was charged twice.")
 *   assert.equal(done.note("stock")?.metadata.source_note_count, "2")
 *   assert.equal(done.session.length, 0)
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Layer.merge(provider.layer, Testing.memory))))
 * ```
 *
 * @category memory
 */
export const reflect = taking("Primitive.reflect", {
  options: 1,
  known: {
    prompt: forms.maybe("What to summarise.", forms.text),
    unpublishedOnly: forms.maybe("Only notes that the model has not seen.", forms.flag, false),
    ...callingForms
  },
  optional: true
})(<const K extends string, const P extends Text = string>(
  key: K,
  options: SummaryOptions & { readonly prompt?: P; readonly unpublishedOnly?: boolean } = {}
): Keyed<K, string, Text.In<P>, ProviderError | NoNotes | Text.Err<P>, Provider | Text.Req<P>> => {
  const { unpublishedOnly = false } = options
  return makeSummary(key, "reflect", defaultPrompt, options, {
    reads: [],
    settings: { unpublishedOnly },
    from: (thought) => {
      const notes = unpublishedOnly ? unpublished(thought) : current(thought)
      const metadata = { source_note_count: String(notes.length), unpublished_only: String(unpublishedOnly) }
      return notes.length === 0
        ? Effect.fail(new NoNotes({ step: key, thoughtId: thought.id, unpublishedOnly }))
        : Effect.succeed({ notes: inOrder(notes), metadata })
    }
  })
})
