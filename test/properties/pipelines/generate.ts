/** Random programs. A program comes of a seed and of the simplifications that were made to it since. */
import { Arbitrary, Schema } from "effect"
import {
  type Behaviour,
  descendants,
  hasBackground,
  isNamed,
  type Leaf,
  leavesOf,
  type Node,
  print,
  type Program,
  simpler
} from "./program.ts"

/** Numbers in [0, 1) that follow from a seed (mulberry32). */
const randomFrom = (seed: number) => {
  let state = seed >>> 0
  return (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Times of calls, in milliseconds: so many that two sums of them are hardly ever the same. */
export const longest = 10_000_000

interface Where {
  readonly depth: number
  /** Whether the step is in a branch that must stay with its thought. */
  readonly beside: boolean
  /** Whether no two steps may write the same key. */
  readonly own: boolean
  /** Whether a step may leave something for after the commit. */
  readonly later: boolean
  /** How likely a call is to go wrong: likelier where something is done about it. */
  readonly risk: number
}

const generate = (seed: number): Program => {
  const random = randomFrom(seed)
  const below = (n: number): number => Math.floor(random() * n)
  const chance = (p: number): boolean => random() < p
  const pick = <A>(from: ReadonlyArray<A>): A => from[below(from.length)]!
  const times = <A>(n: number, make: () => A): ReadonlyArray<A> => Array.from({ length: n }, make)
  let ids = 0
  let budget = 4 + below(18)

  const takes = (): number => 1 + below(longest)
  const faults = ["wrong", "wrong", "fail", "fail", "fail", "fatal", "busy", "never", "die", "quit"] as const
  const rough = chance(0.7)
  // what is appended while something goes on in the background is a matter of chance
  const appends = chance(0.3)
  const behaviour = ({ risk }: Where): Behaviour => {
    const ends = rough && chance(risk) ? pick(faults) : "ok"
    // what ends everything is rarer than what can be got over
    const grave = ends === "die" || ends === "quit" || ends === "never"
    return { takes: takes(), ends: grave && chance(0.6) ? "fail" : ends }
  }
  const leaf = (where: Where): Leaf => {
    const { later, own } = where
    const id = ++ids
    budget--
    const kinds = ["decide", "decide", "native", "analyze", "write", "write", "look", "tap"] as const
    const does = later && chance(0.12) ? "once" : appends && chance(0.2) ? "append" : pick(kinds)
    const writes = does !== "look" && does !== "tap" && does !== "once" && does !== "append"
    const plan = [behaviour(where), ...times(below(4), () => behaviour(where))] as const
    return {
      _tag: "Leaf",
      id,
      does,
      key: writes && !own && chance(0.25) ? pick(["a", "b"]) : `${does}${id}`,
      introspect: writes && does !== "write" && (chance(0.2) || (does !== "native" && chance(0.6) && "open")),
      // what runs after the commit has nobody to fail to, and nothing stops it
      plan: does === "once" || does === "append" ? [{ takes: takes(), ends: "ok" }] : plan
    }
  }
  /** What observes a failure; a defect of its own would be beside the failure. */
  const handler = (where: Where) => {
    const one = behaviour(where)
    return {
      does: "look" as const,
      introspect: false,
      plan: [one.ends === "die" ? { ...one, ends: "ok" as const } : one] as const
    }
  }
  const plain = ({ beside, own }: Where): Node => {
    const id = ++ids
    budget--
    const kind = pick([
      "Truncate",
      ...(own ? [] : ["Mutate"]),
      ...(beside ? [] : ["Checkpoint", "Checkpoint", "Checkpoint", "Restore", "Own"])
    ])
    switch (kind) {
      case "Truncate":
        return { _tag: "Truncate", id, first: below(3), last: below(3), release: chance(0.5) }
      case "Mutate":
        return { _tag: "Mutate", id, holds: chance(0.8) }
      case "Own":
        return { _tag: "Own", id, session: pick(["keep", "fresh"]) }
      case "Restore":
        return { _tag: "Restore", id, name: pick(["c", "d"]), session: pick(["keep", "fresh"]) }
      default:
        return { _tag: "Checkpoint", id, name: pick(["c", "d"]) }
    }
  }
  const node = (where: Where): Node => {
    if (where.depth >= 6 || budget <= 1 || chance(0.1 + 0.08 * where.depth)) {
      return where.depth > 0 && chance(0.15) ? plain(where) : leaf(where)
    }
    return pick(composites)(++ids, { ...where, depth: where.depth + 1 })
  }
  /** A branch whose first event takes time, so that what is first does not hang on the order of a moment. */
  const branch = (where: Where): Node => {
    const one = node(where)
    return takesTime(one) ? one : { _tag: "Sequence", id: ++ids, children: [leaf({ ...where, later: false }), one] }
  }
  /** A step that others can be named after. */
  const named = (where: Where): Node => {
    const one = node(where)
    return isNamed(one) ? one : { _tag: "Sequence", id: ++ids, children: [one] }
  }
  /** Where failures are got over. */
  const risky = (where: Where): Where => ({ ...where, risk: 0.45 })
  const concurrency = (): number | "unbounded" => (chance(0.7) ? "unbounded" : 1 + below(3))
  const accept = () => pick(["any", "even", "odd"] as const)
  const several = (most: number, where: Where): ReadonlyArray<Node> => times(1 + below(most), () => node(where))
  const branches = (where: Where): ReadonlyArray<Node> => times(1 + below(3), () => branch(where))
  type Make = (id: number, where: Where) => Node
  const sequence: Make = (id, where) => ({ _tag: "Sequence", id, children: several(4, where) })
  // it has a thought of its own
  const inner: Make = (id, where) => ({
    _tag: "Inner",
    id,
    apart: chance(0.3),
    children: [named({ ...where, beside: false, own: false })]
  })
  const attempts = () => ({ times: below(4), always: chance(0.3), piped: chance(0.3) })
  const composites: ReadonlyArray<Make> = [
    sequence,
    sequence,
    sequence,
    (id, where) => ({ _tag: "AndThen", id, children: several(3, where) }),
    (id, where) => ({ _tag: "Gen", id, children: several(3, where) }),
    (id, where) => ({ _tag: "Named", id, children: [node(where)] }),
    (id, where) => ({ _tag: "When", id, holds: chance(0.5), children: [node(where), node(where)] }),
    (id, where) => ({ _tag: "Filter", id, holds: chance(0.6), children: several(2, where) }),
    (id, where) => ({ _tag: "Switch", id, choice: below(4), children: several(3, where) }),
    (id, where) => ({
      _tag: "Gate",
      id,
      verdict: chance(where.risk / 2) ? "fail" : pick(["pass", "pass", "skip"]),
      children: [node(where)]
    }),
    (id, where) => ({ _tag: "Retry", id, ...attempts(), children: [named(risky(where))] }),
    (id, where) => ({ _tag: "Retry", id, ...attempts(), children: [named(risky(where))] }),
    (id, where) => ({
      _tag: "Backoff",
      id,
      ...attempts(),
      base: takes(),
      factor: pick([1, 2, 3]),
      cap: 3 * takes(),
      children: [named(risky(where))]
    }),
    (id, where) => ({ _tag: "Timeout", id, limit: 3 * takes(), piped: chance(0.3), children: [named(risky(where))] }),
    (id, where) => ({ _tag: "Timeout", id, limit: 3 * takes(), piped: chance(0.3), children: [named(risky(where))] }),
    (id, where) => ({
      _tag: "Fallback",
      id,
      accept: accept(),
      always: chance(0.7),
      children: several(3, risky(where))
    }),
    (id, where) => ({ _tag: "Recover", id, always: chance(0.7), children: [node(risky(where)), node(where)] }),
    (id, where) => ({
      _tag: "Handle",
      id,
      children: [node(risky(where)), { ...leaf(where), ...handler(where) }]
    }),
    (id, where) => ({ _tag: "Enrich", id, report: chance(0.5), piped: chance(0.3), children: [named(risky(where))] }),
    (id, where) => ({ _tag: "Race", id, concurrency: concurrency(), children: branches(risky(where)) }),
    (id, where) => ({
      _tag: "Contest",
      id,
      concurrency: concurrency(),
      accept: accept(),
      children: branches(risky(where))
    }),
    (id, where) => {
      const conflicts = pick(["error", "last", "namespace"] as const)
      const children = branches({
        ...risky(where),
        beside: true,
        own: where.own || conflicts === "error",
        later: where.later && conflicts === "error"
      })
      return {
        _tag: "Concurrent",
        id,
        concurrency: concurrency(),
        conflicts,
        minSuccesses: chance(0.5) ? undefined : 1 + below(children.length),
        report: chance(0.3),
        children
      }
    },
    (id, where) => ({
      _tag: "RateLimit",
      id,
      per: takes(),
      onExceeded: pick(["wait", "fail"]),
      piped: chance(0.3),
      children: [named(where)]
    }),
    (id, where) => ({
      _tag: "CircuitBreaker",
      id,
      failures: 1 + below(2),
      reset: takes(),
      piped: chance(0.3),
      children: [named(where)]
    }),
    // in a step that must not leave anything for later, no step of this kind
    (id, where) =>
      where.later && !appends
        ? { _tag: "Scaffold", id, children: [node({ ...where, own: false })] }
        : sequence(id, where),
    // again and again through what counts the runs
    (id, where) => ({
      _tag: "Retry",
      id,
      times: 3,
      always: true,
      piped: false,
      children: [
        {
          ...pick([
            { _tag: "RateLimit", per: 2 * takes(), onExceeded: pick(["wait", "fail"]) } as const,
            { _tag: "CircuitBreaker", failures: 1 + below(2), reset: takes() } as const
          ]),
          id: ++ids,
          piped: false,
          children: [named(risky(where))]
        }
      ]
    }),
    (id, where) => inner(id, where),
    (id, where) => inner(id, where),
    (id, where) => ({ _tag: "Introspect", id, children: [named(where)] }),
    (id, where) => ({ _tag: "WorkerLimit", id, workers: 1, piped: chance(0.3), children: [named(where)] })
  ]

  const root = sequence(++ids, { depth: 1, beside: false, own: false, later: true, risk: 0.06 })
  const span = longest * (1 + leavesOf(root).length / 3)
  return {
    root,
    interruptAt: chance(0.2) ? below(span) : undefined,
    // which commit is the one of that number is a matter of chance when some are made in the background
    // or where one is repeated, and a step may catch the failure of a run within it
    failingCommit:
      chance(0.15) && !hasBackground(root) && !appends && !descendants(root).some(({ _tag }) => _tag === "Inner")
        ? below(6)
        : undefined
  }
}

/** Whether no event of the step can be at the moment when it begins, but for the start of its first call. */
const takesTime = (node: Node): boolean => {
  switch (node._tag) {
    case "Leaf":
      return node.does !== "once"
    case "Retry":
    case "Backoff":
    case "Timeout":
    case "Named":
    case "Fallback":
    case "Recover":
    case "Handle":
    case "Enrich":
    case "CircuitBreaker":
    case "WorkerLimit":
    case "Introspect":
    case "RateLimit":
      return node.children.every(takesTime)
    case "Sequence":
    case "Gen":
    case "AndThen":
      return node.children.length > 0 && takesTime(node.children[0]!)
    case "When":
      return takesTime(node.children[0]!)
    default:
      return false
  }
}

const Uint = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 32 - 1 }))

