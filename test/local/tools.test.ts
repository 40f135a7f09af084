/** The offline provider with tools, and agents that run with it. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { Memory, Pipeline, Provider, Thought } from "cogito"
import { Agent } from "cogito/agent"
import { Local } from "cogito/local"
import { Testing } from "cogito/testing"
import { isDeepStrictEqual } from "node:util"
import { blind, type Everyday, heldOut, known, newToolsets, others, otherToolsets, toolsets } from "./everyday.ts"

const asking = (
  messages: string | Provider.Request["messages"],
  rest: Partial<Provider.Request> = {}
): Provider.Request => ({
  messages: typeof messages === "string" ? [{ role: "user", text: messages }] : messages,
  task: { kind: "chat", instruction: "Answer", questions: [], context: [] },
  phase: "reason",
  sampling: {},
  ...rest
})

const complete = (request: Provider.Request) => Provider.Provider.use((provider) => provider.complete(request))

/** The calls of a response, as names and parameters. */
const callsOf = ({ calls = [] }: Provider.Response) =>
  calls.map(({ name, params }) => [name, JSON.parse(params)] as const)

/** A conversation after these calls and their results. */
const after = (
  message: string,
  ...done: ReadonlyArray<readonly [name: string, params: object, result: string, isFailure?: boolean]>
): Provider.Request["messages"] => [
  { role: "user", text: message },
  ...done.flatMap(([name, params, text, isFailure = false], i): Provider.Request["messages"] => [
    { role: "assistant", text: "", calls: [{ id: `call_${i + 1}`, name, params: JSON.stringify(params) }] },
    { role: "tool", text: "", results: [{ id: `call_${i + 1}`, name, text, isFailure }] }
  ])
]

type Sets = Readonly<Record<string, ReadonlyArray<Provider.Tool>>>
type Messages = ReadonlyArray<Omit<Everyday, "tools"> & { readonly tools: string }>

/** How many messages get the expected call, or none, and how many of the parameters that are clear are right. */
const measured = (messages: Messages, sets: Sets) =>
  Effect.gen(function* () {
    let right = 0
    let wrong = 0
    let params = 0
    for (const one of messages) {
      const response = yield* complete(asking(one.message, { tools: sets[one.tools] ?? [] }))
      const [first, second] = callsOf(response)
      const isRight = second === undefined && first?.[0] === (one.missing === undefined ? one.calls : undefined)
      if (isRight) right++
      else if (first !== undefined) wrong++
      if (isRight && one.params !== undefined && isDeepStrictEqual(first?.[1], one.params)) params++
    }
    return { right, wrong, params, of: messages.length, withParams: messages.filter((one) => one.params).length }
  })

const { calendar, files, home, notes, shop, travel } = toolsets

