/** Fits answers to closed questions into the schema of a text answer, by the names of its properties. */
import * as Option from "effect/Option"
import type { Answer } from "../Provider.ts"
import type { Known } from "./fill.ts"
import type { JsonSchema } from "../schema/jsonSchema.ts"
import { admitsNumber, admitsText, type Form, formOf } from "./jsonSchema.ts"

/** An answer that is not a refusal. */
export type Given = Exclude<Answer, { readonly _tag: "Refusal" }>

const ranked = (distribution: Readonly<Record<string, number>>) =>
  Object.entries(distribution).toSorted((a, b) => b[1] - a[1])

const confidenceOf = (answer: Given): number =>
  answer._tag === "Predicate"
    ? Math.max(answer.probability, 1 - answer.probability)
    : Math.max(...Object.values(answer.distribution))

const distributionOf = (answer: Given): Readonly<Record<string, number>> =>
  answer._tag === "Predicate" ? { yes: answer.probability, no: 1 - answer.probability } : answer.distribution

/** The value that an answer gives for a form. */
const valueFor = (answer: Given, form: Form): Option.Option<unknown> => {
  const best = ranked(distributionOf(answer))[0]?.[0]
  switch (form._tag) {
    case "Boolean":
      return answer._tag === "Predicate" ? Option.some(answer.probability >= 0.5) : Option.none()
    case "Number":
      return Option.filter(
        Option.some(
          answer._tag === "Score"
            ? answer.value
            : answer._tag === "Predicate"
              ? answer.probability
              : confidenceOf(answer)
        ),
        (value) => admitsNumber(form.schema, form.integer)(value)
      )
    case "Enum":
      return Option.fromNullishOr(form.values.find((value) => String(value) === best))
    case "String":
      return best !== undefined && admitsText(form.schema)(best) ? Option.some(best) : Option.none()
    default:
      return Option.none()
  }
}

/**
 * The distribution over the properties of an object; None if it covers none of them. Without a property "mixed", its
 * share counts half as positive and half as negative.
 */
const sharesFor = (distribution: Readonly<Record<string, number>>, names: ReadonlyArray<string>) => {
  const mixed = names.includes("mixed") ? 0 : (distribution["mixed"] ?? 0)
  const shares = names.map(
    (name) => (distribution[name] ?? 0) + (name === "positive" || name === "negative" ? mixed / 2 : 0)
  )
  const total = shares.reduce((a, b) => a + b, 0)
  return total === 0
    ? Option.none()
    : Option.some(Object.fromEntries(names.map((name, i) => [name, (shares[i] ?? 0) / total])))
}

/**
 * The distribution as the form wants it: an object, a list of pairs, or a list of the labels that are likelier than
 * chance.
 */
const spreadFor = (root: JsonSchema, answer: Given, form: Form): Option.Option<unknown> => {
  const distribution = distributionOf(answer)
  const order = ranked(distribution)
  if (form._tag === "Object") {
    const names = form.properties.map(([name]) => name)
    return names.length === 0 ? Option.some(distribution) : sharesFor(distribution, names)
  }
  if (form._tag !== "Array") return Option.none()
  const item = formOf(root, form.items)
  if (item._tag !== "Object") {
    const likely = order.filter(([, probability], i) => i < form.minItems || probability > 1 / order.length)
    return Option.some(likely.map(([label]) => label))
  }
  return Option.some(
    order.map(([label, probability]) =>
      Object.fromEntries(
        item.properties.map(([name, schema]) => [name, formOf(root, schema)._tag === "Number" ? probability : label])
      )
    )
  )
}

/** One answer for each property: an answer named "aspect:price" fills the property "price" of a property "aspects". */
const partsFor = (
  answers: ReadonlyArray<Given>,
  name: string,
  root: JsonSchema,
  form: Form
): Option.Option<unknown> => {
  if (form._tag !== "Object") return Option.none()
  const parts = form.properties.flatMap(([part, schema]) => {
    const own = answers.find((answer) => {
      const [group = "", ...rest] = answer.name.split(":")
      return rest.join(":") === part && name.startsWith(group)
    })
    const value = own === undefined ? Option.none() : valueFor(own, formOf(root, schema))
    return Option.isSome(value) ? [[part, value.value] as const] : []
  })
  return parts.length === 0 ? Option.none() : Option.some(Object.fromEntries(parts))
}

/** Items in the order of their scores; for a single choice, its labels in the order of their probability. */
const orderOf = (answers: ReadonlyArray<Given>): ReadonlyArray<string> => {
  const scores = answers.filter((answer) => answer._tag === "Score")
  const [only] = answers
  return scores.length > 0
    ? scores.toSorted((a, b) => b.value - a.value).map(({ name }) => name)
    : only === undefined
      ? []
      : ranked(distributionOf(only)).map(([label]) => label)
}

const secondaryOf = (answer: Given, form: Form): Option.Option<unknown> => {
  const order = ranked(distributionOf(answer))
  const [, second] = order
  if (second !== undefined && second[1] > 1 / order.length) return Option.some(second[0])
  return form.nullable ? Option.some(null) : Option.none()
}

const objectFor = (
  root: JsonSchema,
  answer: Given,
  form: Extract<Form, { _tag: "Object" }>
): Option.Option<unknown> => {
  const known = knownFrom(root, [answer])
  return Option.some(
    Object.fromEntries(
      form.properties.flatMap(([name, schema]) => {
        const value = known(name, formOf(root, schema))
        return Option.isSome(value) ? [[name, value.value]] : []
      })
    )
  )
}

const unsupported = "[No sentence of the text supports this.]"

/**
 * Finds the value of a property that follows from the answers. None if they do not determine it: then it is read from the
 * text.
 */
export const knownFrom =
  (root: JsonSchema, answers: ReadonlyArray<Given>): Known =>
  (name, form) => {
    const [first] = answers
    if (first === undefined) return Option.none()
    const own = answers.find((answer) => answer.name === name)
    if (own !== undefined) {
      return form._tag === "Object" ? objectFor(root, own, form) : valueFor(own, form)
    }
    const reasons = Array.from(new Set(answers.flatMap((answer) => answer.reasons ?? [])))
    switch (name) {
      case "confidence":
        return form._tag === "Number" ? Option.some(confidenceOf(first)) : Option.none()
      case "reasoning":
      case "reason":
      case "rationale":
      case "explanation":
      case "justification":
      case "evidence":
        // a form that demands reasons gets a remark, as an empty list would be no answer
        if (form._tag === "Array")
          return Option.some(reasons.length < form.minItems ? [...reasons, unsupported] : reasons)
        return form._tag === "String" ? Option.some(reasons.join(" ")) : Option.none()
      case "secondary":
        return form._tag === "Array" ? Option.some([]) : secondaryOf(first, form)
      case "scores":
      case "distribution":
      case "probabilities":
        return Option.firstSomeOf(answers.map((answer) => spreadFor(root, answer, form)))
      case "ranked":
      case "ranking":
      case "order":
        return form._tag === "Array" ? Option.some(orderOf(answers)) : Option.none()
      default: {
        // An answer named "emotion" fills the list "emotions".
        const plural = answers.find((answer) => form._tag === "Array" && name === `${answer.name}s`)
        if (plural !== undefined) return spreadFor(root, plural, form)
        const parts = partsFor(answers, name, root, form)
        return Option.isSome(parts) || answers.length > 1 ? parts : valueFor(first, form)
      }
    }
  }
