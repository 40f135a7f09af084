/** Finds the spans of a text that can be the value of a property. */
import * as Effect from "effect/Effect"
import { judge } from "../mind/evidence.ts"
import { type Field, type FieldKind, kindOf, phraseOf, phrases } from "../mind/field.ts"
import { mean, type Mind, type Passage } from "../mind/meaning.ts"
import { tellingOf, valuesOf } from "./nearest.ts"
import { peopleOf } from "./people.ts"
import { rolesOf, substance } from "../mind/roles.ts"
import { isBareEnd, statedKind } from "./stated.ts"
import { placesOf, statedOf, unique } from "./statedSpans.ts"
import { summarize } from "../mind/summary.ts"
import { itemsOf, labelledFor } from "../language/labelled.ts"
import { onSide, sideOf } from "../language/ranges.ts"
import { seriesIn } from "../language/series.ts"
import { momentsIn } from "../language/values.ts"

const leastLogOdds = 0.3
/** The same for signs of severity, anger or satisfaction, which plain sentences are often near to. */
const leastOnAxis = 0.9
const clearly = 0.1

/** Texts in the order in which they stand in a text. */
const inOrder = (text: string, found: ReadonlyArray<string>): ReadonlyArray<string> =>
  found
    .map((one) => ({ one, start: text.indexOf(one) }))
    .toSorted((a, b) => a.start - b.start)
    .map(({ one }) => one)

/** How much more each sentence has this role than the other one. */
const leaningOf = (mind: Mind, role: "problem" | "request", sentences: ReadonlyArray<string>) =>
  Effect.map(rolesOf(mind, sentences), (all) =>
    all.map(({ problem, request }) => (role === "problem" ? problem - request : request - problem))
  )

/** Sentences, those first that are most central and most about the field or role. */
const sentencesOf = Effect.fnUntraced(function* (
  mind: Mind,
  field: Field,
  passage: Passage,
  role: "problem" | "request" | undefined
) {
  const sentences = unique(yield* substance(mind, passage.sentences))
  const rows = yield* mind.compare(sentences, [passage.text, ...phrases(field)])
  const leaning = role === undefined ? [] : yield* leaningOf(mind, role, sentences)
  const worth = rows.map(
    ([central = 0, ...about], i) => central + (role === undefined ? mean(about) : (leaning[i] ?? 0))
  )
  return sentences
    .map((sentence, i) => [sentence, worth[i] ?? 0] as const)
    .toSorted((a, b) => b[1] - a[1])
    .map(([sentence]) => sentence)
})

/** What a bare "from" or "to" may be: a place, a time, or for the first of them who wrote. */
const endsOf = Effect.fnUntraced(function* (mind: Mind, field: Field, passage: Passage) {
  const places = placesOf(mind, field, passage)
  const moments = momentsIn(passage.text, mind.language.values(passage.text))
  const timed = onSide(moments, passage.text, sideOf(field.words)).map(({ text }) => text)
  return places.length > 0 || timed.length > 0 || field.words === "to"
    ? [...places, ...timed]
    : yield* candidatesOfKind(mind, field, passage, "person")
})

/** Candidates for one text, the best first. All of them are spans of the passage. */
export const candidatesOf = Effect.fnUntraced(function* (mind: Mind, field: Field, passage: Passage) {
  const own = statedKind(field)
  if (own === undefined && isBareEnd(field.words)) return yield* endsOf(mind, field, passage)
  const kind = own ?? (yield* kindOf(mind, field, "statement"))
  const label = labelledFor(passage.text, field.words)
  const found = yield* candidatesOfKind(mind, field, passage, kind)
  if (label === undefined) return found
  // a value of the kind after the label, else all that is after it
  const inside = found.filter((one) => label.text.includes(one))
  return unique([...inside, ...(own !== undefined && exact.has(own) ? [] : [label.text]), ...found])
})

/** Kinds whose values have a fixed form: a text of another form is not such a value. */
const exact: ReadonlySet<FieldKind> = new Set<FieldKind>([
  "date",
  "time",
  "moment",
  "email",
  "url",
  "money",
  "percent",
  "number"
])

