/** Requests with tools in the ledger of a durable run. */
import { assert, describe, it } from "@effect/vitest"
import { Pipeline, type Provider, Step } from "cogito"
import { Testing } from "cogito/testing"
import { Effect } from "effect"
import { Remembering } from "../../src/provider/service.ts"
import { machine, start } from "../durable/machine.ts"
import { asking, calls, differing } from "./asking.ts"

/** Makes these calls as a synapse makes its own, which has no tools. */
const asks = (
  provider: Provider.Shape,
  requests: ReadonlyArray<Provider.Request>,
  seen: Array<Provider.Response>,
  end: Effect.Effect<void, string> = Effect.void
) =>
  Step.make("agent", {
    run: Effect.gen(function* () {
      const remembering = yield* Remembering
      for (const request of requests) {
        const live = provider.complete(request)
        seen.push(yield* remembering?.complete(provider, request, live) ?? live)
      }
      yield* end
    })
  })

describe("a durable run", () => {
  it.effect("hashes calls, results, what is carried, and how tools may be called", () =>
    Effect.gen(function* () {
      const { store, within } = yield* machine
      const { provider } = Testing.scripted(() => "fine")
      const run = Effect.flatMap(start, (thought) =>
        Pipeline.run(asks(provider, differing, []), thought, { durable: { id: "run", keep: "answers" } })
      )
      yield* within()(run)
      const stored = yield* store.ledger.load("local", "run")
      const hashes = (stored?.calls ?? []).filter(({ kind }) => kind === "complete").map(({ hash }) => hash)
      assert.strictEqual(hashes.length, differing.length)
      assert.strictEqual(new Set(hashes).size, differing.length)
    })
  )

  it.effect("takes calls and what they carry from the ledger", () =>
    Effect.gen(function* () {
      const { within } = yield* machine
      const carry: Provider.Carry = { provider: "scripted", model: "script", data: ["opaque"] }
      const model = Testing.scripted([Testing.calls(calls, { carry })])
      const seen: Array<Provider.Response> = []
      const all = asks(
        model.provider,
        [asking()],
        seen,
        Effect.suspend(() => (seen.length < 2 ? Effect.fail("later") : Effect.void))
      )
      yield* within()(
        Effect.exit(Effect.flatMap(start, (thought) => Pipeline.run(all, thought, { durable: { id: "run" } })))
      )
      yield* within()(Pipeline.resume(all, "run"))
      assert.strictEqual(model.requests.length, 1)
      for (const response of seen) assert.deepStrictEqual([response.calls, response.carry], [calls, carry])
      assert.strictEqual(seen.length, 2)
    })
  )

  it.effect("takes the answers to equal calls in their order, each once", () =>
    Effect.gen(function* () {
      const { within } = yield* machine
      const model = Testing.scripted(["first", "second", "third"])
      const seen: Array<Provider.Response> = []
      const requests = [asking(), asking()]
      const all = asks(
        model.provider,
        requests,
        seen,
        Effect.suspend(() => {
          // it asks once more in the second execution
          requests.push(asking())
          return seen.length === 2 ? Effect.fail("later") : Effect.void
        })
      )
      const run = Effect.flatMap(start, (thought) => Pipeline.run(all, thought, { durable: { id: "run" } }))
      yield* within()(Effect.exit(run))
      yield* within()(Pipeline.resume(all, "run"))
      assert.deepStrictEqual(
        seen.map(({ text }) => text),
        ["first", "second", "first", "second", "third"]
      )
    })
  )
})
