import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { Pipeline, Primitive, Provider, Synapse, Thought } from "cogito"
import { Local } from "cogito/local"
import { Testing } from "cogito/testing"

// What the offline provider must not claim: that it read another language, that thanks are urgent, that "not" means yes.

const kinds = {
  billing: "payments and invoices",
  technical: "errors and outages",
  feedback: "praise, thanks and ideas",
  other: "anything else"
}
const kind = Synapse.classification({ question: "What kind of support issue is this?", categories: kinds })
const urgent = Synapse.binary({ question: "Should a senior agent take this case because it is urgent?" })
const mood = Synapse.sentiment({ question: "How does the customer feel?" })
const Ticket = Schema.Struct({
  customer: Schema.NullOr(Schema.String).annotate({
    description: "Name of the customer, or null when it is not given"
  }),
  signals: Schema.Array(Schema.String).annotate({
    description: "Words that show urgency or anger, as they were written"
  })
})
const ticket = Synapse.extract(Ticket, { prompt: "Extract the customer and every sign of urgency." })

const german = "Seit gestern kann ich keine Rechnung mehr öffnen, bitte helfen Sie mir."

layer(Layer.mergeAll(Local.extractive, Testing.memory))("the offline provider", (it) => {
  describe("and other languages", () => {
    it.effect("refuses a text that is not English, and names the language", () =>
      Effect.gen(function* () {
        const errors = [
          yield* Effect.flip(kind(german)),
          yield* Effect.flip(urgent(german)),
          yield* Effect.flip(mood(german)),
          yield* Effect.flip(ticket(german))
        ]
        for (const error of errors) {
          assert.ok(error._tag === "ProviderError")
          assert.deepInclude(error.reason, { _tag: "Refused", category: "language" })
          assert.match(error.reason.message, /^not read: German\. .*translate the text.*another language model/)
          assert.notInclude(error.message, "Rechnung")
        }
      })
    )

    it.effect("refuses each closed question of its own", () =>
      Effect.gen(function* () {
        const { decide } = yield* Provider.Provider
        const questions: ReadonlyArray<Provider.Question> = [
          { _tag: "Predicate", name: "a", question: "Is this urgent?" },
          { _tag: "Choice", name: "b", question: "What is it?", labels: [{ label: "x" }, { label: "y" }] }
        ]
        assert.ok(decide)
        const task = { kind: "decide", instruction: "", input: german, context: [], questions }
        const { answers } = yield* decide({ messages: [], task })
        assert.deepStrictEqual(
          answers.map((answer) => [answer.name, answer._tag, answer._tag === "Refusal" ? answer.category : ""]),
          [
            ["a", "Refusal", "language"],
            ["b", "Refusal", "language"]
          ]
        )
      })
    )

    it.effect("uses the English part of a mixed text, and says what it leaves out", () =>
      Effect.gen(function* () {
        const text = `${german} The server shows error 500 on every page and our shop is down.`
        const { primary, reasoning } = yield* kind(text)
        assert.strictEqual(primary, "technical")
        assert.strictEqual(reasoning.at(-1), "[Not read: German]")
        // before it the reasons from the part that was read
        assert.deepStrictEqual(reasoning.slice(0, -1), [
          "The server shows error 500 on every page and our shop is down."
        ])
      })
    )

    it.effect("fails the step of a pipeline with the category, natively and in text", () =>
      Effect.gen(function* () {
        for (const via of ["native", "text"] as const) {
          const step = Primitive.decide("urgent", { question: "Is this urgent?", via })
          const start = yield* Thought.make("triage", { message: german })
          const { cause } = yield* Effect.flip(Pipeline.run(step, start))
          assert.ok(cause._tag === "ProviderError")
          assert.deepInclude(cause.reason, { _tag: "Refused", category: "language" })
        }
      })
    )
  })

  it.effect.each(["?! …", "12345", "§ 5", "12.5 %", "2026-05-05T10:30Z", "€5k"])(
    "refuses a text without a word: %s",
    (text) =>
      Effect.gen(function* () {
        const explained = Synapse.binary({ question: "Is it urgent?", reasons: true })
        const errors = [
          yield* Effect.flip(urgent(text)),
          yield* Effect.flip(kind(text)),
          yield* Effect.flip(mood(text)),
          yield* Effect.flip(explained(text))
        ]
        for (const error of errors) {
          assert.ok(error._tag === "ProviderError")
          assert.deepInclude(error.reason, { _tag: "Refused", category: "no-words" })
        }
      })
  )

  it.effect("reads numbers alone where it extracts", () =>
    Effect.gen(function* () {
      const share = Synapse.extract(Schema.Struct({ percentage: Schema.Finite }), { prompt: "Extract it" })
      assert.deepStrictEqual(yield* share("12.5 %"), { percentage: 12.5 })
    })
  )

  // in a time that grew with the square of its length, this would take minutes
  it.effect("reads a mail with a word of encoded data", () =>
    Effect.gen(function* () {
      const mail = `Our site is down, we need help today! jane@example.com ${"QUJD".repeat(100_000)}`
      assert.isTrue((yield* urgent(mail)).decision)
      const sender = Synapse.extract(Schema.Struct({ email: Schema.String }), { prompt: "Extract the e-mail address." })
      assert.deepStrictEqual(yield* sender(mail), { email: "jane@example.com" })
    })
  )

  describe("and thanks", () => {
    const thanks = [
      "Lovely, the new printer driver did the trick. Thanks to everyone involved!",
      "A big thank you to Olu, who sorted the outage on my line within minutes.",
      "Your museum guide is fantastic, we are so pleased with it."
    ]
    it.effect.each(thanks)("finds no urgency: %s", (text) =>
      Effect.gen(function* () {
        assert.deepStrictEqual((yield* ticket(text)).signals, [])
        assert.isFalse((yield* urgent(text)).decision)
        assert.strictEqual((yield* kind(text)).primary, "feedback")
        const { emotions } = yield* mood(text)
        for (const other of ["urgency", "anger", "frustration"]) assert.notInclude(emotions, other)
      })
    )

    it.effect.each([
      "I love the app, but the sync has been broken for three weeks.",
      "Great support so far. The file is still missing though, please send it today.",
      "Help"
    ])("still finds a problem beside praise: %s", (text) =>
      Effect.map(kind(text), ({ distribution }) => assert.isBelow(distribution?.["feedback"] ?? 0, 0.95))
    )
  })

  describe("and negation", () => {
    it.effect.each([
      ["Is there an error?", "The report ran through, there was no error at all."],
      ["Was the customer overcharged?", "I was not overcharged, the amount is right."],
      ["Does the patient have pain?", "She has no pain and sleeps well."]
    ])("takes a denial for a no: %s", ([question, text]) =>
      Effect.map(Synapse.binary({ question: question ?? "" })(text ?? ""), ({ decision }) => assert.isFalse(decision))
    )

    it.effect("finds no urgency in what is denied, and all of it in what is not", () =>
      Effect.gen(function* () {
        const calm = "It isn't urgent and nothing is broken, I would only like to know the opening hours."
        assert.isFalse((yield* urgent(calm)).decision)
        assert.deepStrictEqual((yield* ticket(calm)).signals, [])
        const failing = "The payment failed and we cannot serve our guests. This is an emergency!"
        assert.isTrue((yield* urgent(failing)).decision)
        assert.include((yield* ticket(failing)).signals, "This is an emergency!")
      })
    )
  })

  it.effect("gives as a reason only a sentence that is one", () =>
    Effect.gen(function* () {
      const yes = yield* urgent(
        "The tap in room 4 drips. Our whole hotel is without power, please come immediately! Ida Holm"
      )
      assert.isTrue(yes.decision)
      assert.match(yes.reasoning[0] ?? "", /immediately/)
      assert.notInclude(yes.reasoning.join(" "), "Ida Holm")
      assert.deepStrictEqual((yield* urgent("The catalogue has forty pages.")).reasoning, [])
    })
  )

  it.effect.each([
    ["Where is my lamp? Cheers, nora", "nora"],
    ["The lid does not fit. R. Castellano", "R. Castellano"],
    ["I wanted to say thanks to Pedro in your shop, he was so patient with us.", null],
    ["It stopped again.\n\n-----Original Message-----\nFrom: Support\n\nHi Petra, it should work now.", "Petra"],
    ["Could you change my name from Moss to Reed? Thx, Ivy Reed", "Ivy Reed"],
    ["The box is empty.\n\nKind regards,\nDr. Amina Diallo\nHead of Purchasing", "Amina Diallo"]
  ])("names the writer, and nobody else: %s", ([text, name]) =>
    Effect.map(ticket(text ?? ""), ({ customer }) => assert.strictEqual(customer, name))
  )
})