const candidatesOfKind = Effect.fnUntraced(function* (mind: Mind, field: Field, passage: Passage, kind: FieldKind) {
  const stated = yield* statedOf(mind, field, passage, kind)
  if (stated !== undefined) return stated
  switch (kind) {
    case "person": {
      const addresses = mind.language.values(passage.text).filter((value) => value.kind === "email")
      const locals = addresses.map(({ text }) => text.slice(0, text.indexOf("@")))
      return [...peopleOf(mind, field, passage), ...mind.language.organizations(passage.text), ...locals]
    }
    case "organization":
      return mind.language.organizations(passage.text)
    case "place":
      return placesOf(mind, field, passage)
    case "thing":
      return mind.language.things(passage.sentences.join("\n"))
    case "summary":
      return (yield* summarize(mind, passage, "")).sentences
    case "problem":
    case "request":
      return yield* sentencesOf(mind, field, passage, kind)
    case "money":
    case "percent":
    case "number":
      return (yield* valuesOf(mind, field, passage, [kind])).map(({ text }) => text)
    default:
      return yield* sentencesOf(mind, field, passage, undefined)
  }
})

const leastItem = 0.42

/** The items of an enumeration that are near to the field in meaning. */
const seriesOf = Effect.fnUntraced(function* (mind: Mind, field: Field, passage: Passage) {
  const found = passage.sentences.flatMap(seriesIn)
  const name = tellingOf(field).join(" ")
  for (const items of name === "" ? [] : found) {
    const rows = yield* mind.compare(items, [name])
    if (mean(rows.map(([near = 0]) => near)) >= leastItem) return items
  }
  return undefined
})

/**
 * Every text that belongs in a list: names and values of the field's kind, or each sentence with evidence for the
 * field.
 */
export const membersOf = Effect.fnUntraced(function* (mind: Mind, field: Field, passage: Passage) {
  const label = field.path === "value" ? undefined : labelledFor(passage.text, field.words)
  if (label !== undefined) return unique(itemsOf(label.text))
  const kind = statedKind(field) ?? (yield* kindOf(mind, field, "statement"))
  const stated = yield* statedOf(mind, field, passage, kind)
  if (stated !== undefined) {
    return inOrder(passage.text, unique(stated))
  }
  const isSaying = kind === "problem" || kind === "request" || kind === "summary"
  const series = isSaying || statedKind(field) !== undefined ? undefined : yield* seriesOf(mind, field, passage)
  if (series !== undefined) return series
  switch (kind) {
    case "person":
    case "organization":
    case "place":
    case "thing":
    case "summary":
    case "money":
    case "percent":
    case "number": {
      const found = unique(
        kind === "person" ? peopleOf(mind, field, passage) : yield* candidatesOfKind(mind, field, passage, kind)
      )
      // the probable writer of a message comes first, but those who take part come as they are named
      const isRanked = kind === "summary" || (kind === "person" && statedKind(field) === undefined)
      return isRanked ? found : inOrder(passage.text, found)
    }
    case "problem":
    case "request": {
      const sentences = yield* substance(mind, passage.sentences)
      const leaning = yield* leaningOf(mind, kind, sentences)
      return unique(sentences.filter((_, i) => (leaning[i] ?? 0) > 0))
    }
    default: {
      const sentences = yield* substance(mind, passage.sentences)
      // If a phrase is clearly most about severity, anger or satisfaction, it says best what to look for.
      const judgements = yield* Effect.forEach([phraseOf(field), ...phrases(field)], (phrase) =>
        judge(mind, phrase, { ...passage, sentences })
      )
      const judged = judgements.reduce((best, other) => (other.share > best.share + clearly ? other : best))
      const least = judged.share > 0.5 ? leastOnAxis : leastLogOdds
      return unique(judged.sentences.filter(([, logOdds]) => logOdds > least).map(([sentence]) => sentence))
    }
  }
})
