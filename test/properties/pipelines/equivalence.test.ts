/** Laws that say that two pipelines do the same, both of them run by the library. */
import { assert, describe } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { Session, Thought } from "cogito"
import { causeOf } from "./compare.ts"
import { assertCalls, assertEnd, assertStored, hasTie, law, predicted } from "./law.ts"
import { descendants, type Node, nodesOf, type Program, renumbered } from "./program.ts"
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

/** Text and order of what came out; the fences of requests differ with the ids of thoughts, which are random. */
const withoutFences = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll(/note [0-9a-f]{8}/g, "note"))

/** How a run ended, whatever the paths. */
const ending = ({ at, exit }: Observation): unknown =>
  withoutFences(
    Exit.isSuccess(exit)
      ? { at, ...contents(exit.value) }
      : {
          at,
          ends: exit.cause.reasons.map((reason) => {
            if (reason._tag === "Fail") return causeOf(reason.error.cause)
            return reason._tag === "Die" ? reason.defect : reason._tag
          })
        }
  )

const callsIn = ({ calls }: Observation) =>
  calls.map(({ at, call, ended, leaf }) => [at, leaf, call, ended]).toSorted((a, b) => (String(a) < String(b) ? -1 : 1))

/** Both programs end the same, at the same time, after the same calls. */
const assertSame = (one: Program, other: Program) =>
  Effect.gen(function* () {
    if (hasTie(predicted(one)) || hasTie(predicted(other))) return
    const [first, second] = [yield* observe(one), yield* observe(other)]
    assert.deepStrictEqual(ending(second), ending(first))
    assert.deepStrictEqual(callsIn(second), callsIn(first))
  })

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
    assertSame(
      { ...program, failingCommit: undefined },
      {
        ...program,
        failingCommit: undefined,
        root: { _tag: "Race", id: free, concurrency: "unbounded", children: [program.root] }
      }
    )
  )

  law("with no more attempts is the step without a retry", (program) =>
    assertSame(
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
    return hasTie(prediction)
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
