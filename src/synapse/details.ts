/** What a call may be given besides what it works on. */
import { hasProperty } from "effect/Predicate"
import { maybe, others, sampling } from "../arguments/forms.ts"
import { kindOf } from "../arguments/kinds.ts"
import { list, type Section } from "../thought/render.ts"
import type { Sampling } from "../provider/request.ts"

/**
 * What a synapse may be given besides what it works on: when it is made, as defaults, and again with each input.
 *
 * Of what is given twice, texts of the input replace the defaults unless they are empty, lists are added to them, and
 * sampling wishes replace them one by one. Neither is ever changed.
 *
 * @category models
 */
export interface Details<out X = ReadonlyArray<string>> {
  /** Background, shown as data like the input. */
  readonly context?: string
  /** What to go by. */
  readonly criteria?: ReadonlyArray<string>
  /** Examples, for language models only. */
  readonly examples?: X
  /** What the answer must keep to. */
  readonly constraints?: ReadonlyArray<string>
  /** Sampling wishes; default the reasoning phase's: temperature 0 where the model takes one. */
  readonly sampling?: Sampling
}

/** The details. */
export const detailForms = {
  ...others("context", "criteria", "examples", "constraints"),
  sampling: maybe("Sampling wishes.", sampling)
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

/** The text of an input and the details that came with it. */
export const splitInput = <D>(input: Input<D>): readonly [text: string, details: D | undefined] => {
  if (typeof input === "string") return [input, undefined]
  const text = hasProperty(input, "text") || hasProperty(input, "subject") ? (input.text ?? input.subject) : undefined
  if (typeof text !== "string") {
    throw new Error("A synapse needs a text, or an object with one as text or subject: it has " + kindOf(input) + ".")
  }
  return [text, input]
}

type Lists = ReadonlyArray<string> | undefined

/** The first list with the second one after it. */
export const append = (first: Lists, second: Lists): Lists =>
  first === undefined || second === undefined ? (second ?? first) : [...first, ...second]

/** The second text unless it is empty. */
export const override = (first: string | undefined, second: string | undefined): string | undefined =>
  second === undefined || second === "" ? first : second

type Defined<T> = { readonly [P in keyof T]?: Exclude<T[P], undefined> }

/** The object without what is undefined. */
export const defined = <T extends object>(fields: T): Defined<T> =>
  // only properties that are undefined are taken away, and all are optional
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>

/** Defaults and details together; `examples` says how those go together. */
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

/** The details of an object that has other properties too. */
export const detailsOf = <X>(options: Details<X>): Details<X> => merge(options, {}, (first) => first)

/** One part of the details as a request has it: a section, and words of the question that answers must go by. */
export interface Guide {
  readonly heading: string
  readonly items: ReadonlyArray<string>
}

/** What of the details guides the answer; examples are apart. */
export const guidesOf = ({ constraints = [], criteria = [] }: Details<unknown>): ReadonlyArray<Guide> => [
  { heading: "Criteria", items: criteria },
  { heading: "Constraints", items: constraints }
]

/** A question with its guides, in one text. */
export const guided = (text: string, guides: ReadonlyArray<Guide>): string =>
  [
    text,
    ...guides
      .filter(({ items }) => items.length > 0)
      .map(({ heading, items }) => `(${heading.toLowerCase()}: ${items.join("; ")})`)
  ].join(" ")

/** Guides as sections; those without items are left out. */
export const sectionsOf = (guides: ReadonlyArray<Guide>): ReadonlyArray<Section> =>
  guides.filter(({ items }) => items.length > 0).map(({ heading, items }) => ({ heading, body: list(items) }))
