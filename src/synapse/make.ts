import * as Effect from "effect/Effect"
import { count, flag, maybe, oneOf, sampling } from "../arguments/forms.ts"
import { needed } from "../arguments/needed.ts"
import { checkSampling, whole } from "../arguments/checked.ts"
import { message } from "../thought/render.ts"
import { Provider } from "../provider/service.ts"
import type { ProviderError } from "../provider/ProviderError.ts"
import type { Sampling } from "../provider/request.ts"
import { ask } from "./ask.ts"
import type { Declaration } from "./Declaration.ts"
import { type Details, type Guide, guided, guidesOf, type Input, sectionsOf, splitInput } from "./details.ts"
import type { Parsing } from "./answer/marred/align/Coercion.ts"
import type { ResponseError } from "./answer/ResponseError.ts"

/**
 * One typed call: takes an input and returns a validated value, without a thought, a pipeline or a memory.
 *
 * **Details**
 *
 * `I` is the type of the input, `D` that of the details, and `E` has the errors besides `ProviderError` (the call
 * fails) and `ResponseError` (no answer is valid, even after repairs).
 *
 * @category models
 */
export interface Synapse<out A, in I = string, in D = never, out E = never> {
  (input: I): Effect.Effect<A, ProviderError | ResponseError | E, Provider>
  readonly kind: string
  /** Returns a synapse that adds these details to every input. Does not change this one. */
  readonly with: (details: D) => Synapse<A, I, D, E>
}

/**
 * Options of a synapse.
 *
 * @category models
 */
export interface Options {
  /**
   * Whether a closed question is answered natively, with measured probabilities, or in text, with stated ones. The
   * default `"auto"` is native if the provider supports it and `reasons` is not set.
   */
  readonly via?: "auto" | "native" | "text"
  /** Whether the model gives reasons in its own words, which require text: no effect with `via: "native"`. Default false. */
  readonly reasons?: boolean
  /** The requested sampling. Default: that of the reasoning phase, which is temperature 0 if the model supports it. */
  readonly sampling?: Sampling
  /** How often an invalid answer is sent back for correction, from 0. Default 1. */
  readonly repairs?: number
  /** How much may be changed to read an answer that is not quite valid. Default `"lenient"`. */
  readonly parsing?: Parsing
}

/** The forms of the options. */
export const optionForms = {
  via: maybe(
    "Whether the question is answered natively, with measured probabilities, or in text.",
    oneOf("auto", "native", "text"),
    "auto"
  ),
  reasons: maybe("Whether reasons are wanted in the model's own words.", flag, false),
  repairs: maybe("How often an answer of the wrong form is sent back to be corrected.", count(0), 1),
  parsing: maybe(
    "How much may be done to read an answer that is not quite of the form.",
    oneOf("strict", "lenient", "lossy"),
    "lenient"
  ),
  sampling: maybe("Sampling wishes.", sampling)
}

/** The options with their defaults. Throws if `repairs` is not a whole number from 0, or a sampling wish is out of range. */
export const askOptions = (options: Options, owner = "A synapse") => {
  const { parsing = "lenient", reasons = false, repairs = 1, sampling = {}, via = "auto" } = options
  whole(owner, "repairs", 0, repairs)
  checkSampling(owner, sampling)
  return { via, reasons, sampling, repairs, parsing }
}

/** One question of a call without a thought. */
export interface Call<A> {
  readonly declaration: Declaration<A>
  readonly question: string
  /** The text to work on. Absent if the context is that text. */
  readonly input?: string
  readonly details: Details<unknown>
  /** Guides besides criteria and constraints. */
  readonly guides?: ReadonlyArray<Guide>
  /** Examples, one per line. */
  readonly examples?: ReadonlyArray<string>
  readonly asking: ReturnType<typeof askOptions>
}

/** Makes the call. Input and context are shown as data; guides and examples stand after the task. */
export const call = <A>(options: Call<A>): Effect.Effect<A, ProviderError | ResponseError, Provider> =>
  Effect.gen(function* () {
    const { asking, declaration, details, examples = [], input, question } = options
    const provider = yield* needed(Provider)
    const guides = [...(options.guides ?? []), ...guidesOf(details)]
    const { how, sections, task } = declaration.request(question)
    const { instruction, questions } = declaration.request(guided(question, guides))
    const notes = [
      ...(details.context === undefined || details.context === "" ? [] : [data("context", details.context)]),
      ...(input === undefined ? [] : [data("input", input)])
    ]
    const user = message({
      notes: notes.map((note) => ({ ...note, source: "user" })),
      task,
      how,
      sections: [...sections, ...sectionsOf([...guides, { heading: "Examples", items: examples }])]
    })
    const asked = yield* ask(
      provider,
      declaration,
      {
        instruction,
        questions,
        ...(input === undefined ? {} : { input }),
        context: notes.map(({ content, ...note }) => ({ ...note, id: note.key, text: content, step: "", fresh: true })),
        messages: [{ role: "user", text: user }]
      },
      { ...asking, sampling: details.sampling ?? {} }
    )
    return asked.value
  })

const data = (key: string, content: string) => ({ key, content, source: "caller", trust: "untrusted" }) as const

/** The parts of a synapse. */
interface Definition<A, I, W, D, E> {
  readonly kind: string
  readonly defaults: D
  readonly merge: (defaults: D, given: D) => D
  /** Splits an input into what to work on and its details. */
  readonly split: (input: I) => readonly [work: W, given: D | undefined]
  /** Prepares calls with these details. Throws if the details are invalid. */
  readonly prepare: (details: D) => (work: W) => Effect.Effect<A, ProviderError | ResponseError | E, Provider>
}

/** Makes a synapse. Throws if its default details are invalid. */
export const make = <A, I, W, D, E = never>(definition: Definition<A, I, W, D, E>): Synapse<A, I, D, E> => {
  const { defaults, kind, merge, prepare, split } = definition
  const prepared = prepare(defaults)
  const synapse = (input: I) =>
    Effect.suspend(() => {
      const [work, given] = split(input)
      return (given === undefined ? prepared : prepare(merge(defaults, given)))(work)
    })
  return Object.assign(synapse, {
    kind,
    with: (details: D) => make({ ...definition, defaults: merge(defaults, details) })
  })
}

/** Makes a synapse for texts. */
export const makeTextual = <A, D>(
  definition: Omit<Definition<A, Input<D>, string, D, never>, "split">
): Synapse<A, Input<D>, D> => make<A, Input<D>, string, D>({ ...definition, split: splitInput })
