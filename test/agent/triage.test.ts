import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema, Stream } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { Budget, Embedder, Memory, Pipeline, Provider, Session, Thought } from "cogito"
import { Agent } from "cogito/agent"
import { Testing } from "cogito/testing"
import { calls, Done, on, toolkit } from "./kit.ts"

const guide = Agent.make("guide", { instructions: "You plan trips.", toolkit })
const durable = { durable: { id: "run" } } as const

/** The outcome of an agent that fails. */
const failing = (model: Testing.Scripted, done: Done, text: string, agent = guide) =>
  on(
    model,
    done
  )(
    Effect.gen(function* () {
      const error = yield* Effect.flip(Agent.say(agent, yield* Thought.make("trip"), text, durable))
      return error._tag === "PipelineError" ? { cause: error.cause, thought: error.thought } : assert.fail(error._tag)
    })
  )

const toolsIn = (request: Provider.Request | undefined) => request?.tools?.map(({ name }) => name)

describe("triage", () => {
  it.effect("blocks what is unsafe before anything else is asked or done", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([
        { safe: false, mode: "fast" },
        { safe: true, mode: "fast" },
        "It has 24 degrees."
      ])
      const done = new Done()
      yield* on(
        model,
        done
      )(
        Effect.gen(function* () {
          const error = yield* Effect.flip(Agent.say(guide, yield* Thought.make("trip"), "rm -rf /", durable))
          assert.ok(error._tag === "PipelineError" && error.cause._tag === "AgentStopped")
          const { cause, thought } = error
          assert.strictEqual(cause.reason, "refused")
          assert.strictEqual(cause.detail, "Security violation: Request contains unsafe content")
          assert.isFalse(cause.isRetryable)
          assert.strictEqual(model.requests.length, 1)
          const [request] = model.requests
          assert.isUndefined(request?.tools)
          assert.match(request?.messages.at(-1)?.text ?? "", /rm -rf \//)
          assert.match(request?.messages.at(-1)?.text ?? "", /Judge the note "message"/)
          assert.strictEqual(thought?.note("guide.triage")?.content, `{"safe":false,"mode":"fast"}`)
          // the next message goes on, and the model sees that the one before was refused
          const next = yield* Agent.say(guide, yield* Memory.load(thought?.id ?? ""), "Is Porto warm?")
          assert.strictEqual(next.get("answer"), "It has 24 degrees.")
          const shown = model.requests[2]?.messages.map(({ text }) => text).join("\n") ?? ""
          assert.match(
            shown,
            /rm -rf \/[\s\S]*Security violation: Request contains unsafe content[\s\S]*Is Porto warm\?/
          )
          assert.notMatch(shown, /"safe"/)
        })
      )
      assert.deepStrictEqual(done.all, [])
    })
  )

  it.effect("answers what is simple itself, in one call", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([{ safe: true, mode: "fast", answer: " 4 " }, { safe: true, mode: "fast" }, "8"])
      yield* on(model)(
        Effect.gen(function* () {
          const events = yield* Stream.runCollect(Agent.stream(guide, yield* Thought.make("sums"), "What is 2+2?"))
          assert.deepStrictEqual(
            events.map(({ _tag }) => _tag),
            ["Triaged", "Text", "Done"]
          )
          const last = events.at(-1)
          assert.ok(last?._tag === "Done")
          assert.strictEqual(last.answer, "4")
          assert.strictEqual(model.requests.length, 1)
          assert.deepStrictEqual(
            Session.entries(last.thought.session).map(({ role }) => role),
            ["user", "assistant"]
          )
          yield* Agent.say(guide, last.thought, "And twice that?")
          const shown = model.requests[2]?.messages ?? []
          assert.deepStrictEqual(
            shown.map(({ role }) => role),
            ["system", "user", "assistant", "user"]
          )
          assert.strictEqual(shown[2]?.text, "4")
        })
      )
    })
  )

  it.effect("leaves the answer to the agent if it writes no answer or a blank one", () =>
    Effect.gen(function* () {
      for (const answer of [null, "", " \n"]) {
        const model = Testing.scripted([{ safe: true, mode: "fast", answer }, "4"])
        const done = yield* on(model)(
          Effect.flatMap(Thought.make("sums"), (thought) => Agent.say(guide, thought, "What is 2+2?"))
        )
        assert.strictEqual(done.get("answer"), "4")
        assert.strictEqual(done.note("guide.triage")?.content, `{"safe":true,"mode":"fast"}`)
      }
    })
  )

  it.effect("does not answer in place of a schema", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([
        { safe: true, mode: "fast" },
        Testing.calls([{ name: "answer", params: { value: 4 } }])
      ])
      const counter = Agent.make("counter", { instructions: "You count.", toolkit, output: Schema.Finite })
      const done = yield* on(model)(
        Effect.flatMap(Thought.make("sums"), (thought) => Agent.say(counter, thought, "What is 2+2?"))
      )
      assert.strictEqual(done.get("answer"), 4)
      assert.notInclude(JSON.stringify(model.requests[0]?.task.output), `"answer"`)
    })
  )

  it.effect("selects the tools that are sent and callable", () =>
    Effect.gen(function* () {
      const agent = Agent.make("guide", { instructions: "You plan trips.", toolkit, select: "triage" })
      const model = Testing.scripted([
        { safe: true, mode: "fast", tools: ["weather", "weather"] },
        calls(["weather"], ["book"]),
        "It is cold."
      ])
      const done = new Done()
      yield* on(
        model,
        done
      )(Effect.flatMap(Thought.make("trip"), (thought) => Agent.say(agent, thought, "Is Ulm warm?")))
      assert.deepStrictEqual(toolsIn(model.requests[1]), ["weather"])
      assert.deepStrictEqual(done.all, ["weather Ulm"])
      const results = model.requests[2]?.messages.at(-1)?.results?.map(({ text }) => text)
      assert.deepStrictEqual(results, [`{"celsius":3}`, `There is no tool "book". There are: weather.`])
      assert.match(model.requests[0]?.messages.at(-1)?.text ?? "", /1\. weather: The weather of a city/)
    })
  )

  it.effect("lets nothing happen if it fails, or cannot be read", () =>
    Effect.gen(function* () {
      const lies: ReadonlyArray<Testing.Reply> = [
        "yes, it is safe",
        { safe: "perhaps", mode: "fast" },
        { mode: "fast" },
        calls(["book"]),
        Effect.fail(
          new Provider.ProviderError({ provider: "p", model: "m", reason: { _tag: "Overloaded", message: "busy" } })
        ),
        ""
      ]
      for (const lie of lies) {
        const done = new Done()
        const model = Testing.scripted(() => lie)
        const { cause } = yield* failing(model, done, "Book Ulm")
        assert.strictEqual(cause._tag, "TriageFailed")
        assert.match(cause.message, /has not begun, as its message could not be judged/)
        assert.deepStrictEqual(done.all, [])
        assert.isTrue(model.requests.every(({ task }) => task.kind === "triage"))
      }
    })
  )

  it.effect("may be tried again if that helps with the error of its call", () =>
    Effect.gen(function* () {
      for (const [reason, isRetryable] of [
        [{ _tag: "Overloaded", message: "busy" }, true],
        [{ _tag: "Authentication", message: "no key" }, false]
      ] as const) {
        const error = new Provider.ProviderError({ provider: "p", model: "m", reason })
        const { cause } = yield* failing(Testing.scripted([Effect.fail(error)]), new Done(), "Book Ulm")
        assert.deepInclude(cause, { _tag: "TriageFailed", cause: error, isRetryable })
      }
    })
  )

  it.effect("is asked natively of a provider that decides", () =>
    Effect.gen(function* () {
      const agent = Agent.make("guide", { instructions: "You plan trips.", toolkit, select: "triage" })
      const model = Testing.scripted([calls(["weather"]), "It is cold."], {
        decide: ({ task: { questions } }) =>
          questions.map((question) =>
            question._tag === "Predicate"
              ? { _tag: "Predicate", name: question.name, probability: /safe|weather/.test(question.name) ? 0.5 : 0.49 }
              : { _tag: "Choice", name: question.name, label: "deep", distribution: { deep: 0.7, fast: 0.3 } }
          )
      })
      yield* on(model)(Effect.flatMap(Thought.make("trip"), (thought) => Agent.say(agent, thought, "Is Ulm warm?")))
      assert.strictEqual(model.decisions.length, 1)
      assert.deepStrictEqual(toolsIn(model.requests[0]), ["weather"])
      assert.strictEqual(model.requests[0]?.wish?.effort, "high")
    })
  )

  it.effect("puts further rules into the question whether the message is safe", () =>
    Effect.gen(function* () {
      const agent = Agent.make("guide", { instructions: "You plan.", toolkit, triage: { rules: "trips to Mars" } })
      const model = Testing.scripted(["No."], {
        decide: ({ task: { questions } }) =>
          questions.map((question) =>
            question._tag === "Predicate"
              ? { _tag: "Predicate", name: question.name, probability: /Mars/.test(question.question) ? 0.1 : 0.9 }
              : { _tag: "Choice", name: question.name, label: "fast", distribution: { deep: 0.3, fast: 0.7 } }
          )
      })
      const { cause } = yield* failing(model, new Done(), "Fly me to Mars", agent)
      assert.deepInclude(cause, { _tag: "AgentStopped", reason: "refused" })
      assert.strictEqual(model.requests.length, 0)
    })
  )

  it.effect("follows further rules, with a provider of its own, and is not repeated by a resumed run", () =>
    Effect.gen(function* () {
      const judge = Testing.scripted([{ safe: true, mode: "fast" }], { name: "judge", model: "small" })
      const agent = Agent.make("guide", {
        instructions: "You plan trips.",
        toolkit,
        triage: { provider: judge.provider, rules: "trips to Mars" }
      })
      const model = Testing.scripted([calls(["book"]), "Booked."])
      const done = new Done()
      yield* on(
        model,
        done
      )(
        Effect.gen(function* () {
          yield* Effect.flip(Agent.say(agent, yield* Thought.make("trip"), "Book Ulm", durable))
          const [pending] = yield* Agent.waiting()
          yield* Agent.approve("run", pending?.callId ?? "", "yes")
          const done = yield* Pipeline.resume(agent, "run")
          assert.deepInclude(done.note("guide.triage")?.metadata, { provider: "judge", model: "small" })
          assert.strictEqual(done.note("answer")?.metadata["provider"], model.provider.name)
        })
      )
      assert.strictEqual(judge.requests.length, 1)
      assert.match(judge.requests[0]?.messages.at(-1)?.text ?? "", /Also unsafe: trips to Mars/)
      assert.strictEqual(model.requests.length, 2)
      assert.deepStrictEqual(done.all, ["book Ulm"])
    })
  )

  it("throws if tools are selected by a triage that is turned off", () => {
    assert.throws(
      () => Agent.make("guide", { instructions: "Go.", toolkit, triage: false, select: "triage" }),
      /selects its tools by triage, which is turned off/
    )
  })
})

