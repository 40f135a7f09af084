import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Memory, Pipeline, Primitive, Provider, Session, type Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { providerError, replies, start, ticket, withModel } from "../pipeline/triage.ts"
import { keptOf, replyOf } from "../kept.ts"

const answer = replies.escalate
const decide = (introspect: boolean | Primitive.Introspection, rest: Primitive.Options = {}) =>
  Primitive.decide("go", { question: "Go on?", introspect, ...rest })

const run = <In, Out, E>(step: Step.Step<In, Out, E, Provider.Provider | Memory.Memory>, model: Testing.Scripted) =>
  Effect.gen(function* () {
    const thought = yield* start
    const done = yield* Pipeline.run(step as Step.Step<{}, Out, E, Provider.Provider | Memory.Memory>, thought)
    return { done, stored: yield* Memory.load(done.id) }
  }).pipe(withModel(model))

const keys = (notes: ReadonlyArray<{ readonly key: string }>) => notes.map(({ key }) => key)

describe("looking back", () => {
  it.effect("is a second call on the same conversation, in its own phase", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([answer, "It is urgent."])
      const { done } = yield* run(decide(true), model)
      const [first, second, ...more] = model.requests
      assert.deepStrictEqual(more, [])
      assert.strictEqual(second?.phase, "introspect")
      assert.strictEqual(second?.task.kind, "introspect")
      assert.isUndefined(second?.task.output)
      assert.deepStrictEqual(first?.sampling, { temperature: 0 })
      assert.deepStrictEqual(second?.sampling, { temperature: 0.7 })
      assert.deepStrictEqual(second!.messages.slice(0, 2), keptOf(first!.messages))
      // the assistant says what was kept: the validated answer
      assert.deepStrictEqual(second!.messages[2], { role: "assistant", text: replyOf(done.note("go")) })
      const asked = second!.messages[3]!.text
      assert.isTrue(asked.startsWith("Look back on your last answer."))
      // reasons may quote the notes: they are in the conversation already and stand nowhere without a fence
      assert.notInclude(asked, "She was charged twice.")
    })
  )

  it.effect("writes what the model says as a separate note", () =>
    Effect.gen(function* () {
      const { done, stored } = yield* run(decide(true), Testing.scripted([answer, "  It is urgent.\n"]))
      const note = stored.note("go_summary")
      assert.strictEqual(note?.content, "It is urgent.")
      assert.strictEqual(note?.source, "decide-introspection")
      assert.strictEqual(note?.step, "go")
      assert.strictEqual(note?.trust, "untrusted")
      assert.deepStrictEqual(note?.metadata, {
        provider: "scripted",
        model: "script",
        via: "text",
        temperature: "0.7"
      })
      assert.deepStrictEqual(Thought.unpublished(done), [])
      assert.deepStrictEqual(
        Session.entries(done.session).map(({ role }) => role),
        ["user", "assistant", "user", "assistant"]
      )
    })
  )

  it.effect("is the last call of the conversation: its tokens are the session's", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([])
      const reply = (text: string, inputTokens: number) => ({ text, usage: { inputTokens } })
      const provider = Provider.make({
        name: "counting",
        model: "one",
        complete: ({ phase }) =>
          Effect.succeed(phase === "reason" ? reply(JSON.stringify(answer), 10) : reply("Well.", 25))
      })
      const { done } = yield* run(decide(true, { provider }), model)
      assert.deepStrictEqual(done.session.usage, { inputTokens: 25 })
    })
  )

  it.effect("is off by default", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([answer, answer])
      const { done } = yield* run(decide(false), model)
      assert.strictEqual(model.requests.length, 1)
      assert.isUndefined(done.note("go_summary"))
      const plain = yield* run(Primitive.decide("go", { question: "Go on?" }), model)
      assert.isUndefined(plain.done.note("go_summary"))
    })
  )

  it.effect("takes a key, a prompt and sampling of its own", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([answer, "Because."])
      const step = decide({ summaryKey: "why", prompt: "Why?", sampling: { temperature: 0.2, maxTokens: 50 } })
      const { done } = yield* run(step, model)
      assert.strictEqual(done.note("why")?.content, "Because.")
      assert.isUndefined(done.note("go_summary"))
      assert.deepStrictEqual(model.requests[1]?.sampling, { temperature: 0.2, maxTokens: 50 })
      assert.strictEqual(done.note("why")?.metadata["temperature"], "0.2")
      assert.strictEqual(model.requests[1]?.task.instruction, "Why?")
      assert.deepStrictEqual(step.node.writes, ["go", "why"])
    })
  )

  const kinds: ReadonlyArray<readonly [string, Step.Any, object]> = [
    ["decide", Primitive.decide("it", { question: "?", introspect: true }), answer],
    [
      "categorize",
      Primitive.categorize("it", { question: "?", categories: ["billing", "account"], introspect: true }),
      replies.category
    ],
    ["assess", Primitive.assess("it", { question: "?", introspect: true }), replies.mood],
    ["analyze", Primitive.analyze("it", { schema: ticket.schema, prompt: "Extract", introspect: true }), replies.ticket]
  ]
  it.effect.each(kinds)("looks back on the answer as it was written: %s", ([kind, step, reply]) =>
    Effect.gen(function* () {
      const model = Testing.scripted([reply, "Well."])
      const { done } = yield* run(step, model)
      assert.deepStrictEqual(model.requests[1]?.messages.at(-2), {
        role: "assistant",
        text: replyOf(done.note("it"))
      })
      assert.strictEqual(done.note("it_summary")?.source, `${kind}-introspection`)
    })
  )

  it.effect("after a native answer shows the unpublished notes, including the step's own", () =>
    Effect.gen(function* () {
      const model = Testing.scripted(["It is likely."], {
        decide: () => [{ _tag: "Predicate", name: "decision", probability: 0.9 }]
      })
      const { done } = yield* run(decide(true), model)
      const [request, ...more] = model.requests
      assert.deepStrictEqual(more, [])
      assert.deepStrictEqual(
        request!.task.context.map(({ fresh, key }) => [key, fresh]),
        [
          ["message", true],
          ["go", true]
        ]
      )
      assert.include(request!.messages.at(-1)!.text, 'key="go" source="decide"')
      assert.strictEqual(done.note("go")?.metadata["via"], "native")
      assert.strictEqual(done.session.length, 2)
      assert.deepStrictEqual(Thought.unpublished(done), [])
      assert.deepStrictEqual(Session.entries(done.session)[0]?.carries, [done.note("message")!.id, done.note("go")!.id])
    })
  )
})

