import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Memory, Pipeline, Primitive, type Provider, Session, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { conversing, keys, texts } from "../primitive/conversation.ts"
import { providerError } from "./triage.ts"

const answer = { decision: true, confidence: 0.5, reasoning: ["So it is."] }
const go = (options: Primitive.Options = {}) => Primitive.decide("go", { question: "Go on?", ...options })

/** Answers every question, and summarises when it is told to. */
const answering = (options: Testing.ScriptOptions = {}) => {
  let summaries = 0
  return Testing.scripted(({ task }) => (task.kind === "compress" ? `summary ${++summaries}` : answer), options)
}

const run = <Out, E>(
  step: Step.Step<{}, Out, E, Provider.Provider>,
  thought: Thought.Thought,
  model: Testing.Scripted
) => Pipeline.run(step, thought).pipe(Effect.provide(Layer.merge(model.layer, Testing.memory)))

const asked = (model: Testing.Scripted) => model.requests.map(({ task }) => task.kind)

/** A conversation of the system's word and so many turns. */
const turns = (count: number) => conversing(1 + 2 * count)

describe("compact", () => {
  it.effect("summarises all but the last five turns before the request at twenty turns", () =>
    Effect.gen(function* () {
      const short = answering()
      yield* run(Pipeline.compact(go()), yield* turns(19), short)
      assert.deepStrictEqual(asked(short), ["decide"])

      const model = answering()
      const before = yield* turns(20)
      const done = yield* run(Pipeline.compact(go()), before, model)
      assert.deepStrictEqual(asked(model), ["compress", "decide"])
      const [, summary] = Session.entries(done.session)
      assert.strictEqual(done.note("conversation_summary")?.content, "summary 1")
      assert.deepStrictEqual(
        [summary!.kind, summary!.carries, summary!.covers.length],
        ["summary", [done.note("conversation_summary")!.id], 30]
      )
      // the request begins with what is left, and shows nothing again
      const sent = model.requests[1]!.messages.map(({ text }) => text)
      assert.deepStrictEqual(sent.slice(1, 3), ["m1", summary!.text])
      assert.deepStrictEqual(sent.slice(3, -1), texts(before).slice(-10))
      assert.isTrue(sent.at(-1)?.startsWith("Go on?"))
      assert.deepStrictEqual(Thought.unpublished(done), [])
    })
  )

  it.effect("also summarises at twenty thousand tokens, counted by the tokenizer of the context", () =>
    Effect.gen(function* () {
      for (const [tokens, kinds] of [
        [1_999, ["decide"]],
        [2_000, ["compress", "decide"]]
      ] as const) {
        const model = answering()
        const counted = Effect.provideService(Session.Tokenizer, { count: () => tokens })
        // ten messages besides the system's word
        yield* run(Pipeline.compact(go(), { keep: 1 }), yield* turns(5), model).pipe(counted)
        assert.deepStrictEqual<ReadonlyArray<string>>(asked(model), kinds)
      }
    })
  )

  it.effect("does not summarise again before the threshold is reached again", () =>
    Effect.gen(function* () {
      const steps = Array.from({ length: 16 }, (_, i) => Primitive.decide(`go ${i}`, { question: "Go on?" }))
      const byTurns = answering()
      const done = yield* run(
        Pipeline.compact(Pipeline.sequence("all", steps), { turns: 6, keep: 2 }),
        yield* Thought.make("test", { message: "Hello" }),
        byTurns
      )
      // at six turns, three of them the summary and what is kept: then every third step
      assert.strictEqual(asked(byTurns).filter((kind) => kind === "compress").length, 4)
      assert.strictEqual(done.note("conversation_summary")?.content, "summary 4")
      assert.strictEqual(Session.entries(done.session).filter(({ kind }) => kind === "summary").length, 1)
      assert.deepStrictEqual(Thought.unpublished(done), [])

      // the kept turns alone are nearly as long as is allowed
      const byTokens = answering()
      const long = Effect.provideService(Session.Tokenizer, { count: () => 10 })
      yield* run(
        Pipeline.compact(Pipeline.sequence("all", steps), { tokens: 100, keep: 5 }),
        yield* Thought.make("test", { message: "Hello" }),
        byTokens
      ).pipe(long)
      assert.strictEqual(asked(byTokens).filter((kind) => kind === "compress").length, 4)
    })
  )

  it.effect("can be turned off for a step, by the step or around it", () =>
    Effect.gen(function* () {
      for (const step of [go({ compact: false }), Pipeline.compact(go(), false)]) {
        const model = answering()
        const done = yield* run(Pipeline.compact(step, { turns: 3 }), yield* turns(5), model)
        assert.deepStrictEqual(asked(model), ["decide"])
        assert.strictEqual(done.session.length, 13)
      }
    })
  )

  it.effect("is off by default, and the innermost option wins", () =>
    Effect.gen(function* () {
      const off = answering()
      yield* run(go(), yield* turns(40), off)
      assert.deepStrictEqual(asked(off), ["decide"])
      const inner = answering()
      const step = Pipeline.compact(Pipeline.compact(go(), { summaryKey: "inner", turns: 3 }), { turns: 30 })
      assert.strictEqual((yield* run(step, yield* turns(5), inner)).note("inner")?.content, "summary 1")
    })
  )

  it.effect("does not affect a run on another thought inside a step", () =>
    Effect.gen(function* () {
      const model = answering()
      const other = yield* turns(30)
      const apart = Step.make("apart", { run: () => Effect.orDie(run(go(), other, model)) })
      yield* run(Pipeline.compact(apart, { turns: 2 }), yield* turns(1), model)
      assert.deepStrictEqual(asked(model), ["decide"])
    })
  )

  it.effect("judges the whole conversation, whatever the view", () =>
    Effect.gen(function* () {
      const model = answering()
      yield* run(Pipeline.compact(go({ view: { recent: 1 } }), { turns: 4 }), yield* turns(5), model)
      assert.deepStrictEqual(asked(model), ["compress", "decide"])
    })
  )

  it.effect("comes before native answers too", () =>
    Effect.gen(function* () {
      const model = answering({ decide: () => [{ _tag: "Predicate", name: "decision", probability: 0.75 }] })
      yield* run(Pipeline.compact(go(), { turns: 4, keep: 1 }), yield* turns(5), model)
      assert.deepStrictEqual(asked(model), ["compress"])
      assert.strictEqual(model.decisions[0]!.messages.length, 1 + 1 + 1 + 2 + 1)
    })
  )

  it.effect("sends the prompt and the sampling of its options", () =>
    Effect.gen(function* () {
      const own = Testing.scripted(["short"], { name: "own" })
      const model = answering()
      const options = { turns: 4, keep: 0, prompt: "In a word.", provider: own.provider, sampling: { maxTokens: 9 } }
      const done = yield* run(Pipeline.compact(go(), options), yield* turns(5), model)
      assert.deepStrictEqual(asked(model), ["decide"])
      assert.strictEqual(own.requests[0]!.task.instruction, "In a word.")
      assert.strictEqual(own.requests[0]!.sampling.maxTokens, 9)
      assert.strictEqual(done.note("conversation_summary")!.metadata["provider"], "own")
      assert.strictEqual(done.note("conversation_summary")!.step, "go")
    })
  )

  it.effect("fails the step if summarising fails, or continues with the long conversation", () =>
    Effect.gen(function* () {
      const failing = () => Testing.scripted(({ task }) => (task.kind === "compress" ? providerError() : answer))
      const before = yield* turns(5)
      const error = yield* Pipeline.run(Pipeline.compact(go(), { turns: 4 }), before).pipe(
        Effect.flip,
        Effect.provide(Layer.merge(failing().layer, Testing.memory))
      )
      assert.strictEqual(error.cause._tag, "ProviderError")
      assert.deepStrictEqual(Session.entries(error.thought!.session), Session.entries(before.session))
      const model = failing()
      const done = yield* run(Pipeline.compact(go(), { turns: 4, onFailure: "skip" }), before, model)
      assert.deepStrictEqual(asked(model), ["compress", "decide"])
      assert.strictEqual(done.session.length, 13)
      assert.isUndefined(done.note("conversation_summary"))
    })
  )

  it.effect("stores the compacted conversation before the step continues: nothing is summarised twice", () =>
    Effect.gen(function* () {
      const model = Testing.scripted(({ task }) => (task.kind === "compress" ? "summary" : providerError()))
      const step = Pipeline.compact(go(), { turns: 4, keep: 1 })
      const start = yield* turns(5)
      const error = yield* Effect.flip(Pipeline.run(step, start).pipe(Effect.provide(model.layer)))
      const loaded = yield* Memory.load(start.id)
      assert.deepStrictEqual(keys(Thought.notes(loaded)).at(-1), "conversation_summary")
      assert.deepStrictEqual(Session.entries(loaded.session), Session.entries(error.thought!.session))
      const again = answering()
      yield* Pipeline.run(step, loaded).pipe(Effect.provide(again.layer))
      assert.deepStrictEqual(asked(again), ["decide"])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("replaces only summaries, and refuses other notes before any request", () =>
    Effect.gen(function* () {
      const model = answering()
      const taken = yield* Thought.append(yield* turns(5), "conversation_summary", "The caller's own.")
      const defect = yield* run(Pipeline.compact(go(), { turns: 4 }), taken, model).pipe(
        Effect.catchDefect((error) => Effect.succeed(String(error)))
      )
      assert.include(defect, 'under "conversation_summary", which is already in use')
      assert.deepStrictEqual(asked(model), [])
    })
  )

  it.effect("does nothing inside a connector in a branch, whose conversation is discarded", () =>
    Effect.gen(function* () {
      const many = (branch: string) =>
        Pipeline.sequence(
          branch,
          [0, 1, 2, 3].map((i) => Primitive.decide(`${branch}${i}`, { question: "Go on?" }))
        )
      for (const branch of [many("b"), many("b").pipe(Step.retry()), many("b").pipe(Step.timeout("1 minute"))]) {
        const model = answering()
        const both = Pipeline.concurrent("both", [many("a"), branch], { concurrency: 1 })
        yield* run(Pipeline.compact(both as Step.Step<{}, {}, any, any>, { turns: 2 }), yield* turns(0), model)
        assert.deepStrictEqual(new Set(asked(model)), new Set(["decide"]))
      }
    })
  )

  it.effect("compacts once before branches, and never in them", () =>
    Effect.gen(function* () {
      const model = Testing.scripted(({ task }) =>
        task.kind === "compress" ? "short" : task.kind === "converge" ? "Both." : answer
      )
      const view = (key: string) => Primitive.decide(key, { question: "Go on?" })
      const branches = [view("a"), Pipeline.compact(view("b"), { turns: 2, keep: 0, summaryKey: "inner" })] as const
      const both = Primitive.converge("both", { branches, prompt: "Which?" })
      const done = yield* run(Pipeline.compact(both, { turns: 4, keep: 1 }), yield* turns(5), model)
      assert.deepStrictEqual(asked(model), ["compress", "decide", "decide", "converge"])
      assert.deepStrictEqual(keys(Thought.notes(done)).slice(-4), ["conversation_summary", "a", "b", "both"])
      const told = model.requests.at(-1)!.task.context.map(({ key }) => key)
      assert.deepStrictEqual(told, ["a", "b"])
      // the system's word, the summary and the turn that was kept
      assert.strictEqual(done.session.length, 4)
    })
  )

  it("keeps five turns, or as many as leave room for a summary, and applies its other options", () => {
    const kept = (turns?: number) =>
      Pipeline.compact(go(), turns === undefined ? {} : { turns }).node.settings?.["compact.keep"]
    assert.deepStrictEqual([kept(), kept(100), kept(7), kept(6), kept(3), kept(2)], [5, 5, 5, 4, 1, 0])
    const told = go({ repairs: 0 })
    assert.deepStrictEqual(Pipeline.compact(told).node.settings, {
      repairs: 0,
      "compact.turns": 20,
      "compact.tokens": 20_000,
      "compact.keep": 5,
      "compact.summaryKey": "conversation_summary"
    })
    assert.deepStrictEqual(Pipeline.compact(told, false).node.settings, { repairs: 0, compact: false })
    const skips = (onFailure: "fail" | "skip") => Pipeline.compact(told, { onFailure }).node.settings ?? {}
    assert.strictEqual(skips("skip")["compact.onFailure"], "skip")
    assert.notProperty(skips("fail"), "compact.onFailure")
    const twice = Pipeline.compact(Pipeline.compact(told, { summaryKey: "one" }), { summaryKey: "two" })
    assert.deepStrictEqual(twice.node.updates, ["one", "two"])
    assert.deepStrictEqual(twice.node.writes, ["go", "one", "two"])
  })

  it("adds its note and its options to the outline of the step, which otherwise stays the same", () => {
    const { node } = Pipeline.compact(go(), { turns: 8, summaryKey: "so_far" })
    assert.deepStrictEqual(node, {
      ...go().node,
      writes: ["go", "so_far"],
      updates: ["so_far"],
      settings: { "compact.turns": 8, "compact.tokens": 20_000, "compact.keep": 5, "compact.summaryKey": "so_far" }
    })
    assert.deepStrictEqual(Pipeline.compact(go(), false).node, { ...go().node, settings: { compact: false } })
  })

  it("may have the same key for two steps in a row, and for a step and one around it", () => {
    const two = Pipeline.sequence("two", [
      Pipeline.compact(go()),
      Pipeline.compact(Primitive.decide("on", { question: "On?" }))
    ])
    const { node } = Pipeline.compact(two)
    assert.deepStrictEqual(
      [node.writes, node.surely],
      [
        ["go", "conversation_summary", "on"],
        ["go", "on"]
      ]
    )
    assert.deepStrictEqual(node.updates, ["conversation_summary"])
  })

  it("refuses invalid counts, counts that would never stop compacting, and a key of the step's own notes", () => {
    const refused = (options: Exclude<Parameters<typeof Pipeline.compact>[1], false | undefined>, message: string) =>
      assert.throws(() => Pipeline.compact(go(), options), message)
    refused({ turns: 0 }, 'The step "go" needs a whole number from 2 as turns, not 0.')
    refused({ tokens: 0.5 }, 'The step "go" needs a whole number from 1 as tokens, not 0.5.')
    refused({ keep: -1 }, 'The step "go" needs a whole number from 0 as keep, not -1.')
    refused(
      { turns: 6, keep: 5 },
      'The conversation of "go" cannot be compacted: a summary and 5 turns already reach the limit of 6 turns'
    )
    refused({ turns: 1 }, 'The step "go" needs a whole number from 2 as turns, not 1.')
    refused({ turns: 2, keep: 1 }, "a summary and 1 turn already reach the limit of 2 turns: set keep to at most 0")
    refused({ summaryKey: "go" }, 'The conversation of "go" cannot be compacted: it writes "go" itself')
    assert.throws(
      () => Pipeline.compact(Pipeline.introspect(go()), { summaryKey: "go_summary" }),
      'The conversation of "go" cannot be compacted: it writes "go_summary" itself'
    )
    refused({ summaryKey: "" }, "A note's key must have 1 to 200 characters")
    refused({ prompt: " " }, '"go"')
    refused({ sampling: { temperature: Number.NaN } }, 'The step "go"')
  })
})