describe("tools by similarity", () => {
  const names = ["north", "south", "east", "west", "up", "down"]
  const kit = Toolkit.make(
    ...names.map((name) => Tool.dynamic(name, { description: `goes ${name}`, parameters: Schema.Struct({}) }))
  )
  const tools = kit.toLayer(Object.fromEntries(names.map((name) => [name, () => Effect.succeed("gone")])))
  const walker = Agent.make("walker", {
    instructions: "You walk.",
    toolkit: kit,
    triage: false,
    select: "similar",
    limits: { tools: 2 }
  })
  const axis = (text: string) =>
    Float32Array.from(names.map((name) => (text.includes(name) ? 1 : 0.01))).map((x, _, all) => x / Math.hypot(...all))
  const embedder = (isDown: boolean) =>
    Layer.succeed(Embedder.Embedder, {
      id: "axes@1",
      dimensions: names.length,
      maxTokens: 100,
      metric: "cosine",
      embedMany: (texts) =>
        isDown
          ? Effect.fail(new Embedder.EmbedderError({ embedder: "axes@1", message: "down", retryable: true }))
          : Effect.succeed(texts.map(axis))
    })
  const sent = (isDown: boolean) =>
    Effect.gen(function* () {
      const model = Testing.scripted(["Gone."])
      yield* on(model)(
        Effect.flatMap(Thought.make("walk"), (thought) => Agent.say(walker, thought, "First up, then west")).pipe(
          Effect.provide(Layer.merge(embedder(isDown), tools))
        )
      )
      return toolsIn(model.requests[0])
    })

  it.effect("are those whose description is nearest to the message", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* sent(false), ["west", "up"])
    })
  )
  it.effect("are found with the embedding that the embedder has for queries", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const opposite = Layer.effect(
        Embedder.Embedder,
        Effect.map(Embedder.Embedder, (one) => ({
          ...one,
          embedQuery: (text: string) => Effect.sync(() => (asked.push(text), axis("north, east")))
        }))
      ).pipe(Layer.provide(embedder(false)))
      const model = Testing.scripted(["Gone."])
      yield* on(model)(
        Effect.flatMap(Thought.make("walk"), (thought) => Agent.say(walker, thought, "First up, then west")).pipe(
          Effect.provide(Layer.merge(opposite, tools))
        )
      )
      assert.deepStrictEqual([asked, toolsIn(model.requests[0])], [["First up, then west"], ["north", "east"]])
    })
  )
  it.effect("are all if the embedder fails", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* sent(true), names)
    })
  )
  it.effect("are all without an embedder, if they are no more than the limit, or if all are wanted", () =>
    Effect.gen(function* () {
      const asked = Layer.succeed(Embedder.Embedder, {
        id: "never@1",
        dimensions: names.length,
        maxTokens: 100,
        metric: "cosine",
        embedMany: () => Effect.die("it is asked")
      })
      const options = { instructions: "You walk.", toolkit: kit, triage: false } as const
      const few = Agent.make("walker", { ...options, select: "similar", limits: { tools: names.length } })
      const all = Agent.make("walker", { ...options, limits: { tools: 2 } })
      for (const [agent, services] of [
        [walker, tools],
        [few, Layer.merge(asked, tools)],
        [all, Layer.merge(asked, tools)]
      ] as const) {
        const model = Testing.scripted(["Gone."])
        const said = Effect.flatMap(Thought.make("walk"), (thought) => Agent.say(agent, thought, "First up, then west"))
        // whoever has no types may lack the embedder
        yield* on(model)(Effect.provide(said, services as Layer.Layer<Layer.Success<typeof tools> | Embedder.Embedder>))
        assert.deepStrictEqual(toolsIn(model.requests[0]), names)
      }
    })
  )
})

