/** Laws of the moment at which something ends: interruption and limits, on virtual time. */
import { assert, describe } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { Step, Thought } from "cogito"
import { causeOf, plainThought } from "./compare.ts"
import { longest } from "./generate.ts"
import { assertCalls, assertEnd, assertStored, hasTie, law, predicted, seen } from "./law.ts"
import { calm, hasAppends, leavesOf, type Node, type Program, reachesOut } from "./program.ts"
import { endOf, observe, type Observation } from "./run.ts"

describe("interrupting a random pipeline", () => {
  law("reaches every call, is interruption, and keeps what was settled before", (program) => {
    const { at } = predicted(calm(program.root))
    // some moment before its end
    const share = ((program.interruptAt ?? program.root.id * 7919) % 97) / 97
    const interruptAt = Math.floor((at === Infinity ? 3 * longest : at) * share)
    return seen({ ...calm(program.root), interruptAt }, (prediction, observation) => {
      if (at > interruptAt) assert.strictEqual(endOf(observation.exit), "Interrupted")
      else assert.isFalse(Exit.hasInterrupts(observation.exit) && at < interruptAt)
      assertEnd(prediction, observation)
      assertCalls(prediction, observation)
      assertStored(prediction, observation)
    })
  })
})

describe("a limit on the time of a random pipeline", () => {
  const limited = (root: Node, limit: number): Program =>
    calm({ _tag: "Timeout", id: 100_000, limit, piped: false, children: [root] })

  /** A limit that no program reaches. */
  const never = 1e15

  /** Runs a program without a limit and with one. What runs after the commit does so without a limit. */
  const against = (
    program: Program,
    limitOf: (at: number) => number | undefined,
    look: (limit: number, plain: Observation, limited: Observation) => void
  ) => {
    // inside a limit nothing is committed, so conditions may see fewer notes of others than without one
    const prediction = predicted(limited(program.root, never))
    const limit = limitOf(prediction.at < never ? prediction.at : Infinity)
    const later = leavesOf(program.root).some(({ does }) => does === "once")
    if (limit === undefined || later || hasTie(prediction)) return Effect.void
    return Effect.gen(function* () {
      look(limit, yield* observe(calm(program.root)), yield* observe(limited(program.root, limit)))
    })
  }

  law("changes nothing when it is longer", (program) =>
    against(
      program,
      // inside the limit nothing is committed before its end, so that what is appended is taken over later
      (at) => (at === Infinity || hasAppends(program.root) ? undefined : at + 1),
      (_, plain, timed) => {
        assert.strictEqual(timed.at, plain.at)
        assert.deepStrictEqual(endingOf(timed), endingOf(plain))
      }
    )
  )

  law("fails at exactly its end when it is shorter, and nothing is left", (program) =>
    against(
      program,
      (at) => (at === Infinity ? longest : at > 1 ? at - 1 : undefined),
      (limit, _, timed) => {
        assert.strictEqual(timed.at, limit)
        const [reason] = Exit.isFailure(timed.exit) ? timed.exit.cause.reasons : []
        const error = reason?._tag === "Fail" ? reason.error : undefined
        assert.instanceOf(error?.cause, Step.TimeoutError)
        assert.deepStrictEqual(error?.path, ["timeout100000"])
        if (!reachesOut(program.root)) {
          assert.deepStrictEqual(timed.stored.map(plainThought), [plainThought(timed.start)])
        }
        for (const { ended } of timed.calls) assert.notStrictEqual(ended, "running")
      }
    )
  )
})

/** How a run ended, whatever the paths. */
const endingOf = ({ exit }: Observation): unknown =>
  Exit.isSuccess(exit)
    ? // a report of a failure has its path
      Thought.notes(exit.value).map(({ content, key, source }) => [key, source === "enrich" ? "" : content, source])
    : exit.cause.reasons.map((reason) => (reason._tag === "Fail" ? causeOf(reason.error.cause) : reason._tag))
