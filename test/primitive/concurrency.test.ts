import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Memory, Note, Pipeline, Primitive, Session, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { withModel } from "../pipeline/triage.ts"

const message = Note.handle("message", Schema.String)
const echo = Primitive.analyze("echo", {
  schema: Schema.Struct({ said: Schema.String }),
  prompt: Note.from(message, (text) => `Repeat: ${text}`),
  introspect: true
})

describe("one step that runs a hundred times at once", () => {
  it.effect("returns a hundred independent answers", () =>
    Effect.gen(function* () {
      const model = Testing.scripted((request) => {
        const said = request.task.context.find(({ key }) => key === "message")!.text
        const reply = request.phase === "reason" ? { said } : `I said ${said}.`
        // later ones are answered earlier
        return Effect.as(Effect.yieldNow, reply)
      })
      const all = yield* Effect.forEach(
        Array.from({ length: 100 }, (_, i) => i),
        (i) =>
          Effect.gen(function* () {
            const done = yield* Pipeline.run(echo, yield* Thought.make(`say ${i}`, { message: `number ${i}.` }))
            return { i, done, stored: yield* Memory.load(done.id) }
          }),
        { concurrency: "unbounded" }
      ).pipe(withModel(model))

      assert.strictEqual(model.requests.length, 200)
      assert.strictEqual(new Set(all.map(({ done }) => done.id)).size, 100)
      for (const { done, i, stored } of all) {
        assert.strictEqual(done.get("echo").said, `number ${i}.`)
        assert.strictEqual(done.note("echo_summary")?.content, `I said number ${i}..`)
        assert.strictEqual(done.length, 3)
        assert.deepStrictEqual(stored.toJSON(), done.toJSON())
        const text = Session.entries(done.session).map((entry) => entry.text)
        assert.strictEqual(text.length, 4)
        assert.isTrue(text[0]!.includes(`Repeat: number ${i}.`))
      }
      for (const request of model.requests) {
        assert.strictEqual(new Set(JSON.stringify(request).match(/number \d+/g)).size, 1)
      }
    })
  )
})
