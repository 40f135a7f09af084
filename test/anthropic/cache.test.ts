import { assert, describe, it } from "@effect/vitest"
import { Pipeline, Primitive, Thought } from "cogito"
import { Anthropic } from "cogito/anthropic"
import { Testing } from "cogito/testing"
import { Effect, Layer } from "effect"
import { key, message, reply, serve } from "./server.ts"

const decision = JSON.stringify({ decision: true, confidence: 0.9, reasoning: ["it says so"] })

/** A body without the marks, which move, and what is only the last call's. */
const unmarked = (body: any) => {
  const { messages, system } = JSON.parse(JSON.stringify(body), (name, value) =>
    name === "cache_control" ? undefined : value
  )
  return { system, messages }
}

/** The text of every block that is marked, and whether it is system text. */
const marks = (body: any): ReadonlyArray<readonly [string, string]> =>
  [["system", body.system], ...body.messages.map(({ content, role }: any) => [role, content])].flatMap(
    ([role, blocks]: any) =>
      blocks.filter((block: any) => block.cache_control !== undefined).map((block: any) => [role, block.text])
  )

describe("the prompt cache", () => {
  for (const structuredOutput of ["json-schema", "none"] as const) {
    it.effect(`holds what the calls of a thought share, with ${structuredOutput}`, () =>
      Effect.gen(function* () {
        const server = yield* serve(reply(200, message(decision)))
        const model = Anthropic.layer({
          model: "claude-sonnet-5",
          apiKey: key,
          baseUrl: server.baseUrl,
          capabilities: { structuredOutput }
        })
        const questions = Pipeline.sequence("questions", [
          Primitive.decide("urgent", { question: "Is this urgent?" }),
          Primitive.decide("dangerous", { question: "Is this dangerous?" }),
          Primitive.decide("answered", { question: "Was this answered?" })
        ])
        const thought = yield* Thought.make("triage", { message: "The printer is on fire." })
        yield* Effect.provide(Pipeline.run(questions, thought), Layer.merge(model, Testing.memory))
        const bodies = server.recorded.map(({ body }) => body)
        assert.strictEqual(bodies.length, 3)
        for (const [index, body] of bodies.entries()) {
          assert.strictEqual(body.messages.at(-1).role, "user")
          assert.strictEqual(marks(body).length, index === 0 ? 1 : 2)
          assert.strictEqual(marks(body)[0]?.[0], "system")
          const before = bodies[index - 1]
          if (before === undefined) continue
          const earlier = unmarked(before)
          const later = unmarked(body)
          assert.deepStrictEqual(later.system, earlier.system)
          // Of the earlier call, all but the instructions in words at its end begin the later one.
          const asked = earlier.messages.at(-1).content[0]
          assert.deepStrictEqual(later.messages.slice(0, earlier.messages.length), [
            ...earlier.messages.slice(0, -1),
            { role: "user", content: [asked] }
          ])
          const answer = later.messages.at(-2)
          assert.strictEqual(answer.role, "assistant")
          assert.deepStrictEqual(marks(body)[1], ["assistant", answer.content.at(-1).text])
        }
      })
    )
  }
})
