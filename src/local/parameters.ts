/** Fills the parameters of a tool from what was said. What nobody said stays out: nothing is made up. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Tool } from "../Provider.ts"
import { parametersOf } from "../provider/turns.ts"
import type { JsonSchema } from "../schema/jsonSchema.ts"
import { stemsIn } from "./language/concepts.ts"
import { negated } from "./mind/evidence.ts"
import { type Field, kindOf, wordsOf } from "./mind/field.ts"
import { admitsNumber, admitsText, type Form, formOf } from "./jsonSchema.ts"
import { type Mind, passageOf } from "./mind/meaning.ts"
import { labelsIn } from "./fields/labels.ts"
import { candidatesIn } from "./fields/parameterSpans.ts"
import { partsIn } from "./language/addresses.ts"
import { overlaps, type Span } from "./language/placed.ts"
import { directed, directionOf, type Wanted, wantedOf } from "./fields/phrases.ts"
import { formattedOf } from "./fields/formatted.ts"

/** A value and where it was found: in which of the texts, and where in it. */
export interface Found {
  readonly value: unknown
  readonly source: number
  readonly start: number
  readonly length: number
}

/** The parameters of a call, or the name of a required one that nobody said. */
export type Filled =
  | {
      readonly _tag: "Filled"
      readonly params: Readonly<Record<string, unknown>>
      readonly found: ReadonlyArray<readonly [name: string, found: Found]>
      /** How many required parameters were found; one of a loose form counts half, and nothing if all are loose. */
      readonly telling: number
    }
  | { readonly _tag: "Missing"; readonly name: string; readonly description: string | undefined }

/** What parameters are filled from. */
export interface Sources {
  readonly mind: Mind
  /** The texts, those first in which to look first. */
  readonly texts: ReadonlyArray<string>
  /** Places that are taken, in the order of the texts. */
  readonly taken: ReadonlyArray<Found>
}

/** Whether no other parameter has this place, or the same value from another text. */
const isFree = ({ taken }: Sources, source: number, { start, text }: Span, value: unknown = text): boolean =>
  !taken.some((other) =>
    other.source === source
      ? start < other.start + other.length && other.start < start + text.length
      : other.value === value
  )

interface Place {
  readonly sources: Sources
  readonly tool: Tool
  readonly root: JsonSchema
  readonly field: Field
  readonly isRequired: boolean
}

const wantedFrom = Effect.fnUntraced(function* ({ field, sources }: Place) {
  const own = wantedOf(field)
  if (own !== undefined) return own
  const kind = yield* kindOf(sources.mind, field, "statement")
  switch (kind) {
    case "email":
    case "url":
    case "phone":
    case "date":
    case "identifier":
    case "place":
      return kind
    case "person":
    case "organization":
      return "name"
    case "number":
    case "money":
    case "percent":
      return "identifier"
    case "request":
    case "problem":
    case "summary":
      return "content"
    default:
      return "query"
  }
})

const textIn = Effect.fnUntraced(function* (place: Place, schema: JsonSchema) {
  const { field, sources } = place
  const admits = admitsText(schema)
  for (const [source, text] of sources.texts.entries()) {
    const passage = passageOf(sources.mind.language, [text])
    const formatted = yield* formattedOf(sources.mind, field, passage, schema["format"], "nearest")
    if (formatted !== undefined) {
      for (const one of formatted) {
        // the passage is without long words
        const span = { text: one.text, start: Math.max(one.start, text.indexOf(one.text, one.start)) }
        const value = one.spellings.find((spelling) => admits(spelling) && isFree(sources, source, span, spelling))
        if (value === undefined) continue
        return Option.some<Found>({ value, source, start: span.start, length: span.text.length })
      }
      continue
    }
    const wanted = yield* wantedFrom(place)
    const spans = directed(candidatesIn(sources.mind.language, wanted, text, field), text, directionOf(field))
    const span = spans.find((one) => isFree(sources, source, one) && admits(one.text))
    if (span !== undefined) {
      return Option.some<Found>({ value: span.text, source, start: span.start, length: span.text.length })
    }
  }
  return Option.none<Found>()
})

/** How far from a number its words stand. */
const near = 40
const before = /(?:([\p{L}]+)\W+)?([\p{L}]+)\W*$/u
const behind = /^\W*([\p{L}]+)/u

