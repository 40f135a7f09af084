import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { list } from "../internal/render.ts"
import type { Declaration } from "./ask.ts"
import { Confidence, Distribution, fields, StatedReasons } from "./confidence.ts"
import { compile } from "./form.ts"
import { InvalidItems } from "./InvalidItems.ts"

/**
 * Items in order, best first: each of them once, or of a ranking that was asked for the first few only, those.
 *
 * `confidence` is in [0, 1]: measured as the probability that the first item belongs first, or stated by the model about
 * the whole order. When it was measured, `distribution` has for every item the probability that it belongs first; the
 * order is by it.
 *
 * @category models
 */
export interface Ranking<out C extends string = string> {
  readonly ranked: ReadonlyArray<C>
  readonly confidence: number
  readonly confidenceFrom: "measured" | "stated"
  readonly reasoning: ReadonlyArray<string>
  readonly distribution?: Readonly<Record<string, number>>
}

/**
 * The schema of a ranking of items of some schema.
 *
 * @category schemas
 */
export const Ranking = <C extends string>(item: Schema.Codec<C, any>): Schema.Codec<Ranking<C>, any> =>
  Schema.Struct({ ranked: Schema.Array(item), ...fields, distribution: Schema.optionalKey(Distribution) })

/** Items as the model sees and names them: each on one line. */
const onOneLine = (item: string): string => item.trim().replace(/\s+/g, " ")

/** Whether the items can be ranked: at least one, none empty, none twice. */
export const checkItems = <C extends string>(
  items: ReadonlyArray<C>,
  keys: ReadonlyArray<string> = []
): Result.Result<ReadonlyArray<C>, InvalidItems> => {
  const refuse = (problem: InvalidItems["problem"], ...positions: ReadonlyArray<number>) =>
    Result.fail(new InvalidItems({ problem, keys, positions }))
  if (items.length === 0) return refuse("none")
  const names = items.map(onOneLine)
  const empty = names.indexOf("")
  if (empty >= 0) return refuse("empty", empty + 1)
  const first = names.map((name) => names.indexOf(name))
  const again = first.findIndex((position, i) => position !== i)
  return again < 0 ? Result.succeed(items) : refuse("duplicate", (first[again] ?? 0) + 1, again + 1)
}

/** A question for the order of items that can be ranked, for a kind of step; `top` asks for the first few only. */
export const declareRanking = <C extends string>(
  kind: string,
  items: ReadonlyArray<C>,
  top = items.length
): Declaration<Ranking<C>> => {
  const byName = new Map(items.map((item) => [onOneLine(item), item]))
  const names = [...byName.keys()]
  const count = Math.min(top, names.length)
  const original = (name: string): C => {
    const item = byName.get(name)
    if (item === undefined) throw new Error("the form admits no other items")
    return item
  }
  const Reply = Schema.Struct({
    // items may come from notes: what is wrong with an answer is said without them
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
    form: compile("ranking", Reply, ({ ranked, ...rest }) => ({
      ranked: ranked.map(original),
      ...rest,
      confidenceFrom: "stated" as const
    })),
    put: (criteria) => ({
      instruction: `Rank by ${criteria}`,
      questions: [
        {
          _tag: "Choice",
          name: "first",
          question: `Ranked by ${criteria}: which of these comes first?`,
          labels: names.map((label) => ({ label }))
        }
      ],
      sections: [
        { heading: "Rank by", body: criteria },
        { heading: "Items", body: list(names) },
        {
          heading: "Task",
          body:
            (count === names.length
              ? "Put the items in order, the first one first: every item exactly once"
              : `Put the first ${count} of the items in order, the first one first: none of them twice`) +
            ", as it stands, without its number. Say how sure you are of the order, from 0 to 1, and give your reasons."
        }
      ]
    }),
    fromAnswers: (answers) => {
      const answer = answers.get("first")
      if (answer?._tag !== "Choice") throw new Error("a choice was asked for")
      const probability = (name: string) => answer.distribution[name] ?? 0
      const order = names.toSorted((a, b) => probability(b) - probability(a)).slice(0, count)
      return {
        ranked: order.map(original),
        confidence: Math.max(...names.map(probability)),
        confidenceFrom: "measured",
        reasoning: answer.reasons ?? [],
        distribution: Object.fromEntries(names.map((name) => [original(name), probability(name)]))
      }
    }
  }
}
