import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { Pipeline, Primitive, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { translate } from "./translate.ts"

const review = Step.make("review", { run: () => "looked at" })
const make = (onStored: Effect.Effect<void> = Effect.void) => translate("german", { into: "German", review, onStored })

describe("a custom primitive in one file", () => {
  it.effect("declares the kind of text in its task, and runs effects after the commit", () =>
    Effect.gen(function* () {
      const events: Array<string> = []
      const model = Testing.scripted(["Guten Tag"])
      const start = yield* Thought.make("greet", { message: "Hello" })
      const step = make(Effect.sync(() => void events.push("stored")))
      const done = yield* Pipeline.run(Pipeline.sequence("all", [step]), start).pipe(
        Effect.provide(Layer.merge(model.layer, Testing.memory))
      )
      assert.strictEqual(done.get("german"), "Guten Tag")
      assert.strictEqual(model.requests[0]?.task.wants, "text")
      assert.deepStrictEqual(events, ["stored"])
      assert.notStrictEqual(done.id, start.id)
    })
  )

  it("is drawn with its layout", () => {
    assert.strictEqual(
      Pipeline.toMermaid(make()),
      [
        "flowchart TD",
        '  n0(["german"])',
        '  n1{"german<br/>translate"}',
        '  n2["review<br/>step"]',
        '  n3(["done"])',
        "  n0 --> n1",
        '  n1 -->|"long"| n2',
        "  n2 --> n3",
        '  n1 -->|"short"| n3'
      ].join("\n")
    )
  })

  it("is refused in branches, as it leaves the thought", () => {
    const within = Pipeline.sequence("within", [make()])
    const build = () => Primitive.converge("both", { branches: { within }, prompt: "Which?" })
    assert.throws(build, /has a translate in its branch "within", which must stay with the thought/)
  })

  it("is refused below a layer that would be released before its effect runs", () => {
    const layer = Layer.succeed(Context.Service<string>("Word"), "word")
    assert.throws(() => make().pipe(Step.provide(layer)), /released before its translate "german" runs/)
  })
})
