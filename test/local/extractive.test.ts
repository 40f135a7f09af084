import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Local } from "../../src/local/index.ts"
import * as Provider from "../../src/Provider.ts"

// ------------------------------------------------------------------------------------------------------ requests

const noteOf = (text: string, note: Partial<Provider.ContextNote> = {}): Provider.ContextNote => ({
  id: "n",
  key: "message",
  text,
  source: "user",
  step: "",
  trust: "untrusted",
  fresh: true,
  ...note
})

const taskOf = (task: Partial<Provider.Task>): Provider.Task => ({
  kind: "analyze",
  instruction: "",
  questions: [],
  context: [],
  ...task
})

const complete = (task: Partial<Provider.Task>, phase: Provider.Phase = "reason") =>
  Effect.flatMap(Provider.Provider, (provider) =>
    provider.complete({ messages: [], sampling: {}, phase, task: taskOf(task) })
  )

const decide = Effect.fnUntraced(function* (input: string, questions: ReadonlyArray<Provider.Question>) {
  const provider = yield* Provider.Provider
  assert.ok(provider.decide)
  const { answers } = yield* provider.decide({ messages: [], task: taskOf({ kind: "decide", input, questions }) })
  return answers
})

const choice = (labels: Readonly<Record<string, string>>, name = "category"): Provider.Question => ({
  _tag: "Choice",
  name,
  question: "What is it?",
  labels: Object.entries(labels).map(([label, description]) =>
    description === "" ? { label } : { label, description }
  )
})

const labelOf = (input: string, labels: Readonly<Record<string, string>>, name?: string) =>
  Effect.map(decide(input, [choice(labels, name)]), ([answer]) =>
    answer?._tag === "Choice" ? answer.label : undefined
  )

const yesTo = (question: string, input: string) =>
  Effect.map(decide(input, [{ _tag: "Predicate", name: "q", question }]), ([answer]) => {
    assert.ok(answer?._tag === "Predicate")
    return answer
  })

/** A schema as the typed calls hand it over: definitions beside the root. */
const outputOf = (schema: Schema.Codec<any, any>): Provider.Output => {
  const document = Schema.toJsonSchemaDocument(Schema.toCodecJson(schema), { onExcessProperty: "error" })
  return { name: "it", instructions: "", jsonSchema: { ...document.schema, $defs: document.definitions } }
}

const extract = <A>(
  schema: Schema.Codec<A, any>,
  input: string,
  instruction = "Extract what the message says.",
  task: Partial<Provider.Task> = { kind: "extract" }
) =>
  Effect.flatMap(complete({ ...task, instruction, input, output: outputOf(schema) }), ({ text }) =>
    Schema.decodeEffect(Schema.fromJsonString(Schema.toCodecJson(schema)))(text)
  )

// ------------------------------------------------------------------------------------------------------ messages

const support = {
  billing: "payments, invoices, refunds",
  technical: "errors and outages",
  account: "login and profile"
}
const tones = { positive: "", negative: "", neutral: "", mixed: "" }

const gonzalez = `Hi Support Team,

my name is Maria Gonzalez and I am with Acme Corp. I was charged $49.99 twice on March 3rd, 2024 for invoice #INV-2041.
This is the third time I write about it and nobody answers! If I do not get my money back by Friday I will call my lawyer.

Besides, the export button throws an error since the update.

Please reply to maria.gonzalez@acme.io.

Thanks,
Maria`

const question = "hello, where can i find the manual for the coffee machine? no rush. tom.bell@gmail.com"

const ofCategory: ReadonlyArray<readonly [keyof typeof support, string]> = [
  ["billing", "My card statement shows your company three times this week although I only have one subscription."],
  ["billing", "We need a receipt with our tax number for the payment we made on Monday."],
  ["billing", "The price went up without notice. I refuse to pay that and want the difference back."],
  ["billing", "Can I pay by bank transfer instead of credit card?"],
  ["technical", "Whenever I press print, the program freezes and I have to restart the computer."],
  ["technical", "None of our locations can reach the service, the status page says nothing."],
  ["technical", "Search results are empty since last night and the log is full of exceptions."],
  [
    "technical",
    "Hi there,\n\nI hope you can help. Synchronisation stops at 80 percent with a timeout.\n\nKind regards,\nPetra"
  ],
  ["account", "I never get the code for the second factor, so I cannot sign in."],
  ["account", "How do I upload a new picture and change my user name?"],
  ["account", "Please merge my two users, I registered twice by mistake."],
  ["account", "My colleague left. How do I remove her user and give her rights to me?"]
]

