import { whole } from "../arguments/checked.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { option, others, string } from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { quotedLines, quotedName } from "../text/quotation.ts"
import { list } from "../thought/render.ts"
import type { Trust } from "../thought/Note.ts"
import { Confidence, type Declaration, Distribution, fields, StatedReasons, stating } from "./Declaration.ts"
import { defined, type Details, detailsOf, merge, detailForms } from "./details.ts"
import { compile } from "./form.ts"
import { InvalidItems } from "./InvalidItems.ts"
import { askOptions, call, make, type Options, type Synapse, optionForms } from "./make.ts"

/**
 * Items in order, best first, each once. With `top`, only the first few.
 *
 * `confidence` is in [0, 1]: measured as the probability that the first item belongs first, or stated by the model
 * about the whole order. If it was measured, `distribution` has the probability of each item to come first, and the
 * order follows it.
 *
 * @category models
 */
export interface Ranking<out C extends string = string> {
  readonly ranked: ReadonlyArray<C>
  readonly confidence: number
  readonly confidenceFrom: "measured" | "logprobs" | "stated"
  readonly reasoning: ReadonlyArray<string>
  readonly distribution?: Readonly<Record<string, number>>
}

/**
 * The schema of a ranking, made from the schema of its items.
 *
 * @category schemas
 */
export const Ranking = taking("Synapse.Ranking", { args: [{ named: "a schema", is: Schema.isSchema }] })(
  <C extends string>(item: Schema.Codec<C, any>): Schema.Codec<Ranking<C>, any> =>
    Schema.Struct({ ranked: Schema.Array(item), ...fields, distribution: Schema.optionalKey(Distribution) })
)

const onOneLine = (item: string): string => item.trim().replace(/\s+/g, " ")

/** How the model sees and names items: each on one line, with invisible characters shown if they are untrusted. */
const naming = (trust: Trust): ((item: string) => string) =>
  trust === "trusted" ? onOneLine : (item) => quotedName(onOneLine(item))

/** Checks that items can be ranked: there is at least one, and none is empty or occurs twice. */
export const checkItems = <C extends string>(
  items: ReadonlyArray<C>,
  keys: ReadonlyArray<string> = [],
  trust: Trust = "trusted"
): Result.Result<ReadonlyArray<C>, InvalidItems> => {
  const refuse = (problem: InvalidItems["problem"], ...positions: ReadonlyArray<number>) =>
    Result.fail(new InvalidItems({ problem, keys, positions }))
  if (items.length === 0) return refuse("none")
  const names = items.map(naming(trust))
  const empty = names.indexOf("")
  if (empty >= 0) return refuse("empty", empty + 1)
  const first = names.map((name) => names.indexOf(name))
  const again = first.findIndex((position, i) => position !== i)
  return again < 0 ? Result.succeed(items) : refuse("duplicate", (first[again] ?? 0) + 1, again + 1)
}

