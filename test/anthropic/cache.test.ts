import { assert, describe, it } from "@effect/vitest"
import { Pipeline, Primitive, Thought } from "cogito"
import { Anthropic } from "cogito/anthropic"
import { Testing } from "cogito/testing"
import { Effect, Layer } from "effect"
import type { Message } from "cogito/Provider"
import { inTurn, key, message, reply, request, serve } from "./server.ts"

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

const stated = { confidence: 0.9, reasoning: ["it says so"] }
const kind = JSON.stringify({ primary: "fire", secondary: null, ...stated })

const run = (options: Partial<Anthropic.Options>, notes: Record<string, string | Thought.Draft>) =>
  Effect.gen(function* () {
    const server = yield* serve(
      inTurn(reply(200, message(decision)), reply(200, message(kind)), reply(200, message(decision)))
    )
    const model = Anthropic.layer({ model: "claude-sonnet-5", apiKey: key, baseUrl: server.baseUrl, ...options })
    const questions = Pipeline.sequence("questions", [
      Primitive.decide("urgent", { question: "Is this urgent?" }),
      Primitive.categorize("kind", { question: "What is it about?", categories: ["fire", "water"] }),
      Primitive.decide("answered", { question: "Was this answered?" })
    ])
    const thought = yield* Thought.make("triage", notes)
    yield* Effect.provide(Pipeline.run(questions, thought), Layer.merge(model, Testing.memory))
    return server.recorded.map(({ body }): any => body)
  })

