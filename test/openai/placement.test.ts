import { assert, describe, it } from "@effect/vitest"
import { Pipeline, Primitive, Provider, Synapse, Thought } from "cogito"
import { OpenAi } from "cogito/openai"
import { Testing } from "cogito/testing"
import { Effect, Layer } from "effect"
import { reply, serve } from "./server.ts"
import { key } from "./streams.ts"

const stated = { confidence: 0.9, reasoning: ["It says so."] }
const replies = [
  { decision: true, ...stated },
  { primary: "bill", secondary: null, ...stated },
  { decision: false, ...stated }
]
const steps = Pipeline.sequence("steps", [
  Primitive.decide("urgent", { question: "Is this urgent?" }),
  Primitive.categorize("kind", { question: "What is it about?", categories: ["bill", "parcel"] }),
  Primitive.decide("open", { question: "Is it open?" })
])

const words = (count: number) => Array.from({ length: count }, (_, i) => `word${i}`).join(" ")

const bodies = Effect.fnUntraced(function* (
  options: Partial<OpenAi.Options>,
  program: Effect.Effect<unknown, unknown, Provider.Provider>
) {
  let calls = 0
  const server = yield* serve((response, ...rest) => {
    const text = JSON.stringify(replies[calls++ % replies.length])
    const message = { role: "assistant", content: text }
    const body = { id: "x", object: "chat.completion", choices: [{ index: 0, finish_reason: "stop", message }] }
    reply(200, body)(response, ...rest)
  })
  const layer = OpenAi.layer({ model: "gpt-5-mini", apiKey: key, baseUrl: server.baseUrl, api: "chat", ...options })
  yield* Effect.provide(Effect.orDie(program), layer)
  return server.recorded.map(({ body }): any => body)
})

const run = (message: string) =>
  Effect.flatMap(Thought.make("look", { message }), (thought) => Pipeline.run(steps, thought)).pipe(
    Effect.provide(Testing.memory)
  )

const formats = (sent: ReadonlyArray<any>) => sent.map(({ response_format }) => response_format?.type)
/** What the model reads of a request, in order. */
const textOf = ({ messages }: any): string => messages.map(({ content, role }: any) => `${role}: ${content}`).join("\n")

describe("the form of an answer", () => {
  it.effect("is a schema apart while the conversation is short", () =>
    Effect.gen(function* () {
      const sent = yield* bodies({ formInText: 1024 }, run("Hello"))
      assert.deepStrictEqual(formats(sent), ["json_schema", "json_schema", "json_schema"])
      assert.notInclude(textOf(sent[0]), "JSON")
    })
  )

  it.effect("is in the text of a long one, so that each request begins with the one before, whatever its form", () =>
    Effect.gen(function* () {
      const sent = yield* bodies({ formInText: 1024 }, run(words(1000)))
      assert.deepStrictEqual(formats(sent), ["json_object", "json_object", "json_object"])
      assert.isTrue(
        textOf(sent[0]).endsWith(
          "Answer with JSON only: {decision: boolean, confidence: number /* 0 to 1 */, reasoning: string[] /* at least 1 */}"
        )
      )
      const [first, second, third] = sent.map(textOf)
      const question = first!.slice(0, first!.indexOf("\n\nDecide"))
      assert.include(question, "word999")
      assert.isTrue(second!.startsWith(question))
      assert.isTrue(third!.startsWith(second!.slice(0, second!.indexOf("\n\nChoose"))))
      // only the last request has a form in words
      for (const text of [first, second, third]) assert.strictEqual(text!.split("Answer with JSON").length, 2)
    })
  )

  it.effect("is in the text from exactly as many tokens on as the option says, at four characters each", () =>
    Effect.gen(function* () {
      const first = (formInText: number | false) => Effect.map(bodies({ formInText }, run("Hello")), ([sent]) => sent)
      const { messages } = yield* first(false)
      const characters = messages.reduce((sum: number, { content }: any) => sum + content.length, 0)
      assert.deepStrictEqual(formats([yield* first(characters / 4), yield* first((characters + 1) / 4)]), [
        "json_object",
        "json_schema"
      ])
    })
  )

  it.effect("is a schema apart where nothing repeats the request", () =>
    Effect.gen(function* () {
      const isUrgent = Synapse.binary({ question: "Is this urgent?" })
      assert.deepStrictEqual(formats(yield* bodies({ formInText: 0 }, isUrgent(words(2000)))), ["json_schema"])
    })
  )

  it.effect("is a schema apart at other servers than OpenAI's, unless they are said to put it first too", () =>
    Effect.gen(function* () {
      const long = run(words(1000))
      assert.deepStrictEqual(formats(yield* bodies({}, long)), ["json_schema", "json_schema", "json_schema"])
      assert.deepStrictEqual(formats(yield* bodies({ formInText: false }, long)), formats(yield* bodies({}, long)))
      assert.deepStrictEqual(formats(yield* bodies({ formInText: 0 }, run("Hello"))).length, 3)
      assert.deepStrictEqual(formats(yield* bodies({ formInText: 0 }, run("Hello")))[0], "json_object")
    })
  )

  it("is refused a place that is no number of tokens", () => {
    for (const formInText of [-1, Number.NaN, true as never, "1024" as never]) {
      assert.throws(() => OpenAi.layer({ model: "m", formInText }), /formInText/)
      assert.throws(() => OpenAi.make({ model: "m", formInText }), /formInText/)
    }
  })
})

