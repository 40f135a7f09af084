/** Fills the form of a JSON Schema from a passage. Every text in it is a span of the passage; nothing is made up. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { judge } from "./mind/evidence.ts"
import { type Field, fieldOf, phraseOf } from "./mind/field.ts"
import { amountOf, amountsOf, ratingsIn } from "./fields/numbers.ts"
import { allOf, bestOf, weigh } from "./fields/options.ts"
import { saidFlag } from "./fields/said.ts"
import { isObject, type JsonSchema, numberOf, numberText, wholeNumberText } from "../schema/jsonSchema.ts"
import { admitsNumber, admitsText, type Form, formOf } from "./jsonSchema.ts"
import { type Mind, type Passage, passageOf } from "./mind/meaning.ts"
import { formattedOf } from "./fields/formatted.ts"
import { candidatesOf, membersOf } from "./fields/spans.ts"

/** A required place of the form that the text has no fitting value for. */
export class Unfillable {
  readonly _tag = "Unfillable"
  readonly path: string
  constructor(path: string) {
    this.path = path
  }
}

/** A value of a property that is known from elsewhere; None leaves the property to the text. */
export type Known = (name: string, form: Form) => Option.Option<unknown>

/** The schema to fill and the passage to fill it from. */
export interface Filling {
  readonly mind: Mind
  readonly root: JsonSchema
  readonly instruction: string
  readonly passage: Passage
  readonly known: Known
  /** The names of the other numbers of the same object. */
  readonly others?: ReadonlyArray<string>
  /** Whether the place may be left out or null. */
  readonly mayLack?: boolean
}

type Filled = Effect.Effect<Option.Option<unknown>, Unfillable>

const orNone = (filled: Filled): Effect.Effect<Option.Option<unknown>> =>
  Effect.map(Effect.option(filled), Option.flatten)

const deepest = 8
const widestScale = 100

const noField: Field = { path: "", words: "" }

/**
 * The value for "not in the text" at a required place: null, the empty text, an empty list, or an empty object where only null is
 * excluded, if the form allows it.
 */
const blankOf = (form: Form): Option.Option<unknown> => {
  if (form.nullable) return Option.some(null)
  if (form._tag === "String" && form.schema["format"] === undefined && admitsText(form.schema)(""))
    return Option.some("")
  if (form._tag === "Any") return Option.some({})
  return form._tag === "Array" && form.minItems === 0 ? Option.some([]) : Option.none()
}

const isNumberText = ({ pattern }: JsonSchema): boolean => pattern === numberText || pattern === wholeNumberText

const fillString = Effect.fnUntraced(function* (filling: Filling, schema: JsonSchema, field: Field) {
  const { mind, passage } = filling
  if (isNumberText(schema)) {
    const amount = yield* fillNumber(filling, {}, schema["pattern"] === wholeNumberText, field)
    return Option.filter(Option.map(amount, String), admitsText(schema))
  }
  const formatted = yield* formattedOf(mind, field, passage, schema["format"], "nearest")
  const candidates = formatted?.flatMap(({ spellings }) => spellings) ?? (yield* candidatesOf(mind, field, passage))
  const words =
    schema["pattern"] === undefined || formatted !== undefined
      ? []
      : [...mind.language.values(passage.text).map(({ text }) => text), ...passage.text.split(/\s+/u)]
  return Option.fromNullishOr([...candidates, ...words].find((text) => text !== "" && admitsText(schema)(text)))
})

const isRating = ({ words }: Field): boolean => /\b(?:rating|score|stars?|grade)\b/u.test(words)

/** A number in the text that fits. Otherwise, on a scale with both ends, how far the field is true of the text. */
const fillNumber = Effect.fnUntraced(function* (filling: Filling, schema: JsonSchema, integer: boolean, field: Field) {
  const { mind, passage } = filling
  const admits = admitsNumber(schema, integer)
  const minimum = numberOf(schema["minimum"], NaN)
  const maximum = numberOf(schema["maximum"], NaN)
  const isDegree = minimum === 0 && maximum === 1
  const isScale = maximum - minimum <= widestScale
  if (!isDegree) {
    const rating = isRating(field) ? ratingsIn(passage.text).find(admits) : undefined
    const amount = rating ?? (yield* amountOf(mind, field, passage, admits, filling.others))
    if (amount !== undefined) return Option.some(amount)
  }
  if (!isScale) return Option.none()
  const { probability } = yield* judge(mind, phraseOf(field), passage)
  const degree = minimum + (maximum - minimum) * probability
  return Option.filter(Option.some(integer ? Math.round(degree) : degree), admits)
})

/** Whether a required text of an object is empty. */
const isBlank = (value: unknown, required: ReadonlySet<string>): boolean =>
  isObject(value) && Array.from(required).some((name) => value[name] === "")

