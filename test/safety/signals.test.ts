/**
 * What signals, spans, metrics and logs must never contain: texts of notes, prompts, answers, parameters and results.
 *
 * Every primitive runs, agents call tools, and both fail in many ways, with a canary in every text.
 */
import { assert, describe, it } from "@effect/vitest"
import { Data, Effect, Exit, Layer, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { Pipeline, Primitive, Provider, Step, Thought } from "cogito"
import { Agent } from "cogito/agent"
import { Local } from "cogito/local"
import { Testing } from "cogito/testing"
import { seen, watched } from "./watched.ts"

const canary = "canary"
const text = (what: string): string =>
  `The ${canary} sings about ${what}: I was charged twice, and I want my money back.`

class Failed extends Data.TaggedError("Failed") {}

/** A model that writes texts too, which the offline one does not. */
const writer = Testing.scripted((request) => (request.task.output === undefined ? text("all of it") : undefined))

const start = Thought.make(text("the intent"), {
  message: { content: text("the message"), metadata: { from: text("metadata") } },
  items: JSON.stringify([text("one"), text("two")])
})

const ask = Primitive.decide("urgent", { question: text("urgency"), introspect: true })

/** Every primitive that asks, searches or changes the conversation, and connectors around them. Labels are the program's own words. */
const steps: ReadonlyArray<readonly [name: string, step: Step.Any]> = [
  ["decide, with introspection", ask],
  ["analyze", Primitive.analyze("counts", { schema: Schema.Struct({ word: Schema.String }), prompt: text("words") })],
  ["categorize", Primitive.categorize("kind", { question: text("kinds"), categories: { a: text("a"), b: text("b") } })],
  ["assess", Primitive.assess("mood", { question: text("mood") })],
  ["prioritize", Primitive.prioritize("order", { criteria: text("order"), items: [text("one"), text("two")] })],
  ["sift", Primitive.sift("gate", { question: text("gates"), step: ask })],
  [
    "discern",
    Primitive.discern("way", {
      question: text("ways"),
      routes: { a: { when: text("a"), step: ask }, b: Primitive.assess("b", { question: text("b") }) }
    })
  ],
  ["seek", Primitive.seek("found", { query: text("a query"), limit: 3 })],
  ["survey", Primitive.survey("tasks", { query: text("a query"), limit: 3 })],
  ["reflect", Primitive.reflect("reflection", { prompt: text("reflection") })],
  ["compress", Primitive.compress("summary")],
  [
    "converge",
    Primitive.converge("joined", {
      provider: writer.provider,
      branches: { a: Primitive.assess("c", { question: text("c") }), b: ask },
      prompt: text("joining")
    })
  ],
  ["checkpoint", Primitive.checkpoint("here")],
  [
    "a step of one's own that fails, ignored, tried again and replaced",
    Pipeline.fallback("instead", [
      Step.retry(Step.make("one", { run: Effect.fail(new Failed()) }), { times: 1 }),
      Step.make("two", { schema: Schema.String, run: () => text("a result") })
    ]) as Step.Any
  ]
]

const check = (what: string, told: ReadonlyArray<unknown>): void => {
  for (const one of told) assert.notInclude(seen(one), canary, `${what}: ${seen(one).slice(0, 600)}`)
}

type Alone = Step.Step<{}, {}>

/** Answers that have canaries where they do not belong, are cut, or are none. */
const misfits: ReadonlyArray<Testing.Reply> = [
  `I will not: ${text("prose")}`,
  `{"${canary}": "${canary}", "decision": "${canary}"`,
  { [canary]: canary, decision: canary, confidence: canary, primary: canary, word: { [canary]: canary } },
  ""
]

describe("signals, spans, metrics and logs", () => {
  for (const [name, step] of steps) {
    it.live(`have no text of ${name}`, () =>
      Effect.gen(function* () {
        const run = Effect.flatMap(start, (thought) => Pipeline.run(step as Alone, thought)).pipe(
          Effect.provide(Layer.merge(Local.extractive, Testing.memory))
        )
        const { exit, spans, told } = yield* watched(run)
        assert.isTrue(Exit.isSuccess(exit), seen(exit))
        assert.isAbove(spans.length, 0)
        check(name, told)
      })
    )

    it.live(`have no text of ${name}, if the answers do not fit`, () =>
      Effect.gen(function* () {
        for (const misfit of misfits) {
          const model = Testing.scripted(() => misfit)
          const run = Effect.flatMap(start, (thought) => Pipeline.run(step as Alone, thought)).pipe(
            Effect.provide(Layer.merge(model.layer, Testing.memory))
          )
          check(name, (yield* watched(run)).told)
        }
      })
    )
  }

  it.live("have no text of an agent, its tools and their failures", () =>
    Effect.gen(function* () {
      const look = Tool.make("look", { parameters: Schema.Struct({ at: Schema.String }), success: Schema.String })
      const toolkit = Toolkit.make(look.annotate(Tool.Readonly, true))
      const agent = Agent.make("helper", { instructions: text("instructions"), toolkit })
      for (const result of [Effect.succeed(text("a result")), Effect.die(new Failed())]) {
        const model = Testing.scripted([
          { safe: true, mode: "fast" },
          Testing.calls([{ name: "look", params: { at: text("a place") } }]),
          Testing.calls([{ name: "look", params: { [canary]: text("no parameter") } }]),
          text("the answer")
        ])
        const run = Effect.flatMap(Thought.make("help"), (thought) => Agent.say(agent, thought, text("hello"))).pipe(
          Effect.provide(Layer.mergeAll(toolkit.toLayer({ look: () => result }), model.layer, Testing.memory))
        )
        const { exit, told } = yield* watched(run)
        assert.isTrue(Exit.isSuccess(exit), seen(exit))
        assert.strictEqual(model.requests.length, 4)
        check("an agent", told)
      }
    })
  )

  it.live("have no text of a layer around a provider that fails", () =>
    Effect.gen(function* () {
      const down = new Provider.ProviderError({
        provider: "p",
        model: "m",
        reason: { _tag: "Overloaded", message: "later" }
      })
      const layer = Testing.scripted(() => down).layer.pipe(
        Provider.retry({ times: 1, base: 1 }),
        Provider.circuitBreaker({ failures: 1 })
      )
      const run = Effect.flatMap(start, (thought) => Pipeline.run(ask as Step.Any as Alone, thought)).pipe(
        Effect.provide(Layer.merge(layer, Testing.memory))
      )
      const { exit, told } = yield* watched(run)
      assert.isTrue(Exit.isFailure(exit))
      check("a layer", told)
    })
  )
})
