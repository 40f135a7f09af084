/** Options that cannot be meant: names that are probably slips of known ones, and values that no option of the name has. */
import * as Config from "effect/Config"
import { quoted } from "../text/legible.ts"
import type { AnyForm, Forms } from "./forms.ts"
import { arrayOf, callable, type Kind, kindOf, number, text } from "./kinds.ts"

/** Names that other libraries use for what has another name here. */
const elsewhere: Readonly<Record<string, ReadonlyArray<string>>> = {
  attempts: ["times", "repairs"],
  maxTokens: ["sampling"],
  retries: ["times", "repairs"],
  temperature: ["sampling"],
  topK: ["limit"]
}

/** How far two names may be apart for one to be a slip of the other: short words are easily another word. */
const mostApart = (name: string, known: string): number =>
  Math.min(2, Math.max(1, Math.floor(Math.min(name.length, known.length) / 3)))

/** The known name that a name is probably a slip of. */
const meantBy = (name: string, known: ReadonlyArray<string>): string | undefined => {
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

/** The values that a form lists, in words; undefined where it may be anything else. */
const wordsFor = (is: AnyForm["is"]): ReadonlyArray<string> | undefined => {
  if (is === "flag") return ["true", "false"]
  if (typeof is !== "object") return undefined
  if ("fields" in is) return ["an object"]
  return "oneOf" in is ? is.oneOf.map(quoted) : undefined
}

const admits = (is: AnyForm["is"], value: unknown): boolean => {
  // what an object or a function has inside is looked at elsewhere
  if (value !== null && (typeof value === "object" || typeof value === "function")) return is !== "flag"
  if (typeof value === "boolean") return is === "flag"
  return typeof is === "object" && "oneOf" in is && is.oneOf.some((label) => label === value)
}

/** Throws if an option has a value that it cannot have. */
const refuseValue = (owner: string, name: string, form: AnyForm, value: unknown): void => {
  const alternatives = alternativesOf(form)
  const words = alternatives.map(wordsFor)
  if (alternatives.some((is) => admits(is, value)) || words.includes(undefined)) return
  const known = [...new Set(words.flatMap((some) => some ?? []))]
  const isLabel = typeof value === "string" && known.some((word) => word.startsWith('"'))
  const has = isLabel ? quoted(value.slice(0, 40)) : kindOf(value)
  const last = known.slice(-1).join("")
  const what = known.length === 1 ? last : `${known.slice(0, -1).join(", ")} or ${last}`
  throw new Error(`${owner} needs ${what} as the option ${name}: it has ${has}.`)
}

/** Options that are functions; one of a layer may be a `Config` of one. */
const functions = new Set(["countTokens", "counts", "fetch", "while"])

/** What the fields of sampling are. */
const sampled: Readonly<Record<string, Kind>> = {
  effort: text,
  maxTokens: number,
  seed: number,
  stop: arrayOf(text),
  temperature: number
}

/** Throws if an option that is known by its name alone has a value of another kind. */
const refuseKind = (owner: string, within: string, name: string, value: unknown): void => {
  const kind = within.toLowerCase().endsWith("sampling.")
    ? sampled[name]
    : functions.has(name) && !Config.isConfig(value)
      ? callable
      : undefined
  if (kind === undefined || kind.is(value)) return
  throw new Error(`${owner} needs ${kind.named} as the option ${within}${name}: it has ${kindOf(value)}.`)
}

/** The options within an option. There are none to check where it may also be a value of another kind, such as a handle. */
const fieldsOf = (form: AnyForm): Forms => {
  const alternatives = alternativesOf(form)
  if (alternatives.some((is) => wordsFor(is) === undefined)) return {}
  const inner = alternatives.map((is) => (typeof is === "object" && "fields" in is ? is.fields : {}))
  return Object.assign({}, ...inner) as Forms
}

/** Names of options, with or without what each may be. */
export type Known = ReadonlyArray<string> | Forms

const isList = (known: Known): known is ReadonlyArray<string> => Array.isArray(known)

/**
 * Throws if an option, or one within it, has a value that it cannot have, or a name that is probably a slip of a known one.
 * Other unknown ones may be part of a larger object that was spread.
 */
export const refuseSlips = (owner: string, known: Known, given: object, within = ""): void => {
  const names = isList(known) ? known : Object.keys(known)
  for (const [name, value] of Object.entries<unknown>(given as Record<string, unknown>)) {
    if (value === undefined) continue
    if (names.includes(name)) {
      refuseKind(owner, within, name, value)
      const form = isList(known) ? undefined : known[name]
      if (form === undefined) continue
      refuseValue(owner, within + name, form, value)
      const inner = isPlain(value) ? fieldsOf(form) : {}
      if (isPlain(value) && Object.keys(inner).length > 0) refuseSlips(owner, inner, value, `${within}${name}.`)
      continue
    }
    const meant = meantBy(
      name,
      names.filter((other) => !Object.hasOwn(given, other))
    )
    if (meant !== undefined) {
      throw new Error(`${owner} has no option ${quoted(within + name)}. Did you mean ${quoted(within + meant)}?`)
    }
  }
}

/** How many letters must be added, left out, changed or swapped to make one word of the other. */
export const distance = (a: string, b: string): number => {
  // words that long are no slip of another, and comparing them would take long
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
