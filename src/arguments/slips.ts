/** Finds mistakes in options: names that are probably typos of known ones, and values that the option cannot have. */
import * as Config from "effect/Config"
import { hasProperty } from "effect/Predicate"
import { quoted } from "../text/legible.ts"
import type { AnyForm, Forms, Part } from "./forms.ts"
import * as kinds from "./kinds.ts"
import {
  array,
  arrayOf,
  callable,
  handle,
  type Kind,
  kindOf,
  lackOf,
  moment,
  number,
  object,
  objectOf,
  seed,
  step,
  text
} from "./kinds.ts"

/** Names from other libraries, with the names used here. */
const elsewhere: Readonly<Record<string, ReadonlyArray<string>>> = {
  attempts: ["times", "repairs"],
  maxTokens: ["sampling"],
  retries: ["times", "repairs"],
  temperature: ["sampling"],
  topK: ["limit"]
}

/**
 * The largest distance at which one name is a typo of the other. It is small for short words, which easily resemble
 * another word.
 */
const mostApart = (name: string, known: string): number =>
  Math.min(2, Math.max(1, Math.floor(Math.min(name.length, known.length) / 3)))

/** The known name that a name is probably a typo of. */
export const meantBy = (name: string, known: ReadonlyArray<string>): string | undefined => {
  const near = known
    .map((other) => ({ other, apart: distance(name.toLowerCase(), other.toLowerCase()) }))
    .filter(({ apart, other }) => apart <= mostApart(name, other))
    .toSorted((a, b) => a.apart - b.apart)[0]?.other
  return near ?? (Object.hasOwn(elsewhere, name) ? elsewhere[name]?.find((other) => known.includes(other)) : undefined)
}

const isPlain = (value: unknown): value is object =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype

const alternativesOf = ({ is }: AnyForm): ReadonlyArray<AnyForm["is"]> =>
  typeof is === "object" && "either" in is ? is.either.flatMap(alternativesOf) : [is]

const provider: Kind = {
  named: "a provider",
  is: (value) => hasProperty(value, "complete") && typeof value.complete === "function"
}

/** A kind for each part that can be told by its value alone. The others are checked where they are used, by the step. */
const parts: { readonly [P in Part]?: Kind } = {
  string: text,
  name: text,
  words: text,
  notEmpty: text,
  step,
  moment,
  provider,
  handle,
  textHandle: handle,
  textsHandle: handle
}

/** One of the kinds. */
const oneOf = (kinds: ReadonlyArray<Kind>): Kind => {
  const names = [...new Set(kinds.map(({ named }) => named))]
  const last = names.slice(-1).join("")
  return {
    named: names.length < 2 ? last : `${names.slice(0, -1).join(", ")} or ${last}`,
    is: (value) => kinds.some(({ is }) => is(value))
  }
}

const label = (value: string | boolean): Kind => ({ named: quoted(value), is: (given) => given === value })

/** The kinds of value that a form accepts, one for each alternative; undefined if only the user of the option can check it. */
const kindsOf = ({ inCode, is }: AnyForm): ReadonlyArray<Kind | undefined> => {
  if (is === "function") return [inCode === true ? callable : undefined]
  if (is === "flag") return [label(true), label(false)]
  if (typeof is === "string") return [parts[is]]
  if ("from" in is) return [undefined]
  if ("oneOf" in is) return is.oneOf.map(label)
  if ("either" in is) return is.either.flatMap(kindsOf)
  if ("fields" in is) return [{ named: "an object", is: object.is }]
  if ("list" in is) {
    const item = kindFor(is.list)
    return [item === undefined ? array : arrayOf(item)]
  }
  const value = kindFor(is.record)
  return [value === undefined ? object : objectOf(value)]
}

/** The kind of value that a form accepts; undefined if only the user of the option can check it. */
const kindFor = (form: AnyForm): Kind | undefined => {
  const kinds = kindsOf(form)
  const known = kinds.filter((kind) => kind !== undefined)
  return known.length < kinds.length ? undefined : oneOf(known)
}

/** Throws if an option has a value that it cannot have. */
const refuseValue = (owner: string, name: string, form: AnyForm, value: unknown): void => {
  const kind = kindFor(form)
  if (kind === undefined || kind.is(value)) return
  const isLabel = typeof value === "string" && kind.named.includes('"')
  const has = isLabel ? quoted(value.slice(0, 40)) : kindOf(value)
  const lack = kind.named.includes("an object in which") ? lackOf(value) : undefined
  throw new Error(`${owner} needs ${kind.named} as the option ${name}, but ${lack ?? `got ${has}`}.`)
}

