/** Spans and metrics as they arrive at a collector. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Metric, Redacted, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { TestClock } from "effect/testing"
import { Memory, Pipeline, Primitive, Provider, Step, Thought } from "cogito"
import { Agent } from "cogito/agent"
import { Telemetry } from "cogito/telemetry"
import { Testing } from "cogito/testing"
import { attributesOf, collecting } from "./collector.ts"
import { providerError } from "../pipeline/triage.ts"
import { met } from "../soon.ts"

const yes = { decision: true, confidence: 0.9, reasoning: ["so"] }
/** A dollar for a million tokens. */
const capabilities = { structuredOutput: "json-schema", prices: { input: 1, output: 1, asOf: "2026-11-01" } } as const
const usage = { inputTokens: 210, outputTokens: 24, cachedInputTokens: 100 }

/** Runs a program with telemetry, all of which has arrived when it returns. Each has metrics of its own. */
const exported = <E>(
  program: Effect.Effect<unknown, E, Memory.Memory | Provider.Provider>,
  model: Layer.Layer<Provider.Provider>,
  options: Partial<Telemetry.OtlpOptions> = {}
) =>
  Effect.gen(function* () {
    const collector = yield* collecting
    const telemetry = Telemetry.otlp({
      baseUrl: `${collector.baseUrl}/`,
      serviceName: "support",
      ...options
    } as Telemetry.OtlpOptions)
    const exit = yield* Effect.scoped(
      Effect.gen(function* () {
        const context = yield* Layer.build(
          Layer.fresh(Layer.merge(model, Testing.memory)).pipe(Layer.provideMerge(Layer.fresh(telemetry)))
        )
        return yield* Effect.exit(
          Effect.provide(
            Effect.tap(program, () => Memory.flush),
            context
          )
        )
      })
    ).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
    const spans = collector.spans().map((span) => ({ ...span, of: attributesOf(span.attributes) }))
    const byId = new Map(spans.map((span) => [span.spanId, span]))
    const pathOf = (id: string | undefined): string => {
      const span = id === undefined ? undefined : byId.get(id)
      return span === undefined ? "" : `${pathOf(span.parentSpanId)}/${span.name}`
    }
    return { ...collector, exit, spans, pathOf }
  })

const run = (step: Step.Any) =>
  Effect.flatMap(Thought.make("triage", { message: "Ada here" }), (thought) =>
    Pipeline.run(step as Step.Step<{}, {}>, thought)
  )

