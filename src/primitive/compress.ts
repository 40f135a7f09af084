import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as forms from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { needed } from "../arguments/needed.ts"
import { makeHandled } from "../step/runtime/make.ts"
import { wording } from "./reasoning/wording.ts"
import * as Note from "../thought/Note.ts"
import { Provider } from "../provider/Provider.ts"
import type { ProviderError } from "../provider/ProviderError.ts"
import type { Sampling } from "../provider/request.ts"
import { callingForms } from "./reasoning/options.ts"
import type { Shape as ProviderShape } from "../provider/Shape.ts"
import type { Step } from "../step/runtime/model.ts"
import { checkSampling, checkWords, stepNamed } from "../arguments/checked.ts"
import { checkCounts, compact, defaultPrompt } from "./reasoning/compaction.ts"
import { promptOf, providerSettings, samplingSettings, settingsOf } from "./reasoning/settings.ts"

const kind = "compress"

/**
 * Replaces the conversation with a summary, and writes the summary as a note.
 *
 * **Details**
 *
 * One call outside the conversation makes the summary; `prompt` says what to summarise. System messages and the last
 * `keep` turns stay (default 0; fewer if they alone exceed half of `threshold.tokens`). The summary covers all notes
 * that the replaced entries carried or covered, so they are not sent again. It is untrusted if anything in the
 * conversation is.
 *
 * Below `threshold` (default: none), or if only summaries could be replaced, nothing changes, so the note is optional.
 * Fails with `ProviderError` without changing the conversation. Throws if `keep` is not a whole number from 0, or a
 * threshold not one from 1.
 *
 * **Example** (A shorter conversation)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Layer } from "effect"
 * import { Pipeline, Primitive, Session, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const spam = Primitive.decide("spam", { question: "Is this spam?" })
 * const soFar = Primitive.compress("so_far", { threshold: { turns: 1 } })
 * const no = { decision: false, confidence: 0.9, reasoning: ["An ordinary question."] }
 * const model = Testing.scripted([no, "A customer asks when we open; it is no spam."])
 *
 * const program = Effect.gen(function*() {
 *   const thought = yield* Thought.make("sort mail", { message: "When do you open?" })
 *   const done = yield* Pipeline.run(Pipeline.sequence("check", [spam, soFar]), thought)
 *   assert.deepEqual(Session.entries(done.session).map((entry) => entry.kind), ["summary"])
 *   assert.equal(done.get("so_far"), "A customer asks when we open; it is no spam.")
 *   assert.deepEqual(Thought.unpublished(done), [])
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Layer.merge(model.layer, Testing.memory))))
 * ```
 *
 * @category conversation
 */
export const compress = taking("Primitive.compress", {
  options: 1,
  known: {
    threshold: forms.maybe(
      "From where on the conversation is long.",
      forms.fields("an object with turns or tokens", {
        turns: forms.maybe("At so many turns.", forms.count(1)),
        tokens: forms.maybe("At so many tokens.", forms.count(1))
      })
    ),
    keep: forms.maybe("How many of the last turns stay.", forms.count(0), 0),
    prompt: forms.maybe("What to summarise.", forms.text),
    ...callingForms
  },
  optional: true
})(<const K extends string, const P extends Note.Text = string>(
  key: K,
  options: {
    /** When a conversation counts as long: at this number of turns or tokens, whichever is reached first. */
    readonly threshold?: {
      /** A turn is a request with its replies. A summary counts as one turn, a system message does not count. */
      readonly turns?: number
      /** Measured with `Session.Tokenizer`. */
      readonly tokens?: number
    }
    readonly keep?: number
    readonly prompt?: P
    /** Provider for this call only. Default: the one in the context. */
    readonly provider?: ProviderShape
    /** The requested sampling. Default: that of the reasoning phase, with temperature 0 if the model supports it. */
    readonly sampling?: Sampling
  } = {}
): Step<
  Note.Text.In<P>,
  { readonly [Q in K]?: string },
  ProviderError | Note.Text.Err<P>,
  Provider | Note.Text.Req<P>
> &
  Note.Handle<K, string> => {
  const { keep = 0, prompt = defaultPrompt, provider, sampling = {}, threshold = {} } = options
  checkCounts(key, { keep, threshold })
  checkWords(stepNamed(key), "prompt", prompt)
  checkSampling(stepNamed(key), sampling)
  const reads = Note.isReader(prompt) ? prompt.keys : []
  const settings = settingsOf(
    { keep, "threshold.turns": threshold.turns, "threshold.tokens": threshold.tokens },
    providerSettings(provider),
    samplingSettings(sampling)
  )
  const node = {
    name: key,
    kind,
    reads,
    writes: [key],
    surely: [],
    children: [],
    ...settings,
    ...promptOf(prompt)
  }
  return makeHandled(Note.handle(key, Schema.String), node, (thought) =>
    Effect.gen(function* () {
      const { sources, text, trust } = yield* wording(prompt, thought)
      const compaction = { source: kind, key, prompt: text, sources, trust, keep, threshold, sampling }
      return yield* compact(thought, provider ?? (yield* needed(Provider)), compaction)
    })
  )
})
