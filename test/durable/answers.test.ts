/** When the answer of a model is in the ledger. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { setImmediate } from "node:timers/promises"
import { Pipeline, Step, type Store, Synapse } from "cogito"
import { soon } from "../soon.ts"
import { machine, start } from "./machine.ts"
import { asks } from "./scenarios/parts.ts"

const run = <E, R>(step: Step.Step<any, any, E, R>) =>
  Effect.flatMap(start, (thought) => Pipeline.run(step as Step.Step<{}, {}, E, R>, thought, { durable: { id: "run" } }))

/** The states of the calls that the ledger has at the moment. */
const states = (store: Store.Store) =>
  Effect.map(store.ledger.load("local", "run"), (stored) => stored?.calls.map(({ state }) => state) ?? [])

describe("the answer of a call", () => {
  it.effect("is written with the note of its step", () =>
    Effect.gen(function* () {
      const { process, within } = yield* machine
      const own = process()
      yield* within(own)(run(Pipeline.sequence("all", [asks("first"), asks("second"), asks("third")])))
      const step = ["record", "call", "commit"]
      assert.deepStrictEqual(
        own.boundaries.filter(({ at }) => at === "before").map(({ what }) => what),
        ["commit", ...step, ...step, ...step, "record"]
      )
    })
  )

  it.effect("is written before code of the caller sees it", () =>
    Effect.gen(function* () {
      const { store, within } = yield* machine
      const seen: Array<unknown> = []
      const looks = Pipeline.tap("look", () => Effect.map(states(store), (found) => seen.push(found)))
      // nothing is stored before the retry ends
      yield* within()(run(Step.retry(Pipeline.sequence("all", [asks("first"), looks]))))
      assert.deepStrictEqual(seen, [["answered"]])
    })
  )

  it.effect("is written if nothing else is written for a long time", () =>
    Effect.gen(function* () {
      const { store, within } = yield* machine
      const isSo = Synapse.binary({ question: "Is it so?" })
      const waits = Step.make("waits", {
        run: Effect.gen(function* () {
          yield* isSo("It is.")
          while (!(yield* states(store)).includes("answered")) yield* Effect.promise(() => setImmediate())
        }).pipe(soon("the answer in the ledger"))
      })
      yield* within()(run(waits))
    })
  )
})
