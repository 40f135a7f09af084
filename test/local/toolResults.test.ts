/** What the offline provider makes of the results of tools, and of the notes in a conversation. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Provider } from "cogito"
import { Local } from "cogito/local"
import { toolsets } from "./everyday.ts"

const asking = (messages: Provider.Request["messages"], rest: Partial<Provider.Request> = {}): Provider.Request => ({
  messages,
  task: { kind: "chat", instruction: "Answer", questions: [], context: [] },
  phase: "reason",
  sampling: {},
  ...rest
})

const complete = (request: Provider.Request) => Provider.Provider.use((provider) => provider.complete(request))

const sing: Provider.Tool = { name: "sing", description: "Sings a song", parameters: { type: "object" } }

interface Done {
  readonly name: string
  readonly params: object
  readonly text: string
  readonly isFailure?: boolean
}

/** A message, and calls that were made at once. */
const after = (message: string, ...done: ReadonlyArray<Done>): Provider.Request["messages"] => [
  { role: "user", text: message },
  {
    role: "assistant",
    text: "",
    calls: done.map(({ name, params }, i) => ({ id: `call_${i + 1}`, name, params: JSON.stringify(params) }))
  },
  {
    role: "tool",
    text: "",
    results: done.map(({ isFailure = false, name, text }, i) => ({ id: `call_${i + 1}`, name, text, isFailure }))
  }
]

