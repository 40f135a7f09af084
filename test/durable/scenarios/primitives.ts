/** One small scenario for each primitive: a step before it, it, and a step after it. */
import { Effect, Schema } from "effect"
import { Memory, Note, Pipeline, Primitive, type Step, Thought } from "cogito"
import type { Scenario } from "../enumerate.ts"
import { idsFrom } from "../process.ts"

const message = Note.handle("message", Schema.String)
const Ticket = Schema.Struct({ customer: Schema.String, urgent: Schema.Boolean })

const question = (key: string, text = "") => Primitive.decide(key, { question: `Is it ${key}? ${text}`, via: "text" })

/** The step with one before it and one after it, so that it can be seen what both see of each other. */
const between = (...steps: ReadonlyArray<Step.Any>): Step.Any =>
  Pipeline.sequence("all", [question("first"), ...steps, question("last")])

/** Two earlier tasks, to be found. */
const earlier = Effect.gen(function* () {
  const memory = yield* Memory.Memory
  yield* memory.commit(yield* Thought.make("an earlier task", { message: "Hello again" }, { traceId: "earlier" }))
  yield* memory.commit(yield* Thought.make("another task", { message: "Hello, hello" }, { taskId: "task" }))
}).pipe(Effect.provide(idsFrom(900)))

export const primitives: Readonly<Record<string, Scenario>> = {
  decide: {
    step: () =>
      between(
        Primitive.decide("text", { question: "Is it so?", via: "text", introspect: true }),
        Primitive.decide("native", { question: "Is it so?", via: "native" }),
        Primitive.decide("auto", { question: "Is it so?", introspect: { prompt: "Why?" } })
      )
  },
  analyze: {
    step: () => between(Primitive.analyze("ticket", { schema: Ticket, prompt: "Extract", introspect: true }))
  },
  categorize: { step: () => between(Primitive.categorize("kind", { question: "Which?", categories: ["a", "b"] })) },
  assess: { step: () => between(Primitive.assess("mood", { question: "How?", aspects: ["price"], via: "text" })) },
  prioritize: {
    step: () => between(Primitive.prioritize("order", { criteria: "haste", items: ["one", "two"], via: "text" }))
  },
  sift: {
    step: () =>
      between(
        Primitive.sift("yes", { question: "Go on?", step: question("sifted"), introspect: true }),
        Primitive.sift("no", { question: "Go on? (no)", via: "text", step: question("left out") })
      )
  },
  discern: {
    step: () =>
      between(
        Primitive.discern("route", {
          question: "Where?",
          routes: { left: question("left"), right: question("right"), nowhere: { when: "else" } },
          default: question("unsure"),
          minConfidence: 0.2
        })
      )
  },
  converge: {
    step: () =>
      between(
        Primitive.converge("views", {
          branches: { pro: question("good"), con: question("bad", "(takes 10)"), none: question("neither", "(fails)") },
          prompt: "Sum up"
        })
      )
  },
  seek: {
    before: earlier,
    step: () =>
      between(
        Primitive.seek("found", {
          query: Note.from(message, (text) => text),
          limit: 3,
          summarize: { summaryKey: "sum" }
        })
      )
  },
  survey: {
    before: earlier,
    step: () => between(Primitive.survey("tasks", { query: "hello", limit: 3, summarize: true }))
  },
  recall: {
    before: earlier,
    step: () => between(Primitive.recall("last time", { thought: { traceId: "earlier" }, prompt: "What was it?" }))
  },
  reflect: { step: () => between(Primitive.reflect("stock", { prompt: "What do we know?" })) },
  amplify: {
    step: () =>
      between(
        Primitive.amplify("better", { source: message, refine: "Shorter", criteria: "It is short. (no)", rounds: 2 })
      )
  },
  checkpoint: { step: () => between(Primitive.checkpoint("here")) },
  restore: {
    before: earlier,
    step: () =>
      between(
        Primitive.checkpoint("here"),
        question("second"),
        Primitive.restore("back", { from: { checkpoint: "here" } }),
        question("third")
      )
  },
  forget: { step: () => between(question("second"), Primitive.forget("drop", { drop: ["second"] })) },
  compress: {
    step: () =>
      between(question("second"), Primitive.compress("short", { threshold: { turns: 2 }, keep: 1, prompt: "Short" }))
  },
  truncate: { step: () => between(question("second"), Primitive.truncate("cut", { first: 0, last: 1 })) },
  reset: { step: () => between(question("second"), Primitive.reset("anew", { note: message, system: "Be brief." })) },
  make: {
    step: () =>
      between(
        Primitive.make("estimate", {
          kind: "estimate",
          schema: Schema.Struct({ days: Schema.Finite }),
          question: "How long?",
          introspect: true
        })
      )
  },
  approve: {
    step: () =>
      between(
        Primitive.approve("refund", { prompt: "Refund 49.90 EUR?" }),
        Primitive.approve("late", { prompt: "Anything else?", timeout: "1 hour" })
      ),
    answers: { refund: { approved: true, reason: "It was late." } }
  }
}