const stemsOf = (words: ReadonlyArray<string | undefined>) =>
  stemsIn(words.filter((word) => word !== undefined).join(" "))

const figures = /\d(?:[\d.,' ]*\d)?/u

/** Whether the words around a number are those of a parameter or its tool. */
const isNamed = ({ field, tool }: Place, text: string, { start, text: number }: Span): boolean => {
  const own = stemsIn(`${field.words} ${field.description ?? ""}`)
  const [, first, second] = before.exec(text.slice(Math.max(0, start - near), start)) ?? []
  const next = behind.exec(text.slice(start + number.length, start + number.length + near))?.[1]
  const around = stemsOf([first, second, next])
  const tooled = stemsIn(wordsOf(tool.name))
  return [...around].some((stem) => own.has(stem) || tooled.has(stem))
}

/** A postcode that is written in digits. */
const postcodeNumberIn = ({ field, sources }: Place, admits: (amount: number) => boolean): Option.Option<Found> => {
  for (const [source, text] of sources.texts.entries()) {
    const found = candidatesIn(sources.mind.language, "postcode", text, field).find(
      (span) =>
        /^\d+$/u.test(span.text) && admits(Number(span.text)) && isFree(sources, source, span, Number(span.text))
    )
    if (found !== undefined) {
      return Option.some({ value: Number(found.text), source, start: found.start, length: found.text.length })
    }
  }
  return Option.none()
}

const numberIn = (place: Place, schema: JsonSchema, integer: boolean): Option.Option<Found> => {
  const { field, isRequired, sources } = place
  const admits = admitsNumber(schema, integer)
  if (wantedOf(field) === "postcode") return postcodeNumberIn(place, admits)
  for (const [source, text] of sources.texts.entries()) {
    const values = sources.mind.language.values(text).flatMap((value) => {
      const digits = value.kind === "identifier" ? /^#?(\d+)$/u.exec(value.text)?.[1] : undefined
      const amount = digits === undefined ? value.amount : Number(digits)
      if (amount === undefined || !admits(amount)) return []
      // its unit may be another parameter
      const figure = figures.exec(value.text)
      const span = { text: figure?.[0] ?? value.text, start: value.start + (figure?.index ?? 0) }
      return isFree(sources, source, span, amount) ? [{ ...span, amount }] : []
    })
    const named = values.find((value) => isNamed(place, text, value))
    const parts = isRequired ? partsIn(text) : []
    const free = values.find((value) => !parts.some((part) => overlaps(part, value)))
    const found = named ?? (isRequired ? free : undefined)
    if (found !== undefined) {
      return Option.some({ value: found.amount, source, start: found.start, length: found.text.length })
    }
  }
  return Option.none()
}

/**
 * A listed value whose words the text has. If it has several, the last: "not red but blue". One that the text excludes, as "but not the
 * red one" does, is not said.
 */
const labelIn = ({ sources }: Place, values: ReadonlyArray<string | number>): Option.Option<Found> => {
  for (const [source, text] of sources.texts.entries()) {
    const found = values.flatMap((value) =>
      labelsIn(text, String(value)).map(({ start, text: { length } }) => ({ value, source, start, length }))
    )
    const last = found.toSorted((a, b) => b.start - a.start)[0]
    if (last !== undefined) return Option.some(last)
  }
  return Option.none()
}

/** True or false only if the text has the words of the name. */
const flagIn = ({ field, sources }: Place): Option.Option<Found> => {
  const own = stemsIn(field.words)
  for (const [source, text] of sources.texts.entries()) {
    const sentence = sources.mind.language
      .sentences(text)
      .find((one) => [...stemsIn(one)].some((stem) => own.has(stem)))
    if (sentence !== undefined) return Option.some({ value: !negated(sentence), source, start: 0, length: 0 })
  }
  return Option.none()
}

const valueIn = (place: Place, form: Form): Effect.Effect<Option.Option<Found>> => {
  switch (form._tag) {
    case "Const":
      return Effect.succeedSome({ value: form.value, source: 0, start: 0, length: 0 })
    case "Enum":
      return Effect.succeed(labelIn(place, form.values))
    case "Boolean":
      return Effect.succeed(flagIn(place))
    case "Number":
      return Effect.succeed(numberIn(place, form.schema, form.integer))
    case "String":
      return textIn(place, form.schema)
    case "Array":
      return Effect.map(valueIn({ ...place, isRequired: true }, formOf(place.root, form.items)), (item) =>
        Option.filter(item, () => form.minItems < 2).pipe(Option.map((found) => ({ ...found, value: [found.value] })))
      )
    case "Union":
      return Effect.gen(function* () {
        for (const member of form.members) {
          const found = yield* valueIn(place, formOf(place.root, member))
          if (Option.isSome(found)) return found
        }
        return Option.none()
      })
    case "Object":
      return Effect.map(filledObject(place.sources, place.tool, place.root, form), (filled) =>
        filled._tag === "Missing"
          ? Option.none()
          : Option.some({ value: filled.params, source: 0, start: 0, length: 0 })
      )
    default:
      // the schema does not say what to look for
      return Effect.succeedNone
  }
}

/** Words that say little about which tool they are for. */
const loose: ReadonlySet<Wanted> = new Set<Wanted>(["query", "title", "content", "name"])

const filledObject = (
  sources: Sources,
  tool: Tool,
  root: JsonSchema,
  form: Extract<Form, { readonly _tag: "Object" }>
): Effect.Effect<Filled> =>
  Effect.gen(function* () {
    const params: Record<string, unknown> = {}
    const found: Array<readonly [name: string, found: Found]> = []
    let strict = 0
    let loosely = 0
    const taken = [...sources.taken]
    // required ones choose first
    const ordered = form.properties.toSorted(([a], [b]) => Number(form.required.has(b)) - Number(form.required.has(a)))
    for (const [name, schema] of ordered) {
      const property = formOf(root, schema)
      const isRequired = form.required.has(name)
      const field: Field = {
        path: name,
        words: wordsOf(name),
        ...(property.description === undefined ? {} : { description: property.description })
      }
      const value = yield* valueIn({ sources: { ...sources, taken }, tool, root, field, isRequired }, property)
      if (Option.isSome(value)) {
        found.push([name, value.value])
        taken.push(value.value)
        const wanted = property._tag === "String" ? (wantedOf(field) ?? "query") : undefined
        if (isRequired && wanted !== undefined && loose.has(wanted)) loosely++
        else if (isRequired) strict++
      } else if (isRequired) {
        if (!property.nullable) return { _tag: "Missing", name, description: property.description }
        params[name] = null
      }
    }
    // in the order of the schema
    for (const [name] of form.properties) {
      const value = found.find(([other]) => other === name)
      if (value !== undefined) params[name] = value[1].value
    }
    return { _tag: "Filled", params, found, telling: strict === 0 ? 0 : strict + loosely / 2 }
  })

/** Fills the parameters of a tool. */
export const fillParameters = (sources: Sources, tool: Tool): Effect.Effect<Filled> => {
  const root = parametersOf(tool)
  const form = formOf(root, root)
  return form._tag === "Object"
    ? filledObject(sources, tool, root, form)
    : Effect.succeed({ _tag: "Missing", name: "parameters", description: undefined })
}

/**
 * The value of a text or a number, if it has a form by which it can be told from other words. `isStrict`: other words
 * do not count as a value.
 */
export const strictValue = Effect.fnUntraced(function* (
  sources: Sources,
  tool: Tool,
  property: { readonly name: string; readonly form: Form; readonly isRequired: boolean }
) {
  const { form, isRequired, name } = property
  const { description } = form
  const field: Field = { path: name, words: wordsOf(name), ...(description === undefined ? {} : { description }) }
  const wanted = form._tag === "String" ? wantedOf(field) : undefined
  const isStrict = wanted !== undefined && !loose.has(wanted)
  if (!isStrict && form._tag !== "Number") return { isStrict, found: Option.none<Found>() }
  const root = parametersOf(tool)
  return { isStrict, found: yield* valueIn({ sources, tool, root, field, isRequired }, form) }
})

/** Whether a text names two things side by side: "Porto and Ulm". */
export const isBeside = (texts: ReadonlyArray<string>, one: Found, other: Found): boolean =>
  one.source === other.source &&
  one.length > 0 &&
  other.start > one.start &&
  /^\s*(?:,|&|,?\s*(?:and|or))\s*(?:(?:in|for|to|of|order|number|the|from)\s*)*#?$/iu.test(
    (texts[one.source] ?? "").slice(one.start + one.length, other.start)
  )