/** Declares a ranking of valid items for a kind of step. `top` limits it to the first few. */
export const declareRanking = <C extends string>(
  kind: string,
  items: ReadonlyArray<C>,
  { top = items.length, trust = "trusted" }: { readonly top?: number | undefined; readonly trust?: Trust } = {}
): Declaration<Ranking<C>> => {
  const name = naming(trust)
  const byName = new Map(items.map((item) => [name(item), item]))
  const names = [...byName.keys()]
  const count = Math.min(top, names.length)
  const original = (name: string): C => {
    const item = byName.get(name)
    if (item === undefined) throw new Error("the form admits no other items")
    return item
  }
  const Reply = Schema.Struct({
    // items may come from notes, so issues do not contain them
    ranked: Schema.Array(Schema.Literals(names).annotate({ message: "Expected one of the items, as it stands" })).check(
      Schema.isMinLength(count),
      Schema.isMaxLength(count),
      Schema.makeFilter((ranked) => new Set(ranked).size === ranked.length || "Expected no item twice")
    ),
    confidence: Confidence,
    reasoning: StatedReasons
  })
  return {
    kind,
    form: compile(
      "ranking",
      Reply,
      ({ ranked, ...rest }) => ({
        ranked: ranked.map(original),
        ...rest,
        confidenceFrom: "stated" as const
      }),
      // an item with several lines is written on one
      names.every((item) => byName.get(item) === item) ? [] : ["ranked"]
    ),
    request: (criteria) => ({
      instruction: `Rank by ${criteria}`,
      questions: [
        {
          _tag: "Choice",
          name: "first",
          question: `Ranked by ${criteria}: which of these comes first?`,
          labels: names.map((label) => ({ label }))
        }
      ],
      task: `Rank by ${criteria}`,
      how:
        (count === names.length
          ? "Give every item exactly once"
          : `Give the first ${count} of the items, none of them twice`) +
        `, as it stands, without its number. ${stating}`,
      sections: [{ heading: "Items", body: trust === "trusted" ? list(names) : quotedLines(list(names)) }]
    }),
    fromAnswers: (answers, confidenceFrom) => {
      const answer = answers.get("first")
      if (answer?._tag !== "Choice") throw new Error("a choice was asked for")
      const probability = (name: string) => answer.distribution[name] ?? 0
      const order = names.toSorted((a, b) => probability(b) - probability(a)).slice(0, count)
      return {
        ranked: order.map(original),
        confidence: Math.max(...names.map(probability)),
        confidenceFrom,
        reasoning: answer.reasons ?? [],
        distribution: Object.fromEntries(names.map((name) => [original(name), probability(name)]))
      }
    }
  }
}

/**
 * Details of a ranking.
 *
 * @category models
 */
export interface RankingDetails extends Omit<Details, "criteria"> {
  /** How many of the first items to return, from 1. Default: all. */
  readonly top?: number
}

/**
 * Items, alone or with details for this call.
 *
 * @category models
 */
export type RankingInput = ReadonlyArray<string> | (RankingDetails & { readonly items: ReadonlyArray<string> })

const isList = (input: RankingInput): input is ReadonlyArray<string> => Array.isArray(input)

/**
 * Ranks items, best first.
 *
 * **Details**
 *
 * Fails with `InvalidItems`, before any call, if there are no items, or if one is empty or occurs twice (spaces and
 * line breaks do not count). Throws if `top` is not a whole number from 1.
 *
 * **Example** (What to do first)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Synapse } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const byUrgency = Synapse.ranking({ criteria: "urgency" })
 * const provider = Testing.scripted([{ ranked: ["fire", "letter"], confidence: 1, reasoning: ["It burns."] }])
 *
 * const answer = await Effect.runPromise(byUrgency(["letter", "fire"]).pipe(Effect.provide(provider.layer)))
 * assert.deepEqual(answer.ranked, ["fire", "letter"])
 * ```
 *
 * @category synapses
 */
export const ranking = taking("Synapse.ranking", {
  options: 0,
  known: { ...others("top"), ...optionForms, ...detailForms, criteria: option("", string) },
  texts: ["criteria"]
})((
  options: Options &
    RankingDetails & {
      /** What to rank by; completes the sentence "Rank by …". */
      readonly criteria: string
    }
): Synapse<Ranking, RankingInput, RankingDetails, InvalidItems> => {
  const { criteria: question, ...rest } = options
  const asking = askOptions(options)
  return make<Ranking, RankingInput, ReadonlyArray<string>, RankingDetails, InvalidItems>({
    kind: "ranking",
    defaults: { ...detailsOf(rest), ...defined({ top: rest.top }) },
    merge: (defaults, given) => ({
      ...merge(defaults, given, (first, second) => [...first, ...second]),
      ...defined({ top: given.top ?? defaults.top })
    }),
    split: (input) => (isList(input) ? [input, undefined] : [input.items, input]),
    prepare: (details) => {
      const { examples = [], top } = details
      if (top !== undefined) whole("A ranking", "top", 1, top)
      return (items) =>
        Effect.flatMap(Effect.fromResult(checkItems(items)), (checked) => {
          const declaration = declareRanking("ranking", checked, { top })
          // the question contains the items; the text to judge them by is the context, if there is one
          const input = (details.context ?? "") === "" ? { input: list(checked) } : {}
          return call({ declaration, question, ...input, details, examples, asking })
        })
    }
  })
})
