/** Laws that say that two pipelines do the same, both of them run by the library. */
import { assert, describe } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { Session, Thought } from "cogito"
import { causeOf } from "./compare.ts"
import { assertCalls, assertEnd, assertStored, hasTie, law, predicted } from "./law.ts"
import {
  calm,
  descendants,
  hasAppends,
  hasBackground,
  hasState,
  type Leaf,
  leavesOf,
  type Node,
  nodesOf,
  type Program,
  renumbered
} from "./program.ts"
import { observe, observeAll, type Observation } from "./run.ts"

/** A number that no step of a random program has. */
const free = 100_000

const sequenceOf = (id: number, children: ReadonlyArray<Node>): Node => ({ _tag: "Sequence", id, children })

/** The steps of a program, in their order. */
const stepsOf = ({ root }: Program): ReadonlyArray<Node> => nodesOf(root)

/** Notes and conversation, whatever the paths of the steps that wrote them. */
const contents = (thought: Thought.Thought<any>) => ({
  notes: Thought.notes(thought).map(({ content, key, source }) => [key, content, source]),
  session: Session.entries(thought.session).map(({ role, text }) => [role, text])
})

/** Without the paths in reports, and the fences of the notes that hold them. */
const withoutFences = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll(/note \d{6,}/g, "note")
      .replaceAll(/(\\*"path\\*":)\[[^\]]*\]/g, "$1[]")
  )

/** What of two runs is compared besides their notes and failures. */
interface Compared {
  readonly conversation?: boolean
  readonly times?: boolean
}

/** How a run ended, whatever the paths. */
const ending = ({ at, exit }: Observation, { conversation = true, times = true }: Compared): unknown =>
  withoutFences(
    Exit.isSuccess(exit)
      ? { at: times ? at : 0, ...contents(exit.value), ...(conversation ? {} : { session: [] }) }
      : {
          at: times ? at : 0,
          ends: exit.cause.reasons.map((reason) => {
            if (reason._tag === "Fail") return causeOf(reason.error.cause)
            return reason._tag === "Die" ? reason.defect : reason._tag
          })
        }
  )

const callsIn = ({ calls }: Observation, { times = true }: Compared) =>
  calls
    .map(({ at, call, ended, leaf }) => [times ? at : 0, leaf, call, ended])
    .toSorted((a, b) => (String(a) < String(b) ? -1 : 1))

/** Both programs end the same, at the same time, after the same calls. */
const assertSame = (one: Program, other: Program, compared: Compared = {}) =>
  Effect.gen(function* () {
    if (hasTie(predicted(one)) || hasTie(predicted(other))) return
    const [first, second] = [yield* observe(one), yield* observe(other)]
    assert.deepStrictEqual(ending(second, compared), ending(first, compared))
    assert.deepStrictEqual(callsIn(second, compared), callsIn(first, compared))
  })

/** Whether what it does depends on the moment of a commit, which is later where a branch may still be lost. */
const dependsOnCommit = (root: Node): boolean =>
  hasBackground(root) || hasAppends(root) || leavesOf(root).some(({ does }) => does === "once")

/** A leaf as the only writer of its key that does its first call and asks for no end of the whole. */
const beside = (leaf: Leaf): Leaf => {
  const [{ ends, takes }] = leaf.plan
  const does = leaf.does === "once" || leaf.does === "append" ? "look" : leaf.does
  return { ...leaf, does, key: `key${leaf.id}`, plan: [{ takes, ends: ends === "fail" ? "fail" : "ok" }] }
}

const taking = (leaf: Leaf, takes: number): Leaf => ({ ...leaf, plan: [{ ...leaf.plan[0], takes }] })

