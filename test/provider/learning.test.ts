import { assert, describe, it } from "@effect/vitest"
import { Provider } from "cogito"
import { Effect, Stream } from "effect"

const output = (name: string): NonNullable<Provider.Task["output"]> => ({
  name,
  jsonSchema: { type: "object", title: name },
  instructions: "Answer with JSON."
})

const request = (sampling: Provider.Sampling, form?: NonNullable<Provider.Task["output"]>): Provider.Request => ({
  messages: [{ role: "user", text: "Hello" }],
  task: { kind: "greet", instruction: "Hello", questions: [], context: [], ...(form && { output: form }) },
  phase: "reason",
  sampling
})

const free: Provider.Capabilities = {
  temperature: "free",
  efforts: ["low", "medium", "xhigh"],
  structuredOutput: "json-schema",
  seed: true
}

const refusal = (parameter?: string) =>
  new Provider.ProviderError({
    provider: "house",
    model: "stubborn-1",
    reason: { _tag: "InvalidRequest", message: "refused", ...(parameter !== undefined && { parameter }) }
  })

/** What was sent in one call. */
interface Sent {
  readonly sampling: Provider.Sampling
  readonly mode: Provider.Capabilities["structuredOutput"]
}

/** A model that refuses what `refuses` names, and all that it was sent. */
const stubborn = (
  refuses: (sent: Sent, request: Provider.Request) => Provider.ProviderError | undefined,
  capabilities = free
) => {
  const sent: Array<Sent> = []
  const answer = (asked: Provider.Request, known: Provider.Capabilities) =>
    Effect.suspend(() => {
      const one = { sampling: asked.sampling, mode: known.structuredOutput }
      sent.push(one)
      const error = refuses(one, asked)
      return error === undefined ? Effect.succeed({ text: "fine", usage: {} }) : Effect.fail(error)
    })
  const provider = Provider.learning({
    name: "house",
    model: "stubborn-1",
    capabilities,
    complete: answer,
    stream: (asked, known) =>
      Stream.unwrap(
        Effect.map(answer(asked, known), (response) =>
          Stream.make<[Provider.StreamPart, Provider.StreamPart]>(
            { _tag: "Text", delta: response.text },
            { _tag: "Done", response }
          )
        )
      )
  })
  const last = (asked: Provider.Request) =>
    Effect.map(Stream.runCollect(provider.stream(asked)), (parts) => {
      const part = parts.at(-1)
      return part?._tag === "Done" ? part.response : assert.fail("no end")
    })
  return { provider, sent, ways: { complete: provider.complete, stream: last } }
}

const everything: Provider.Sampling = { temperature: 0.5, effort: "xhigh", seed: 7, stop: ["END"], maxTokens: 9 }

/** How a parameter is named, what is refused then, and what is sent instead. */
const refusals: ReadonlyArray<readonly [string, (sent: Sent) => boolean, Provider.Sampling]> = [
  [
    "temperature",
    ({ sampling }) => sampling.temperature !== undefined,
    { effort: "xhigh", seed: 7, stop: ["END"], maxTokens: 9 }
  ],
  [
    "seed",
    ({ sampling }) => sampling.seed !== undefined,
    { temperature: 0.5, effort: "xhigh", stop: ["END"], maxTokens: 9 }
  ],
  ["stop", ({ sampling }) => sampling.stop !== undefined, { temperature: 0.5, effort: "xhigh", seed: 7, maxTokens: 9 }],
  [
    "stop_sequences",
    ({ sampling }) => sampling.stop !== undefined,
    { temperature: 0.5, effort: "xhigh", seed: 7, maxTokens: 9 }
  ],
  [
    "reasoning_effort",
    ({ sampling }) => sampling.effort === "xhigh",
    { temperature: 0.5, seed: 7, stop: ["END"], maxTokens: 9 }
  ],
  ...["reasoning.effort", "reasoning", "thinking", "thinking.type"].map((parameter): (typeof refusals)[number] => [
    parameter,
    ({ sampling }) => sampling.effort === "xhigh",
    { temperature: 0.5, seed: 7, stop: ["END"], maxTokens: 9 }
  ])
]

