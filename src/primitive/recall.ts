import * as Effect from "effect/Effect"
import * as forms from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import type { Memory } from "../memory/Memory.ts"
import type { MemoryError } from "../memory/model/error.ts"
import { textFrom } from "../thought/gathered.ts"
import * as Note from "../thought/Note.ts"
import type { Provider } from "../provider/Provider.ts"
import type { ProviderError } from "../provider/ProviderError.ts"
import type { Keyed } from "../step/runtime/model.ts"
import { current } from "../thought/Thought.ts"
import { checkText, checkWords, stepNamed } from "../arguments/checked.ts"
import { NoNotes } from "./reasoning/errors.ts"
import { shown } from "./reasoning/side.ts"
import { callingForms } from "./reasoning/options.ts"
import { makeSummary, type SummaryOptions } from "./reasoning/summary.ts"
import { loadTarget } from "./reasoning/target.ts"

const defaultPrompt =
  "Summarise these notes of another piece of work in a few sentences: what it was about, what was found, and what was " +
  "decided."

/**
 * Summarises another thought from the memory in a side session, and writes the summary.
 *
 * **Details**
 *
 * `thought` is its id, its trace id, or a reader of its id. The request shows its intent, as an untrusted note with the
 * key `intent`, and its current notes. Neither that thought nor the conversation of this one changes. The note's
 * metadata has `source_thought_id` and `source_note_count`. The note is untrusted, because the intent is.
 *
 * Fails with `MemoryError` (`NotFound`) if the scope has no such thought, with `NoNotes` if the thought has no notes,
 * and with `ProviderError` if the call fails.
 *
 * **Example** (What was done last time)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Layer } from "effect"
 * import { Pipeline, Primitive, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const provider = Testing.scripted(["The customer is Ada.", "Ada was here before."])
 *
 * const program = Effect.gen(function*() {
 *   const before = yield* Thought.make("triage", { message: "Ada here. I was charged twice!" })
 *   yield* Pipeline.run(Primitive.reflect("customer"), before)
 *   const lastTime = Primitive.recall("lastTime", { thought: before.id, prompt: "Who is this customer?" })
 *   const done = yield* Pipeline.run(lastTime, yield* Thought.make("triage", { message: "It happened again." }))
 *   assert.equal(done.get("lastTime"), "Ada was here before.")
 *   assert.equal(done.note("lastTime")?.metadata.source_thought_id, before.id)
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Layer.merge(provider.layer, Testing.memory))))
 * ```
 *
 * @category memory
 */
export const recall = taking("Primitive.recall", {
  options: 1,
  known: {
    thought: forms.option(
      "Id of the thought, a reader of it, or its trace id.",
      forms.either(
        'an id, { reader: "<name>" } or { traceId: "<id>" }',
        forms.notEmpty,
        forms.textReader,
        forms.fields("", { traceId: forms.option("Trace id of the thought.", forms.words) })
      )
    ),
    prompt: forms.maybe("What to summarise.", forms.text),
    ...callingForms
  }
})(<
  const K extends string,
  const T extends Note.Text | { readonly traceId: string },
  const P extends Note.Text = string
>(
  key: K,
  options: SummaryOptions & { readonly thought: T; readonly prompt?: P }
): Keyed<
  K,
  string,
  Note.Text.In<T> & Note.Text.In<P>,
  ProviderError | MemoryError | NoNotes | Note.Text.Err<T> | Note.Text.Err<P>,
  Provider | Memory | Note.Text.Req<T> | Note.Text.Req<P>
> => {
  const source: Note.Text | { readonly traceId: string } = options.thought
  if (typeof source === "object" && "traceId" in source) checkText(stepNamed(key), "thought.traceId", source.traceId)
  else checkWords(stepNamed(key), "thought", source)
  return makeSummary(key, "recall", defaultPrompt, options, {
    reads: Note.isReader(source) ? source.keys : [],
    settings: typeof source === "string" ? { thought: source } : "traceId" in source ? { traceId: source.traceId } : {},
    from: Effect.fnUntraced(function* (thought) {
      const { ref, sources } =
        typeof source === "object" && "traceId" in source
          ? { ref: source, sources: [] }
          : yield* Effect.map(textFrom(source, thought), ({ sources: read, text }) => ({ ref: text, sources: read }))
      const target = yield* loadTarget(source, ref)
      const notes = current(target)
      if (notes.length === 0) {
        return yield* new NoNotes({ step: key, thoughtId: target.id, unpublishedOnly: false })
      }
      // the trust of another thought's intent is not known
      const about = { key: "intent", content: target.intent, source: "recall", trust: "untrusted" } as const
      return {
        notes: [yield* shown(thought, about), ...notes],
        sources,
        metadata: { source_thought_id: target.id, source_note_count: String(notes.length) }
      }
    })
  })
})
