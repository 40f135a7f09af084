/** Details of a call, apart from its input. */
import { hasProperty } from "effect/Predicate"
import * as forms from "../arguments/forms.ts"
import { kindOf } from "../arguments/kinds.ts"
import { list, type Section } from "../thought/render.ts"
import type { Sampling } from "../provider/request.ts"

/**
 * Details of a synapse, apart from its input: defaults when it is made, and more with each input.
 *
 * **Details**
 *
 * The two are combined without changing either: texts that come with the input replace the defaults unless they are
 * empty, lists are appended to them, and sampling wishes replace them one by one.
 *
 * @category models
 */
export interface Details<out X = ReadonlyArray<string>> {
  /** Background, shown as data in the same way as the input. */
  readonly context?: string
  /** What to judge by. */
  readonly criteria?: ReadonlyArray<string>
  /** Examples, for language models only. */
  readonly examples?: X
  /** What the answer must adhere to. */
  readonly constraints?: ReadonlyArray<string>
  /** Sampling wishes. Default: those of the reasoning phase, with temperature 0 if the model accepts one. */
  readonly sampling?: Sampling
}

/** The forms of the details. */
export const detailForms = {
  ...forms.others("examples"),
  context: forms.maybe("Background.", forms.string),
  criteria: forms.maybe("What to judge by.", forms.list("", forms.string)),
  constraints: forms.maybe("What the answer must adhere to.", forms.list("", forms.string)),
  sampling: forms.maybe("Sampling wishes.", forms.sampling)
}

/**
 * A text, alone or with details for this call.
 *
 * **Example** (A question with criteria, and a text with its background)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Synapse } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const isUrgent = Synapse.binary({ question: "Is this urgent?", criteria: ["whether money is being lost"] })
 * const provider = Testing.scripted([{ decision: true, confidence: 0.9, reasoning: ["The shop cannot sell."] }])
 *
 * const asked = isUrgent({ subject: "The till is broken.", context: "It is the last Saturday before Christmas." })
 * const answer = await Effect.runPromise(asked.pipe(Effect.provide(provider.layer)))
 * assert.equal(answer.decision, true)
 * assert.match(provider.requests[0]?.messages.at(-1)?.text ?? "", /last Saturday[^]*Criteria[^]*money/)
 * ```
 *
 * @category models
 */
export type Input<D> =
  | string
  | (D & { readonly subject: string; readonly text?: never })
  | (D & { readonly text: string; readonly subject?: never })

/** Splits an input into its text and its details. */
export const splitInput = <D>(input: Input<D>): readonly [text: string, details: D | undefined] => {
  if (typeof input === "string") return [input, undefined]
  const text = hasProperty(input, "text") || hasProperty(input, "subject") ? (input.text ?? input.subject) : undefined
  if (typeof text !== "string") {
    throw new Error(
      "A synapse needs a string, or an object with one as text or subject, but got " + kindOf(input) + "."
    )
  }
  return [text, input]
}

type Lists = ReadonlyArray<string> | undefined

/** Appends the second list to the first. */
export const append = (first: Lists, second: Lists): Lists =>
  first === undefined || second === undefined ? (second ?? first) : [...first, ...second]

/** The second text, or the first if the second is empty. */
export const override = (first: string | undefined, second: string | undefined): string | undefined =>
  second === undefined || second === "" ? first : second

type Defined<T> = { readonly [P in keyof T]?: Exclude<T[P], undefined> }

/** The object without its undefined properties. */
export const defined = <T extends object>(fields: T): Defined<T> =>
  // only undefined properties are removed, and all of the type are optional
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>

/** Combines defaults and details. `examples` combines the examples. */
export const merge = <X>(defaults: Details<X>, given: Details<X>, examples: (first: X, second: X) => X): Details<X> =>
  defined({
    context: override(defaults.context, given.context),
    criteria: append(defaults.criteria, given.criteria),
    constraints: append(defaults.constraints, given.constraints),
    examples:
      defaults.examples === undefined || given.examples === undefined
        ? (given.examples ?? defaults.examples)
        : examples(defaults.examples, given.examples),
    sampling:
      defaults.sampling === undefined || given.sampling === undefined
        ? (given.sampling ?? defaults.sampling)
        : { ...defaults.sampling, ...given.sampling }
  })

/** The details in an object that has other properties too. */
export const detailsOf = <X>(options: Details<X>): Details<X> => merge(options, {}, (first) => first)

/** One part of the details as a request shows it: a section, and words of the question. */
export interface Guide {
  readonly heading: string
  readonly items: ReadonlyArray<string>
}

/** The details that guide the answer, without the examples. */
export const guidesOf = ({ constraints = [], criteria = [] }: Details<unknown>): ReadonlyArray<Guide> => [
  { heading: "Criteria", items: criteria },
  { heading: "Constraints", items: constraints }
]

/** A question and its guides in one text. */
export const guided = (text: string, guides: ReadonlyArray<Guide>): string =>
  [
    text,
    ...guides
      .filter(({ items }) => items.length > 0)
      .map(({ heading, items }) => `(${heading.toLowerCase()}: ${items.join("; ")})`)
  ].join(" ")

/** Guides as sections. Leaves out those without items. */
export const sectionsOf = (guides: ReadonlyArray<Guide>): ReadonlyArray<Section> =>
  guides.filter(({ items }) => items.length > 0).map(({ heading, items }) => ({ heading, body: list(items) }))
