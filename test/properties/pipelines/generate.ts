/** Random programs. A program comes of a seed and of the simplifications that were made to it since. */
import { Arbitrary, Schema } from "effect"
import { type Behaviour, isNamed, type Leaf, leavesOf, type Node, print, type Program, simpler } from "./program.ts"

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
}

export const generate = (seed: number): Program => {
  const random = randomFrom(seed)
  const below = (n: number): number => Math.floor(random() * n)
  const chance = (p: number): boolean => random() < p
  const pick = <A>(from: ReadonlyArray<A>): A => from[below(from.length)]!
  const times = <A>(n: number, make: () => A): ReadonlyArray<A> => Array.from({ length: n }, make)
  let ids = 0
  let budget = 3 + below(16)

  const takes = (): number => 1 + below(longest)
  const faults = ["wrong", "wrong", "fail", "fail", "fail", "fatal", "never", "die", "quit"] as const
  const rough = chance(0.7)
  const behaviour = (): Behaviour => {
    const ends = rough && chance(0.35) ? pick(faults) : "ok"
    // what ends everything is rarer than what can be got over
    const grave = ends === "die" || ends === "quit" || ends === "never"
    return { takes: takes(), ends: grave && chance(0.6) ? "fail" : ends }
  }
  const leaf = (): Leaf => {
    const id = ++ids
    budget--
    const does = pick(["decide", "decide", "native", "analyze", "write", "write", "look"] as const)
    const asks = does !== "write" && does !== "look"
    return {
      _tag: "Leaf",
      id,
      does,
      key: asks || does === "write" ? (chance(0.25) ? pick(["a", "b"]) : `${does}${id}`) : `look${id}`,
      introspect: asks && chance(0.2),
      plan: [behaviour(), ...times(below(4), behaviour)]
    }
  }
  const plain = ({ beside }: Where): Node => {
    const id = ++ids
    budget--
    const kind = below(beside ? 1 : 4)
    if (kind === 1) return { _tag: "Restore", id, name: pick(["c", "d"]), session: pick(["keep", "fresh"]) }
    if (kind > 1) return { _tag: "Checkpoint", id, name: pick(["c", "d"]) }
    return { _tag: "Truncate", id, first: below(3), last: below(3), release: chance(0.5) }
  }
  const node = (where: Where): Node => {
    if (where.depth >= 5 || budget <= 1 || chance(0.15 + 0.1 * where.depth)) {
      return where.depth > 0 && chance(0.15) ? plain(where) : leaf()
    }
    const inside = { ...where, depth: where.depth + 1 }
    const id = ++ids
    return pick(composites)(id, inside)
  }
  /** A branch whose first event takes time, so that what is first does not hang on the order of a moment. */
  const branch = (where: Where): Node => {
    const one = node(where)
    return takesTime(one) ? one : { _tag: "Sequence", id: ++ids, children: [leaf(), one] }
  }
  /** A step that others can be named after. */
  const named = (where: Where): Node => {
    const one = node(where)
    return isNamed(one) ? one : { _tag: "Sequence", id: ++ids, children: [one] }
  }
  const concurrency = (): number | "unbounded" => (chance(0.7) ? "unbounded" : 1 + below(3))
  const sequence = (id: number, where: Where): Node => ({
    _tag: "Sequence",
    id,
    children: times(1 + below(4), () => node(where))
  })
  const composites: ReadonlyArray<(id: number, where: Where) => Node> = [
    sequence,
    sequence,
    (id, where) => ({ _tag: "AndThen", id, children: times(1 + below(3), () => node(where)) }),
    (id, where) => ({ _tag: "When", id, holds: chance(0.5), children: [node(where), node(where)] }),
    (id, where) => ({ _tag: "Filter", id, holds: chance(0.6), children: times(1 + below(2), () => node(where)) }),
    (id, where) => {
      const child = named(where)
      return { _tag: "Retry", id, times: below(4), always: chance(0.3), piped: chance(0.3), children: [child] }
    },
    (id, where) => ({
      _tag: "Race",
      id,
      concurrency: concurrency(),
      children: times(1 + below(3), () => branch(where))
    })
  ]

  const root = sequence(++ids, { depth: 1, beside: false })
  const span = longest * (1 + leavesOf(root).length / 3)
  return {
    root,
    interruptAt: chance(0.2) ? below(span) : undefined,
    failingCommit: chance(0.15) ? below(6) : undefined
  }
}

/** Whether no event of the step can be at the moment when it begins, but for the start of its first call. */
const takesTime = (node: Node): boolean => {
  switch (node._tag) {
    case "Leaf":
      return true
    case "Retry":
      return takesTime(node.children[0])
    case "Sequence":
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
