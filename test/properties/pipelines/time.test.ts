/** Laws of the moment at which something ends: interruption and limits, on virtual time. */
import { assert, describe } from "@effect/vitest"
import { Exit } from "effect"
import { assertCalls, assertEnd, assertStored, law, predicted, seen } from "./law.ts"
import { longest } from "./generate.ts"
import { calm } from "./program.ts"
import { endOf } from "./run.ts"

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
