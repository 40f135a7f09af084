import type { Spec } from "cogito/spec"
import { every } from "./types.ts"

/** Numbers that are the same for the same seed. */
const numbers = (seed: number) => {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (most: number): number => Math.floor(next() * most)
  const pick = <A>(from: ReadonlyArray<A>): A => from[below(from.length)]!
  return { below, pick, coin: () => next() < 0.5 }
}

type Numbers = ReturnType<typeof numbers>
type Node = Readonly<Record<string, unknown>>

const units = { millis: 1, seconds: 1_000, minutes: 60_000, hours: 3_600_000 }

/** The same duration in a smaller unit. */
const otherUnit = (text: string, { pick }: Numbers): string => {
  const [amount = "", unit = ""] = text.split(" ")
  const millis = Number(amount) * units[(unit.endsWith("s") ? unit : `${unit}s`) as keyof typeof units]
  const smaller = Object.entries(units).filter(([, size]) => millis % size === 0 && millis >= size)
  const [name, size] = pick(smaller)
  return `${millis / size} ${name}`
}

const isObject = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value)

/** A document that means the same: options in another order, durations in other units, defaults written out. */
export const rewritten = (value: unknown, random: Numbers): unknown => {
  if (Array.isArray(value)) return value.map((inner) => rewritten(inner, random))
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([name, inner]) => [
    name,
    typeof inner === "string" && ["duration", "per", "base", "cap", "reset"].includes(name)
      ? otherUnit(inner, random)
      : rewritten(inner, random)
  ])
  const ordered = "type" in value || "cogito" in value ? entries.toSorted(() => random.below(3) - 1) : entries
  const defaults = typeof value["type"] === "string" ? (said[value["type"]] ?? {}) : {}
  const added = Object.entries(defaults).filter(([name]) => !Object.hasOwn(value, name) && random.coin())
  return Object.fromEntries([...added, ...ordered])
}

const said: Readonly<Record<string, Node>> = {
  decide: { via: "auto", repairs: 1, parsing: "lenient", view: "full" },
  analyze: { repairs: 1, compact: true },
  retry: { times: 2 },
  backoff: { times: 4, base: "250 millis", factor: 2, cap: "30 seconds", jitter: true },
  race: { concurrency: "unbounded" },
  sequence: { overwrite: false },
  seek: { limit: 10 },
  circuitBreaker: { reset: "60 seconds", successes: 1 }
}

/** A random pipeline of nodes that fit together: no key and no name twice. */
export const randomDocument = (seed: number): { readonly document: Node; readonly random: Numbers } => {
  const random = numbers(seed)
  const { below, coin, pick } = random
  let count = 0
  const fresh = (prefix: string): string => `${prefix}${++count}`
  const definitions: Record<string, unknown> = {}

  const leaf = (): Node => {
    const [type, { spec }] = pick(leaves)
    const own = "key" in spec ? { key: fresh("key ") } : { name: fresh("step ") }
    // a summary of its own key
    const { introspect: _, summarize: __, ...rest } = spec as Node
    return { ...rest, type, ...own }
  }
  const inner = (depth: number): unknown => {
    if (depth === 0 || below(4) === 0) return leaf()
    if (below(8) === 0) {
      const name = fresh("part ")
      definitions[name] = node(depth - 1)
      return { use: name }
    }
    return node(depth - 1)
  }
  const around = (depth: number): ReadonlyArray<() => Node> => [
    () => ({ type: "sequence", name: fresh("all "), steps: Array.from({ length: below(4) }, () => inner(depth)) }),
    () => ({ type: "retry", name: fresh("again "), step: inner(depth), times: below(4) }),
    () => ({
      type: "backoff",
      name: fresh("later "),
      step: inner(depth),
      base: pick(["1 second", "250 millis", "2 minutes"])
    }),
    () => ({
      type: "timeout",
      name: fresh("soon "),
      step: inner(depth),
      duration: pick(["90 seconds", "1 hour", "500 millis"])
    }),
    () => ({
      type: "enrich",
      name: fresh("perhaps "),
      step: inner(depth),
      ...(coin() ? { report: fresh("why ") } : {})
    }),
    () => ({ type: "filter", name: fresh("some "), when: { reader: pick(["yes", "no"]) }, step: inner(depth) }),
    () => ({
      type: "switch",
      name: fresh("by "),
      on: { reader: "label" },
      branches: { a: inner(depth), b: inner(depth), constructor: inner(depth) },
      ...(coin() ? { default: "pass" } : { default: inner(depth) })
    }),
    () => ({ type: "race", name: fresh("first "), branches: Array.from({ length: 1 + below(3) }, () => inner(depth)) }),
    () => ({ type: "fallback", name: fresh("else "), alternatives: [inner(depth), inner(depth)] }),
    () => ({ type: "recover", name: fresh("mend "), step: inner(depth), with: inner(depth) }),
    () => ({ type: "sift", key: fresh("key "), question: "Is it?", step: inner(depth) }),
    () => ({ type: "workerLimit", name: fresh("few "), step: inner(depth), workers: 1 + below(5) }),
    () => ({ type: "budget", name: fresh("cheap "), step: inner(depth), calls: 1_000 + below(9) }),
    () => ({ type: "rateLimit", name: fresh("slow "), step: inner(depth), limit: 1 + below(9), per: "1 minute" }),
    () => ({ type: "circuitBreaker", name: fresh("fuse "), step: inner(depth), failures: 1 + below(9) }),
    () => ({ type: "named", name: fresh("called "), step: inner(depth) })
  ]
  const node = (depth: number): Node => pick(around(depth))()

  const step = node(1 + below(5))
  return {
    document: {
      cogito: 1,
      name: "random",
      ...(Object.keys(definitions).length === 0 ? {} : { definitions }),
      step
    },
    random
  }
}

/** Nodes without others inside that can stand anywhere. */
const leaves = Object.entries(every).filter(
  ([type, { spec }]: readonly [string, { readonly spec: Spec.StepSpec }]) =>
    ["decide", "analyze", "categorize", "assess", "prioritize", "seek", "survey", "reflect", "amplify"].includes(
      type
    ) ||
    ("type" in spec && ["tap", "once", "truncate", "reset"].includes(spec.type))
)
