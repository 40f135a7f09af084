/**
 * The pipeline: what is asked about a request for a refund, and what follows from it.
 *
 * The module only exports steps and what they need, so that `npx cogito runs resume --steps` can go on with a run too.
 */
import { Schema } from "effect"
import { Note, Pipeline, Primitive, Step } from "cogito"
import { Local } from "cogito/local"

// ---------------------------------------------------------------------------------------------------- what is asked

/** What the shop knows of the order. It comes from us, not from the customer. */
export const order = Note.handle(
  "order",
  Schema.Struct({ item: Schema.String, price: Schema.Finite, days: Schema.Int })
)

const product = Primitive.categorize("product", {
  question: "What kind of product is it about?",
  categories: {
    electronics: "devices with a plug or a battery, and their accessories",
    clothing: "clothes and shoes",
    household: "furniture, dishes, things for the kitchen"
  }
})

export const complaint = Primitive.decide("complaint", { question: "Is this a complaint?" })

// ----------------------------------------------------------------------------------------------- what follows from it

const Outcome = Schema.Struct({
  outcome: Schema.Literals(["refund", "refund after return", "a person decides"]),
  rule: Schema.String,
  apologise: Schema.Boolean
})

/** An outcome as a sentence. */
export const inWords = ({ apologise, outcome, rule }: typeof Outcome.Type): string =>
  `${outcome}${apologise ? ", with an apology" : ""}: ${rule}`

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
export const unclear = byRule(() => person("the ground is not clear enough"))

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

// ------------------------------------------------------------------------------------------------ what a person decides

/** Refunds above this amount, in EUR, need the approval of a person. */
const limit = 100

const isLarge = Note.from(
  { order, ruling: unclear },
  ({ order, ruling }) => ruling.outcome !== "a person decides" && order.price > limit
)

/**
 * Ends the run until somebody answers, days later perhaps, and in another process: `npx cogito runs answer`. The question has
 * what the shop knows and what the rule says, but no word of the customer.
 */
export const approval = Primitive.approve("approval", {
  prompt: Note.prompt`${Note.from(order, ({ item, price }) => `Pay ${price} EUR back for the ${item}?`)} ${Note.from(unclear, inWords)}`
})

const handling = Pipeline.sequence("handling", [
  product,
  judging,
  Pipeline.filter("large", { when: isLarge, step: approval })
])

/** A request from what the customer wrote to what follows from it. `npx cogito runs resume` finds it by its name. */
export const wanted = Primitive.sift("wanted", { question: "Is this a refund request?", step: handling })

/** The same judgement again, from the checkpoint, on what the customer says now. The first request stays in the log. */
export const again = (request: string) =>
  Pipeline.sequence("appeal", [
    Primitive.restore("back", { from: { checkpoint: "before the outcome" } }),
    Step.make("request", { schema: Schema.String, run: () => request }),
    ground
  ])

/** What the steps need: `npx cogito runs resume` provides it to them. */
export const layer = Local.extractive
