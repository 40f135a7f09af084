import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { quoted } from "../text/legible.ts"
import * as forms from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { originOf } from "../thought/origin.ts"
import { needed } from "../arguments/needed.ts"
import { quote } from "../thought/render.ts"
import { emit, finish } from "../run/run.ts"
import { makeKeyed } from "../step/runtime/make.ts"
import type { Reads, Simplify } from "../thought/types.ts"
import { wording } from "./reasoning/wording.ts"
import { write } from "../run/write.ts"
import * as Note from "../thought/Note.ts"
import { addUsage, type Usage } from "../thought/tokens.ts"
import { Provider } from "../provider/Provider.ts"
import type { ProviderError } from "../provider/ProviderError.ts"
import type { Sampling } from "../provider/request.ts"
import type { Keyed } from "../step/runtime/model.ts"
import { declareBinary } from "../synapse/binary.ts"
import { askOptions } from "../synapse/make.ts"
import type { ResponseError } from "../synapse/answer/ResponseError.ts"
import { checkSampling, checkWords, stepNamed } from "../arguments/checked.ts"
import { type Options, optionForms, optionSettings } from "./reasoning/options.ts"
import { provenance } from "./reasoning/reason.ts"
import { promptOf, samplingSettings, settingsOf } from "./reasoning/settings.ts"
import { askAside, decideAside, shown, withSpent } from "./reasoning/side.ts"

const { introspect: _, view: __, ...asking } = optionForms

/**
 * A text after its last refinement.
 *
 * `rounds` is the number of refinements, from 1. `completed` is true if the criteria were met, and false if the rounds
 * were used up. `reasoning` has the reasons of the last check, if it gave any.
 *
 * @category models
 */
export const Amplification = Schema.Struct({
  content: Schema.NonEmptyString,
  rounds: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)),
  completed: Schema.Boolean,
  reasoning: Schema.Array(Schema.String)
})
/**
 * A text after its last refinement.
 *
 * @category models
 */
export interface Amplification extends Schema.Schema.Type<typeof Amplification> {}

const kind = "amplify"
const declaration = declareBinary(kind)

/**
 * Refines a text until a yes/no check finds that it meets the criteria, and writes an `Amplification`.
 *
 * **Details**
 *
 * Each refinement sees the original text, the latest version, and why it was not good enough. Everything happens in
 * side sessions, so the conversation stays as it is, and the resulting note is unpublished until the next call. Using
 * up the rounds is not a failure. There is at least one, also with `rounds: 0`. `sampling` applies to the refinements;
 * `via`, `reasons` and `repairs` to the checks.
 *
 * Throws if `rounds` is not a whole number from 0, or if the key is that of the source. Fails with `ProviderError` if a
 * call fails, and with `ResponseError` if no answer to a check was valid.
 *
 * **Example** (An answer that is short enough)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Layer, Schema } from "effect"
 * import { Note, Pipeline, Primitive, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const reply = Primitive.amplify("reply", {
 *   source: Note.handle("draft", Schema.String),
 *   refine: "Say it more shortly and kindly.",
 *   criteria: "It has one sentence and apologises."
 * })
 * const model = Testing.scripted([
 *   "We will pay it back.",
 *   { decision: false, confidence: 0.9, reasoning: ["It does not apologise."] },
 *   "Sorry, we will pay it back.",
 *   { decision: true, confidence: 0.9, reasoning: ["It does both."] }
 * ])
 *
 * const program = Effect.gen(function*() {
 *   const thought = yield* Thought.make("answer", { draft: "The charge will be reversed by us in due course." })
 *   const done = yield* Pipeline.run(reply, thought)
 *   assert.equal(done.get("reply").content, "Sorry, we will pay it back.")
 *   assert.equal(done.get("reply").rounds, 2)
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Layer.merge(model.layer, Testing.memory))))
 * ```
 *
 * @category reasoning
 */
