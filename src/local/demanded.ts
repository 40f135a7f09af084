/** A call that a request demands: its parameters are filled as a schema is, from the message and the results of tools. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Tool } from "../Provider.ts"
import { parametersOf } from "../provider/turns.ts"
import { isObject } from "../schema/jsonSchema.ts"
import type { Turn } from "./language/conversation.ts"
import { wordsOf } from "./mind/field.ts"
import { fill, type Known, Unfillable } from "./fill.ts"
import { admitsNumber, admitsText, type Form, formOf } from "./jsonSchema.ts"
import { type Mind, passageOf } from "./mind/meaning.ts"
import { strictValue } from "./parameters.ts"
import { parsed, spoken } from "./report.ts"

const fits = (form: Form, value: unknown): boolean => {
  switch (form._tag) {
    case "String":
      return typeof value === "string" && value !== "" && admitsText(form.schema)(value)
    case "Number":
      return typeof value === "number" && admitsNumber(form.schema, form.integer)(value)
    case "Boolean":
      return typeof value === "boolean"
    case "Enum":
      return form.values.some((one) => one === value)
    default:
      return false
  }
}

/** Objects in a value, the outer ones first. */
const objectsIn = (value: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> => {
  if (Array.isArray(value)) return value.flatMap(objectsIn)
  return isObject(value) ? [value, ...Object.values(value).flatMap(objectsIn)] : []
}

/** The value of a property of the same name in the results, else in the parameters of the calls. */
const givenFor = (objects: ReadonlyArray<Readonly<Record<string, unknown>>>, name: string, form: Form) =>
  objects
    .flatMap((one) =>
      Object.entries(one).flatMap(([other, value]) => (wordsOf(other) === wordsOf(name) ? [value] : []))
    )
    .find((value) => fits(form, value))

/** The parameters of a tool. Fails where the conversation has no value that must be there. */
export const demanded = Effect.fnUntraced(function* (mind: Mind, tool: Tool, { calls, message, results }: Turn) {
  const succeeded = results.filter(({ isFailure }) => !isFailure)
  const given = succeeded.map(({ text }) => parsed(text))
  const asked = calls
    .filter(({ id }) => succeeded.some((result) => result.id === id))
    .map(({ params }) => parsed(params))
  const objects = [...given.toReversed(), ...asked.toReversed()].flatMap(objectsIn)
  const texts = [message, ...given.map(spoken)]
  const root = parametersOf(tool)
  const form = formOf(root, root)
  const properties =
    form._tag === "Object" ? form.properties.map(([name, schema]) => [name, formOf(root, schema)] as const) : []
  const required = form._tag === "Object" ? form.required : new Set<string>()

  const values = new Map<string, unknown>()
  const absent = new Set<string>()
  for (const [name, property] of properties) {
    const isRequired = required.has(name)
    const same = givenFor(objects, name, property)
    if (same !== undefined) {
      values.set(name, same)
      continue
    }
    const { found, isStrict } = yield* strictValue({ mind, texts, taken: [] }, tool, {
      name,
      form: property,
      isRequired
    })
    if (Option.isSome(found)) values.set(name, found.value.value)
    else if (isStrict && isRequired && !property.nullable) return yield* Effect.fail(new Unfillable(name))
    else if (isStrict) absent.add(name)
  }
  const known: Known = (name, property) => {
    if (values.has(name)) return Option.some(values.get(name))
    if (absent.has(name)) return Option.some(null)
    // extraction cannot measure its own success
    return name === "confidence" && property._tag === "Number" ? Option.some(0.5) : Option.none()
  }
  const passage = passageOf(mind.language, texts)
  const filled = yield* fill({ mind, root, instruction: tool.description, passage, known })
  if (!isObject(filled)) return JSON.stringify(filled)
  // an empty text stands for one that was not found
  const blank = [...required].find((name) => filled[name] === "")
  if (blank !== undefined) return yield* Effect.fail(new Unfillable(blank))
  return JSON.stringify(
    Object.fromEntries(Object.entries(filled).filter(([name]) => !absent.has(name) || required.has(name)))
  )
})