/** Where a program comes from. */
const Origin = Schema.Struct({
  /** Several, since a generator of numbers likes the least and the greatest. */
  seeds: Schema.Tuple([Uint, Uint, Uint]),
  /** Which of so many simpler programs was taken, at each step. What does not fit, as at random, ends them. */
  simplified: Schema.Array(Schema.Struct({ choice: Uint, of: Uint }))
})

type Origin = typeof Origin.Type

/** The program, and the simplifications that fit. */
const follow = ({ seeds, simplified }: Origin): { readonly program: Program; readonly taken: Origin["simplified"] } => {
  let program = generate(seeds.reduce((mixed, seed) => Math.imul(mixed ^ seed, 0x85ebca6b) ^ (seed >>> 13), 1))
  const taken: Array<Origin["simplified"][number]> = []
  for (const one of simplified) {
    const candidates = simpler(program)
    const chosen = candidates[one.choice]
    if (candidates.length !== one.of || chosen === undefined) break
    program = chosen
    taken.push(one)
  }
  return { program, taken }
}

/** A random program, which prints as text. */
export class Sample {
  readonly program: Program
  constructor(program: Program) {
    this.program = program
  }
  toString(): string {
    return `\n${print(this.program)}\n`
  }
}

/** Random programs, which shrink to simpler ones. */
export const programs: Arbitrary.Arbitrary<Sample> = Arbitrary.map(
  Arbitrary.schema(Origin, {
    shrink: (origin) => {
      const { program, taken } = follow(origin)
      return simpler(program).map((_, choice, { length }) => ({
        seeds: origin.seeds,
        simplified: [...taken, { choice, of: length }]
      }))
    }
  }),
  (origin) => new Sample(follow(origin).program)
)
