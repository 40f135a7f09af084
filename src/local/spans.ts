/** Finds the spans of a text that can be the value of a property. */
import * as Effect from "effect/Effect"
import { judge } from "./evidence.ts"
import { type Field, kindOf, phraseOf, phrases } from "./field.ts"
import { mean, type Mind, type Passage } from "./meaning.ts"
import { rolesOf, substance } from "./roles.ts"
import { summarize } from "./summary.ts"
import { writersOf } from "./language/writers.ts"
import { isoDate, isoDateTimes, type Value, type ValueKind } from "./language/values.ts"

const around = 60
const leastLogOdds = 0.3
/** The same for signs of severity, anger or satisfaction, which plain sentences are often near to. */
const leastOnAxis = 0.9
const clearly = 0.1
const inOrder: ReadonlySet<ValueKind> = new Set<ValueKind>(["email", "phone", "url"])

/**
 * Values of the wanted kinds, those first whose surroundings are nearest to the field. E-mail addresses, phone numbers
 * and URLs by themselves keep the order of the text.
 */
export const valuesOf = Effect.fnUntraced(function* (
  mind: Mind,
  field: Field,
  passage: Passage,
  wanted: ReadonlyArray<ValueKind>
) {
  const found = mind.language.values(passage.text).filter((value) => wanted.includes(value.kind))
  if (found.length < 2 || found.every(({ kind }) => inOrder.has(kind))) return found
  const surroundings = found.map(({ start, text }) =>
    passage.text.slice(Math.max(0, start - around), start + text.length + around / 2)
  )
  const rows = yield* mind.compare(surroundings, phrases(field))
  const order = new Map<Value, number>(found.map((value, i) => [value, Math.max(...(rows[i] ?? [0]))]))
  return found.toSorted((a, b) => (order.get(b) ?? 0) - (order.get(a) ?? 0))
})

