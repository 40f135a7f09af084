import * as Effect from "effect/Effect"
import { count, flag, maybe, oneOf, sampling } from "../arguments/forms.ts"
import { needed } from "../arguments/needed.ts"
import { checkSampling, wholeFrom } from "../arguments/wholeFrom.ts"
import { fenceOf, message } from "../thought/render.ts"
import { Provider } from "../provider/service.ts"
import type { ProviderError } from "../provider/ProviderError.ts"
import type { Sampling } from "../provider/request.ts"
import { ask } from "./ask.ts"
import type { Declaration } from "./Declaration.ts"
import { type Details, type Guide, guided, guidesOf, type Input, sectionsOf, splitInput } from "./details.ts"
import type { Parsing } from "./answer/marred/align/Coercion.ts"
import type { ResponseError } from "./answer/ResponseError.ts"

/**
 * One typed call: an input in, a validated value out. Usable without a thought, a pipeline or a memory.
 *
 * `I` is what it takes, `D` the details it can be given, `E` how it can fail besides `ProviderError`, when the call fails,
 * and `ResponseError`, when no answer had the form, repairs included.
 *
 * @category models
 */
export interface Synapse<out A, in I = string, in D = never, out E = never> {
  (input: I): Effect.Effect<A, ProviderError | ResponseError | E, Provider>
  readonly kind: string
  /** A synapse with these details as well, as if they came with every input. This one stays as it is. */
  readonly with: (details: D) => Synapse<A, I, D, E>
}

/**
 * How a synapse asks.
 *
 * @category models
 */
export interface Options {
  /**
   * Whether a closed question is answered natively, with measured probabilities, or in text, with stated ones. Default
   * `"auto"`: natively when the provider can and `reasons` are not asked for.
   */
  readonly via?: "auto" | "native" | "text"
  /** Whether reasons are wanted in the model's own words. Default false. */
  readonly reasons?: boolean
  /** Sampling wishes; default the reasoning phase's: temperature 0 where the model takes one. */
  readonly sampling?: Sampling
  /** How often an answer of the wrong form may be sent back to be corrected, from 0. Default 1. */
  readonly repairs?: number
  /** How much may be done to read an answer that is not quite of the form. Default `"lenient"`. */
  readonly parsing?: Parsing
}

/** The options. */
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

/** The options with their defaults. Throws, naming the step if one asks, when `repairs` is no whole number from 0. */
export const askOptions = (options: Options, step?: string) => {
  const repairs = options.repairs ?? 1
  // a step has checked its sampling by itself
  if (step === undefined) checkSampling("A synapse", options.sampling ?? {})
  else wholeFrom(0, step, "repairs", repairs)
  if (!Number.isInteger(repairs) || repairs < 0) throw new Error(`repairs must be a whole number from 0: ${repairs}`)
  const { parsing = "lenient", reasons = false, sampling = {}, via = "auto" } = options
  return { via, reasons, sampling, repairs, parsing }
}

/** One question as a call without a thought puts it. */
export interface Call<A> {
  readonly declaration: Declaration<A>
  readonly question: string
  /** The text to work on; absent when that is the context. */
  readonly input?: string
  readonly details: Details<unknown>
  /** What guides the answer besides criteria and constraints. */
  readonly guides?: ReadonlyArray<Guide>
  /** Examples, one a line. */
  readonly examples?: ReadonlyArray<string>
  readonly asking: ReturnType<typeof askOptions>
}

/** Asks. What to work on and the context are data; guides and examples stand before the task. */
export const call = <A>(options: Call<A>): Effect.Effect<A, ProviderError | ResponseError, Provider> =>
  Effect.gen(function* () {
    const { asking, declaration, details, examples = [], input, question } = options
    const provider = yield* needed(Provider)
    const guides = [...(options.guides ?? []), ...guidesOf(details)]
    const { sections } = declaration.put(question)
    const { instruction, questions } = declaration.put(guided(question, guides))
    const notes = [
      ...(details.context === undefined || details.context === "" ? [] : [data("context", details.context)]),
      ...(input === undefined ? [] : [data("input", input)])
    ]
    const user = message({
      notes,
      fence: fenceOf(notes.map(({ content }) => content).join("\n"), 0),
      sections: [
        ...sections.slice(0, -1),
        ...sectionsOf([...guides, { heading: "Examples", items: examples }]),
        ...sections.slice(-1)
      ]
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

/** What makes a synapse of its kind. */
interface Definition<A, I, W, D, E> {
  readonly kind: string
  readonly defaults: D
  readonly merge: (defaults: D, given: D) => D
  /** What of an input to work on, and what came with it. */
  readonly split: (input: I) => readonly [work: W, given: D | undefined]
  /** The calls with these details. */
  readonly prepare: (details: D) => (work: W) => Effect.Effect<A, ProviderError | ResponseError | E, Provider>
}

/** A synapse of a kind. Whatever is wrong with its defaults is thrown here. */
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

/** A synapse that works on a text. */
export const makeTextual = <A, D>(
  definition: Omit<Definition<A, Input<D>, string, D, never>, "split">
): Synapse<A, Input<D>, D> => make<A, Input<D>, string, D>({ ...definition, split: splitInput })
