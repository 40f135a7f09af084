/** What Anthropic's models accept and cost, by the family and version in their name. */
import type { Capabilities, Prices } from "../Provider.ts"

/** How long Anthropic keeps the beginning of a prompt. `false`: not at all. */
export type Cache = false | "5m" | "1h"

// Open models behind servers that speak the same API. Such a server may ignore a format that it does not know.
const free: Capabilities = { temperature: "free", efforts: [], structuredOutput: "none", seed: false, tools: true }

const old: Capabilities = { ...free, temperature: "free", contextTokens: 200_000 }

const efforts = ["low", "medium", "high", "xhigh", "max"]

// Every model with efforts accepts these. If one does not, the provider learns it.
const unknown: Capabilities = {
  temperature: "never",
  efforts: ["low", "medium", "high"],
  structuredOutput: "json-schema",
  seed: false,
  tools: true
}

// Later models refuse a temperature; these refuse it together with an effort.
const sampled: Capabilities = {
  ...unknown,
  temperature: "without-effort",
  efforts: [],
  contextTokens: 200_000,
  outputTokens: 64_000
}

const large = { contextTokens: 1_000_000, outputTokens: 128_000 }

const byVersion = (family: string, version: number): Capabilities => {
  if (version < 4.5) return version < 4 ? old : { ...old, outputTokens: family === "opus" ? 32_000 : 64_000 }
  if (version < 4.6) return family === "opus" ? { ...sampled, efforts: ["low", "medium", "high"] } : sampled
  if (version < 4.7) return { ...sampled, ...large, efforts: ["low", "medium", "high", "max"] }
  return family === "haiku" ? { ...unknown, ...large } : { ...unknown, ...large, efforts }
}

/**
 * US dollars for a million tokens: input, output, and input read from the cache. The price of writing to the cache
 * follows from the first. Models with prices in steps, and models with a price that is not known, are not listed.
 */
const prices: ReadonlyArray<readonly [RegExp, input: number, output: number, cached: number]> = [
  [/^(fable|mythos)-5\.1$/, 10, 50, 0.25],
  [/^(fable|mythos)-5$/, 10, 50, 1],
  [/^opus-5\.5$/, 4, 20, 0.2],
  [/^opus-(4\.[5-8]|5)$/, 5, 25, 0.5],
  [/^sonnet-5\.5$/, 2, 10, 0.1],
  [/^sonnet-5$/, 2, 10, 0.2],
  [/^sonnet-4\.[56]$/, 3, 15, 0.3],
  [/^haiku-4\.5$/, 1, 5, 0.1]
]

const asOf = "2026-10-10"

const pricesOf = (name: string, cache: Cache): Prices | undefined => {
  const found = prices.find(([model]) => model.test(name))
  if (found === undefined) return undefined
  const [, input, output, cachedInput] = found
  return { input, output, cachedInput, cacheWrite: input * (cache === "1h" ? 2 : 1.25), asOf }
}

// A date may follow the version: claude-opus-4-20250514 is version 4.
const modern = /claude-(fable|mythos|opus|sonnet|haiku)-(\d)(?:[-.](\d)(?!\d))?/

/**
 * The capabilities of a model. What stands in its name before `claude-` and after the version is ignored, as resellers
 * add to names. Prices are known for Anthropic's own server only.
 *
 * A Claude of an unknown family is assumed to accept no temperature and the usual efforts, as the newest models do. A
 * model of another name, behind a server that is not Anthropic's, is assumed to accept a temperature and nothing else.
 */
export const capabilitiesOf = (model: string, official: boolean, cache: Cache): Capabilities => {
  const name = model.toLowerCase()
  const [, family = "", major, minor = "0"] = modern.exec(name) ?? []
  if (major === undefined) {
    if (/claude-([12]|instant)/.test(name)) return { ...old, tools: false }
    if (/claude-\d/.test(name)) return old
    return official || name.includes("claude") ? unknown : free
  }
  const version = Number(`${major}.${minor}`)
  const priced = official ? pricesOf(`${family}-${version}`, cache) : undefined
  return { ...byVersion(family, version), ...(priced && { prices: priced }) }
}