const fillArray = Effect.fnUntraced(function* (
  filling: Filling,
  form: Extract<Form, { _tag: "Array" }>,
  field: Field,
  depth: number
) {
  const { mind, passage, root } = filling
  const item = formOf(root, form.items)
  const described: Field =
    field.description === undefined && item.description !== undefined
      ? { ...field, description: item.description }
      : field
  const members: Array<unknown> = []
  if (item._tag === "String") {
    const admits = admitsText(item.schema)
    const formatted = yield* formattedOf(mind, described, passage, item.schema["format"], "passage")
    const fitting = formatted?.flatMap(({ spellings }) => spellings.find(admits) ?? [])
    members.push(
      ...(fitting === undefined ? (yield* membersOf(mind, described, passage)).filter(admits) : new Set(fitting))
    )
  } else if (item._tag === "Number") {
    const found = yield* amountsOf(mind, described, passage)
    const kept = found.flatMap(({ amount, start }) => (amount === undefined ? [] : [{ amount, start }]))
    const ordered = kept.toSorted((a, b) => a.start - b.start).map(({ amount }) => amount)
    members.push(...ordered.filter(admitsNumber(item.schema, item.integer)))
  } else if (item._tag === "Enum") {
    members.push(...allOf(yield* weigh(mind, passage, item.values, described), form.minItems === 0))
  } else if (item._tag === "Object") {
    const { sentences } = yield* judge(mind, phraseOf(described), passage)
    for (const [sentence, logOdds] of sentences) {
      if (logOdds <= 0) continue
      const part: Filling = { ...filling, passage: passageOf(mind.language, [sentence]), known: () => Option.none() }
      const member = yield* orNone(fillForm(part, item, described, depth + 1))
      // an item without its texts says nothing
      members.push(...Option.toArray(Option.filter(member, (value) => !isBlank(value, item.required))))
    }
  }
  return members.length < form.minItems ? Option.none() : Option.some(members.slice(0, form.maxItems))
})

const fillObject = Effect.fnUntraced(function* (
  filling: Filling,
  form: Extract<Form, { _tag: "Object" }>,
  parent: Field,
  depth: number
) {
  const result: Record<string, unknown> = {}
  const numbers = form.properties.flatMap(([name, schema]) =>
    formOf(filling.root, schema)._tag === "Number" ? [name] : []
  )
  for (const [name, schema] of form.properties) {
    const property = formOf(filling.root, schema)
    const path = parent.path === "" ? name : `${parent.path}.${name}`
    const known = filling.known(name, property)
    const required = form.required.has(name)
    const found = Option.isSome(known)
      ? known
      : yield* Effect.gen(function* () {
          const field = yield* fieldOf(filling.mind, filling.instruction, path, name, property.description)
          const others = numbers.filter((other) => other !== name)
          const mayLack = !required || property.nullable
          const filled = fillForm({ ...filling, others, mayLack }, property, field, depth + 1)
          // an incomplete part is left out, or blank, if it may be
          return yield* required && !property.nullable ? filled : orNone(filled)
        })
    const value = Option.isSome(found) || !required ? found : blankOf(property)
    if (Option.isSome(value)) result[name] = value.value
    else if (required) return yield* Effect.fail(new Unfillable(path))
  }
  return Option.some(result)
})

/** The first member of the union that the text has a value for. */
const fillUnion = Effect.fnUntraced(function* (
  filling: Filling,
  members: ReadonlyArray<JsonSchema>,
  field: Field,
  depth: number
) {
  for (const member of members) {
    const filled = yield* orNone(fillForm(filling, formOf(filling.root, member), field, depth + 1))
    if (Option.isSome(filled)) return filled
  }
  return Option.none()
})

/** Fills a place that must have a value. */
const fillItem = (filling: Filling, form: Form, field: Field, depth: number): Filled => {
  const filled = fillForm(filling, form, field, depth)
  return Effect.map(form.nullable ? orNone(filled) : filled, (value) => Option.orElse(value, () => blankOf(form)))
}

/** Fills one place; None if the text has nothing for it. */
const fillForm = (filling: Filling, form: Form, field: Field, depth: number): Filled =>
  Effect.suspend((): Filled => {
    const { mind, passage, root } = filling
    const mayLack = form.nullable || filling.mayLack === true
    if (depth > deepest || (passage.sentences.length === 0 && form._tag !== "Object"))
      return Effect.succeed(blankOf(form))
    switch (form._tag) {
      case "Const":
        return typeof form.value === "string" && mayLack
          ? Effect.map(weigh(mind, passage, [form.value], field), (weighed) =>
              Option.fromNullishOr(bestOf(weighed, mayLack))
            )
          : Effect.succeedSome(form.value)
      case "Boolean":
        return Effect.map(judge(mind, phraseOf(field), passage), ({ probability, share }) =>
          Option.some(saidFlag(passage, field, share) ?? probability >= 0.5)
        )
      case "String":
        return fillString(filling, form.schema, field)
      case "Number":
        return fillNumber(filling, form.schema, form.integer, field)
      case "Enum":
        return Effect.map(weigh(mind, passage, form.values, field), (weighed) =>
          Option.fromNullishOr(bestOf(weighed, mayLack))
        )
      case "Array":
        return fillArray(filling, form, field, depth)
      case "Tuple":
        return Effect.map(
          Effect.forEach(form.items, (item) => fillItem(filling, formOf(root, item), field, depth + 1)),
          Option.all
        )
      case "Object":
        return fillObject(filling, form, field, depth)
      case "Union":
        return fillUnion(filling, form.members, field, depth)
      default:
        // An open value: the schema does not say what to look for.
        return Effect.succeedNone
    }
  })

/** Fills the whole form. Fails at the first required place that the text has no value for and that cannot be blank. */
export const fill = (filling: Filling): Effect.Effect<unknown, Unfillable> => {
  const form = formOf(filling.root, filling.root)
  return Effect.flatMap(fillItem(filling, form, noField, 0), (value) =>
    Effect.mapError(Effect.fromOption(value), () => new Unfillable(""))
  )
}