describe("looking back that fails", () => {
  const failures: ReadonlyArray<readonly [string, Testing.Reply]> = [
    ["with a failed call", providerError()],
    ["with an empty reply", "  \n"]
  ]
  it.effect.each(failures)("%s fails the step, which leaves nothing", ([, reply]) =>
    Effect.gen(function* () {
      const model = Testing.scripted([answer, reply])
      yield* Effect.gen(function* () {
        const thought = yield* start
        const error = yield* Effect.flip(Pipeline.run(decide(true), thought))
        assert.strictEqual(error.cause._tag, "ProviderError")
        assert.deepStrictEqual(error.path, ["go"])
        const stored = yield* Memory.load(thought.id)
        assert.deepStrictEqual(keys(Thought.notes(stored)), ["message"])
        assert.strictEqual(stored.session.length, 0)
      }).pipe(withModel(model))
    })
  )

  it.effect.each(failures)("%s is skipped on request, and the answer stays", ([, reply]) =>
    Effect.gen(function* () {
      const { done, stored } = yield* run(decide({ onFailure: "skip" }), Testing.scripted([answer, reply]))
      assert.deepStrictEqual(keys(Thought.notes(stored)), ["message", "go"])
      assert.strictEqual(stored.session.length, 2)
      assert.isTrue(done.get("go").decision)
      assert.deepStrictEqual(Thought.unpublished(done), [])
    })
  )

  it.effect("is not tried when the answer itself failed", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([providerError(), "Well."])
      yield* Effect.flip(run(decide({ onFailure: "skip" }), model))
      assert.strictEqual(model.requests.length, 1)
    })
  )

  const costs: ReadonlyArray<readonly [string, Testing.Reply, Provider.Usage]> = [
    ["with a failed call", providerError("Overloaded", { inputTokens: 1 }), { inputTokens: 11 }],
    ["with an empty reply", "", { inputTokens: 20 }]
  ]
  it.effect.each(costs)("%s reports the tokens of the answer before it too", ([, reply, usage]) =>
    Effect.gen(function* () {
      const model = Testing.scripted([answer, reply], { usage: { inputTokens: 10 } })
      const { cause } = yield* Pipeline.run(decide(true), yield* start).pipe(Effect.flip, withModel(model))
      if (cause._tag !== "ProviderError") throw cause
      assert.deepStrictEqual(cause.usage, usage)
    })
  )
})

describe("the keys of summaries", () => {
  it("may not be the step's own key, nor be empty", () => {
    assert.throws(() => decide({ summaryKey: "go" }), /"go" needs another key for its summary/)
    assert.throws(() => decide({ summaryKey: " " }), /1 to 200 characters/)
  })

  it("may not be written twice in a sequence", () => {
    const other = Primitive.decide("go_summary", { question: "?" })
    assert.throws(
      () => Pipeline.sequence("both", [decide(true), other]),
      /The sequence "both" has two steps that write "go_summary"/
    )
    const same = Primitive.decide("stop", { question: "?", introspect: { summaryKey: "go_summary" } })
    assert.throws(() => Pipeline.sequence("both", [decide(true), same]), /two steps that write "go_summary"/)
    assert.throws(
      () => Pipeline.sequence("outer", [Pipeline.sequence("inner", [decide(true)]), other]),
      /two steps that write "go_summary"/
    )
  })

  it("are in the outline of what the step writes", () => {
    assert.deepStrictEqual(decide(true).node.writes, ["go", "go_summary"])
    assert.deepStrictEqual(decide(false).node.writes, ["go"])
  })
})