describe("composition", () => {
  law("of steps in a row is associative", (program) => {
    const steps = stepsOf(program)
    const cut = descendants(program.root).length % (steps.length + 1)
    const [before, after] = [steps.slice(0, cut), steps.slice(cut)]
    const left = sequenceOf(free, [sequenceOf(free + 1, before), ...after])
    const right = sequenceOf(free, [...before, sequenceOf(free + 1, after)])
    return assertSame({ ...program, root: left }, { ...program, root: right })
  })

  law("by andThen does what a sequence does", (program) => {
    const steps = stepsOf(program)
    return assertSame(
      { ...program, root: sequenceOf(free, steps) },
      { ...program, root: sequenceOf(free, [{ _tag: "AndThen", id: free + 1, children: steps }]) }
    )
  })

  law("with a filter that never holds changes nothing, wherever it is", (program) => {
    const steps = stepsOf(program)
    const never: Node = { _tag: "Filter", id: free, holds: false, children: [renumbered(program.root, free)] }
    const place = descendants(program.root).length % (steps.length + 1)
    return assertSame(
      { ...program, root: sequenceOf(free + 1, steps) },
      { ...program, root: sequenceOf(free + 1, steps.toSpliced(place, 0, never)) }
    )
  })

  law("with a filter that always holds is the step in it", (program) =>
    assertSame(program, { ...program, root: { _tag: "Filter", id: free, holds: true, children: [program.root] } })
  )

  law("of one in a race is that one", (program) =>
    dependsOnCommit(program.root)
      ? Effect.void
      : assertSame(
          { ...program, failingCommit: undefined },
          {
            ...program,
            failingCommit: undefined,
            root: { _tag: "Race", id: free, concurrency: "unbounded", children: [program.root] }
          }
        )
  )

  law("of one beside none is that one, but for the conversation", (program) => {
    const inside = descendants(program.root)
    // a branch stays with its thought
    const goesOver = (one: Node): boolean => ["Checkpoint", "Restore", "Own"].includes(one._tag)
    if (dependsOnCommit(program.root) || inside.some(goesOver)) return Effect.void
    const alone = { ...program, failingCommit: undefined }
    const one: Node = {
      _tag: "Concurrent",
      id: free,
      concurrency: "unbounded",
      conflicts: "error",
      minSuccesses: undefined,
      report: false,
      children: [program.root]
    }
    return assertSame(alone, { ...alone, root: one }, { conversation: false })
  })

  law("of branches beside each other does not depend on how long each takes", (program) => {
    const leaves = leavesOf(program.root).map(beside)
    if (leaves.length === 0) return Effect.void
    const times = leaves.map(({ plan }) => plan[0].takes)
    const turned = leaves.map((leaf, i) => taking(leaf, times[(i + 1) % times.length]!))
    const root = (all: ReadonlyArray<Leaf>): Node => ({
      _tag: "Concurrent",
      id: free,
      concurrency: "unbounded",
      conflicts: program.root.id % 2 === 0 ? "last" : "namespace",
      minSuccesses: 1,
      report: true,
      // two steps a branch
      children: all.flatMap((leaf, i) => (i % 2 === 0 ? [sequenceOf(free + 1 + i, all.slice(i, i + 2))] : []))
    })
    return assertSame(calm(root(leaves)), calm(root(turned)), { times: false })
  })

  law("with no more attempts is the step without a retry", (program) =>
    dependsOnCommit(program.root)
      ? Effect.void
      : assertSame(
          { ...program, failingCommit: undefined },
          {
            ...program,
            failingCommit: undefined,
            root: { _tag: "Retry", id: free, times: 0, always: true, piped: false, children: [program.root] }
          }
        )
  )
})

describe("the same pipeline", () => {
  law("run several times at once gives each run what it gives alone", (program) => {
    const prediction = predicted(program)
    // limits and circuits are what runs are meant to share
    return hasTie(prediction) || hasState(program.root)
      ? Effect.void
      : Effect.map(observeAll(program, { runs: 3 }), (observations) => {
          for (const observation of observations) {
            assertEnd(prediction, observation)
            assertCalls(prediction, observation)
            assertStored(prediction, observation)
          }
        })
  })
})