describe("a parameter that a model refuses", () => {
  for (const [parameter, refuses, instead] of refusals) {
    for (const way of ["complete", "stream"] as const) {
      it.effect(
        `${parameter} costs one more call of ${way}, the first time only, and the answer says what was sent`,
        () =>
          Effect.gen(function* () {
            const { sent, ways } = stubborn((one) => (refuses(one) ? refusal(parameter) : undefined))
            const first = yield* ways[way](request(everything))
            assert.deepStrictEqual(
              sent.map(({ sampling }) => sampling),
              [everything, instead]
            )
            assert.deepStrictEqual(first.sampling, instead)
            const second = yield* ways[way](request(everything))
            assert.strictEqual(sent.length, 3)
            assert.deepStrictEqual(second.sampling, instead)
          })
      )
    }
  }

  it.effect("is removed from the capabilities, to which later calls are adapted", () =>
    Effect.gen(function* () {
      const { provider } = stubborn(({ sampling }) => {
        if (sampling.stop !== undefined) return refusal("stop")
        if (sampling.temperature !== undefined) return refusal("temperature")
        if (sampling.seed !== undefined) return refusal("seed")
        return sampling.effort === "xhigh" ? refusal("reasoning_effort") : undefined
      })
      // they do not say whether a model takes texts that end an answer
      yield* provider.complete(request({ stop: ["END"] }))
      assert.deepStrictEqual(provider.capabilities, free)
      yield* provider.complete(request({ temperature: 0 }))
      yield* provider.complete(request({ seed: 1 }))
      yield* provider.complete(request({ effort: "xhigh" }))
      assert.deepStrictEqual(provider.capabilities, {
        temperature: "never",
        efforts: ["low", "medium"],
        structuredOutput: "json-schema",
        seed: false
      })
      const sampling = Provider.resolveSampling(provider.capabilities, "reason", { temperature: 0, seed: 1 })
      assert.deepStrictEqual(sampling, { effort: "low" })
    })
  )

  it.effect("takes its schema from that form only", () =>
    Effect.gen(function* () {
      const large = output("large")
      const small = output("small")
      for (const parameter of ["response_format", "text.format.schema", "output_config.format"]) {
        const { provider, sent } = stubborn(({ mode }, { task }) =>
          task.output?.name === "large" && mode === "json-schema" ? refusal(parameter) : undefined
        )
        yield* provider.complete(request({}, large))
        yield* provider.complete(request({}, large))
        yield* provider.complete(request({}, small))
        assert.deepStrictEqual(
          sent.map(({ mode }) => mode),
          ["json-schema", "none", "none", "json-schema"]
        )
        assert.strictEqual(provider.capabilities.structuredOutput, "json-schema")
      }
    })
  )

  it.effect("keeps the temperature of models that accept one without an effort", () =>
    Effect.gen(function* () {
      const { provider, sent } = stubborn(({ sampling }) =>
        sampling.effort === undefined ? undefined : refusal("reasoning_effort")
      )
      const { sampling } = yield* provider.complete(request({ effort: "low" }))
      assert.deepStrictEqual(sampling, { temperature: 0 })
      assert.strictEqual(sent.length, 2)
    })
  )
})