describe("telemetry over OTLP", () => {
  it.live("has a span of each step and call, with parents, and metrics with sums", () =>
    Effect.gen(function* () {
      const step = Pipeline.sequence("triage", [
        Primitive.decide("urgent", { question: "Today?", sampling: { temperature: 0.2, maxTokens: 99 } }),
        Primitive.decide("again", { question: "Really?" })
      ])
      const model = Testing.scripted([yes, "no", yes], { usage, capabilities })
      const { exit, metrics, pathOf, paths, points, services, spans } = yield* exported(run(step), model.layer)
      assert.isTrue(Exit.isSuccess(exit))
      assert.sameMembers([...new Set(paths)], ["/v1/traces", "/v1/metrics"])
      assert.sameMembers([...new Set(services())], ["support"])

      const own = spans.filter(({ name }) => !name.startsWith("embeddings"))
      assert.sameMembers(
        own.map(({ spanId }) => pathOf(spanId)),
        [
          "/cogito.sequence",
          "/cogito.sequence/cogito.decide",
          "/cogito.sequence/cogito.decide",
          "/cogito.sequence/cogito.decide/chat script",
          "/cogito.sequence/cogito.decide/chat script",
          "/cogito.sequence/cogito.decide/chat script"
        ]
      )
      assert.strictEqual(new Set(own.map(({ traceId }) => traceId)).size, 1)
      const first = own.find(({ name }) => name === "chat script")
      assert.strictEqual(first?.kind, 3)
      assert.deepInclude(first?.of, {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "scripted",
        "gen_ai.request.model": "script",
        "gen_ai.request.max_tokens": 99,
        "gen_ai.request.temperature": 0.2,
        "gen_ai.response.finish_reasons": ["stop"],
        "gen_ai.output.type": "json",
        "gen_ai.usage.input_tokens": 210,
        "gen_ai.usage.output_tokens": 24,
        "gen_ai.usage.cache_read.input_tokens": 100
      })
      const step1 = own.find(({ name, of }) => name === "cogito.decide" && of["cogito.step"] === "triage/urgent")
      assert.strictEqual(step1?.kind, 1)
      assert.isString(step1?.of["cogito.run"])

      const tokens = points("gen_ai.client.token.usage")
      const sumOf = (type: string) => tokens.find(({ of }) => of["gen_ai.token.type"] === type)
      assert.deepInclude(sumOf("input"), { sum: 630 })
      assert.deepInclude(sumOf("output"), { sum: 72 })
      assert.strictEqual(Number(sumOf("input")?.count), 3)
      assert.deepStrictEqual(sumOf("input")?.explicitBounds?.slice(0, 3), [1, 4, 16])
      assert.strictEqual(sumOf("input")?.explicitBounds?.at(-1), 67_108_864)
      const durations = points("gen_ai.client.operation.duration")
      const chats = durations.find(({ of }) => of["gen_ai.operation.name"] === "chat")
      assert.strictEqual(Number(chats?.count), 3)
      assert.deepStrictEqual(
        chats?.explicitBounds,
        [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
      )
      assert.isDefined(durations.find(({ of }) => of["gen_ai.operation.name"] === "embeddings"))
      assert.strictEqual(metrics().get("gen_ai.client.token.usage")?.unit, "{token}")
      assert.strictEqual(metrics().get("gen_ai.client.operation.duration")?.unit, "s")
      assert.sameDeepMembers(
        points("cogito.step.duration").map(({ count, of }) => [of["cogito.step.kind"], Number(count)]),
        [
          ["decide", 2],
          ["sequence", 1]
        ]
      )
      assert.strictEqual(
        Number(points("cogito.answers.rejected")[0]?.asDouble ?? points("cogito.answers.rejected")[0]?.asInt),
        1
      )
      const [cost] = points("cogito.cost")
      assert.closeTo(cost?.asDouble ?? 0, (3 * 234) / 1e6, 1e-9)
      assert.deepInclude(cost?.of, { "gen_ai.provider.name": "scripted", "gen_ai.request.model": "script" })
      const active = points("cogito.calls.active")[0]
      assert.strictEqual(Number(active?.asDouble ?? active?.asInt), 0)
      assert.isFalse(metrics().get("cogito.calls.active")?.sum?.isMonotonic)
    }).pipe(Effect.scoped)
  )

  it.live("has agents and their tools as spans", () =>
    Effect.gen(function* () {
      const look = Tool.make("look", { parameters: Schema.Struct({ at: Schema.String }), success: Schema.String })
      const toolkit = Toolkit.make(look.annotate(Tool.Readonly, true))
      const agent = Agent.make("helper", { instructions: "Help.", toolkit, triage: false })
      let looks = 0
      const handlers = toolkit.toLayer({
        look: () => (++looks === 1 ? Effect.succeed("a tree") : Effect.die(new TypeError("no")))
      })
      const model = Testing.scripted([
        Testing.calls([{ name: "look", params: { at: "the park" } }]),
        Testing.calls([{ name: "look", params: { at: "the sea" } }]),
        "There is a tree."
      ])
      const program = Effect.flatMap(Thought.make("help"), (thought) =>
        Agent.say(agent, thought, "What is there?")
      ).pipe(Effect.provide(handlers))
      const { exit, pathOf, spans } = yield* exported(program, model.layer)
      assert.isTrue(Exit.isSuccess(exit))
      const own = spans.filter(({ name }) => !name.startsWith("embeddings"))
      assert.sameMembers(
        own.map(({ spanId }) => pathOf(spanId)),
        [
          "/cogito.agent",
          "/cogito.agent/invoke_agent helper",
          ...["chat script", "execute_tool look", "chat script", "execute_tool look", "chat script"].map(
            (name) => `/cogito.agent/invoke_agent helper/${name}`
          )
        ]
      )
      const tools = own.filter(({ name }) => name === "execute_tool look")
      for (const { of } of tools) {
        assert.deepInclude(of, { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "look" })
        assert.notProperty(of, "parameters")
      }
      assert.sameMembers(
        tools.map(({ of }) => of["error.type"]),
        [undefined, "Defect"]
      )
      const calls = own.filter(({ name }) => name === "chat script")
      assert.sameDeepMembers(
        calls.map(({ of }) => of["gen_ai.response.finish_reasons"]),
        [["tool_call"], ["tool_call"], ["stop"]]
      )
      assert.notInclude(JSON.stringify(spans), "the park")
    }).pipe(Effect.scoped)
  )

  it.live("includes redacted parameters and results of tools if contents are enabled", () =>
    Effect.gen(function* () {
      const look = Tool.make("look", { parameters: Schema.Struct({ at: Schema.String }), success: Schema.String })
      const toolkit = Toolkit.make(look.annotate(Tool.Readonly, true))
      const agent = Agent.make("helper", { instructions: "Help.", toolkit, triage: false })
      const model = Testing.scripted([
        Testing.calls([{ name: "look", params: { at: "the park" } }]),
        "There is a tree in the park."
      ])
      const program = Effect.flatMap(Thought.make("help"), (thought) =>
        Agent.say(agent, thought, "What is in the park?")
      ).pipe(Effect.provide(toolkit.toLayer({ look: () => Effect.succeed("a tree in the park") })))
      const redact = (text: string) => text.replaceAll("park", "…")
      const { bodies, spans } = yield* exported(program, model.layer, { content: true, redact })
      const tool = spans.find(({ name }) => name === "execute_tool look")
      assert.include(String(tool?.of["gen_ai.tool.call.arguments"]), "the …")
      assert.include(String(tool?.of["gen_ai.tool.call.result"]), "a tree in the …")
      assert.notInclude(bodies.join("\n"), "park")
      const [, last] = spans.filter(({ name }) => name === "chat script")
      const [, assistant, results] = JSON.parse(String(last?.of["gen_ai.input.messages"]))
      assert.deepStrictEqual([assistant.role, results.role], ["assistant", "tool"])
      const [{ arguments: parameters, id, name }] = assistant.parts
      assert.deepStrictEqual([name, JSON.parse(parameters)], ["look", { at: "the …" }])
      assert.deepStrictEqual(results.parts, [{ type: "tool_call_response", id, response: "a tree in the …" }])
    }).pipe(Effect.scoped)
  )

  it.live("says how calls and steps failed, and counts attempts and cached answers", () =>
    Effect.gen(function* () {
      const step = Pipeline.sequence("all", [
        Primitive.decide("one", { question: "Today?", view: { recent: 0 } }),
        Primitive.decide("broken", { question: "Tomorrow?" })
      ])
      const model = Testing.scripted([
        providerError("Overloaded"),
        yes,
        providerError("Authentication", { inputTokens: 5 })
      ])
      const layer = model.layer.pipe(Provider.retry({ times: 1, base: 1 }))
      const { exit, points, spans } = yield* exported(run(step), layer)
      assert.isTrue(Exit.isFailure(exit))
      const failed = spans.filter(({ status }) => status.code === 2)
      assert.sameMembers(
        failed.map(({ name, of }) => `${name} ${String(of["error.type"])}`),
        ["chat script Authentication", "cogito.decide ProviderError", "cogito.sequence ProviderError"]
      )
      const errors = points("gen_ai.client.operation.duration").map(({ of }) => of["error.type"])
      assert.include(errors, "Authentication")
      const [attempt] = points("cogito.attempts.failed")
      assert.strictEqual(attempt?.of["error.type"], "Overloaded")
      assert.deepInclude(
        points("gen_ai.client.token.usage").find(({ of }) => of["gen_ai.token.type"] === "input"),
        { sum: 5 }
      )
    }).pipe(Effect.scoped)
  )

  it.live("counts a call that failed once, also if a resumed run comes to it again", () =>
    Effect.gen(function* () {
      const step = Step.recover(
        Primitive.decide("one", { question: "Today?" }),
        Pipeline.waitFor("instead", { schema: Schema.String, prompt: "Today?" })
      )
      const model = Testing.scripted([providerError("Authentication", { inputTokens: 5 })])
      const program = Effect.gen(function* () {
        const thought = yield* Thought.make("triage", { message: "Ada here" })
        const { _tag } = yield* Effect.flip(Pipeline.run(step, thought, { durable: { id: "run" } }))
        assert.strictEqual(_tag, "Suspended")
        yield* Pipeline.answer("run", "instead", "No")
        return yield* Pipeline.resume(step, "run")
      })
      const { exit, points } = yield* exported(program, model.layer)
      assert.isTrue(Exit.isSuccess(exit))
      const failed = points("gen_ai.client.operation.duration").filter(
        ({ of }) => of["error.type"] === "Authentication"
      )
      assert.deepStrictEqual(
        failed.map(({ count }) => Number(count)),
        [1]
      )
      assert.deepInclude(
        points("gen_ai.client.token.usage").find(({ of }) => of["gen_ai.token.type"] === "input"),
        { sum: 5 }
      )
    }).pipe(Effect.scoped)
  )

  it.live("counts answers from a cache as hits, not as calls", () =>
    Effect.gen(function* () {
      const step = Primitive.decide("one", { question: "Today?", sampling: { temperature: 0 } })
      const model = Testing.scripted([yes], { usage })
      const twice = Effect.andThen(run(step), run(step))
      const { exit, points } = yield* exported(twice, model.layer.pipe(Provider.cache()))
      assert.isTrue(Exit.isSuccess(exit))
      const [hit] = points("cogito.cache.hits")
      assert.strictEqual(Number(hit?.asDouble ?? hit?.asInt), 1)
      const chats = points("gen_ai.client.operation.duration").find(({ of }) => of["gen_ai.operation.name"] === "chat")
      assert.strictEqual(Number(chats?.count), 1)
    }).pipe(Effect.scoped)
  )

  it.live("counts waits for limits, and limits of budgets", () =>
    Effect.gen(function* () {
      const ask = (name: string) => Primitive.decide(name, { question: "Today?" })
      const step = Pipeline.sequence("all", [ask("one"), ask("two"), ask("three")])
      const layer = Testing.scripted(() => yes, { usage }).layer.pipe(
        Provider.rateLimit({ requests: 1, per: 500 }),
        Provider.budget({ calls: 2 })
      )
      const { exit, points } = yield* exported(run(step), layer)
      assert.isTrue(Exit.isFailure(exit))
      const [waits] = points("cogito.throttle.waits")
      // the budget refuses the third call where it would be made, after its turn
      assert.strictEqual(Number(waits?.asDouble ?? waits?.asInt), 2)
      const [waited] = points("cogito.throttle.wait.duration")
      assert.isAbove(waited?.sum ?? 0, 0)
      // two waits of at most half a second
      assert.isAtMost(waited?.sum ?? 0, 1)
      const [crossing] = points("cogito.budget.crossings")
      assert.deepInclude(crossing?.of, { "cogito.budget.limit": "calls", "cogito.budget.crossed": "refused" })
    }).pipe(Effect.scoped)
  )

  it.live("lets a program be if no collector can be reached", () =>
    Effect.gen(function* () {
      const { baseUrl, close } = yield* collecting
      close()
      const services = Layer.merge(Testing.scripted([yes]).layer, Testing.memory).pipe(
        Layer.provideMerge(Telemetry.otlp({ baseUrl, interval: 10 }))
      )
      const done = yield* Effect.provide(run(Primitive.decide("one", { question: "Today?" })), services)
      assert.strictEqual(Thought.notes(done).length, 2)
    }).pipe(Effect.scoped)
  )

  it("needs the address of a collector", () => {
    for (const baseUrl of [
      "not a url",
      "localhost:4318",
      "ftp://localhost",
      "http://me:key@host",
      "http://:key@host",
      "http://host/#key",
      "http://host/?key=1"
    ]) {
      assert.throws(
        () => Telemetry.otlp({ baseUrl }),
        "Telemetry.otlp needs an http: or https: URL without user, query or fragment as the option baseUrl."
      )
    }
  })

  it.effect("sends spans and metrics at its interval, also to an address that ends with slashes", () =>
    Effect.gen(function* () {
      const { baseUrl, paths } = yield* collecting
      const telemetry = Telemetry.otlp({ baseUrl: `${baseUrl}//`, interval: "1 second" })
      const program = Effect.gen(function* () {
        yield* run(Step.make("one", { run: Effect.void }))
        yield* TestClock.adjust("1 second")
        // the clock stands, and the layer is not released yet
        yield* met("spans and metrics have come", () => new Set(paths).size > 1)
      })
      yield* Effect.provide(program, Layer.fresh(Layer.merge(Testing.memory, telemetry)))
      assert.sameMembers([...new Set(paths)], ["/v1/traces", "/v1/metrics"])
    }).pipe(Effect.scoped, Effect.provideService(Metric.MetricRegistry, new Map()))
  )

  it.live("sends headers, secrets included", () =>
    Effect.gen(function* () {
      const headers = { "x-team": "support", "x-key": Redacted.make("secret") }
      const { headers: sent } = yield* exported(
        run(Step.make("one", { run: Effect.void })),
        Testing.scripted([]).layer,
        {
          headers
        }
      )
      assert.isAbove(sent.length, 0)
      for (const one of sent) assert.deepInclude(one, { "x-team": "support", "x-key": "secret" })
    }).pipe(Effect.scoped)
  )
})

describe("texts in spans", () => {
  const step = Primitive.decide("urgent", { question: "Is the canary urgent?" })
  const program = Effect.flatMap(Thought.make("the canary intent", { message: "The canary sings" }), (thought) =>
    Pipeline.run(step, thought)
  )
  const model = () => Testing.scripted([{ ...yes, reasoning: ["The canary said so"] }])

  it.live("are in no span and no metric by default", () =>
    Effect.gen(function* () {
      const { bodies, spans } = yield* exported(program, model().layer)
      assert.isAbove(spans.length, 1)
      assert.notInclude(bodies.join("\n"), "canary")
    }).pipe(Effect.scoped)
  )

  it.live("are there in the form of the conventions, each after its redaction", () =>
    Effect.gen(function* () {
      const where: Array<string> = []
      const redact = (text: string, attribute: string): string => {
        where.push(attribute)
        return text.replaceAll("canary", "[bird]")
      }
      const { bodies, spans } = yield* exported(program, model().layer, { content: true, redact })
      assert.notInclude(bodies.join("\n"), "canary")
      const call = spans.find(({ name }) => name === "chat script")
      const input = JSON.parse(String(call?.of["gen_ai.input.messages"]))
      assert.deepStrictEqual(
        input.map(({ role }: { role: string }) => role),
        ["user"]
      )
      assert.include(input[0].parts[0].content, "The [bird] sings")
      assert.deepInclude(JSON.parse(String(call?.of["gen_ai.system_instructions"]))[0], { type: "text" })
      const [output] = JSON.parse(String(call?.of["gen_ai.output.messages"]))
      assert.deepInclude(output, { role: "assistant", finish_reason: "stop" })
      assert.include(output.parts[0].content, "The [bird] said so")
      assert.sameMembers(
        [...new Set(where)],
        ["gen_ai.system_instructions", "gen_ai.input.messages", "gen_ai.output.messages"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("are left out if the redaction throws", () =>
    Effect.gen(function* () {
      const redact = (): string => {
        throw new Error("broken")
      }
      const { bodies, exit } = yield* exported(program, model().layer, { content: true, redact })
      assert.isTrue(Exit.isSuccess(exit))
      assert.notInclude(bodies.join("\n"), "canary")
      assert.include(bodies.join("\n"), "(not redacted)")
    }).pipe(Effect.scoped)
  )

  it.live("are left out if the redaction is an async function, whether its promise rejects or not", () =>
    Effect.gen(function* () {
      const rejects = async (): Promise<string> => {
        throw new Error("broken")
      }
      for (const redact of [rejects, async (text: string) => text]) {
        // as a program without types passes it
        const { bodies, exit } = yield* exported(program, model().layer, { content: true, redact: redact as never })
        assert.isTrue(Exit.isSuccess(exit))
        assert.notInclude(bodies.join("\n"), "canary")
        assert.include(bodies.join("\n"), "(not redacted)")
      }
    }).pipe(Effect.scoped)
  )

  it("need a redaction", () => {
    const layer = Telemetry.layer as (options: object) => unknown
    assert.throws(() => layer({ content: true }), "needs a function as redact")
    const otlp = Telemetry.otlp as (options: object) => unknown
    assert.throws(() => otlp({}), "Telemetry.otlp needs a string as the option baseUrl")
    assert.throws(() => otlp({ baseUrl: "http://localhost:4318", content: true }), "needs a function as redact")
  })
})
