/** The program of docs/context.md without its summary: nine calls on one mail. */
import { z } from "zod"

/** As in docs/context.md. */
export const short = "I was charged twice for my May invoice! Please refund the second 49.90 EUR today. Jane Doe"

const lines = Array.from({ length: 44 }, (_, i) => {
  const goods = ["a blue mug", "two lamps", "a wool blanket", "a set of knives", "a garden chair"][i % 5] ?? ""
  return `- Order ${1040 + i * 7}: ${goods} for ${(12.4 + i * 3.1).toFixed(2)} EUR, invoice ${2200 + i * 3}, paid by card on ${1 + (i % 28)} April, delivered.`
})

/** The same with a list of orders: about 1,500 tokens. */
export const long = `${short}\n\nThese are all my orders so far, so that you find the invoice:\n${lines.join("\n")}`

export const categories = ["billing", "delivery"] as const
export const items = ["refund", "apologise", "check the shop"] as const

const sure = { confidence: 0.9, reasoning: ["The message says so."] }

/** What the model answers, in the order of the calls. */
export const replies: ReadonlyArray<string> = [
  { customer: "Jane Doe", amount: 49.9 },
  { primary: "billing", secondary: null, ...sure },
  { overall: "negative", scores: { positive: 0, negative: 0.9, neutral: 0.1 }, emotions: ["anger"], ...sure },
  { decision: true, ...sure },
  "Jane Doe was charged 49.90 EUR twice for May, is angry, and wants the second charge back today.",
  { decision: true, ...sure },
  "The refund rests on the customer's word alone; check the account before paying.",
  { ranked: ["refund", "check the shop", "apologise"], ...sure },
  { decision: false, ...sure }
].map((reply) => (typeof reply === "string" ? reply : JSON.stringify(reply)))

/** What every program has to return. */
export interface Outcome {
  readonly ticket: { readonly customer: string; readonly amount: number }
  readonly kind: string
  readonly mood: string
  readonly urgent: boolean
  readonly stock: string
  readonly refund: boolean
  readonly order: ReadonlyArray<string>
  readonly close: boolean
}

export const outcome: Outcome = {
  ticket: { customer: "Jane Doe", amount: 49.9 },
  kind: "billing",
  mood: "negative",
  urgent: true,
  stock: "Jane Doe was charged 49.90 EUR twice for May, is angry, and wants the second charge back today.",
  refund: true,
  order: ["refund", "check the shop", "apologise"],
  close: false
}

/** The rules of the shop, about 5,000 tokens, which are the same for every ticket. */
export const policy = Array.from(
  { length: 120 },
  (_, i) =>
    `Rule ${i + 1}. A claim about goods of group ${1 + (i % 9)} that reaches us within ${7 + (i % 40)} days is settled in ` +
    `full up to ${10 + i * 5} EUR; above that, ${["a senior agent", "the accounts team", "the depot"][i % 3] ?? ""} decides.`
).join("\n")

export const tickets: ReadonlyArray<string> = [
  short,
  "The lamp arrived broken, and nobody answers the phone. I want a new one by Friday. John Roe"
]

/** What the model answers for each ticket under the policy. */
export const ticketReplies: ReadonlyArray<string> = [
  { primary: "billing", secondary: null, ...sure },
  { decision: true, ...sure },
  { decision: false, ...sure }
].map((reply) => JSON.stringify(reply))

export const questions = {
  ticket: "Extract the customer and the amount in question",
  kind: "What is it about?",
  mood: "How does the customer feel?",
  urgent: "Does this need an answer today?",
  stock: "What do we know so far?",
  refund: "Should we refund the amount?",
  doubts: "What speaks against this decision, and what should be checked?",
  order: "what helps most",
  close: "Can the ticket be closed after that?"
}

const tone = z.enum(["positive", "negative", "neutral", "mixed"])
const part = z.number().min(0).max(1)
const stated = { confidence: part, reasoning: z.array(z.string()).min(1) }

/** The forms of the answers, for the programs without cogito. */
export const schemas = {
  ticket: z.object({ customer: z.string(), amount: z.number() }),
  kind: z.object({ primary: z.enum(categories), secondary: z.enum(categories).nullable(), ...stated }),
  mood: z.object({
    overall: tone,
    scores: z.object({ positive: part, negative: part, neutral: part }),
    emotions: z.array(z.string()),
    ...stated
  }),
  decision: z.object({ decision: z.boolean(), ...stated }),
  order: z.object({ ranked: z.array(z.enum(items)).length(items.length), ...stated })
}
