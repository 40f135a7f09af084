/** Tests of providers: text answers. */
import * as Effect from "effect/Effect"
import { each } from "./stage/each.ts"
import { assert } from "./stage/assert.ts"
import { assertUsage, providerTests, request, streamed, until, ways } from "./providerCalls.ts"
import type { ProviderTest } from "./providerSubject.ts"

const texts: ReadonlyArray<readonly [what: string, text: string]> = [
  ["plain", "A senior agent should call back today."],
  ["with lines and quotes", 'One\n\n"two"\t\\three\r\nfour'],
  ["with signs of many bytes", "naïve 漢字 👩‍👩‍👧 😀 \u2028 end"],
  ["that is JSON", `{"decision": true, "reasoning": ["It says so."]}`],
  ["that is long", "Every ticket is read by somebody. ".repeat(40).trim()]
]

const output = {
  name: "count",
  jsonSchema: {
    type: "object",
    properties: { zebras: { type: "integer", description: "How many striped animals" } },
    required: ["zebras"],
    additionalProperties: false
  },
  instructions: "Answer with a JSON object that has the one property zebras, an integer."
}

export const answerTests = (patience: number): ReadonlyArray<ProviderTest> =>
  providerTests("answers", (test) => {
    for (const [what, text] of texts) {
      test(`returns a text ${what}, whole and in the pieces of a stream`, function* (make) {
        const { provider, received } = yield* make(() => ({ _tag: "Text", text }))
        const whole = yield* provider.complete(request())
        assert.strictEqual(whole.text, text)
        assertUsage(whole.usage)
        const { result, texts } = yield* streamed(provider, request())
        const response = yield* Effect.fromResult(result)
        assert.strictEqual(response.text, text)
        assert.strictEqual(texts.join(""), text, "the pieces of a stream are not its answer")
        assertUsage(response.usage)
        assert.deepStrictEqual(
          Object.keys(response.usage).toSorted(),
          Object.keys(whole.usage).toSorted(),
          "a stream counts other tokens"
        )
        assert.strictEqual(received().length, 2)
      })
    }

    test("has a name, a model, and valid capabilities", function* (make) {
      const { provider } = yield* make(() => ({ _tag: "Text", text: "yes" }))
      assert.isTrue(provider.name !== "" && provider.model !== "", "name and model are said")
      const { contextTokens = 1, efforts, outputTokens = 1, prices } = provider.capabilities
      assert.strictEqual(new Set(efforts).size, efforts.length, "an effort is there twice")
      assert.isTrue(contextTokens > 0 && outputTokens > 0, "limits are more than 0")
      if (prices === undefined) return
      assert.isTrue(prices.input >= 0 && prices.output >= 0, "prices are from 0")
      assert.isTrue(/^\d{4}-\d\d-\d\d$/.test(prices.asOf), "prices have a date")
    })

    for (const [way, call] of ways) {
      test(`sends every message and the output schema to the backend, ${way}`, function* (make) {
        const { provider, received } = yield* make(() => ({ _tag: "Text", text: `{"zebras":3}` }))
        const { task } = request()
        const asked = request("", {
          messages: [
            { role: "system", text: "system-1" },
            { role: "user", text: "user-1" },
            { role: "assistant", text: "assistant-1" },
            { role: "user", text: "user-2" }
          ],
          task: { ...task, output }
        })
        const { text } = yield* call(provider, asked)
        assert.strictEqual(text, `{"zebras":3}`)
        const prompt = received()[0]?.prompt ?? ""
        const places = ["user-1", "assistant-1", "user-2"].map((text) => prompt.indexOf(text))
        assert.isFalse(places.includes(-1), "a message is missing")
        assert.deepStrictEqual(
          places,
          places.toSorted((a, b) => a - b),
          "messages are out of order"
        )
        assert.include(prompt, "system-1")
        assert.include(prompt, "zebras", "the form of the answer is not asked for")
      })

      test(`sends a temperature of 0 if it supports temperatures, and none that was not requested, ${way}`, function* (make) {
        const { provider, received } = yield* make(() => ({ _tag: "Text", text: "yes" }))
        const isFree = provider.capabilities.temperature !== "never"
        const response = yield* call(provider, request("cold", { sampling: isFree ? { temperature: 0 } : {} }))
        yield* call(provider, request("as it likes"))
        const [cold, other] = received()
        assert.strictEqual(cold?.temperature, isFree ? 0 : undefined, "the temperature that is asked for")
        assert.strictEqual(other?.temperature, undefined, "a temperature that nobody asked for")
        const said = response.sampling
        if (said !== undefined) assert.strictEqual(said.temperature, cold?.temperature, "what the answer says was sent")
      })

      test(`sends nothing before it runs, and one request for each run, ${way}`, function* (make) {
        const { provider, received } = yield* make(() => ({ _tag: "Text", text: "yes" }))
        const asking = call(provider, request())
        assert.strictEqual(received().length, 0, "it was asked before the call was run")
        yield* asking
        yield* asking
        const [first, second, ...others] = received()
        assert.strictEqual(others.length, 0, "one call is one request")
        assert.deepStrictEqual(second, first, "an equal request was sent otherwise")
      })
    }

    test("keeps concurrent calls separate", function* (make) {
      const { open, provider, received } = yield* make(({ prompt }) => {
        const number = /number-(\d+)-/.exec(prompt)?.[1]
        return { _tag: "Text", text: `This is the answer to ${number ?? "nothing"}, and to no other.` }
      })
      const numbers = Array.from({ length: 12 }, (_, i) => i)
      const answers = yield* Effect.forEach(
        numbers,
        (number) => {
          const [, call] = ways[number % ways.length]!
          return call(provider, request(`number-${number}-`))
        },
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        each(answers, "text"),
        numbers.map((number) => `This is the answer to ${number}, and to no other.`)
      )
      assert.strictEqual(received().length, numbers.length)
      yield* until(() => open() === 0, "calls that were answered should be over", patience)
    })
  })