layer(Local.extractive)("the offline provider", (it) => {
  it.effect("reports each call with its own parameters and result", () =>
    Effect.gen(function* () {
      const message = "Is it warm in Porto and Oslo?"
      const { text } = yield* complete(
        asking(
          after(
            message,
            { name: "weather", params: { city: "Porto" }, text: `{"degrees":24,"sky":["clear","blue"]}` },
            { name: "weather", params: { city: "Oslo" }, text: "There is no Oslo.", isFailure: true },
            { name: "time_now", params: {}, text: "" }
          ),
          { tools: [sing] }
        )
      )
      assert.strictEqual(
        text,
        `Found for “${message}”:\n` +
          "- weather (city: Porto): degrees: 24, sky: clear; blue\n" +
          "- weather (city: Oslo) failed: There is no Oslo.\n" +
          "- time now: nothing"
      )
    })
  )

  it.effect("fills a demanded parameter from one whose name has the same words, and whose value fits", () =>
    Effect.gen(function* () {
      const track = (name: string): Provider.Tool => ({
        name: "track",
        description: "Tells where a parcel is",
        parameters: { type: "object", properties: { [name]: { type: "integer" } }, required: [name] }
      })
      const messages = after(
        "Where is my parcel?",
        { name: "find", params: { last_order_id: 5, order_id: 17 }, text: "Done." },
        { name: "find", params: { order: 4, id: 3, order_id: "the last one", "order id": 2.5 }, text: "Done." }
      )
      for (const name of ["orderId", "order_id", "order-id", "order id"]) {
        const { calls = [] } = yield* complete(
          asking(messages, { tools: [track(name)], toolChoice: { tool: "track" } })
        )
        assert.deepStrictEqual(
          calls.map(({ params }) => JSON.parse(params)),
          [{ [name]: 17 }]
        )
      }
      const { message } = yield* Effect.flip(
        complete(asking(messages, { tools: [track("parcelId")], toolChoice: { tool: "track" } }))
      )
      assert.match(message, /has no value that fits "parcelId"/)
    })
  )

  it.effect("calls for the rest of what was asked, and then no more, whatever the results name", () =>
    Effect.gen(function* () {
      const message = "What is the weather in Porto and Oslo?"
      const porto = { name: "weather", params: { city: "Porto" }, text: "24 degrees, more than in Madrid" }
      const oslo = { name: "weather", params: { city: "Oslo" }, text: "8 degrees" }
      const cities = (done: ReadonlyArray<Done>, rest: Partial<Provider.Request> = {}) =>
        Effect.map(
          complete(
            asking(done.length === 0 ? [{ role: "user", text: message }] : after(message, ...done), {
              tools: toolsets.travel,
              ...rest
            })
          ),
          ({ calls = [], text }) => [calls.map(({ name, params }) => [name, JSON.parse(params)]), text]
        )
      const found = `Found for “${message}”:`
      const ofPorto = "- weather (city: Porto): 24 degrees, more than in Madrid"
      const called = (...names: ReadonlyArray<string>) => [names.map((city) => ["weather", { city }]), ""]
      assert.deepStrictEqual(yield* cities([]), called("Porto", "Oslo"))
      assert.deepStrictEqual(yield* cities([], { parallelCalls: false }), called("Porto"))
      assert.deepStrictEqual(yield* cities([porto]), called("Oslo"))
      assert.deepStrictEqual(yield* cities([oslo]), called("Porto"))
      assert.deepStrictEqual(yield* cities([porto, oslo]), [
        [],
        [found, ofPorto, "- weather (city: Oslo): 8 degrees"].join("\n")
      ])
      // a look goes on after a failure, and is not said to be kept from it
      const failed = { ...oslo, text: "There is no Oslo.", isFailure: true }
      const ofOslo = "- weather (city: Oslo) failed: There is no Oslo."
      assert.deepStrictEqual(yield* cities([failed]), called("Porto"))
      assert.deepStrictEqual(yield* cities([failed], { toolChoice: "none" }), [[], [found, ofOslo].join("\n")])
      // what may not be called did not fail
      assert.deepStrictEqual(yield* cities([porto], { toolChoice: "none" }), [[], [found, ofPorto].join("\n")])
      assert.deepStrictEqual(yield* cities([], { toolChoice: "none" }), [
        [],
        `I cannot do that offline: “${message}”.\nweather would fit, but may not be called now.`
      ])
    })
  )

  it.effect("does not fill a required parameter with an empty text", () =>
    Effect.gen(function* () {
      const track: Provider.Tool = {
        name: "track",
        description: "Tells where a parcel is",
        parameters: { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] }
      }
      const messages = after(
        "Where is my parcel?",
        { name: "find", params: { order_id: "" }, text: `{"order_id":"A-17"}` },
        { name: "find", params: { order_id: "B-2" }, text: `{"order_id":""}` }
      )
      const { calls = [] } = yield* complete(asking(messages, { tools: [track], toolChoice: { tool: "track" } }))
      assert.deepStrictEqual(
        calls.map(({ params }) => params),
        [`{"order_id":"A-17"}`]
      )
    })
  )

  it.effect("repeats a lookup for a follow-up question, but no action that cannot be undone", () =>
    Effect.gen(function* () {
      const tool = (name: string, description: string): Provider.Tool => ({
        name,
        description,
        parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] }
      })
      const say = (first: string, one: Provider.Tool) =>
        Effect.map(
          complete(
            asking(
              [
                { role: "user", text: first },
                { role: "assistant", text: "Done." },
                { role: "user", text: "And in Ulm?" }
              ],
              { tools: [one] }
            )
          ),
          ({ calls = [] }) => calls.map(({ name, params }) => [name, params])
        )
      assert.deepStrictEqual(
        yield* say("What is the weather in Porto?", tool("weather", "Tells the weather of a city")),
        [["weather", `{"city":"Ulm"}`]]
      )
      assert.deepStrictEqual(
        yield* say("Cancel my hotel in Porto.", tool("cancel_hotel", "Cancels the hotel in a city")),
        []
      )
    })
  )

  it.effect("counts as said what the user wrote, then what the program wrote, then what was found", () =>
    Effect.gen(function* () {
      const note = (rest: string, content: string) => `<note 123456 key="message"${rest}>\n${content}\n</note 123456>`
      const [own, more] = [note("", "Own one."), note("", "Own two.")]
      const [program, found] = [note(' trust="trusted"', "Of the program."), note(' source="seek"', "Found.")]
      for (const [texts, said] of [
        [[[found, program, own, more].join("\n")], "Own one. Own two."],
        [[[found, program].join("\n")], "Of the program."],
        [[found], "Found."],
        [["Plain."], "Plain."],
        [["First.", "Second."], "Second."],
        [["First.", " "], "First."],
        // beside notes, other messages are the program's
        [[own, "Go on."], "Own one."],
        [[own, more], "Own two."]
      ] as const) {
        const messages = texts.map((text): Provider.Request["messages"][number] => ({ role: "user", text }))
        const { text } = yield* complete(asking(messages, { tools: [sing] }))
        assert.strictEqual(text, `I cannot do that offline: “${said}”.\nNone of the tools fits: sing.`)
      }
    })
  )

  it.effect("quotes every line of a note as it was written", () =>
    Effect.gen(function* () {
      const fence = "123456"
      const note = (escape: string, content: string) =>
        `<note ${fence} key="message"${escape}>\n${content}\n</note ${fence}>`
      const lines = ["\\## Task", "plain \\ text", "\\\\twice", "\\</note 1>"].join("\n")
      for (const [escape, said] of [
        [' escape="backslash"', "## Task plain \\ text \\twice </note 1>"],
        ["", "\\## Task plain \\ text \\\\twice \\</note 1>"]
      ] as const) {
        const { text } = yield* complete(asking([{ role: "user", text: note(escape, lines) }], { tools: [sing] }))
        assert.strictEqual(text, `I cannot do that offline: “${said}”.\nNone of the tools fits: sing.`)
      }
    })
  )
})
