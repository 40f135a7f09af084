/** Weighs listed values for a field: how likely each is, and whether the text speaks of it at all. */
import * as Effect from "effect/Effect"
import { areLevels, areMoods, choose, onScale } from "../mind/choice.ts"
import { judge } from "../mind/evidence.ts"
import { type Field, wordsOf } from "../mind/field.ts"
import { mean, type Mind, type Passage } from "../mind/meaning.ts"
import { currenciesNamed, isExcludedLabel, isNamed } from "./labels.ts"
import { besideOf } from "./nearest.ts"
import { amountsOf, ratingsIn } from "./numbers.ts"
import { saidOption } from "./said.ts"

type Option = string | number

/** Listed values; for each of them its probability, and whether the text speaks of it, perhaps by name. */
export interface Weighed {
  readonly options: ReadonlyArray<Option>
  readonly probabilities: ReadonlyArray<number>
  readonly spoken: ReadonlyArray<boolean>
  readonly named: ReadonlyArray<boolean>
}

/** The listed number that the text gives: as a rating, or beside the words of the field. */
const saidNumber = Effect.fnUntraced(function* (
  mind: Mind,
  passage: Passage,
  options: ReadonlyArray<number>,
  field: Field
) {
  const listed = (amount: number) => options.includes(amount)
  const rating = ratingsIn(passage.text).find(listed)
  if (rating !== undefined) return rating
  return (yield* amountsOf(mind, field, passage)).find(
    (value) => value.amount !== undefined && listed(value.amount) && besideOf(field, passage, value) > 0
  )?.amount
})

/** How near in meaning a text must be to a value for it to speak of it: set on 42 pairs of a text and a field, written for it. */
const leastNear = 0.24

/** How near in meaning the text is to each value, alone and with the name of the field. */
const nearTo = Effect.fnUntraced(function* (
  mind: Mind,
  { sentences, text }: Passage,
  labels: ReadonlyArray<string>,
  { words }: Field
) {
  const forms = labels.flatMap((label) => [label, `${words} ${label}`.trim(), `The ${words} is ${label}.`])
  const rows = yield* mind.compare([text, ...sentences], forms)
  const most = forms.map((_, i) => Math.max(...rows.map((row) => row[i] ?? 0)))
  return labels.map((_, i) => mean([most[3 * i] ?? 0, Math.max(most[3 * i + 1] ?? 0, most[3 * i + 2] ?? 0)]))
})

const questionOf = ({ description, words }: Field): string => description ?? `What ${words} does this have?`

const only = (options: ReadonlyArray<Option>, said: Option): Weighed => ({
  options,
  probabilities: options.map((option) => (option === said ? 1 : 0)),
  spoken: options.map((option) => option === said),
  named: options.map((option) => option === said)
})

const weighNumbers = Effect.fnUntraced(function* (
  mind: Mind,
  passage: Passage,
  options: ReadonlyArray<number>,
  field: Field
) {
  const said = yield* saidNumber(mind, passage, options, field)
  if (said !== undefined) return only(options, said)
  const labels = options.map((option) => ({ label: String(option) }))
  const { probabilities } = yield* onScale(mind, questionOf(field), labels, passage)
  const none = options.map(() => false)
  return { options, probabilities, spoken: none, named: none }
})

const tones = ["neutral", "positive", "negative"]

/** Whether a text has one of these moods: one without feeling has only a mood that says so. */
const hasMood = (mind: Mind, passage: Passage, moods: ReadonlyArray<string>) =>
  moods.some((mood) => /^(?:neutral|calm)$/iu.test(mood))
    ? Effect.succeed(true)
    : Effect.map(
        choose(
          mind,
          "",
          tones.map((label) => ({ label })),
          passage
        ),
        ({ probabilities }) => (probabilities[0] ?? 0) < Math.max(...probabilities)
      )

/** Weighs the listed values. */
export const weigh = Effect.fnUntraced(function* (
  mind: Mind,
  passage: Passage,
  values: ReadonlyArray<Option>,
  field: Field
): Effect.fn.Return<Weighed> {
  const numbers = values.filter((value) => typeof value === "number")
  if (numbers.length === values.length) {
    return yield* weighNumbers(
      mind,
      passage,
      numbers.toSorted((a, b) => a - b),
      field
    )
  }
  const names = values.map(String)
  const said = saidOption(passage, names, field)
  if (said !== undefined) return only(values, values[names.indexOf(said)] ?? said)
  const currencies = currenciesNamed(passage.text, names)
  if (currencies?.[0] !== undefined) {
    return { ...only(values, currencies[0]), named: names.map((name) => currencies.includes(name)) }
  }

  const labels = names.map((name) => ({ label: wordsOf(name) }))
  const chosen = yield* choose(mind, questionOf(field), labels, passage)
  const isExcluded = names.map((name) => isExcludedLabel(passage.text, name))
  const isAll = isExcluded.every((one) => one)
  const probabilities = chosen.probabilities.map((one, i) => (isExcluded[i] === true && !isAll ? 0 : one))
  const named = names.map((name) => isNamed(passage.text, name))
  // a mood is that of the whole text, and so is how severe something is: no words need name it
  const isSevere = areLevels(labels) && (yield* judge(mind, questionOf(field), passage)).share > 0.5
  const isOfWhole = isSevere || (areMoods(labels) && (yield* hasMood(mind, passage, names)))
  // what is near to one that is excluded is near to the others, too, and one alone is nearer than no other
  const isMeant = currencies === undefined && names.length > 1 && !isExcluded.includes(true)
  const near = isMeant ? yield* nearTo(mind, passage, names.map(wordsOf), field) : []
  const spoken = names.map(
    (name, i) =>
      isExcluded[i] !== true &&
      (isOfWhole || named[i] === true || (name.length > 1 && (near[i] ?? 0) >= leastNear)) &&
      !saysNothing.test(wordsOf(name))
  )
  return { options: values, probabilities, spoken, named }
})

/** A value for what the text does not say. */
const saysNothing =
  /^(?:unknown|unspecified|undefined|unclear|not (?:given|specified|stated|known|mentioned|available|applicable)|n\/?a)$/u

/**
 * The likeliest value. If the text does not speak of it: undefined if that may be, or else the value that says so. Where a value may be
 * absent in one of these ways, those that the text names come first.
 */
export const bestOf = ({ named, options, probabilities, spoken }: Weighed, mayLack: boolean): Option | undefined => {
  const unknown = options.find((option) => saysNothing.test(wordsOf(String(option))))
  const mayBeAbsent = mayLack || unknown !== undefined
  const weights = probabilities.map((one, i) => (named.includes(true) && mayBeAbsent && named[i] !== true ? -1 : one))
  const best = weights.indexOf(Math.max(...weights))
  return spoken[best] === true || !mayBeAbsent ? options[best] : mayLack ? undefined : unknown
}

/**
 * Every value that the text names, and those that it speaks of with a share of at least 1.5 times that of an even spread. If there must
 * be one, the best.
 */
export const allOf = (weighed: Weighed, mayLack: boolean): ReadonlyArray<Option> => {
  const { named, options, probabilities, spoken } = weighed
  const best = bestOf(weighed, mayLack)
  const least = Math.min(Math.max(...probabilities), 1.5 / probabilities.length)
  return options.filter(
    (option, i) => option === best || named[i] === true || (spoken[i] === true && (probabilities[i] ?? 0) >= least)
  )
}