const ofTone: ReadonlyArray<readonly [keyof typeof tones, string]> = [
  ["positive", "Everything went smoothly, the whole team is thrilled with the result."],
  ["positive", "What a lovely hotel! We slept well and the breakfast was delicious."],
  ["negative", "The delivery never came and the hotline hung up on me twice."],
  ["negative", "It broke on the first day. A complete waste of money. I feel cheated."],
  ["negative", "Our shop cannot take orders because of your outage and you do not even reply."],
  ["neutral", "Is the office open on Saturday?"],
  ["neutral", "My order number is 7712. Please send the parcel to my work address instead."],
  ["neutral", "The form has four pages and is due in June."],
  ["mixed", "The food was excellent, but the waiter was rude and slow."],
  ["mixed", "I adore the new colours. The app has become terribly slow though."]
]

const take = (name: string, category: string) => `Should a senior agent take ${name}'s ${category} issue?`

const ofEscalation: ReadonlyArray<readonly [boolean, string, string]> = [
  [
    true,
    take("Olga", "billing"),
    "You took $2,300 from us without any reason and have ignored four letters. Our lawyer is informed."
  ],
  [
    true,
    take("Kim", "technical"),
    "Nothing works since midnight, the whole hospital is waiting. This is an emergency!"
  ],
  [true, take("Raj", "account"), "Strangers are inside my account and are sending messages to our clients right now."],
  [true, take("the customer", "billing"), "I am sick of this. Refund me today or I take my business elsewhere."],
  [false, take("Ben", "billing"), "Which payment methods do you accept? Thank you!"],
  [
    false,
    take("Lea", "technical"),
    "On my phone the footer is a bit too close to the edge. Not important, just so you know."
  ],
  [false, take("Max", "account"), "Hi, how can I switch the language of my profile to Spanish?"],
  [
    false,
    take("the customer", "account"),
    "Thanks for the newsletter, could you send it to my new address from now on?"
  ]
]

const accuracy = <A>(cases: ReadonlyArray<A>, isRight: (item: A) => Effect.Effect<boolean, any, Provider.Provider>) =>
  Effect.map(Effect.filter(cases, isRight), (right) => right.length)

// --------------------------------------------------------------------------------------------------------- tests

