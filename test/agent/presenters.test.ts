/** Presenters of a running agent that fail, or that are slow. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer, Logger, Schema, Stream } from "effect"
import type { Memory, Provider } from "cogito"
import { Host } from "cogito/agent"
import { Testing } from "cogito/testing"
import { calls, Done, guide } from "./kit.ts"

const defined = (
  model: Layer.Layer<Provider.Provider>,
  presenters: ReadonlyArray<Host.Presenter<{ readonly _tag: string }>> = []
) =>
  Host.define({
    agent: guide,
    config: Schema.Struct({}),
    provide: () => Layer.merge(model, new Done().layer),
    presenters
  })

/** Runs a program with a host, and gives what was logged. */
const logged = <A, E>(program: Effect.Effect<A, E, Host.Host | Memory.Memory>) =>
  Effect.suspend(() => {
    const lines: Array<string> = []
    const logger = Logger.layer([Logger.make(({ message }) => lines.push(String([message].flat()[0])))])
    return Effect.as(
      Effect.provide(program, Layer.provideMerge(Host.layer, Layer.merge(Testing.memory, logger))),
      lines
    )
  })

const model = () => Testing.scripted([calls(["weather"]), "Warm."]).layer

describe("a presenter", () => {
  it.effect("gets the next event after one for which it has failed or thrown", () =>
    Effect.gen(function* () {
      const shown: Record<string, Array<string>> = { fails: [], throws: [] }
      const lines = yield* logged(
        Effect.gen(function* () {
          const host = yield* Host.Host
          const failing = (name: string, fail: () => Effect.Effect<void, string>) => ({
            name,
            present: ({ _tag }: { readonly _tag: string }) => {
              shown[name]?.push(_tag)
              return _tag === "Called" ? fail() : Effect.void
            }
          })
          const presenters = [
            failing("fails", () => Effect.fail("broken")),
            failing("throws", () => {
              throw new Error("broken")
            })
          ]
          const a = yield* host.create(defined(model(), presenters), {})
          const tags = (yield* Stream.runCollect(a.receive("Is it warm?"))).map(({ _tag }) => _tag)
          yield* host.destroy(a.id)
          assert.include(tags, "Called")
          assert.deepStrictEqual(shown, { fails: [...tags], throws: [...tags] })
        })
      )
      assert.deepStrictEqual(lines.toSorted(), [
        'The presenter "fails" has failed for an event.',
        'The presenter "throws" has failed for an event.'
      ])
    })
  )

  it.effect("that is too slow is logged once, however many events it misses", () =>
    Effect.gen(function* () {
      const open = yield* Deferred.make<void>()
      const lines = yield* logged(
        Effect.gen(function* () {
          const host = yield* Host.Host
          const slow = { name: "slow", buffer: 1, present: () => Deferred.await(open) }
          const fast = { name: "fast", present: () => Effect.void }
          const a = yield* host.create(defined(model(), [slow, fast]), {})
          yield* Stream.runDrain(a.receive("Is it warm?"))
          yield* Deferred.succeed(open, undefined)
          yield* host.destroy(a.id)
        })
      )
      assert.deepStrictEqual(lines, ['The presenter "slow" is too slow: the oldest events are dropped.'])
    })
  )

  it("needs room for an event", () => {
    for (const buffer of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      assert.throws(
        () => defined(model(), [{ name: "log", buffer, present: () => Effect.void }]),
        /The presenter "log".*a whole number from 1.*buffer/
      )
    }
    defined(model(), [{ name: "log", buffer: 1, present: () => Effect.void }])
  })
})