layer(Local.extractive)("the offline provider with tools", (it) => {
  it.effect("calls what a person would expect for most everyday messages", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* measured(known, toolsets), {
        right: 29,
        wrong: 0,
        params: 16,
        of: 29,
        withParams: 16
      })
      // these numbers are in the documentation
      assert.deepStrictEqual(
        [
          yield* measured(heldOut, toolsets),
          yield* measured(others, otherToolsets),
          yield* measured(blind, newToolsets)
        ].map(({ of, right, wrong }) => [right, wrong, of]),
        [
          [28, 0, 29],
          [23, 0, 24],
          [17, 3, 24]
        ]
      )
    })
  )

  it.effect("says what is missing instead of making it up", () =>
    Effect.gen(function* () {
      const response = yield* complete(asking("Delete the file.", { tools: files }))
      assert.strictEqual(response.calls, undefined)
      assert.strictEqual(
        response.text,
        "I cannot do that offline: “Delete the file.”.\n" +
          "For delete file I need the path (The path of the file), which you have not said."
      )
      const none = yield* complete(asking("Tell me a joke.", { tools: calendar }))
      assert.match(
        none.text,
        /^I cannot do that offline: “Tell me a joke\.”\.\nNone of the tools fits: list events, add event/
      )
    })
  )

  it.effect(
    "calls a tool once for an address, with the part that the parameter names, or says that it is missing",
    () =>
      Effect.gen(function* () {
        const ship = (name: string): Provider.Tool => ({
          name: "ship_parcel",
          description: "Ships a parcel",
          parameters: { type: "object", properties: { [name]: { type: "string" } }, required: [name] }
        })
        const called = (name: string, message: string) =>
          Effect.map(complete(asking(message, { tools: [ship(name)] })), callsOf)
        const london = "Ship the parcel to 12 High Street, London SW1A 1AA."
        const boston = "Ship the parcel to Boston, MA 02134."
        for (const [name, message, value] of [
          ["postcode", london, "SW1A 1AA"],
          ["street", london, "12 High Street"],
          ["city", london, "London"],
          ["address", london, "12 High Street, London SW1A 1AA"],
          ["postcode", boston, "02134"],
          ["city", boston, "Boston"]
        ] as const) {
          assert.deepStrictEqual(yield* called(name, message), [["ship_parcel", { [name]: value }]])
        }
        const { calls, text } = yield* complete(asking("Ship the parcel to London.", { tools: [ship("postcode")] }))
        assert.strictEqual(calls, undefined)
        assert.include(text, "For ship parcel I need the postcode, which you have not said.")
      })
  )

  it.effect("refuses a message in another language, and one without words", () =>
    Effect.gen(function* () {
      const german = "Wo ist meine Bestellung 17? Ich habe den Stuhl vor zwei Wochen bestellt."
      const { reason } = yield* Effect.flip(complete(asking(german, { tools: shop })))
      assert.ok(reason._tag === "Refused")
      assert.strictEqual(reason.category, "language")
      const mixed = yield* complete(asking(`${german} Where is my order 17?`, { tools: shop }))
      assert.deepStrictEqual(callsOf(mixed), [["order_status", { number: 17 }]])
      assert.strictEqual((yield* Effect.flip(complete(asking("", { tools: shop })))).reason._tag, "Refused")
    })
  )

  it.effect("fills a parameter from what was said before, and answers a follow-up", () =>
    Effect.gen(function* () {
      const before = after("Is it warm in Porto?", ["weather", { city: "Porto" }, "24 degrees"])
      const messages: Provider.Request["messages"] = [
        ...before,
        { role: "assistant", text: "24 degrees" },
        { role: "user", text: "And in Oslo?" }
      ]
      assert.deepStrictEqual(callsOf(yield* complete(asking(messages, { tools: travel }))), [
        ["weather", { city: "Oslo" }]
      ])
      const poem = yield* complete(
        asking([...messages.slice(0, -1), { role: "user", text: "And a poem?" }], { tools: travel })
      )
      assert.strictEqual(poem.calls, undefined)
      const order: Provider.Request["messages"] = [
        { role: "user", text: "I wrote about order 4711." },
        { role: "assistant", text: "Yes?" },
        { role: "user", text: "Has my order shipped?" }
      ]
      assert.deepStrictEqual(callsOf(yield* complete(asking(order, { tools: shop }))), [
        ["order_status", { number: 4711 }]
      ])
    })
  )

  it.effect("calls a tool once for each value that stands beside another", () =>
    Effect.gen(function* () {
      const request = asking("How is the weather in Porto and Oslo?", { tools: travel })
      const response = yield* complete(request)
      assert.deepStrictEqual(callsOf(response), [
        ["weather", { city: "Porto" }],
        ["weather", { city: "Oslo" }]
      ])
      assert.deepStrictEqual(
        response.calls?.map(({ id }) => id),
        ["call_1", "call_2"]
      )
      assert.deepStrictEqual(callsOf(yield* complete({ ...request, parallelCalls: false })), [
        ["weather", { city: "Porto" }]
      ])
    })
  )

  it.effect("calls a tool once for each of two dates, with or without a format", () =>
    Effect.gen(function* () {
      for (const format of [{}, { format: "date" }]) {
        const parameters = {
          type: "object",
          properties: { day: { type: "string", description: "The day", ...format } },
          required: ["day"]
        }
        const tools = [{ name: "list_meetings", description: "Lists the meetings of a day", parameters }]
        const response = yield* complete(asking("List my meetings on 2026-03-03 and 2026-03-05.", { tools }))
        assert.deepStrictEqual(callsOf(response), [
          ["list_meetings", { day: "2026-03-03" }],
          ["list_meetings", { day: "2026-03-05" }]
        ])
      }
    })
  )

  it.effect("takes a tool for what its name, or else its description, says first", () =>
    Effect.gen(function* () {
      const parameters = {
        type: "object",
        properties: { text: { type: "string", description: "What to add" } },
        required: ["text"]
      }
      const callsTo = (name: string, description: string) =>
        Effect.map(
          complete(asking("Add “buy milk” to my notes.", { tools: [{ name, description, parameters }] })),
          (response) => callsOf(response).map(([called]) => called)
        )
      assert.deepStrictEqual(yield* callsTo("notes", "Adds a note that nobody can delete."), ["notes"])
      assert.deepStrictEqual(yield* callsTo("notes", "Deletes the notes that somebody added."), [])
      assert.deepStrictEqual(yield* callsTo("add_undeletable_note", "Deletes nothing."), ["add_undeletable_note"])
      assert.deepStrictEqual(yield* callsTo("delete_added_note", "Adds nothing."), [])
    })
  )

  it.effect("looks before it changes something, and changes nothing after a failure", () =>
    Effect.gen(function* () {
      const message = "Where is my order 17? Please cancel order 17."
      const first = yield* complete(asking(message, { tools: shop }))
      assert.deepStrictEqual(callsOf(first), [["order_status", { number: 17 }]])
      const status = ["order_status", { number: 17 }, `{"sent":false}`] as const
      const second = yield* complete(asking(after(message, status), { tools: shop }))
      assert.deepStrictEqual(callsOf(second), [["cancel_order", { number: 17 }]])
      const third = yield* complete(
        asking(after(message, status, ["cancel_order", { number: 17 }, "Cancelled."]), { tools: shop })
      )
      assert.strictEqual(
        third.text,
        `Found for “${message}”:\n- order status (number: 17): sent: false\n- cancel order (number: 17): Cancelled.`
      )
      const failed = yield* complete(
        asking(after(message, ["order_status", { number: 17 }, "There is no order 17.", true]), { tools: shop })
      )
      assert.strictEqual(failed.calls, undefined)
      assert.match(
        failed.text,
        /- order status \(number: 17\) failed: There is no order 17\.\nNot called, as something failed: cancel order\.$/
      )
    })
  )

  it.effect("takes a parameter from a result, if the message does not say it", () =>
    Effect.gen(function* () {
      const tools: ReadonlyArray<Provider.Tool> = [
        { name: "last_order", description: "Finds the last order of the customer", parameters: { type: "object" } },
        ...shop
      ]
      const message = "Find my last order. Where is the parcel?"
      assert.deepStrictEqual(callsOf(yield* complete(asking(message, { tools }))), [["last_order", {}]])
      const next = yield* complete(asking(after(message, ["last_order", {}, `{"number":905}`]), { tools }))
      assert.deepStrictEqual(callsOf(next), [["order_status", { number: 905 }]])
    })
  )

  it.effect("does nothing that cannot be taken back for a message that does not say to what", () =>
    Effect.gen(function* () {
      const parameters = { type: "object", properties: {} }
      const account = { name: "delete_account", description: "Deletes the account of the user", parameters }
      const mail = { name: "send_mail", description: "Sends an e-mail", parameters }
      for (const [message, tool, called] of [
        ["Delete the mess.", account, []],
        ["Erase it.", account, []],
        ["Delete my account.", account, ["delete_account"]],
        ["My account is too old.", account, []],
        ["Please send it.", mail, []],
        ["Please send an e-mail.", mail, ["send_mail"]]
      ] as const) {
        const response = yield* complete(asking(message, { tools: [tool] }))
        assert.deepStrictEqual(
          callsOf(response).map(([name]) => name),
          [...called],
          message
        )
      }
    })
  )

  it.effect("does what the request demands", () =>
    Effect.gen(function* () {
      const none = yield* complete(asking("What time is it?", { tools: notes, toolChoice: "none" }))
      assert.strictEqual(none.calls, undefined)
      assert.match(none.text, /time would fit, but may not be called now/)
      const required = yield* complete(asking("Radiohead, please", { tools: home, toolChoice: "required" }))
      assert.strictEqual(required.calls?.length, 1)
      // of several sentences the one that comes nearest to a tool
      for (const message of ["Hello there. Radiohead, please.", "Radiohead, please. Hello there."]) {
        const nearest = yield* complete(asking(message, { tools: home, toolChoice: "required" }))
        assert.deepStrictEqual(callsOf(nearest), callsOf(required), message)
      }
      const error = yield* Effect.flip(complete(asking("Hello", { tools: files, toolChoice: { tool: "read_file" } })))
      assert.strictEqual(error.reason._tag, "Unsupported")
      assert.match(error.message, /the text has no value that fits "path"/)
      const one = yield* complete(asking("Open notes/todo.md", { tools: files, toolChoice: { tool: "read_file" } }))
      assert.deepStrictEqual(
        callsOf(one).map(([name]) => name),
        ["read_file"]
      )
    })
  )

  it.effect("fills a demanded call from the newest call that has not failed", () =>
    Effect.gen(function* () {
      const number = { type: "object", properties: { number: { type: "integer" } }, required: ["number"] }
      const track = { name: "track", description: "Tells where a parcel is", parameters: number }
      const tracked = (...done: ReadonlyArray<readonly [name: string, params: object, result: string, boolean?]>) =>
        complete(asking(after("Where is my parcel?", ...done), { tools: [track], toolChoice: { tool: "track" } }))
      const [old, recent] = ['{"number":17,"item":"kite"}', '[{"number":23,"item":"ball"}]']
      const failed = ["find", { number: 5 }, '{"number":404}', true] as const
      const newest = yield* tracked(["find", {}, old], ["find", {}, recent], failed)
      assert.deepStrictEqual(callsOf(newest), [["track", { number: 23 }]])
      // results count before parameters, and newer parameters before older ones
      const before = yield* tracked(["find", {}, old], ["ship", { number: 8 }, "Done."])
      assert.deepStrictEqual(callsOf(before), [["track", { number: 17 }]])
      const params = yield* tracked(["find", { number: 7 }, "Done."], ["find", { number: 8 }, "Done."], failed)
      assert.deepStrictEqual(callsOf(params), [["track", { number: 8 }]])
      const { message } = yield* Effect.flip(tracked(failed))
      assert.match(message, /the text has no value that fits "number"/)
    })
  )

  it.effect("fills a demanded call from objects within a result, the outer ones first", () =>
    Effect.gen(function* () {
      const number = { type: "object", properties: { number: { type: "integer" } }, required: ["number"] }
      const track = { name: "track", description: "Tells where a parcel is", parameters: number }
      for (const [result, found] of [
        [`{"order":{"parcels":[{"number":23},{"number":24}]}}`, 23],
        [`{"order":{"number":23},"number":5}`, 5],
        [`{"order":{"number":"23"},"parcel":{"Number":6}}`, 6]
      ] as const) {
        const messages = after("Where is my parcel?", ["find", {}, result])
        const response = yield* complete(asking(messages, { tools: [track], toolChoice: { tool: "track" } }))
        assert.deepStrictEqual(callsOf(response), [["track", { number: found }]])
      }
    })
  )

  it.effect("leaves optional parameters without a value out of a demanded call", () =>
    Effect.gen(function* () {
      const email = { type: "string", description: "The email address to write to" }
      const sent = (name: string, contact: object, isRequired: boolean, message: string) =>
        complete(
          asking(message, {
            tools: [
              {
                name: "track",
                description: "Tells where a parcel is",
                parameters: {
                  type: "object",
                  properties: { number: { type: "integer" }, [name]: contact },
                  required: ["number", ...(isRequired ? [name] : [])]
                }
              }
            ],
            toolChoice: { tool: "track" }
          })
        )
      const nullable = { ...email, type: ["string", "null"] }
      const [without, with_] = ["Where is parcel 17?", "Where is parcel 17? Write to ada@example.com, please."]
      // a name that says which form the value has, and one that does not
      for (const name of ["email", "contact"]) {
        for (const [contact, isRequired, message, params] of [
          [email, false, without, { number: 17 }],
          [nullable, false, without, { number: 17 }],
          [nullable, true, without, { number: 17, [name]: null }],
          [email, false, with_, { number: 17, [name]: "ada@example.com" }],
          [email, true, with_, { number: 17, [name]: "ada@example.com" }],
          [nullable, true, with_, { number: 17, [name]: "ada@example.com" }]
        ] as const) {
          assert.deepStrictEqual(callsOf(yield* sent(name, contact, isRequired, message)), [["track", params]])
        }
        const { message } = yield* Effect.flip(sent(name, email, true, without))
        assert.include(message, `the text has no value that fits "${name}"`)
      }
    })
  )

  it.effect("quotes of a long result what is nearest to the message", () =>
    Effect.gen(function* () {
      const page =
        "Our shop was founded in 1950. We are open from Monday to Saturday, nine to six. On Sundays we are closed. " +
        "The owner is Jane. Parking is free. There is a garden behind the house."
      const { text } = yield* complete(
        asking(after("Are you open on Sundays?", ["opening_hours", {}, page]), { tools: shop })
      )
      assert.include(text, "On Sundays we are closed.")
      assert.notInclude(text, "The owner is Jane.")
    })
  )

  it.effect("answers the same each time, and leaves requests without tools as they were", () =>
    Effect.gen(function* () {
      const request = asking("Put lunch with Anna into my calendar on 5 May at 12:30.", { tools: calendar })
      assert.deepStrictEqual(yield* complete(request), yield* complete(request))
      const error = yield* Effect.flip(complete(asking("Hello")))
      assert.strictEqual(error.reason._tag, "Refused")
      assert.strictEqual((yield* Provider.Provider).capabilities.tools, true)
    })
  )
})