/** The kinds of options that are known by name. An option of a layer may be a `Config` of it. */
const byName: Readonly<Record<string, Kind>> = {
  breaker: kinds.circuitBreaker,
  countTokens: callable,
  counts: callable,
  fetch: callable,
  limiter: kinds.rateLimiter,
  onSignal: callable,
  onUsage: callable,
  parameters: kinds.struct,
  pool: kinds.workerPool,
  schedule: kinds.schedule,
  toolkit: kinds.toolkit,
  while: callable
}

/** The kinds of the fields of sampling. */
const sampled: Readonly<Record<string, Kind>> = {
  effort: text,
  maxTokens: number,
  seed,
  stop: arrayOf(text),
  temperature: number
}

/** Throws if an option that is known only by name has a value of the wrong kind. */
const refuseKind = (owner: string, within: string, name: string, value: unknown): void => {
  const kind = within.toLowerCase().endsWith("sampling.")
    ? sampled[name]
    : Object.hasOwn(byName, name) && !Config.isConfig(value)
      ? byName[name]
      : undefined
  if (kind === undefined || kind.is(value)) return
  throw new Error(`${owner} needs ${kind.named} as the option ${within}${name}, but got ${kindOf(value)}.`)
}

/** The options within an option. None are checked if it also accepts values of another kind, such as a handle. */
const fieldsOf = (form: AnyForm): Forms => {
  const alternatives = alternativesOf(form)
  // only objects with these fields, and labels
  if (!alternatives.every((is) => (typeof is === "object" ? "fields" in is || "oneOf" in is : is === "flag"))) return {}
  const inner = alternatives.map((is) => (typeof is === "object" && "fields" in is ? is.fields : {}))
  return Object.assign({}, ...inner) as Forms
}

/** The known options: their names, or their forms. */
export type Known = ReadonlyArray<string> | Forms

const isList = (known: Known): known is ReadonlyArray<string> => Array.isArray(known)

/** Names of an option that would turn something on or off. */
const switches = ["enabled", "disabled"]

const acceptsFlag = (form: AnyForm): boolean => alternativesOf(form).includes("flag")

/** Throws if options that `false` may replace have an option that is meant to turn them off. */
const refuseSwitch = (owner: string, name: string, within: string): void => {
  if (meantBy(name, switches) === undefined) return
  const how = within === "" ? "write false in the place of the options" : `write ${within.slice(0, -1)}: false`
  throw new Error(`${owner} has no option ${quoted(within + name)}: to turn it off, ${how}.`)
}

/**
 * Throws if an option, or one within it, has an invalid value or a name that is probably a typo of a known one.
 *
 * `orFlag` says that true or false may stand in the place of these options.
 *
 * Other unknown names are accepted: they may come from a larger object that was spread.
 */
export const refuseSlips = (owner: string, known: Known, given: object, within = "", orFlag = false): void => {
  const names = isList(known) ? known : Object.keys(known)
  for (const [name, value] of Object.entries<unknown>(given as Record<string, unknown>)) {
    if (value === undefined) continue
    if (names.includes(name)) {
      refuseKind(owner, within, name, value)
      const form = isList(known) ? undefined : known[name]
      if (form === undefined) continue
      refuseValue(owner, within + name, form, value)
      const inner = isPlain(value) ? fieldsOf(form) : {}
      if (isPlain(value) && Object.keys(inner).length > 0)
        refuseSlips(owner, inner, value, `${within}${name}.`, acceptsFlag(form))
      continue
    }
    if (orFlag) refuseSwitch(owner, name, within)
    const meant = meantBy(
      name,
      names.filter((other) => !Object.hasOwn(given, other))
    )
    if (meant !== undefined) {
      throw new Error(`${owner} has no option ${quoted(within + name)}. Did you mean ${quoted(within + meant)}?`)
    }
  }
}

/** How many letters must be added, removed, changed or swapped to turn one word into the other. */
export const distance = (a: string, b: string): number => {
  // words that long are not typos of each other, and comparing them would take long
  if (Math.abs(a.length - b.length) > 8 || a.length > 32 || b.length > 32) return Infinity
  let before: ReadonlyArray<number> = []
  let last: ReadonlyArray<number> = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      const change = (last[j - 1] ?? 0) + (same ? 0 : 1)
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (before[j - 2] ?? Infinity) + 1 : Infinity
      row.push(Math.min(change, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, swapped))
    }
    before = last
    last = row
  }
  return last[b.length] ?? Infinity
}
