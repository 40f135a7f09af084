/** Options that cannot be meant: names that are probably slips of known ones, and values that no option of the name has. */
import * as Config from "effect/Config"
import { arrayOf, callable, type Kind, kindOf, number, text } from "./kinds.ts"
import { quoted } from "../text/legible.ts"

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

/** Throws if an option, or one within it, has a value that it cannot have, or is probably a slip of a known one. Other unknown ones may be part of a larger object that was spread. */
export const refuseSlips = (owner: string, known: ReadonlyArray<string>, given: object, within = ""): void => {
  for (const [name, value] of Object.entries<unknown>(given as Record<string, unknown>)) {
    if (value === undefined) continue
    if (known.includes(name)) {
      refuseValue(owner, within, name, value)
      const inner = isPlain(value) && Object.hasOwn(nested, name) ? nested[name as keyof typeof nested] : undefined
      if (inner !== undefined) refuseSlips(owner, inner, value as object, `${within}${name}.`)
      continue
    }
    const meant = meantBy(
      name,
      known.filter((other) => !Object.hasOwn(given, other))
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

// ------------------------------------------------------------------------------------------------------------ values

/** Options that are objects of options themselves, and the names that these have. */
export const nested = {
  checkSampling: ["effort", "maxTokens", "seed", "stop", "temperature"],
  context: ["neighbours", "task"],
  fusion: ["evidence", "k", "lexicalWeight", "vectorWeight"],
  introspect: ["onFailure", "prompt", "sampling", "summaryKey"],
  recency: ["halfLife", "weight"],
  rerank: ["candidates", "deadline", "score"],
  sampling: ["effort", "maxTokens", "seed", "stop", "temperature"],
  summarize: ["prompt", "provider", "sampling", "summaryKey"],
  threshold: ["tokens", "turns"],
  view: ["recent", "summaryAndRecent"]
} as const

export type Nested = typeof nested

/** Those that may be something else than an object. */
const looser = new Set(["context", "introspect", "summarize", "threshold", "view"])

/** Options that are one of some texts, if they are a text. */
const labels = {
  conflicts: ["error", "last", "namespace"],
  direction: ["TD", "LR"],
  onExceeded: ["wait", "fail"],
  onFailure: ["fail", "skip"],
  parsing: ["strict", "lenient", "lossy"],
  session: ["keep", "fresh"],
  trust: ["trusted", "untrusted"],
  via: ["auto", "native", "text"],
  view: ["full"]
} as const

export type Labels = typeof labels

/** Options that are true or false. */
const flags = new Set(["compact", "jitter", "overwrite", "reasons", "release", "unpublishedOnly"])

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

/** Throws if an option of that name cannot have the value. */
const refuseValue = (owner: string, within: string, name: string, value: unknown): void => {
  const refuse = (what: string, has: string): never => {
    throw new Error(`${owner} needs ${what} as the option ${within}${name}: it has ${has}.`)
  }
  const isPrimitive = value === null || (typeof value !== "object" && typeof value !== "function")
  const kind = within.toLowerCase().endsWith("sampling.") ? sampled[name] : undefined
  if (kind !== undefined && !kind.is(value)) refuse(kind.named, kindOf(value))
  if (functions.has(name) && !callable.is(value) && !Config.isConfig(value)) refuse(callable.named, kindOf(value))
  if (flags.has(name) && typeof value !== "boolean") refuse("true or false", kindOf(value))
  if (Object.hasOwn(nested, name) && isPrimitive && !looser.has(name)) refuse("an object", kindOf(value))
  if (["introspect", "summarize"].includes(name) && isPrimitive && typeof value !== "boolean") {
    refuse("true, false or an object", kindOf(value))
  }
  const known: ReadonlyArray<unknown> | undefined = Object.hasOwn(labels, name)
    ? labels[name as keyof Labels]
    : undefined
  if (known === undefined || !isPrimitive || known.includes(value)) return
  const texts = [...known.map((one) => quoted(String(one))), ...(name === "view" ? ["an object"] : [])]
  refuse(texts.join(" or "), typeof value === "string" ? quoted(value.slice(0, 40)) : kindOf(value))
}
