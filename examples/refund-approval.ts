// Runs offline, with the extractive provider, which is not a language model: `npm run refund-approval`.
/**
 * Approval of refunds with an audit trail.
 *
 * The model answers small closed questions about what a customer wrote; what they amount to is computed in code, by rules
 * that anyone can read. Every answer and every rule's outcome is a note that is never changed, so the log of notes is the
 * trail: who decided what, how certain they were, and why. An appeal goes back to the checkpoint before the outcome.
 */
import { Console, Effect, Layer, Option, Schema } from "effect"
import { Memory, Note, Pipeline, Primitive, Step, Thought } from "cogito"
import { Local } from "cogito/local"

// ---------------------------------------------------------------------------------------------------- what is asked

/** What the shop knows of the order. It comes from us, not from the customer. */
const order = Note.handle("order", Schema.Struct({ item: Schema.String, price: Schema.Finite, days: Schema.Int }))

const product = Primitive.categorize("product", {
  question: "What kind of product is it about?",
  categories: {
    electronics: "devices with a plug or a battery, and their accessories",
    clothing: "clothes and shoes",
    household: "furniture, dishes, things for the kitchen"
  }
})

const complaint = Primitive.decide("complaint", { question: "Is this a complaint?" })

// ----------------------------------------------------------------------------------------------- what follows from it

const Outcome = Schema.Struct({
  outcome: Schema.Literals(["refund", "refund after return", "a person decides"]),
  rule: Schema.String,
  apologise: Schema.Boolean
})
type Ruling = Omit<typeof Outcome.Type, "apologise">

const person = (rule: string): Ruling => ({ outcome: "a person decides", rule })

/**
 * What a rule says about the order. An apology requires a complaint with a confidence of at least 0.7: this step sets its
 * own threshold.
 */
const byRule = (rule: (known: typeof order.schema.Type) => Ruling) =>
  Step.make("outcome", {
    schema: Outcome,
    run: Note.from({ order, complaint }, ({ complaint, order }) => ({
      ...rule(order),
      apologise: complaint.decision && complaint.confidence >= 0.7
    }))
  })

const damaged = byRule(({ price }) =>
  price <= 100
    ? { outcome: "refund", rule: "damaged goods up to 100 EUR are refunded at once" }
    : { outcome: "refund after return", rule: "damaged goods over 100 EUR are refunded when they are back" }
)
const late = byRule(({ price }) =>
  price <= 50
    ? { outcome: "refund", rule: "parcels up to 50 EUR that do not arrive are refunded at once" }
    : person("lost parcels over 50 EUR are for a person")
)
const regret = byRule(({ days }) =>
  days <= 30
    ? { outcome: "refund after return", rule: "returns are free for 30 days" }
    : person("after 30 days a return is goodwill")
)
const unclear = byRule(() => person("the ground is not clear enough"))

/**
 * Asks for the reason and applies its rule. If the confidence is below `minConfidence`, no rule is applied and a person
 * decides.
 */
const ground = Primitive.discern("ground", {
  question: "Why does the customer want the money back?",
  routes: {
    damaged: { when: "broken, damaged, torn or defective goods", step: damaged },
    late: { when: "a parcel that is lost, delayed or never arrived", step: late },
    regret: { when: "it does not fit, or the customer does not like it", step: regret }
  },
  minConfidence: 0.4,
  default: unclear
})

const judging = Pipeline.sequence("judging", [complaint, Primitive.checkpoint("before the outcome"), ground])

const handling = Primitive.sift("wanted", {
  question: "Is this a refund request?",
  step: Pipeline.sequence("handling", [product, judging])
})

/** The same judgement again, from the checkpoint, on what the customer says now. The first request stays in the log. */
const again = (request: string) =>
  Pipeline.sequence("appeal", [
    Primitive.restore("back", { from: { checkpoint: "before the outcome" } }),
    Step.make("request", { schema: Schema.String, run: () => request }),
    ground
  ])

// ----------------------------------------------------------------------------------------------------------- the trail

/** One line per note: what was known or concluded, by whom, and how certain. */
const trail = (thought: Thought.Thought): string =>
  [
    `thought ${thought.traceId.slice(-6)}${thought.parent === undefined ? "" : `, on from ${thought.parent.id.slice(-6)}`}`,
    ...Thought.notes(thought).map((note) => {
      const by = note.step === "" ? note.source : `${note.source} at ${note.step}`
      return `  ${String(note.seq).padStart(2)} ${note.key.padEnd(9)} ${summary(note).padEnd(72)} [${by}, ${note.trust}]`
    })
  ].join("\n")

const Answer = Schema.fromJsonString(
  Schema.Struct({
    decision: Schema.optionalKey(Schema.Boolean),
    primary: Schema.optionalKey(Schema.String),
    confidence: Schema.Finite,
    confidenceFrom: Schema.String
  })
)
const asAnswer = Schema.decodeUnknownOption(Answer)

const summary = (note: Note.Note): string => {
  // a customer could write text that looks like an answer: only notes with a model are answers
  const answer = note.metadata["model"] === undefined ? Option.none() : asAnswer(note.content)
  if (Option.isNone(answer)) return short(line(note.content))
  const { confidence, confidenceFrom, decision, primary } = answer.value
  const said = primary ?? (decision === true ? "yes" : "no")
  return `${said}, ${Math.round(confidence * 100)} % sure (${confidenceFrom}), answered by ${note.metadata["model"]}`
}

/** Text from others on one line, with control characters shown by their number. */
const line = (text: string): string => Note.visible(text, { oneLine: true })

const short = (text: string): string => (text.length > 72 ? `${text.slice(0, 69)}...` : text)

// ---------------------------------------------------------------------------------------------------------- the cases

const cases = [
  {
    request: "The kettle I bought arrived broken, the handle is cracked and it leaks. I want my money back.",
    order: { item: "kettle", price: 39.9, days: 4 }
  },
  {
    request: "The jacket does not fit and I do not like the colour. Please refund me.",
    order: { item: "jacket", price: 120, days: 12 }
  },
  {
    request: "Where is my parcel? The headphones never arrived. Please refund me.",
    order: { item: "headphones", price: 89, days: 21 }
  },
  { request: "Does the lamp come with a bulb?", order: { item: "lamp", price: 25, days: 2 } }
]

const inWords = ({ apologise, outcome, rule }: typeof Outcome.Type): string =>
  `${outcome}${apologise ? ", with an apology" : ""}: ${rule}`

const program = Effect.gen(function* () {
  for (const { order: known, request } of cases) {
    const asked = yield* Thought.make("decide on a refund", { request })
    const start = yield* Thought.write(asked, order, known, { source: "shop", trust: "trusted" })
    const done = yield* Pipeline.run(handling, start)
    // the note exists only if a refund is wanted
    const outcome = yield* Effect.option(Thought.read(done, unclear))
    const said = Option.isNone(outcome) ? "no refund is wanted" : inWords(outcome.value)
    yield* Console.log(`${line(request)}\n-> ${said}\n${trail(done)}\n`)
    if (known.item !== "jacket") continue

    const corrected = "I looked again: the sleeve of the jacket is torn and its zip is broken. Please refund me."
    const appeal = yield* Pipeline.run(again(corrected), yield* Thought.require(done, [order, complaint]))
    yield* Console.log(`Appeal: ${line(corrected)}\n-> ${inWords(appeal.get("outcome"))}\n${trail(appeal)}\n`)
  }
})

const memory = Memory.layerInMemory().pipe(Layer.provide(Local.embedder))
await Effect.runPromise(program.pipe(Effect.provide(Layer.merge(Local.extractive, memory))))