describe("the prompt cache", () => {
  for (const structuredOutput of ["json-schema", "none"] as const) {
    it.effect(`holds what the calls of a thought share, with ${structuredOutput}`, () =>
      Effect.gen(function* () {
        const bodies = yield* run({ capabilities: { structuredOutput } }, { message: "The printer is on fire." })
        assert.strictEqual(bodies.length, 3)
        for (const [index, body] of bodies.entries()) {
          assert.strictEqual(body.messages.at(-1).role, "user")
          assert.strictEqual(marks(body).length, 2)
          assert.strictEqual(marks(body)[0]?.[0], "system")
          // the end of the question: how to answer it, and the form in words, are not repeated
          const [asked] = unmarked(body).messages.at(-1).content
          assert.deepStrictEqual(marks(body)[1], ["user", asked.text])
          assert.match(asked.text, /(?:urgent|about|answered)\?$/)
          const before = bodies[index - 1]
          if (before === undefined) continue
          const earlier = unmarked(before)
          const later = unmarked(body)
          assert.deepStrictEqual(later.system, earlier.system)
          assert.deepStrictEqual(later.messages.slice(0, earlier.messages.length), [
            ...earlier.messages.slice(0, -1),
            { role: "user", content: [earlier.messages.at(-1).content[0]] }
          ])
          assert.strictEqual(later.messages.at(-2).role, "assistant")
        }
      })
    )
  }

  it.effect("holds the trusted notes that thoughts begin with, whatever comes after them", () =>
    Effect.gen(function* () {
      const policy = { content: "Fire first.\n# Then water", source: "handbook", trust: "trusted" } as const
      const [first] = yield* run(
        {},
        { message: "The printer is on fire.", policy, terms: { ...policy, source: "user" } }
      )
      const [second] = yield* run({}, { terms: { ...policy, source: "user" }, message: "The sink leaks.", policy })
      const shared = unmarked(first).messages[0].content[0].text
      assert.deepStrictEqual(marks(first)[1], ["user", shared])
      assert.match(shared, /^<note \d{6} key="policy" source="handbook" trust="trusted" escape="backslash">\n/)
      assert.match(
        shared,
        /<note \d{6} key="terms" trust="trusted" escape="backslash">\nFire first[^<]*<\/note \d{6}>$/
      )
      assert.strictEqual(marks(first).length, 3)
      // the order of the trusted notes is the author's own
      const notes = (text: string) => text.split("\n\n").toSorted()
      assert.deepStrictEqual(notes(unmarked(second).messages[0].content[0].text), notes(shared))
      assert.isTrue(unmarked(first).messages[0].content[1].text.startsWith("\n\n<note "))
    })
  )

  it.effect("holds tools and calls: up to the last results, or up to the block before the last one", () =>
    Effect.gen(function* () {
      const tools = [
        { name: "look", description: "Looks", parameters: { type: "object", properties: {} } },
        { name: "lookup", description: "Looks it up", parameters: { type: "object", properties: {} } }
      ]
      const call = (id: string) => ({ id, name: "lookup", params: "{}" })
      const result = (id: string) => ({ id, name: "lookup", text: `of ${id}`, isFailure: false })
      const system: Message = { role: "system", text: "Be brief." }
      const asked: Message = { role: "user", text: "Where is it?" }
      const kept: Message = { role: "user", text: "Where is it? Think first.", kept: 12 }
      const calls: Message = { role: "assistant", text: "", calls: [call("a"), call("b")] }
      const results: Message = { role: "tool", text: "", results: [result("a"), result("b")] }
      const carry = {
        provider: "anthropic",
        model: "claude-sonnet-5",
        data: [{ call: "a" }, { call: "b" }, { item: { type: "thinking", thinking: "so", signature: "s" } }]
      }
      const cases: ReadonlyArray<readonly [ReadonlyArray<Message>, ReadonlyArray<string>]> = [
        [[asked], ["lookup"]],
        [[system, asked], ["Be brief."]],
        [[{ role: "system", text: " " }, asked], ["lookup"]],
        [
          [asked, { ...calls, carry }, results],
          ["lookup", "of b"]
        ],
        [
          [asked, calls, results],
          ["lookup", "of b"]
        ],
        [
          [system, kept],
          ["Be brief.", "Where is it?"]
        ],
        [
          [system, kept, calls, results],
          ["Be brief.", "of b"]
        ],
        [
          [asked, calls, results, { role: "assistant", text: "Here." }, asked],
          ["lookup", "Here."]
        ],
        [
          [asked, calls, results, asked],
          ["lookup", "of b"]
        ]
      ]
      for (const cache of ["5m", "1h", false] as const) {
        const server = yield* serve(reply(200, message("Here.")))
        const provider = yield* Anthropic.make({
          model: "claude-sonnet-5",
          apiKey: key,
          baseUrl: server.baseUrl,
          cache
        })
        for (const [messages, expected] of cases) {
          yield* provider.complete(request({ messages, tools }))
          const { body } = server.last()
          const blocks = [body.tools, body.system ?? [], ...body.messages.map(({ content }: any) => content)].flat()
          const marked = blocks.filter((block: any) => block.cache_control !== undefined)
          assert.deepStrictEqual(
            marked.map((block: any) => block.text ?? block.content ?? block.id ?? block.name),
            cache === false ? [] : [...expected]
          )
          for (const block of marked) assert.deepStrictEqual(block.cache_control, { type: "ephemeral", ttl: cache })
        }
      }
    })
  )

  it.effect("holds a long conversation of several forms, which then are in the text", () =>
    Effect.gen(function* () {
      const long = "The printer is on fire. ".repeat(200)
      for (const [formInText, message, isInText] of [
        [1024, long, true],
        [1024, "The printer is on fire.", false],
        [false, long, false],
        // the default is for the vendor's own server
        [undefined, long, false]
      ] as const) {
        const bodies = yield* run(formInText === undefined ? {} : { formInText }, { message })
        for (const body of bodies) {
          assert.strictEqual(body.output_config?.format === undefined, isInText)
          const last = body.messages.at(-1).content.at(-1).text
          assert.strictEqual(last.startsWith("Answer with JSON only"), isInText)
        }
      }
    })
  )

  it.effect("holds long conversations with forms at the vendor's own server, unless it is off", () =>
    Effect.gen(function* () {
      const notes = { message: "The printer is on fire. ".repeat(200) }
      for (const [cache, isInText] of [
        ["5m", true],
        [false, false]
      ] as const) {
        const bodies: Array<any> = []
        const fetch: typeof globalThis.fetch = async (...given) => {
          const asked = new Request(...given)
          assert.strictEqual(new URL(asked.url).host, "api.anthropic.com")
          bodies.push(await asked.json())
          return Response.json(message(decision))
        }
        const model = Anthropic.layer({ model: "claude-sonnet-5", apiKey: key, fetch, cache })
        const thought = yield* Thought.make("triage", notes)
        const decide = Primitive.decide("urgent", { question: "Is this urgent?" })
        yield* Effect.provide(Pipeline.run(decide, thought), Layer.merge(model, Testing.memory))
        assert.deepStrictEqual(
          bodies.map(({ output_config }) => output_config?.format === undefined),
          [isInText]
        )
      }
    })
  )
})
