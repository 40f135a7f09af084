/**
 * What `npm run triage` makes of sixty tickets with the offline provider, compared with what their author expects. The author had not
 * seen the provider. Its rules were changed with the tickets of odd numbers in view; of the others only totals were looked at.
 */
import { Effect, Layer, Schema } from "effect"
import { Embedder, Pipeline, type Provider, Thought } from "cogito"
import { Local } from "cogito/local"
import { Testing } from "cogito/testing"
import { readFileSync } from "node:fs"
import { category, empty, escalate, mood, ticket, triage } from "../../../examples/support-triage/pipeline.ts"

const Ticket = Schema.Struct({
  id: Schema.String,
  text: Schema.String,
  language: Schema.String,
  /** `none` is a ticket that asks for nothing and reports nothing. */
  category: Schema.Literals(["billing", "technical", "account", "none"]),
  urgent: Schema.Boolean,
  customer: Schema.NullOr(Schema.String),
  escalate: Schema.Boolean,
  escalateBecause: Schema.NullOr(Schema.String)
})
export type Ticket = typeof Ticket.Type

const tickets: ReadonlyArray<Ticket> = Schema.decodeSync(Schema.fromJsonString(Schema.Array(Ticket)))(
  readFileSync(new URL("./tickets.json", import.meta.url), "utf8")
)

/** Whether the rules were made with this ticket in view. */
export const isSeen = ({ id }: Ticket): boolean => Number(id.slice(1)) % 2 === 1

/** What the triage says of a ticket; undefined if it was not read. */
export interface Triaged {
  readonly ticket: Ticket
  readonly unread: string | undefined
  readonly said:
    | {
        readonly category: string
        readonly customer: string | null
        readonly signals: ReadonlyArray<string>
        readonly mood: string
        readonly escalate: boolean
        readonly reasons: ReadonlyArray<string>
        /** Whether the sentence is among the reasons that is nearest to the expected one. */
        readonly isExpectedReason: boolean
      }
    | undefined
}

const dot = (a: Float32Array | ReadonlyArray<number>, b: Float32Array | ReadonlyArray<number>): number =>
  Array.from(a).reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0)

const nearest = Effect.fnUntraced(function* (text: string, target: string) {
  const embedder = yield* Embedder.Embedder
  const sentences = text.split(/(?<=[.!?])\s+/u)
  const [aim = new Float32Array(), ...vectors] = yield* embedder.embedMany([target, ...sentences])
  const near = vectors.map((vector) => dot(vector, aim))
  return sentences[near.indexOf(Math.max(...near))] ?? ""
})

const triageOne = Effect.fnUntraced(function* (given: Ticket) {
  const start = yield* Thought.make("triage a support ticket", { message: given.text })
  const done = yield* Effect.result(Pipeline.run(triage, start))
  if (done._tag === "Failure") {
    const { cause } = done.failure
    const unread = cause._tag === "ProviderError" ? cause.reason.message : cause.message
    const none: Triaged = { ticket: given, unread, said: undefined }
    return none
  }
  if (done.success.note(empty.key) !== undefined) {
    const blank: Triaged = { ticket: given, unread: "no text", said: undefined }
    return blank
  }
  const answers = yield* Thought.require(done.success, [ticket, category, mood, escalate])
  const { decision, reasoning } = answers.get("escalate")
  const because = given.escalateBecause === null ? "" : yield* nearest(given.text, given.escalateBecause)
  const read: Triaged = {
    ticket: given,
    unread: undefined,
    said: {
      category: answers.get("category").primary,
      customer: answers.get("ticket").customer,
      signals: answers.get("ticket").signals,
      mood: answers.get("mood").overall,
      escalate: decision,
      reasons: reasoning,
      isExpectedReason:
        because !== "" && reasoning.some((reason) => reason.includes(because) || because.includes(reason))
    }
  }
  return read
})

export const layer = Layer.mergeAll(Local.extractive, Local.embedder, Testing.memory)

export const triageAll: Effect.Effect<
  ReadonlyArray<Triaged>,
  unknown,
  Provider.Provider | Embedder.Embedder | Layer.Success<typeof Testing.memory>
> = Effect.forEach(tickets, triageOne)

/** How many of how many. */
export interface Share {
  readonly right: number
  readonly of: number
}

const share = (all: ReadonlyArray<Triaged>, isRight: (one: Triaged) => boolean): Share => ({
  right: all.filter(isRight).length,
  of: all.length
})

const asks = { none: ["feedback", "other"], billing: ["billing"], technical: ["technical"], account: ["account"] }

export const isCategoryRight = ({ said, ticket }: Triaged): boolean =>
  said === undefined ? ticket.category === "none" : asks[ticket.category].includes(said.category)

const nameless = (name: string | null) => name?.replace(/^(?:Dr|Mr|Ms|Mrs)\.? /u, "").toLowerCase() ?? null

export const isCustomerRight = ({ said, ticket }: Triaged): boolean =>
  said === undefined ? ticket.customer === null : nameless(said.customer) === nameless(ticket.customer)

export const isEscalationRight = ({ said, ticket }: Triaged): boolean => (said?.escalate ?? false) === ticket.escalate

/** Every measure, in the order in which a report has them. */
export const scoresOf = (all: ReadonlyArray<Triaged>): Readonly<Record<string, Share>> => {
  const english = all.filter(({ ticket }) => ticket.language === "en")
  const settled = english.filter(({ ticket }) => ticket.category === "none")
  const calm = english.filter(({ ticket }) => !ticket.urgent && !ticket.escalate)
  const escalated = english.filter(({ said, ticket }) => ticket.escalate && said?.escalate === true)
  return {
    "other languages that it says it has not read": share(
      all.filter(({ ticket }) => ticket.language !== "en"),
      ({ said, unread }) =>
        unread !== undefined || said?.reasons.some((reason) => reason.startsWith("[Not read")) === true
    ),
    "English tickets that it has read": share(
      english.filter(({ ticket }) => ticket.category !== "none"),
      ({ unread }) => unread === undefined
    ),
    category: share(english, isCategoryRight),
    "category of those that ask for something": share(
      english.filter(({ ticket }) => ticket.category !== "none"),
      isCategoryRight
    ),
    customer: share(english, isCustomerRight),
    "signs of urgency where it is urgent": share(
      english.filter(({ ticket }) => ticket.urgent),
      ({ said }) => said !== undefined && said.signals.length > 0
    ),
    "no signs of urgency where nothing is asked": share(settled, ({ said }) => (said?.signals ?? []).length === 0),
    "no signs of urgency where it is calm": share(calm, ({ said }) => (said?.signals ?? []).length === 0),
    escalation: share(english, isEscalationRight),
    "escalated where it must be": share(
      english.filter(({ ticket }) => ticket.escalate),
      isEscalationRight
    ),
    "reason of the right escalations": share(escalated, ({ said }) => said?.isExpectedReason === true)
  }
}