describe("the rounds of an agent", () => {
  const efforts = (model: Testing.Scripted) =>
    model.requests.filter(({ task }) => task.kind === "agent").map(({ wish }) => wish?.effort)

  it.effect("think as much as the task takes", () =>
    Effect.gen(function* () {
      const run = (effort: Agent.Effort, mode: "fast" | "deep", script: ReadonlyArray<Testing.Reply>) =>
        Effect.gen(function* () {
          const agent = Agent.make("guide", { instructions: "You plan trips.", toolkit, effort })
          const model = Testing.scripted([{ safe: true, mode }, ...script])
          yield* on(model)(Effect.flatMap(Thought.make("trip"), (thought) => Agent.say(agent, thought, "Ulm?")))
          return efforts(model)
        })
      const four = [calls(["weather", "A"]), calls(["weather", "B"]), calls(["weather", "C"]), "Well."]
      assert.deepStrictEqual(yield* run("adapt", "fast", four), ["low", "low", "low", "high"])
      assert.deepStrictEqual(yield* run("adapt", "fast", [calls(["lost"]), calls(["weather"]), "Well."]), [
        "low",
        "high",
        "low"
      ])
      assert.deepStrictEqual(yield* run("adapt", "deep", four), ["high", "high", "high", "high"])
      assert.deepStrictEqual(yield* run("fast", "deep", four), ["low", "low", "low", "low"])
      assert.deepStrictEqual(yield* run("deep", "fast", ["Well."]), ["high"])
    })
  )

  it.effect("are set by prepare: who is asked, with which tools, and how", () =>
    Effect.gen(function* () {
      const large = Testing.scripted(["Well."], { name: "large" })
      const agent = Agent.make("guide", {
        instructions: "You plan trips.",
        toolkit,
        triage: false,
        prepare: (round, thought) =>
          round === 1
            ? { tools: ["weather", "page"], toolChoice: "required", sampling: { effort: "none" } }
            : Effect.succeed({
                provider: large.provider,
                sampling: { seed: Thought.history(thought, "guide.weather").length }
              })
      })
      const small = Testing.scripted([calls(["weather"], ["book"])])
      const done = new Done()
      const thought = yield* on(
        small,
        done
      )(Effect.flatMap(Thought.make("trip"), (thought) => Agent.say(agent, thought, "Is Ulm warm?")))
      assert.deepStrictEqual(toolsIn(small.requests[0]), ["weather", "page"])
      assert.strictEqual(small.requests[0]?.toolChoice, "required")
      assert.strictEqual(small.requests[0]?.wish?.effort, "none")
      assert.deepStrictEqual(done.all, ["weather Ulm"])
      assert.deepStrictEqual(toolsIn(large.requests[0]), Object.keys(toolkit.tools))
      assert.strictEqual(large.requests[0]?.sampling.seed, 2)
      assert.strictEqual(thought.note("answer")?.metadata["provider"], "large")
    })
  )

  it.effect("carry no call out where prepare lets the model call none", () =>
    Effect.gen(function* () {
      const agent = Agent.make("guide", {
        instructions: "You plan trips.",
        toolkit,
        triage: false,
        prepare: () => ({ toolChoice: "none" })
      })
      const model = Testing.scripted([calls(["weather"]), "Well."])
      const done = new Done()
      yield* on(model, done)(Effect.flatMap(Thought.make("trip"), (thought) => Agent.say(agent, thought, "Go")))
      assert.deepStrictEqual(done.all, [])
      assert.match(model.requests[1]?.messages.at(-1)?.results?.[0]?.text ?? "", /There are: none/)
    })
  )

  it.effect("die if a tool has no handler, before anything is asked", () =>
    Effect.gen(function* () {
      const model = Testing.scripted(["Well."])
      const agent = Agent.make("guide", { instructions: "You plan trips.", toolkit, triage: false })
      const said = Effect.flatMap(Thought.make("trip"), (thought) => Effect.exit(Agent.say(agent, thought, "Go")))
      // as in a program without types
      const untyped = said as unknown as Effect.Effect<unknown, unknown, Provider.Provider | Memory.Memory>
      const exit = yield* Effect.provide(untyped, Layer.merge(model.layer, Testing.memory))
      assert.match(String(exit), /The agent "guide" has no handler of "weather", "page", .*: provide the layer/)
      assert.strictEqual(model.requests.length, 0)
    })
  )

  it.effect("think and write as prepare says, and else as the agent does", () =>
    Effect.gen(function* () {
      const agent = Agent.make("guide", {
        instructions: "You plan trips.",
        toolkit,
        triage: false,
        effort: "deep",
        sampling: { temperature: 0.1, maxTokens: 100 },
        prepare: (round) => (round === 1 ? { sampling: { temperature: 0.9, effort: "none" } } : {})
      })
      const model = Testing.scripted([calls(["weather"]), "Well."])
      yield* on(model)(Effect.flatMap(Thought.make("trip"), (thought) => Agent.say(agent, thought, "Is Ulm warm?")))
      assert.deepStrictEqual(
        model.requests.map(({ wish }) => wish),
        [
          { temperature: 0.9, maxTokens: 100, effort: "none" },
          { temperature: 0.1, maxTokens: 100, effort: "high" }
        ]
      )
    })
  )

  it.effect("die if prepare names a tool that the agent does not have", () =>
    Effect.gen(function* () {
      const agent = Agent.make("guide", {
        instructions: "You plan trips.",
        toolkit,
        triage: false,
        prepare: () => ({ tools: ["cook" as "weather"] })
      })
      const model = Testing.scripted(["Well."])
      const exit = yield* on(model)(
        Effect.flatMap(Thought.make("trip"), (thought) => Effect.exit(Agent.say(agent, thought, "Go")))
      )
      assert.match(String(exit), /The agent "guide" has no tool "cook", which `prepare` names/)
      assert.strictEqual(model.requests.length, 0)
    })
  )

  it.effect("stop when a budget has no room for another call", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([{ safe: true, mode: "fast" }, calls(["weather"]), "Well."])
      const budget = Budget.make({ name: "small", calls: 2 })
      const error = yield* on(model)(
        Effect.flatMap(Thought.make("trip"), (thought) =>
          Effect.flip(Agent.say(guide, thought, "Is Ulm warm?")).pipe(Provider.withBudget(budget))
        )
      )
      assert.ok(error._tag === "PipelineError" && error.cause._tag === "AgentStopped")
      assert.strictEqual(error.cause.reason, "budget")
      assert.isFalse(error.cause.isRetryable)
      assert.match(error.cause.message, /stopped after 1 round: a budget has no room for another call/)
    })
  )
})