describe("tools at OpenAI", () => {
  it.effect.each(["chat", "responses"] as const)(
    "are strict if their parameters are, whatever the order of the required ones: %s",
    (api) =>
      Effect.gen(function* () {
        const sent: Array<any> = []
        const properties = { a: { type: "string" }, b: { type: "string" } }
        const strict = { type: "object", properties, additionalProperties: false }
        const tool = (name: string, required: ReadonlyArray<string>) => ({
          name,
          description: "Looks",
          parameters: { ...strict, required }
        })
        const provider = yield* OpenAi.make({
          model: "gpt-5.1",
          apiKey: key,
          api,
          fetch: (_, init) => {
            sent.push(JSON.parse(typeof init?.body === "string" ? init.body : ""))
            return Promise.resolve(new Response("{}", { status: 400 }))
          }
        })
        yield* Effect.ignore(
          provider.complete({
            messages: [{ role: "user", text: "Look" }],
            task: { kind: "chat", instruction: "Answer", questions: [], context: [] },
            phase: "reason",
            sampling: {},
            tools: [tool("ordered", ["a", "b"]), tool("reversed", ["b", "a"]), tool("partial", ["b"])]
          })
        )
        assert.deepStrictEqual(
          sent[0].tools.map((one: any) => (one.function ?? one).strict === true),
          [true, true, false]
        )
      })
  )
})

describe("the end of what is repeated", () => {
  type Api = "chat" | "responses"
  const at = (model: string, api: Api, program: Effect.Effect<unknown, unknown, Provider.Provider> = run("Hello")) =>
    Effect.gen(function* () {
      const sent: Array<any> = []
      const layer = OpenAi.layer({
        model,
        apiKey: key,
        api,
        fetch: (_, init) => {
          sent.push(JSON.parse(typeof init?.body === "string" ? init.body : ""))
          return Promise.resolve(new Response("{}", { status: 400 }))
        }
      })
      yield* Effect.ignore(Effect.provide(program, Layer.fresh(layer)))
      return sent[0].messages?.at(-1).content ?? sent[0].input.at(-1).content
    })

  it.effect("is marked for models that keep a prompt up to marks, and for no others", () =>
    Effect.gen(function* () {
      for (const [api, type] of [
        ["chat", "text"],
        ["responses", "input_text"]
      ] as const) {
        assert.isString(yield* at("gpt-5.1", api))
        assert.deepStrictEqual(
          (yield* at("ft:gpt-5.6:acme", api)).map(({ prompt_cache_breakpoint: mark }: any) => mark?.mode),
          ["explicit", undefined]
        )
        const [marked, rest, ...more] = yield* at("gpt-5.6", api)
        assert.deepStrictEqual(more, [])
        assert.deepStrictEqual([marked.type, marked.prompt_cache_breakpoint], [type, { mode: "explicit" }])
        assert.isTrue(
          marked.text.endsWith("</note 123456>\n\nIs this urgent?".replace("123456", /\d{6}/.exec(marked.text)![0]))
        )
        assert.deepStrictEqual(rest, { type, text: "\n\nDecide yes or no. Say how sure you are (0 to 1) and why." })
      }
    })
  )

  it.effect("may be the end of the message, and is marked with the message as its only part", () =>
    Effect.gen(function* () {
      const complete = (text: string, kept?: number) =>
        Provider.Provider.use((provider) =>
          provider.complete({
            messages: [{ role: "user", text, ...(kept !== undefined && { kept }) }],
            task: { kind: "chat", instruction: "Answer", questions: [], context: [] },
            phase: "reason",
            sampling: {}
          })
        )
      for (const [api, type] of [
        ["chat", "text"],
        ["responses", "input_text"]
      ] as const) {
        const marked = { type, text: "Hello", prompt_cache_breakpoint: { mode: "explicit" } }
        assert.deepStrictEqual(yield* at("gpt-5.6", api, complete("Hello", 5)), [marked])
        assert.deepStrictEqual(yield* at("gpt-5.6", api, complete("Hello!", 5)), [marked, { type, text: "!" }])
        assert.strictEqual(yield* at("gpt-5.1", api, complete("Hello", 5)), "Hello")
        assert.strictEqual(yield* at("gpt-5.6", api, complete("Hello")), "Hello")
      }
    })
  )
})