const order = Tool.make("order", {
  description: "Looks an order up by its number",
  parameters: Schema.Struct({ number: Schema.Int }),
  success: Schema.Struct({ item: Schema.String, eur: Schema.Finite, delivered: Schema.Boolean })
}).annotate(Tool.Readonly, true)
const refund = Tool.make("refund", {
  description: "Pays the price of an order back to the customer",
  parameters: Schema.Struct({ number: Schema.Int }),
  success: Schema.String
}).annotate(Tool.Destructive, true)
const toolkit = Toolkit.make(order, refund)
const agent = Agent.make("shop", { instructions: "You are the support of a toy shop.", triage: false, toolkit })
const done: Array<string> = []
const handlers = toolkit.toLayer({
  order: ({ number }) =>
    Effect.sync(() => {
      done.push(`order ${number}`)
      return { item: "kite", eur: 12, delivered: true }
    }),
  refund: ({ number }) =>
    Effect.sync(() => {
      done.push(`refund ${number}`)
      return `Order ${number} was refunded.`
    })
})

describe("an agent offline", () => {
  layer(Layer.mergeAll(Local.extractive, handlers, Testing.memory))((it) => {
    it.effect("calls tools, waits for an approval, and quotes what they gave", () =>
      Effect.gen(function* () {
        done.length = 0
        const start = yield* Thought.make("support")
        const said = Agent.say(
          agent,
          start,
          "My kite came with a tear, I looked for order 17. Can I have my money back?",
          {
            durable: { id: "case" }
          }
        )
        const suspended = yield* Effect.flip(said)
        assert.ok(suspended._tag === "Suspended")
        assert.strictEqual(suspended.waits[0]?.prompt, `May the agent «shop» call refund with «{"number":17}»?`)
        yield* Pipeline.answer("case", "shop.approval", { approved: true })
        const thought = yield* Pipeline.resume(agent, "case")
        assert.include(thought.get("answer"), "- refund (number: 17): Order 17 was refunded.")
        assert.deepStrictEqual(done.slice(-1), ["refund 17"])
        const next = yield* Agent.say(agent, thought, "Thank you, you were very kind!")
        assert.match(next.get("answer"), /^I cannot do that offline: “Thank you, you were very kind!”/)
      })
    )

    it.effect("refuses to judge whether a message is safe, and does nothing then", () =>
      Effect.gen(function* () {
        done.length = 0
        const careful = Agent.make("careful", { instructions: "You are the support of a toy shop.", toolkit })
        const error = yield* Effect.flip(Agent.say(careful, yield* Thought.make("support"), "Look up order 17"))
        assert.ok(error._tag === "PipelineError" && error.cause._tag === "TriageFailed")
        assert.match(error.cause.message, /cannot tell whether a message is safe.*`triage: false`/)
        assert.deepStrictEqual(done, [])
      })
    )

    it.effect("learns nothing of users, and answers", () =>
      Effect.gen(function* () {
        const knowing = Agent.make("knowing", {
          instructions: "You are the support of a toy shop.",
          toolkit,
          triage: false,
          documents: [Agent.Profile]
        })
        const thought = yield* Effect.provide(
          Effect.flatMap(Thought.make("support"), (start) =>
            Agent.say(knowing, start, "Look up order 17", { user: "ann" })
          ),
          Pipeline.supervisor()
        )
        assert.match(thought.get("answer"), /order/)
        const traceId = Agent.Profile.traceId("ann")
        assert.strictEqual((yield* Effect.flip(Memory.load({ traceId }))).reason._tag, "NotFound")
      })
    )

    it.effect("gives an answer that has a form, from the message and the results", () =>
      Effect.gen(function* () {
        const reporter = Agent.make("reporter", {
          instructions: "You report about orders.",
          triage: false,
          toolkit: Toolkit.make(order),
          output: Schema.Struct({
            item: Schema.String,
            eur: Schema.Finite,
            delivered: Schema.Boolean,
            number: Schema.Int
          }),
          key: "report"
        })
        const thought = yield* Thought.make("support", { message: "Please look up order 42." })
        const reported = yield* Pipeline.run(reporter, thought)
        assert.deepStrictEqual(reported.get("report"), { item: "kite", eur: 12, delivered: true, number: 42 })
      })
    )
  })
})