describe("a system role that a model refuses", () => {
  const system = (text: string): Provider.Message => ({ role: "system", text })
  const user = (text: string): Provider.Message => ({ role: "user", text })
  const answer: Provider.Message = { role: "assistant", text: "fine" }
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<Provider.Message>, ReadonlyArray<Provider.Message>]> = [
    [
      "the next message of the user, and no later one",
      [system("Be brief."), user("Hello"), answer, user("And now?")],
      [user("Be brief.\n\nHello"), answer, user("And now?")]
    ],
    [
      "the message of the user behind it, each its own",
      [system("Be brief."), system("Be kind."), user("Hello"), answer, system("Be exact."), user("And now?")],
      [user("Be brief.\n\nBe kind.\n\nHello"), answer, user("Be exact.\n\nAnd now?")]
    ],
    ["a message of its own at the end", [user("Hello"), system("Be brief.")], [user("Hello"), user("Be brief.")]]
  ]
  for (const [where, messages, expected] of cases) {
    it.effect(`has its text in ${where}`, () =>
      Effect.gen(function* () {
        const seen: Array<ReadonlyArray<Provider.Message>> = []
        const { ways } = stubborn((_, asked) => {
          seen.push(asked.messages)
          return asked.messages.some(({ role }) => role === "system") ? refusal("system") : undefined
        })
        yield* ways.complete({ ...request({}), messages })
        yield* ways.stream({ ...request({}), messages })
        assert.deepStrictEqual(seen, [messages, expected, expected])
      })
    )
  }
})

describe("what teaches nothing", () => {
  it.effect("a second refusal in one call fails, and the next call knows of the first and learns of the second", () =>
    Effect.gen(function* () {
      const { provider, sent } = stubborn(({ sampling }) => {
        if (sampling.seed !== undefined) return refusal("seed")
        return sampling.stop === undefined ? undefined : refusal("stop")
      })
      const error = yield* Effect.flip(provider.complete(request({ seed: 1, stop: ["END"] })))
      assert.deepStrictEqual(error, refusal("stop"))
      assert.strictEqual(sent.length, 2)
      const { sampling } = yield* provider.complete(request({ seed: 1, stop: ["END"] }))
      assert.deepStrictEqual(sampling, {})
      assert.strictEqual(sent.length, 4)
    })
  )

  const others: ReadonlyArray<readonly [string, Provider.ProviderError]> = [
    ["a refusal that names no parameter", refusal()],
    ["one that names what was not sent", refusal("seed")],
    ["one that names a stop text where none was sent", refusal("stop")],
    ["one that names an effort where none was sent", refusal("reasoning_effort")],
    ["one that names a role of the system where it said nothing", refusal("messages[0].role")],
    ["one that names something else", refusal("model")],
    ["a form where none was asked for", refusal("response_format")],
    [
      "another failure",
      new Provider.ProviderError({ provider: "house", model: "m", reason: { _tag: "Overloaded", message: "busy" } })
    ]
  ]
  for (const [what, error] of others) {
    it.effect(`${what} fails at once`, () =>
      Effect.gen(function* () {
        const { provider, sent, ways } = stubborn(() => error)
        assert.deepStrictEqual(yield* Effect.flip(ways.complete(request({ temperature: 0 }))), error)
        assert.deepStrictEqual(yield* Effect.flip(ways.stream(request({ temperature: 0 }))), error)
        assert.strictEqual(sent.length, 2)
        assert.deepStrictEqual(provider.capabilities, free)
      })
    )
  }

  it.effect("a refusal after the first piece of a stream fails, so that no piece comes twice", () =>
    Effect.gen(function* () {
      let calls = 0
      const provider = Provider.learning({
        name: "house",
        model: "m",
        capabilities: free,
        complete: () => Effect.die("not asked"),
        stream: () => {
          calls++
          return Stream.concat(
            Stream.make({ _tag: "Text", delta: "half" } as const),
            Stream.fail(refusal("temperature"))
          )
        }
      })
      const error = yield* Effect.flip(Stream.runDrain(provider.stream(request({ temperature: 0 }))))
      assert.deepStrictEqual([error.reason._tag, calls], ["InvalidRequest", 1])
    })
  )

  it.effect("the sampling is not reported if all of it was sent, or if the provider reports it", () =>
    Effect.gen(function* () {
      const { provider } = stubborn(() => undefined)
      const response = yield* provider.complete(request({ temperature: 0 }))
      assert.isFalse("sampling" in response)
      let calls = 0
      const telling = Provider.learning({
        name: "house",
        model: "m",
        capabilities: free,
        complete: () =>
          calls++ === 0
            ? Effect.fail(refusal("stop"))
            : Effect.succeed({ text: "x", usage: {}, sampling: { maxTokens: 1 } }),
        stream: () => Stream.empty
      })
      const own = yield* telling.complete(request({ stop: ["END"], temperature: 0 }))
      assert.deepStrictEqual(own.sampling, { maxTokens: 1 })
    })
  )
})

