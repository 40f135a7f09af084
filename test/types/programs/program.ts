import { assert } from "@effect/vitest"
import { type Effect, type Layer, Schema } from "effect"
import { type Memory, Note, type Provider, Thought } from "cogito"
import { Testing } from "cogito/testing"

/** What programs are run with; each has to end and to have found true what it asserts. */
export type Program = Effect.Effect<void, unknown, Provider.Provider | Memory.Memory>

/** The message that a thought of these programs begins with. */
export const message = Note.handle("message", Schema.String)

/** A ticket with the message of these programs. */
export const ticket = Thought.make("triage", { message: "I was charged 2 times" })

const reasoning = ["It says so."]

/** Answers every kind of question without looking at what is asked: yes, the first label, the items as they are. */
export const model: Layer.Layer<Provider.Provider> = Testing.scripted(({ task }) => {
  const [question] = task.questions
  switch (task.kind) {
    case "decide":
    case "sift":
    case "binary":
      return { decision: true, confidence: 0.9, reasoning }
    case "categorize":
    case "discern":
      return {
        primary: question?._tag === "Choice" ? question.labels[0]?.label : undefined,
        confidence: 0.9,
        reasoning
      }
    case "analyze":
      return { customer: "Acme", total: 12 }
    default:
      return "In short: a customer was charged twice."
  }
}).layer

export const equal = (actual: unknown, expected: unknown): void => assert.deepStrictEqual(actual, expected)
