import { execFileSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { Pipeline, Primitive, Session, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { Tokenizer } from "cogito/tokenizer"
import { Effect, Layer } from "effect"

const count = (text: string) =>
  Session.tokens(Session.append(Session.empty, { role: "user", text })).pipe(Effect.provide(Tokenizer.o200k))

describe("exact token counts", () => {
  it.effect("are those of the table", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* count("hello world"), 2)
      assert.strictEqual(yield* count(""), 0)
    })
  )

  it.effect("count text that looks like a control token as text", () =>
    Effect.gen(function* () {
      assert.isAbove(yield* count("<|endoftext|>"), 1)
    })
  )

  it.effect("decide when a conversation is compacted", () =>
    Effect.gen(function* () {
      // one token each to the table, more by the estimate
      const message = "internationalization ".repeat(40)
      const go = Primitive.decide("go", { question: "Go on?" })
      const session = Session.append(
        Session.empty,
        { role: "user", text: message },
        { role: "assistant", text: "Yes." }
      )
      const exact = yield* Session.tokens(session).pipe(Effect.provide(Tokenizer.o200k))
      const estimated = yield* Session.tokens(session)
      assert.isBelow(exact, estimated)
      const answer = { decision: true, confidence: 1, reasoning: ["It is so."] }
      const run = Effect.gen(function* () {
        const model = Testing.scripted((request) => (request.task.kind === "decide" ? answer : "A summary."))
        const thought = Thought.withSession(yield* Thought.make("test", { message: "Go" }), session)
        const compacted = Pipeline.compact(go, { tokens: estimated - 1, turns: 1000, keep: 0 })
        yield* Pipeline.run(compacted, thought).pipe(Effect.provide(Layer.merge(model.layer, Testing.memory)))
        return model.requests.map(({ task }) => task.kind)
      })
      assert.deepStrictEqual(yield* run.pipe(Effect.provide(Tokenizer.o200k)), ["decide"])
      assert.strictEqual((yield* run).length, 2)
    })
  )
})

it("a missing package is named with the command that installs it", () => {
  const program = `
    import { registerHooks } from "node:module"
    registerHooks({
      resolve: (specifier, context, next) => {
        if (specifier.startsWith("gpt-tokenizer")) throw Object.assign(new Error("not found"), { code: "ERR_MODULE_NOT_FOUND" })
        return next(specifier, context)
      }
    })
    const { Effect } = await import("effect")
    const { Session } = await import("cogito")
    const { Tokenizer } = await import("cogito/tokenizer")
    const error = await Effect.runPromise(Session.tokens(Session.empty).pipe(Effect.provide(Tokenizer.o200k))).catch((e) => e)
    console.log(error.message)`
  const args = ["--conditions=cogito-source", "--input-type=module", "-e", program]
  const output = execFileSync(process.execPath, args, { encoding: "utf8" })
  assert.strictEqual(
    output.trim(),
    "cogito/tokenizer cannot load the gpt-tokenizer package: run npm install gpt-tokenizer"
  )
})