layer(Local.extractive)("the extractive provider", (it) => {
  it.effect("says what it is", () =>
    Effect.gen(function* () {
      const { capabilities, model, name } = yield* Provider.Provider
      assert.strictEqual(name, "extractive")
      assert.strictEqual(model, "use-lite-en")
      assert.strictEqual(Local.extractiveDescription, "offline extractive model, not an LLM")
      assert.deepInclude(capabilities, { temperature: "never", efforts: [], structuredOutput: "json-schema" })
    })
  )

  describe("closed questions", () => {
    it.effect("finds the category of most support messages", () =>
      Effect.gen(function* () {
        const right = yield* accuracy(ofCategory, ([label, text]) =>
          Effect.map(labelOf(text, support), (found) => found === label)
        )
        assert.isAtLeast(right, 9, `of ${ofCategory.length}`)
      })
    )

    it.effect("finds the tone of most messages", () =>
      Effect.gen(function* () {
        const right = yield* accuracy(ofTone, ([label, text]) =>
          Effect.map(labelOf(text, tones), (found) => found === label)
        )
        assert.isAtLeast(right, 8, `of ${ofTone.length}`)
      })
    )

    it.effect("tells most urgent or angry messages from calm ones", () =>
      Effect.gen(function* () {
        const right = yield* accuracy(ofEscalation, ([yes, question, text]) =>
          Effect.map(yesTo(question, text), ({ probability }) => probability >= 0.5 === yes)
        )
        assert.isAtLeast(right, 7, `of ${ofEscalation.length}`)
      })
    )

    it.effect("finds a message urgent of which only one sentence presses", () =>
      Effect.gen(function* () {
        const emotions = { joy: "", urgency: "", frustration: "" }
        const text = "I use the desktop client at home. Please fix it immediately, it is urgent!"
        assert.strictEqual(yield* labelOf(text, emotions, "emotion"), "urgency")
        assert.notStrictEqual(yield* labelOf("I use the desktop client at home.", emotions, "emotion"), "urgency")
      })
    )

    it.effect("gives distributions that sum to 1 and reasons that are in the text", () =>
      Effect.gen(function* () {
        const answers = yield* decide(gonzalez, [
          choice(support),
          choice(tones, "tone"),
          choice({ anger: "", joy: "", calm: "" }, "emotion"),
          choice({ low: "", high: "", medium: "" }, "priority"),
          {
            _tag: "Score",
            name: "severity",
            question: "How severe is this issue?",
            levels: [
              { label: "low", value: 0 },
              { label: "medium", value: 5 },
              { label: "high", value: 10 }
            ]
          },
          { _tag: "Predicate", name: "urgent", question: "Is this urgent?" }
        ])
        assert.deepStrictEqual(
          answers.map(({ name }) => name),
          ["category", "tone", "emotion", "priority", "severity", "urgent"]
        )
        for (const answer of answers) {
          assert.notStrictEqual(answer._tag, "Refusal")
          if (answer._tag === "Refusal") continue
          assert.ok(answer.reasons !== undefined && answer.reasons.length > 0 && answer.reasons.length <= 2)
          for (const reason of answer.reasons) assert.include(gonzalez, reason)
          if (answer._tag === "Predicate") assert.isAbove(answer.probability, 0.5)
          else
            assert.approximately(
              Object.values(answer.distribution).reduce((a, b) => a + b, 0),
              1,
              1e-9
            )
          if (answer._tag === "Score") assert.isAbove(answer.value, 5)
        }
      })
    )

    it.effect("quotes the sentence that speaks for the answer", () =>
      Effect.gen(function* () {
        const [answer] = yield* decide(gonzalez, [choice(support)])
        assert.ok(answer?._tag === "Choice")
        assert.match(answer.reasons?.[0] ?? "", /^I was charged \$49\.99 twice/)
      })
    )

    it.effect("turns the answer around where a close sentence is negated", () =>
      Effect.gen(function* () {
        const yes = yield* yesTo("Was the invoice paid?", "We paid the invoice on Monday.")
        const no = yield* yesTo("Was the invoice paid?", "We have not paid the invoice yet.")
        assert.isAbove(yes.probability, 0.7)
        assert.isBelow(no.probability, 0.3)
      })
    )

    it.effect("judges each aspect by what is said about it", () =>
      Effect.gen(function* () {
        const review = "The camera is wonderful, but the battery is terrible."
        assert.strictEqual(yield* labelOf(review, tones, "aspect:camera"), "positive")
        assert.strictEqual(yield* labelOf(review, tones, "aspect:battery"), "negative")
        assert.strictEqual(yield* labelOf(review, tones, "aspect:price"), "neutral")
      })
    )

    it.effect("gives the same answers every time", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* decide(gonzalez, [choice(support)]), yield* decide(gonzalez, [choice(support)]))
      })
    )

    it.effect.each(["", "  \n"])("refuses to judge without any text (%j)", (input) =>
      Effect.gen(function* () {
        const [category, urgent] = yield* decide(input, [
          choice(support),
          { _tag: "Predicate", name: "urgent", question: "Is this urgent?" }
        ])
        assert.deepInclude(category, { _tag: "Refusal", name: "category" })
        assert.deepInclude(urgent, { _tag: "Refusal", name: "urgent" })
      })
    )

    it.effect("answers them in the form of a written answer, too", () =>
      Effect.gen(function* () {
        const Reply = Schema.Struct({
          primary: Schema.Literals(["billing", "technical", "account"]),
          secondary: Schema.optionalKey(Schema.NullOr(Schema.Literals(["billing", "technical", "account"]))),
          confidence: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })),
          reasoning: Schema.Array(Schema.NonEmptyString).check(Schema.isMinLength(1))
        })
        const { text } = yield* complete({
          kind: "categorize",
          instruction: "What kind of issue is this?",
          input: gonzalez,
          questions: [choice(support)],
          output: outputOf(Reply)
        })
        const reply = yield* Schema.decodeEffect(Schema.fromJsonString(Reply))(text)
        const [answer] = yield* decide(gonzalez, [choice(support)])
        assert.ok(answer?._tag === "Choice")
        assert.strictEqual(reply.primary, "billing")
        assert.strictEqual(reply.confidence, answer.distribution["billing"])
        assert.deepStrictEqual(reply.reasoning, answer.reasons)
      })
    )

    it.effect("say that no sentence supports the answer if the schema requires reasons", () =>
      Effect.gen(function* () {
        const Reply = Schema.Struct({
          decision: Schema.Boolean,
          reasoning: Schema.Array(Schema.NonEmptyString).check(Schema.isMinLength(1))
        })
        const question = "Is this about money?"
        const input = "My invoice of 49.90 EUR was charged twice on 2026-05-03! Jane Doe, Acme Ltd"
        assert.isUndefined((yield* yesTo(question, input)).reasons)
        const { text } = yield* complete({
          kind: "decide",
          instruction: question,
          input,
          questions: [{ _tag: "Predicate", name: "decision", question }],
          output: outputOf(Reply)
        })
        const { reasoning } = yield* Schema.decodeEffect(Schema.fromJsonString(Reply))(text)
        assert.deepStrictEqual(reasoning, ["[No sentence of the text supports this.]"])
      })
    )

    it.effect("fits a predicate and several answers into one form", () =>
      Effect.gen(function* () {
        const Reply = Schema.Struct({
          decision: Schema.Boolean,
          overall: Schema.Literals(["positive", "negative", "neutral", "mixed"]),
          scores: Schema.Struct({ positive: Schema.Finite, negative: Schema.Finite, neutral: Schema.Finite }),
          emotions: Schema.Array(Schema.String),
          aspects: Schema.Struct({ invoice: Schema.Literals(["positive", "negative", "neutral", "mixed"]) })
        })
        const { text } = yield* complete({
          kind: "assess",
          instruction: "How does the customer feel?",
          input: gonzalez,
          questions: [
            { _tag: "Predicate", name: "decision", question: "Is the customer angry?" },
            choice(tones, "overall"),
            choice({ anger: "", joy: "" }, "emotion"),
            choice(tones, "aspect:invoice")
          ],
          output: outputOf(Reply)
        })
        const reply = yield* Schema.decodeEffect(Schema.fromJsonString(Reply))(text)
        assert.isTrue(reply.decision)
        assert.strictEqual(reply.overall, "negative")
        assert.approximately(reply.scores.positive + reply.scores.negative + reply.scores.neutral, 1, 1e-9)
        assert.isAbove(reply.scores.negative, reply.scores.positive)
        assert.deepStrictEqual(reply.emotions, ["anger"])
      })
    )
  })

  describe("extraction", () => {
    it.effect("takes the customer, the issue and the signs of urgency from a message", () =>
      Effect.gen(function* () {
        const Ticket = Schema.Struct({
          customer: Schema.String,
          issue: Schema.String,
          signals: Schema.Array(Schema.String)
        })
        const ticket = yield* extract(Ticket, gonzalez, "Extract the customer, the issue and every sign of urgency")
        assert.strictEqual(ticket.customer, "Maria Gonzalez")
        assert.match(ticket.issue, /charged \$49\.99 twice/)
        assert.include(gonzalez, ticket.issue)
        assert.isAbove(ticket.signals.length, 0)
        for (const signal of ticket.signals) assert.include(gonzalez, signal)
        assert.include(ticket.signals, "If I do not get my money back by Friday I will call my lawyer.")
        assert.notInclude(ticket.signals.join(), "my name is")

        const calm = yield* extract(Ticket, question, "Extract the customer, the issue and every sign of urgency")
        assert.deepStrictEqual(calm.signals, [])
        assert.strictEqual(calm.customer, "tom.bell")
      })
    )

    it.effect("finds values by their form and what is asked for", () =>
      Effect.gen(function* () {
        const Values = Schema.Struct({
          customerName: Schema.NullOr(Schema.String),
          company: Schema.NullOr(Schema.String),
          email: Schema.optionalKey(Schema.String),
          amount: Schema.NullOr(Schema.Finite),
          invoiceNumber: Schema.NullOr(Schema.String),
          date: Schema.NullOr(Schema.String),
          teamSize: Schema.NullOr(Schema.Int.annotate({ description: "how many people are in the team" })),
          priority: Schema.Literals(["low", "medium", "high"]),
          urgent: Schema.Boolean
        })
        const found = yield* extract(Values, gonzalez)
        assert.deepInclude(found, {
          customerName: "Maria Gonzalez",
          company: "Acme Corp.",
          email: "maria.gonzalez@acme.io",
          amount: 49.99,
          invoiceNumber: "#INV-2041",
          date: "March 3rd, 2024",
          urgent: true
        })
        assert.notStrictEqual(found.priority, "low")

        const nothing = yield* extract(Values, "Where can I find the manual? No rush.")
        assert.deepStrictEqual(nothing, {
          customerName: null,
          company: null,
          amount: null,
          invoiceNumber: null,
          date: null,
          teamSize: null,
          priority: "low",
          urgent: false
        })
        const Flag = Schema.Struct({ urgent: Schema.Literals([true, false]) })
        assert.deepStrictEqual(yield* extract(Flag, "Where can I find the manual? No rush."), { urgent: false })
        // @effect-diagnostics-next-line schemaNumber:off -- a number that need not be finite is what is tested
        const Any = Schema.Struct({ amount: Schema.Number })
        assert.deepStrictEqual(yield* extract(Any, "It costs 49.99 EUR."), { amount: 49.99 })
        const missing = yield* Effect.flip(extract(Any, "The lamp is broken."))
        assert.strictEqual(missing._tag, "ProviderError")
        const counted = yield* extract(
          Values,
          "We are a team of 25 people and pay €1,200.50 a month. Pay day is 2024-05-06."
        )
        assert.deepInclude(counted, { teamSize: 25, amount: 1200.5, date: "2024-05-06" })
      })
    )

    it.effect("takes amounts that must be whole cents", () =>
      Effect.gen(function* () {
        const Price = Schema.Struct({ price: Schema.Finite.check(Schema.isMultipleOf(0.01)) })
        for (const price of [19.99, 0.07]) {
          assert.deepStrictEqual(yield* extract(Price, `The price is ${price} dollars.`), { price })
        }
      })
    )

    it.effect("leaves a required text empty rather than make one up", () =>
      Effect.gen(function* () {
        const found = yield* extract(
          Schema.Struct({ customer: Schema.String, company: Schema.String }),
          "where is the manual?"
        )
        assert.deepStrictEqual(found, { customer: "", company: "" })
      })
    )

    it.effect("fills nested, referenced and listed forms", () =>
      Effect.gen(function* () {
        const Contact = Schema.Struct({ email: Schema.String, name: Schema.NullOr(Schema.String) }).annotate({
          identifier: "Contact"
        })
        const Form = Schema.Struct({
          contact: Contact,
          emails: Schema.Array(Schema.String),
          amounts: Schema.Array(Schema.Finite.annotate({ description: "amounts of money" })),
          kind: Schema.Literal("ticket"),
          dueDate: Schema.String.check(Schema.isPattern(/^\d{4}-\d{2}-\d{2}$/)),
          certainty: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
        })
        const text =
          "I am Jane Doe. Write to jane@doe.org or office@doe.org. It is $20 now and $35 later, due on 2025-01-31."
        const found = yield* extract(Form, text)
        assert.deepInclude(found, {
          contact: { email: "jane@doe.org", name: "Jane Doe" },
          emails: ["jane@doe.org", "office@doe.org"],
          amounts: [20, 35],
          kind: "ticket",
          dueDate: "2025-01-31"
        })
      })
    )

    it.effect("fails where the text cannot fill what is required", () =>
      Effect.gen(function* () {
        const Seats = Schema.Struct({ seats: Schema.Int })
        const error = yield* Effect.flip(
          complete({
            kind: "extract",
            input: "Where is the manual?",
            output: outputOf(Seats)
          })
        )
        assert.strictEqual(error.reason._tag, "Unsupported")
        assert.include(error.message, '"seats"')
        const short = Schema.Struct({ code: Schema.String.check(Schema.isMinLength(500)) })
        const other = yield* Effect.flip(complete({ kind: "extract", input: gonzalez, output: outputOf(short) }))
        assert.strictEqual(other.reason._tag, "Unsupported")
        assert.notInclude(other.message, "Gonzalez")
      })
    )
  })

  describe("summaries", () => {
    it.effect("looks back with a few sentences of the text, unchanged", () =>
      Effect.gen(function* () {
        const { text, usage } = yield* complete(
          { kind: "decide", instruction: "Look back on your answer.", context: [noteOf(gonzalez)] },
          "introspect"
        )
        assert.match(text, /I was charged \$49\.99 twice on March 3rd, 2024 for invoice #INV-2041\./)
        assert.notInclude(text, "my name is")
        assert.isBelow(text.length, gonzalez.length / 2)
        let rest = text
        for (const sentence of gonzalez.split(/(?<=[.!])\s+/)) rest = rest.replace(sentence, "")
        assert.strictEqual(rest.trim(), "")
        assert.deepStrictEqual(usage, {})
      })
    )

    it.effect("summarizes when that is what the instruction means", () =>
      Effect.gen(function* () {
        const Transformation = Schema.Struct({
          output: Schema.NonEmptyString,
          confidence: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })),
          changes: Schema.Array(Schema.String),
          reasoning: Schema.Array(Schema.String)
        })
        const found = yield* extract(Transformation, gonzalez, "Summarize the message in two sentences.", {
          kind: "transform",
          wants: "text"
        })
        assert.include(found.output, "I was charged $49.99 twice")
        assert.deepStrictEqual([found.changes, found.reasoning], [[], []])
        assert.isAbove(found.confidence, 0.2)
      })
    )

    it.effect.each([
      ["transform", "Write a poem about the ticket."],
      ["transform", "Translate the message into German."],
      ["ask", "Write a friendly reply to the customer."],
      ["amplify", "Come up with three better names for the product."]
    ] as const)("cannot compose (%s: %s)", ([kind, instruction]) =>
      Effect.gen(function* () {
        for (const output of [undefined, outputOf(Schema.Struct({ output: Schema.String }))]) {
          if (kind === "ask" && output !== undefined) continue
          const error = yield* Effect.flip(
            complete({
              kind,
              wants: "text",
              instruction,
              input: gonzalez,
              ...(output === undefined ? {} : { output })
            })
          )
          assert.strictEqual(error._tag, "ProviderError")
          assert.strictEqual(error.reason._tag, "Unsupported")
          assert.isFalse(error.isRetryable)
          assert.include(error.message, "offline extractive model")
          assert.include(error.message, "cogito/openai")
        }
      })
    )

    it.effect("refuses open tasks without any text", () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(complete({ kind: "summarize", wants: "summary", instruction: "Summarize." }))
        assert.strictEqual(error.reason._tag, "Refused")
      })
    )
  })

  describe("the text it works on", () => {
    const summaryOf = (task: Partial<Provider.Task>) =>
      Effect.map(
        complete({ kind: "summarize", wants: "summary", instruction: "Summarize.", ...task }),
        ({ text }) => text
      )

    it.effect("is the input, else the notes a thought began with, else those of steps but not what was looked up", () =>
      Effect.gen(function* () {
        const given = noteOf("The printer jams every morning.")
        const made = noteOf("The issue is technical.", { step: "triage/category", source: "categorize" })
        const found = noteOf("An old ticket about the scanner.", {
          step: "triage/history",
          source: "seek",
          found: true
        })
        const context = [found, made, given]
        assert.strictEqual(yield* summaryOf({ input: "The lift is stuck again.", context }), "The lift is stuck again.")
        assert.strictEqual(yield* summaryOf({ context }), "The printer jams every morning.")
        assert.strictEqual(yield* summaryOf({ context: [found, made] }), "The issue is technical.")
      })
    )

    it.effect("is only the text values of a note that is JSON", () =>
      Effect.gen(function* () {
        const note = noteOf(
          JSON.stringify({ id: 7, ticket: { issue: 'The door does not "close" properly.' }, open: true })
        )
        assert.strictEqual(yield* summaryOf({ context: [note] }), 'The door does not "close" properly.')
      })
    )

    it.effect("may be long: a sentence far behind the encoder's limit still counts", () =>
      Effect.gen(function* () {
        const padding = "We met on the terrace and talked about the weather and the garden for a while. ".repeat(40)
        const answer = yield* yesTo(
          "Is this urgent?",
          `${padding}This is an emergency, our servers are burning, help now!`
        )
        assert.deepStrictEqual(answer.reasons, ["This is an emergency, our servers are burning, help now!"])
      })
    )
  })

  it.effect("streams the whole answer as one piece", () =>
    Effect.gen(function* () {
      const provider = yield* Provider.Provider
      const request: Provider.Request = {
        messages: [],
        sampling: {},
        phase: "introspect",
        task: taskOf({ input: "The door is open." })
      }
      const parts: Array<Provider.StreamPart> = []
      yield* Stream.runForEach(provider.stream(request), (part) => Effect.sync(() => parts.push(part)))
      assert.deepStrictEqual(
        parts.map(({ _tag }) => _tag),
        ["Text", "Done"]
      )
    })
  )
})
