/** Tests of providers: calls of tools, and their results. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Message, Request, Response, Shape, ToolCall } from "../../Provider.ts"
import { assert } from "./stage/assert.ts"
import { assertError, assertUsage, providerTests, request, streamed, ways } from "./providerCalls.ts"
import type { ProviderReply, ProviderTest } from "./providerSubject.ts"

const city = { type: "string", description: "The striped city" }

const tools: NonNullable<Request["tools"]> = [
  {
    name: "weather",
    description: "Tells the weather-4712",
    parameters: { type: "object", properties: { city }, required: ["city"], additionalProperties: false }
  },
  { name: "time_now", description: "Tells the time-4713", parameters: {} }
]

const asking: Partial<Request> = { tools }

const lists: ReadonlyArray<readonly [what: string, text: string, calls: ReadonlyArray<ToolCall>]> = [
  ["one call", "", [{ id: "call_1", name: "weather", params: `{"city":"Ulm"}` }]],
  [
    "several calls, of one tool too, after a text",
    "I look it up.",
    [
      { id: "call_1", name: "weather", params: `{"city":"naïve 漢字 👩‍👩‍👧 \\"\\n"}` },
      { id: "call_2", name: "time_now", params: "{}" },
      { id: "call_3", name: "weather", params: `{"city":"${"Ulm ".repeat(40)}"}` }
    ]
  ]
]

/** What was asked of the model, its answer, and the results of its calls. */
const followed = ({ calls = [], carry, text }: Response, results: ReadonlyArray<string>): ReadonlyArray<Message> => [
  ...request().messages,
  { role: "assistant", text, calls, ...(carry !== undefined && { carry }) },
  {
    role: "tool",
    text: "",
    results: calls.map(({ id, name }, i) => ({ id, name, text: results[i] ?? "", isFailure: i > 0 }))
  }
]

const called = (text: string, calls: ReadonlyArray<ToolCall>): ProviderReply => ({ _tag: "Calls", text, calls })

const refused = (provider: Shape, asked: Request) =>
  Effect.forEach(ways, ([, call]) => Effect.flip(call(provider, asked)))

/** Tests of providers whose models call tools. */
const callTests = (): ReadonlyArray<ProviderTest> =>
  providerTests("tools", (test) => {
    for (const [what, text, calls] of lists) {
      test(`returns ${what}, whole and in the pieces of a stream`, function* (make) {
        const { provider } = yield* make(() => called(text, calls))
        const whole = yield* provider.complete(request("", asking))
        assert.deepStrictEqual(whole.calls, calls)
        assert.strictEqual(whole.text, text)
        assertUsage(whole.usage)
        const stream = yield* streamed(provider, request("", asking))
        const response = yield* Effect.fromResult(stream.result)
        assert.deepStrictEqual(response.calls, calls)
        assert.deepStrictEqual(response.carry, whole.carry, "a stream carries something else")
        assert.strictEqual(stream.texts.join(""), text, "the pieces of the text are not its whole")
        assert.deepStrictEqual(
          [...stream.calls],
          calls.map(({ id, params }) => [id, params] as const),
          "the pieces of calls are not the calls"
        )
      })
    }

    for (const [way, call] of ways) {
      test(`sends tools, calls and results to the backend, which goes on with them, ${way}`, function* (make) {
        const [, text, calls] = lists[1]!
        const { provider, received } = yield* make(({ prompt }) =>
          prompt.includes("result-4714") ? { _tag: "Text", text: "It rains." } : called(text, calls)
        )
        const first = yield* call(provider, request("", asking))
        const messages = followed(first, ["result-4714", "result-4715", ""])
        const second = yield* call(provider, request("", { ...asking, messages }))
        assert.strictEqual(second.text, "It rains.")
        assert.isUndefined(second.calls)
        const [one, two] = received().map(({ prompt }) => prompt)
        for (const part of ["weather-4712", "time-4713", "time_now", "striped city"]) assert.include(one ?? "", part)
        for (const part of ["result-4714", "result-4715", "call_3", "漢字", "Ulm Ulm"]) assert.include(two ?? "", part)
      })

      test(`never returns a call that broke off, ${way}`, function* (make) {
        const [, text, calls] = lists[1]!
        const subject = yield* make(() => ({ _tag: "Calls", text, calls, isBroken: true }))
        assertError(yield* Effect.flip(call(subject.provider, request("", asking))), subject)
      })
    }

    test("emits only what it received of calls that break off", function* (make) {
      const [, text, calls] = lists[1]!
      const { provider } = yield* make(() => ({ _tag: "Calls", text, calls, isBroken: true }))
      const stream = yield* streamed(provider, request("", asking))
      assert.isTrue(Result.isFailure(stream.result), "calls that broke off ended well")
      for (const [id, params] of stream.calls) {
        assert.isTrue(calls.find((one) => one.id === id)?.params.startsWith(params), "a call has what never came")
      }
    })

    test("refuses calls without results, results without calls, and tools of one name, before it sends anything", function* (make) {
      const { provider, received } = yield* make(() => ({ _tag: "Text", text: "yes" }))
      const [, , calls] = lists[0]!
      const all = followed({ text: "", calls, usage: {} }, ["Rain"])
      const wrong: ReadonlyArray<Partial<Request>> = [
        { ...asking, messages: all.slice(0, -1) },
        { ...asking, messages: [...all.slice(0, -1), { role: "user", text: "And?" }] },
        { ...asking, messages: all.filter(({ role }) => role !== "assistant") },
        { ...asking, messages: [...all, all.at(-1)!] },
        { tools: [...tools, ...tools] },
        { ...asking, toolChoice: { tool: "other" } }
      ]
      for (const one of wrong) {
        for (const error of yield* refused(provider, request("", one))) {
          const { _tag } = (error as { readonly reason: { readonly _tag: string } }).reason
          assert.strictEqual(_tag, "InvalidRequest")
        }
      }
      assert.strictEqual(received().length, 0)
    })
  })

/** A test of providers whose models cannot call tools. */
const refusalTests = (): ReadonlyArray<ProviderTest> =>
  providerTests("tools", (test) => {
    test("refuses a request with tools instead of leaving them out", function* (make) {
      const subject = yield* make(() => ({ _tag: "Text", text: "yes" }))
      for (const error of yield* refused(subject.provider, request("", asking))) {
        assert.strictEqual(assertError(error, subject).reason._tag, "Unsupported")
      }
      assert.strictEqual(subject.received().length, 0)
    })
  })

export const toolTests = (tools: boolean): ReadonlyArray<ProviderTest> => (tools ? callTests() : refusalTests())
