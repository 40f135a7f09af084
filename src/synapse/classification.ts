import * as Schema from "effect/Schema"
import { quoted } from "../text/legible.ts"
import * as forms from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { list } from "../thought/render.ts"
import type { NotEmpty } from "../thought/types.ts"
import type { Label } from "../provider/task.ts"
import { Confidence, type Declaration, Distribution, fields, StatedReasons, stating } from "./Declaration.ts"
import { type Details, detailsOf, type Input, merge, detailForms } from "./details.ts"
import { compile } from "./form.ts"
import { askOptions, call, makeTextual, type Options, type Synapse, optionForms } from "./make.ts"

/**
 * One of several categories, optionally with a second one.
 *
 * `secondary` always differs from `primary`. `distribution` has a probability for every category if they were measured.
 *
 * @category models
 */
export interface Classification<out C extends string> {
  readonly primary: C
  readonly secondary?: C
  readonly confidence: number
  readonly confidenceFrom: "measured" | "logprobs" | "stated"
  readonly reasoning: ReadonlyArray<string>
  readonly distribution?: Readonly<Record<string, number>>
}

/**
 * Categories: names, or names with a sentence that says what belongs there. Sentences improve the answers.
 *
 * @category models
 */
export type Categories<C extends string> = (ReadonlyArray<C> | Readonly<Record<C, string>>) &
  NotEmpty<[C] extends [never] ? readonly [] : unknown, string>

/**
 * Example texts for each category.
 *
 * @category models
 */
export type CategoryExamples<C extends string> = { readonly [P in C]?: ReadonlyArray<string> }

/** The form of categories. */
export const categoriesForm = forms.option(
  "The categories: names, or names with a sentence on what belongs there.",
  forms.either(
    "a list of names, or an object of names with what belongs there",
    forms.some("", forms.name),
    forms.record("", forms.string)
  )
)

/** Categories, where only some may have a sentence. */
type Described<C extends string> = ReadonlyArray<C> | Readonly<Record<C, string | undefined>>

/**
 * Declares a choice between categories for a kind of step, and the schema of its result. Throws if there is no
 * category.
 */
export const declareClassification = <C extends string>(
  kind: string,
  categories: Described<C>
): {
  readonly schema: Schema.Codec<Classification<C>, any>
  readonly declaration: Declaration<Classification<C>>
} => {
  const labels = labelsOf(kind, categories)
  const names = labels.map(({ label }) => label)
  const Category = Schema.Literals(names)
  const schema = Schema.Struct({
    primary: Category,
    secondary: Schema.optionalKey(Category),
    ...fields,
    distribution: Schema.optionalKey(Distribution)
  })
  const Reply = Schema.Struct({
    primary: Category,
    secondary: Schema.optionalKey(Schema.NullOr(Category)),
    confidence: Confidence,
    reasoning: StatedReasons
  })
  return {
    schema,
    declaration: {
      kind,
      form: compile(
        "classification",
        Reply,
        ({ confidence, primary, reasoning, secondary }) => ({
          primary,
          ...(secondary === undefined || secondary === null || secondary === primary ? {} : { secondary }),
          confidence,
          confidenceFrom: "stated" as const,
          reasoning
        }),
        // null if there is no second category
        ["secondary"]
      ),
      request: (question) => ({
        instruction: question,
        questions: [{ _tag: "Choice", name: "category", question, labels }],
        task: question,
        how: `Choose the category that fits best, and a second if it fits too. ${stating}`,
        sections: [
          {
            heading: "Categories",
            body: list(
              labels.map(({ description, label }) => (description === undefined ? label : `${label}: ${description}`))
            )
          }
        ]
      }),
      fromAnswers: (answers, confidenceFrom) => {
        const answer = answers.get("category")
        if (answer?._tag !== "Choice") throw new Error("a choice was asked for")
        const probability = (label: C) => answer.distribution[label] ?? 0
        const primary = answer.label as C
        const second = names.filter((name) => name !== primary).toSorted((a, b) => probability(b) - probability(a))[0]
        // a second category only if it is likelier than by chance
        const secondary = second !== undefined && probability(second) > 1 / labels.length ? { secondary: second } : {}
        return {
          primary,
          ...secondary,
          confidence: probability(primary),
          confidenceFrom,
          reasoning: answer.reasons ?? [],
          distribution: Object.fromEntries(names.map((name) => [name, probability(name)]))
        }
      }
    }
  }
}

const labelsOf = <C extends string>(
  kind: string,
  categories: Described<C>
): ReadonlyArray<Label & { readonly label: C }> => {
  const labels = Array.isArray(categories)
    ? (categories as ReadonlyArray<C>).map((label) => ({ label }))
    : (Object.entries(categories) as Array<[string, string | undefined]> as Array<[C, string | undefined]>).map(
        ([label, description]) => (description === undefined ? { label } : { label, description })
      )
  if (labels.length === 0) throw new Error(`${kind} needs at least one category.`)
  const names = labels.map(({ label }) => label)
  const twice = names.find((name, i) => names.indexOf(name) !== i || name.trim() === "")
  if (twice !== undefined) throw new Error(`${kind} has a duplicate or empty category: ${quoted(twice)}`)
  return labels
}

/**
 * Classifies a text into one of several categories.
 *
 * **Details**
 *
 * Throws if there is no category, or if one is empty or occurs twice.
 *
 * **Example** (One of two categories)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Synapse } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const topic = Synapse.classification({
 *   question: "What is this about?",
 *   categories: { billing: "payments and invoices", technical: "errors and outages" }
 * })
 * const provider = Testing.scripted([{ primary: "billing", confidence: 0.8, reasoning: ["It names an invoice."] }])
 *
 * const answer = await Effect.runPromise(topic("Where is my invoice?").pipe(Effect.provide(provider.layer)))
 * assert.equal(answer.primary, "billing")
 * ```
 *
 * @category synapses
 */
export const classification = taking("Synapse.classification", {
  options: 0,
  known: { ...forms.others("question"), categories: categoriesForm, ...optionForms, ...detailForms },
  texts: ["question"]
})(<const C extends string>(
  options: Options &
    NoInfer<Details<CategoryExamples<C>>> & { readonly question: string; readonly categories: Categories<C> }
): Synapse<Classification<C>, Input<Details<CategoryExamples<C>>>, Details<CategoryExamples<C>>> => {
  const { question } = options
  const asking = askOptions(options)
  const { declaration } = declareClassification("classification", options.categories)
  return makeTextual<Classification<C>, Details<CategoryExamples<C>>>({
    kind: "classification",
    defaults: detailsOf<CategoryExamples<C>>(options),
    merge: (defaults, given) => merge(defaults, given, mergeExamples),
    prepare: (details) => (input) =>
      call({ declaration, question, input, details, examples: linesOf(details.examples ?? {}), asking })
  })
})

type AnyExamples = Readonly<Record<string, ReadonlyArray<string> | undefined>>

const mergeExamples = <C extends string>(
  first: CategoryExamples<C>,
  second: CategoryExamples<C>
): CategoryExamples<C> =>
  // the categories of both are categories of C
  Object.fromEntries(
    [...new Set([...Object.keys(first), ...Object.keys(second)])].map((category) => [
      category,
      [...((first as AnyExamples)[category] ?? []), ...((second as AnyExamples)[category] ?? [])]
    ])
  ) as AnyExamples as CategoryExamples<C>

const linesOf = (examples: AnyExamples): ReadonlyArray<string> =>
  Object.entries(examples).flatMap(([category, texts = []]) => texts.map((text) => `${category}: ${text}`))
