import { Schema } from "effect"
import { gives, rejects, type Case } from "./case.ts"
import { Contact, Decision, Invoice, Tags, Ticket } from "./schemas.ts"

/** Answers in lines: of keys and values as in YAML, and of lists as in Markdown. */
export const lines: ReadonlyArray<Case> = [
  gives("a key and a value a line", Ticket, "title: Fridge is too warm\npriority: high\nurgent: true", {
    title: "Fridge is too warm",
    priority: "high",
    urgent: true
  }),
  gives("keys and values with a colon in a value", Ticket, "title: Error: disk full\npriority: medium\nurgent: false", {
    title: "Error: disk full",
    priority: "medium",
    urgent: false
  }),
  gives(
    "keys and values in a fence of YAML",
    Invoice,
    "```yaml\nnumber: INV-77\ntotal: 120.5\ncurrency: EUR\npaid: false\n```",
    { number: "INV-77", total: 120.5, currency: "EUR", paid: false }
  ),
  gives("keys in bold", Contact, "**Full name:** Olga Prus\n**Email:** olga@prus.example", {
    full_name: "Olga Prus",
    email: "olga@prus.example"
  }),
  gives(
    "members without the braces around them",
    Ticket,
    '"title": "Fridge is too warm",\n"priority": "high",\n"urgent": true',
    { title: "Fridge is too warm", priority: "high", urgent: true }
  ),
  gives("a list with hyphens", Tags, "- kitchen\n- cold chain\n- food safety", [
    "kitchen",
    "cold chain",
    "food safety"
  ]),
  gives("a list with numbers", Tags, "1. kitchen\n2. cold chain\n3. food safety", [
    "kitchen",
    "cold chain",
    "food safety"
  ]),
  gives("a list with stars, after a line of prose", Tags, "The labels are:\n\n* kitchen\n* cold chain\n", [
    "kitchen",
    "cold chain"
  ]),
  gives(
    "a list of lines under a key",
    Decision,
    "decision: true\nconfidence: 0.8\nreasoning:\n  - The seal is broken.\n  - The batch is known.",
    { decision: true, confidence: 0.8, reasoning: ["The seal is broken.", "The batch is known."] }
  ),
  rejects("two lists", Tags, "Pros:\n- cheap\n- quiet\n\nCons:\n- heavy\n- small"),
  rejects("a key that is missing among the lines", Ticket, "title: Fridge is too warm\npriority: high"),
  rejects(
    "a number that is none among the lines",
    Schema.Struct({ room: Schema.String, guests: Schema.Int }),
    "room: Garden\nguests: a few"
  ),
  rejects("prose that has a colon in it", Ticket, "Note: the title and the priority are hard to tell. Urgent: perhaps.")
]
