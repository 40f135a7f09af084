/** What options of these names may be: the same in every function that takes them. */
import { kindOf } from "./kinds.ts"
import { quoted } from "../text/legible.ts"

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

/** Throws if an option of that name cannot have the value. */
export const refuseValue = (owner: string, within: string, name: string, value: unknown): void => {
  const refuse = (what: string, has: string): never => {
    throw new Error(`${owner} needs ${what} as the option ${within}${name}: it has ${has}.`)
  }
  const isPrimitive = value === null || (typeof value !== "object" && typeof value !== "function")
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