describe("what a refusal teaches", () => {
  it.effect("is nothing if only the value was out of range: the call fails", () =>
    Effect.gen(function* () {
      const outOfRange = new Provider.ProviderError({
        provider: "house",
        model: "stubborn-1",
        reason: { _tag: "InvalidRequest", message: "at most 2", parameter: "temperature", outOfRange: true }
      })
      const { provider, sent } = stubborn(({ sampling }) => ((sampling.temperature ?? 0) > 2 ? outOfRange : undefined))
      assert.strictEqual(yield* Effect.flip(provider.complete(request({ temperature: 3 }))), outOfRange)
      yield* provider.complete(request({ temperature: 0 }))
      assert.deepStrictEqual(
        sent.map(({ sampling }) => sampling.temperature),
        [3, 0]
      )
      assert.strictEqual(provider.capabilities.temperature, "free")
    })
  )

  it.effect("about a form holds for an equal form too", () =>
    Effect.gen(function* () {
      const { provider, sent } = stubborn(({ mode }) => (mode === "none" ? undefined : refusal("response_format")))
      for (let i = 0; i < 4; i++) yield* provider.complete(request({}, output("same")))
      assert.deepStrictEqual(
        sent.map(({ mode }) => mode),
        ["json-schema", "none", "none", "none", "none"]
      )
    })
  )

  it.effect("about three forms in a row holds for all, but not if one was accepted in between", () =>
    Effect.gen(function* () {
      const never = stubborn(({ mode }) => (mode === "none" ? undefined : refusal("response_format")))
      for (const name of ["a", "b", "c", "d", "e"]) yield* never.provider.complete(request({}, output(name)))
      assert.strictEqual(never.sent.length, 5 + 3)
      assert.strictEqual(never.provider.capabilities.structuredOutput, "none")
      const large = stubborn(({ mode }, { task }) =>
        mode !== "none" && task.output?.name.startsWith("large") === true ? refusal("response_format") : undefined
      )
      for (const name of ["large a", "small", "large b", "small", "large c", "small"]) {
        yield* large.provider.complete(request({}, output(name)))
      }
      assert.strictEqual(large.provider.capabilities.structuredOutput, "json-schema")
      // an answer without a form says nothing about forms
      const apart = stubborn(({ mode }, { task }) =>
        mode !== "none" && task.output !== undefined ? refusal("response_format") : undefined
      )
      for (const name of ["a", undefined, "b", undefined, "c"]) {
        yield* apart.provider.complete(request({}, name === undefined ? undefined : output(name)))
      }
      assert.strictEqual(apart.provider.capabilities.structuredOutput, "none")
    })
  )
})

describe("a provider that learns", () => {
  it("has the native decisions and the order of its options, and none by default", () => {
    const decide = () => Effect.succeed({ answers: [], usage: {} })
    const options = {
      name: "house",
      model: "stubborn-1",
      capabilities: free,
      complete: () => Effect.succeed({ text: "fine", usage: {} }),
      stream: () => Stream.empty
    }
    const both = Provider.learning({ ...options, decide, order: ["text", "native"] })
    assert.deepStrictEqual([both.decide !== undefined, both.order], [true, ["text", "native"]])
    const plain = Provider.learning(options)
    assert.deepStrictEqual([plain.decide, plain.order], [undefined, undefined])
  })
})