const introduces = /(?:\bmy name is|\bI am|\bI['’]m|\bthis is|\bfrom|\bcustomer:?|\bname:)\s*$/iu
const greets = /(?:^|\n)\s*(?:hi|hello|hey|dear)\s*$/iu
const tail = 40
const writes = /\b(?:customer|client|user|buyer|writer|author|sender|wrote|writes|who)\b/iu
const firstPerson = /\b(?:I|me|my|mine|we|us|our)\b/u

/**
 * People that the text names, the probable writer first. People it greets are left out. If the field is about the writer and the text
 * is in the first person, so are people it only mentions, as in "thanks to Marco".
 */
const peopleOf = (mind: Mind, field: Field, { text }: Passage): ReadonlyArray<string> => {
  const writers = writersOf(mind.language, text)
  const weight = (name: string) => {
    const start = text.indexOf(name)
    const before = text.slice(0, start)
    if (introduces.test(before)) return 2
    return text.length - start - name.length < tail && /[.!?,;:\n–—-]\s*$/u.test(before) ? 1 : 0
  }
  const isMentioned = phrases(field).some((phrase) => writes.test(phrase)) && firstPerson.test(text)
  const others = mind.language
    .people(text)
    .filter((name) => !greets.test(text.slice(0, text.indexOf(name))))
    .filter((name) => !writers.some((writer) => writer.includes(name) || name.includes(writer)))
    .filter((name) => !isMentioned || weight(name) > 0)
    .toSorted((a, b) => weight(b) - weight(a))
  return [...writers, ...others]
}

const unique = (texts: ReadonlyArray<string>) => Array.from(new Set(texts))

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

/** Candidates for one text, the best first. All of them are spans of the passage. */
export const candidatesOf = Effect.fnUntraced(function* (mind: Mind, field: Field, passage: Passage) {
  const kind = yield* kindOf(mind, field, "statement")
  switch (kind) {
    case "person": {
      const addresses = mind.language.values(passage.text).filter((value) => value.kind === "email")
      const locals = addresses.map(({ text }) => text.slice(0, text.indexOf("@")))
      return [...peopleOf(mind, field, passage), ...mind.language.organizations(passage.text), ...locals]
    }
    case "organization":
      return mind.language.organizations(passage.text)
    case "place":
      return mind.language.places(passage.text)
    case "thing":
      return mind.language.things(passage.sentences.join("\n"))
    case "summary":
      return (yield* summarize(mind, passage, "")).sentences
    case "problem":
    case "request":
      return yield* sentencesOf(mind, field, passage, kind)
    case "statement":
      return yield* sentencesOf(mind, field, passage, undefined)
    default:
      return (yield* valuesOf(mind, field, passage, [kind])).map(({ text }) => text)
  }
})

/**
 * Every text that belongs in a list: names and values of the field's kind, or each sentence with evidence for the
 * field.
 */
export const membersOf = Effect.fnUntraced(function* (mind: Mind, field: Field, passage: Passage) {
  const kind = yield* kindOf(mind, field, "statement")
  switch (kind) {
    case "person":
      return unique(peopleOf(mind, field, passage))
    case "organization":
    case "place":
    case "thing":
    case "summary":
      return unique(yield* candidatesOf(mind, field, passage))
    case "problem":
    case "request": {
      const sentences = yield* substance(mind, passage.sentences)
      const leaning = yield* leaningOf(mind, kind, sentences)
      return unique(sentences.filter((_, i) => (leaning[i] ?? 0) > 0))
    }
    case "statement": {
      const sentences = yield* substance(mind, passage.sentences)
      // If a phrase is clearly most about severity, anger or satisfaction, it says best what to look for.
      const judgements = yield* Effect.forEach([phraseOf(field), ...phrases(field)], (phrase) =>
        judge(mind, phrase, { ...passage, sentences })
      )
      const judged = judgements.reduce((best, other) => (other.share > best.share + clearly ? other : best))
      const least = judged.share > 0.5 ? leastOnAxis : leastLogOdds
      return unique(judged.sentences.filter(([, logOdds]) => logOdds > least).map(([sentence]) => sentence))
    }
    default:
      return unique(
        mind.language
          .values(passage.text)
          .filter((value) => value.kind === kind)
          .map(({ text }) => text)
      )
  }
})

const formats: Readonly<Record<string, RegExp>> = {
  time: /^\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/u,
  duration: /^P(?=.)(?:\d+[YMWD])*(?:T(?:\d+[HMS])+)?$/u,
  uuid: /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu
}

/** What stands around a word and is no part of it: quotation marks, brackets, and the end of a sentence. */
const edges = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu

const dates: Readonly<Record<string, (text: string) => ReadonlyArray<string>>> = {
  date: (text) => [isoDate(text) ?? []].flat(),
  "date-time": isoDateTimes
}

/**
 * The values in the passage for a text of a given `format`, each in all spellings that the format allows.
 *
 * They come in the order of the passage; with `nearest`, dates whose surroundings are nearest to the field come first.
 * Undefined if the format does not say what to look for.
 */
export const formattedOf = Effect.fnUntraced(function* (
  mind: Mind,
  field: Field,
  passage: Passage,
  format: unknown,
  order: "passage" | "nearest"
) {
  if (typeof format !== "string") return undefined
  const all = (kind: ValueKind) => mind.language.values(passage.text).filter((value) => value.kind === kind)
  const texts = (kind: ValueKind) => all(kind).map(({ text }) => [text])
  const written = dates[format]
  if (written !== undefined) {
    const found = order === "passage" ? all("date") : yield* valuesOf(mind, field, passage, ["date"])
    return found.map(({ text }) => written(text))
  }
  if (format === "email") return texts("email")
  if (format === "uri" || format === "url") return texts("url").filter(([url = ""]) => URL.canParse(url))
  const form = formats[format]
  return form === undefined
    ? undefined
    : passage.text
        .split(/\s+/u)
        .map((word) => word.replaceAll(edges, ""))
        .filter((word) => form.test(word))
        .map((word) => [word])
})