export const amplify = taking("Primitive.amplify", {
  options: 1,
  known: {
    source: forms.option("Key of the note of text that is refined.", forms.textHandle),
    refine: forms.option("How to refine it.", forms.text),
    criteria: forms.option("When it is good enough.", forms.text),
    rounds: forms.maybe("Most rounds.", forms.count(0), 3),
    checkSampling: forms.maybe("Sampling wishes for the checks.", forms.sampling),
    ...asking
  }
})(<
  const K extends string,
  const S extends string,
  A extends string,
  const T extends Note.Text,
  const C extends Note.Text
>(
  key: K,
  options: Omit<Options, "introspect" | "view"> & {
    /** Handle of the text. */
    readonly source: Note.Handle<S, A>
    /** How to refine the text. */
    readonly refine: T
    /** When the text is good enough. */
    readonly criteria: C
    /** Maximum number of refinements, of which at least one is made. Default 3. */
    readonly rounds?: number
    /** Sampling wishes for the checks. Default: `sampling`. */
    readonly checkSampling?: Sampling
  }
): Keyed<
  K,
  Amplification,
  Simplify<Reads<S, A> & Note.Text.In<T> & Note.Text.In<C>>,
  ProviderError | ResponseError | Note.Text.Err<T> | Note.Text.Err<C>,
  Provider | Note.Text.Req<T> | Note.Text.Req<C>
> => {
  const { checkSampling: sampling = options.sampling ?? {}, criteria, refine, rounds = 3, source } = options
  checkWords(stepNamed(key), "refine", refine)
  checkWords(stepNamed(key), "criteria", criteria)
  checkSampling(stepNamed(key), sampling, "checkSampling")
  const asking = { ...askOptions(options, stepNamed(key)), sampling }
  const step = `The step ${quoted(key)}`
  if (!Number.isInteger(rounds) || rounds < 0) throw new Error(`${step} needs a whole number of rounds: ${rounds}`)
  if (source.key === (key as string)) throw new Error(`${step} needs a different key than its source.`)
  const texts = [refine, criteria].flatMap((text) => (Note.isReader(text) ? text.keys : []))
  const reads = [...new Set([source.key, ...texts])]
  const node = {
    name: key,
    kind,
    reads,
    writes: [key],
    surely: [key],
    children: [],
    ...settingsOf(
      { source: source.key, rounds, criteria: typeof criteria === "string" ? criteria : undefined },
      optionSettings(options),
      options.checkSampling === undefined ? {} : samplingSettings(sampling, "checkSampling")
    ),
    ...promptOf(refine)
  }
  const handle = Note.handle(key, Amplification)
  return makeKeyed(handle, node, (thought) =>
    Effect.gen(function* () {
      const provider = options.provider ?? (yield* needed(Provider))
      const original = thought.note(source.key)
      if (original === undefined) throw new Note.NoteNotFound({ key: source.key, thoughtId: thought.id })
      const task = yield* wording(refine, thought)
      const instruction = `${task.text}\n\n${about(source.key, key)}`
      const measure = yield* wording(criteria, thought)
      const check = `Does the note ${quote(key)} meet these criteria? ${measure.text}`
      const sources = [...task.sources, ...measure.sources]
      const question = { text: check, trust: measure.trust, sources }
      const from = [original, ...sources]
      const { trust } = originOf(thought, from)
      const between = (as: string, content: string) => shown(thought, { key: as, content, source: kind, trust })
      let notes = [original]
      let spent: Usage = {}
      for (let round = 1; ; round++) {
        const aside = { kind, wants: "text", instruction, trust: task.trust, sources, notes } as const
        const refined = yield* withSpent(askAside(provider, thought, aside, options.sampling), spent)
        spent = addUsage(spent, refined.usage)
        const draft = yield* between(key, refined.value)
        const checked = decideAside(provider, thought, declaration, question, [original, draft], asking)
        const { usage, value } = yield* withSpent(checked, spent)
        spent = addUsage(spent, usage)
        const { confidence, decision: completed, reasoning } = value
        const again = !completed && round < rounds
        yield* emit(thought, { _tag: "RoundCompleted", round, accepted: completed, confidence, again })
        if (!again) {
          const amplified = { content: refined.value, rounds: round, completed, reasoning }
          const metadata = provenance(provider, refined)
          return yield* finish((yield* write(thought, kind, handle, amplified, { from, metadata })).thought)
        }
        const reasons = reasoning.join("\n")
        notes = [original, draft, ...(reasons === "" ? [] : [yield* between(`${key}_check`, reasons)])]
      }
    })
  )
})

/** Says what a refinement is about. It mentions the draft and its check as possible, so it applies to every round. */
const about = (source: string, key: string): string =>
  `This is about the note ${quote(source)}. Where there is a note ${quote(key)}, it is what became of ` +
  `it so far, and ${quote(`${key}_check`)} says why that is not good enough: go on from there. ` +
  "Answer with the new text and nothing else."
