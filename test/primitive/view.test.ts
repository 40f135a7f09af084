import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Pipeline, Primitive, Session, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { conversing } from "./conversation.ts"

const views: ReadonlyArray<Session.View> = [
  "full",
  { recent: 0 },
  { recent: 1 },
  { recent: 99 },
  { summaryAndRecent: 0 },
  { summaryAndRecent: 1 },
  { summaryAndRecent: 99 }
]

const answer = { decision: true, confidence: 0.5, reasoning: ["So it is."] }

describe("a view", () => {
  it.effect("changes what one request shows, but not what the conversation has and publishes", () =>
    Effect.gen(function* () {
      const start = yield* Thought.append(yield* conversing(9), "new", "something new")
      /** By key instead of by id, which every run makes anew. */
      const left = (view: Session.View) =>
        Effect.gen(function* () {
          const model = Testing.scripted(["a summary", answer, "Well.", answer])
          const step = Pipeline.sequence("go on", [
            Primitive.compress("so_far", { keep: 2 }),
            Primitive.decide("go", { question: "Go on?", introspect: true, view }),
            Primitive.decide("on", { question: "And on?" })
          ])
          const done = yield* Pipeline.run(step, start).pipe(Effect.provide(Layer.merge(model.layer, Testing.memory)))
          const keyOf = new Map(Thought.notes(done).map(({ id, key }) => [id, key]))
          return {
            shown: model.requests[1]!.messages.length,
            unpublished: Thought.unpublished(done),
            last: model.requests[3]!.messages.map(({ text }) => text),
            entries: Session.entries(done.session).map(({ carries, covers, index, kind, role, text }) => ({
              index,
              kind,
              role,
              text,
              carries: carries.map((id) => keyOf.get(id)),
              covers: covers.map((id) => keyOf.get(id))
            }))
          }
        })
      const { shown, ...full } = yield* left("full")
      assert.strictEqual(shown, 1 + 1 + 1 + 4 + 1)
      const sizes = []
      for (const view of views) {
        const { shown, ...rest } = yield* left(view)
        assert.deepStrictEqual(rest, full)
        sizes.push(shown - 2)
      }
      assert.deepStrictEqual(sizes, [6, 0, 2, 6, 1, 3, 5])
      assert.deepStrictEqual(full.unpublished, [])
    })
  )

  it("is not built with an invalid count, and the message names the step", () => {
    for (const wrong of [-1, 0.5, Number.NaN]) {
      for (const name of ["recent", "summaryAndRecent"] as const) {
        const view = { [name]: wrong } as unknown as Session.View
        assert.throws(
          () => Primitive.decide("go", { question: "Go on?", view }),
          `The step "go" needs a whole number from 0 as view.${name}, not ${wrong}.`
        )
      }
    }
  })
})
