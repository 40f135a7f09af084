import { it } from "@effect/vitest"
import { Data, Effect, Schema } from "effect"
import { Note, Pipeline, Primitive, Provider, Session, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { observe, start } from "../observed.ts"
import { transcribe } from "../transcript.ts"

class Broken extends Data.TaggedError("Broken")<{ readonly part: string }> {}

const yes = { decision: true, confidence: 0.91, reasoning: ["It says so."] }
const no = { decision: false, confidence: 0.62, reasoning: ["Too long.", "No date."] }
const billing = { primary: "billing", secondary: "errors", confidence: 0.83, reasoning: ["It is of a card."] }
const usage = { inputTokens: 31, outputTokens: 17, cachedInputTokens: 9, cacheWriteTokens: 5, reasoningTokens: 3 }
const script = { usage, capabilities: { temperature: "free" } } as const
const message = Note.handle("message", Schema.String)
const customer = Note.handle("customer", Schema.String)
const failing = new Provider.ProviderError({
  provider: "vendor",
  model: "vendor-2",
  reason: { _tag: "RateLimited", message: "Slowly." },
  usage: { outputTokens: 4 }
})
const own = () => Testing.scripted(["Of its own provider."], { name: "own", model: "own-1", usage: { inputTokens: 8 } })

const write = (key: string) => Step.make(key, { schema: Schema.String, run: () => `by ${key}` })
const fails = (key: string) => Step.make(key, { schema: Schema.String, run: Effect.fail(new Broken({ part: key })) })
const ask = (key: string) => Primitive.decide(key, { question: `${key}?` })
const asked = (last: Step.Step<any, any, any, any>) =>
  Pipeline.sequence("all", [ask("one"), ask("two"), ask("three"), last])
const answers = ({ task }: Provider.Request) => (task.kind === "decide" ? yes : `A text of ${task.kind}.`)

const draft = {
  source: message,
  refine: Note.from(message, (text) => `Shorten ${text}`),
  criteria: Note.from(customer, (text) => `It suits ${text}`)
}

it.effect("what steps in side sessions send, write and signal", () =>
  transcribe("asides", {
    "A text that is refined until it is good, by texts of notes, with all options": observe(
      Primitive.amplify("reply", {
        ...draft,
        rounds: 3,
        sampling: { temperature: 0.6, maxTokens: 120 },
        checkSampling: { temperature: 0.1, seed: 8 },
        via: "text",
        reasons: true,
        repairs: 2,
        parsing: "strict",
        compact: false
      }),
      { replies: ["Short.", no, "Shorter.", yes], script }
    ),
    "A text that is not good enough after its only round": observe(
      Primitive.amplify("reply", { source: customer, refine: "Say more.", criteria: "It rhymes.", rounds: 1 }),
      { replies: ["More.", no], script }
    ),
    "No rounds at all": observe(
      Primitive.amplify("reply", { source: customer, refine: "Say more.", criteria: "It rhymes.", rounds: 0 }),
      { replies: ["More.", yes], script }
    ),
    "A check that fails, after what was spent before": observe(
      Primitive.amplify("reply", { source: customer, refine: "Say more.", criteria: "It rhymes." }),
      { replies: ["More.", failing], script }
    ),
    "Branches that are put together, of which one fails": observe(
      Primitive.converge("review", {
        branches: { good: write("strengths"), bad: fails("weaknesses"), asked: ask("fair") },
        prompt: Note.from(message, (text) => `What of ${text}?`),
        minSuccesses: 2,
        concurrency: 1,
        sampling: { temperature: 0.5, stop: ["END"] }
      }),
      { replies: [yes, "It is good."], script }
    ),
    "Too few branches": observe(
      Primitive.converge("review", { branches: [write("a"), fails("b"), fails("c")], prompt: "What?", minSuccesses: 2 })
    ),
    "Branches by a provider of the step's own, and a synthesis that fails": observe(
      Primitive.converge("review", {
        branches: { one: write("a"), two: write("b") },
        prompt: "What?",
        provider: Testing.scripted([failing], { name: "own" }).provider
      })
    ),
    "A summary of all notes": observe(Primitive.reflect("stock"), { replies: ["All in all."], script }),
    "A summary of unpublished notes, with a prompt of notes and every option": observe(
      Pipeline.sequence("all", [
        ask("one"),
        write("later"),
        Primitive.reflect("stock", {
          prompt: Note.from(message, (text) => `Sum up ${text}`),
          unpublishedOnly: true,
          provider: own().provider,
          sampling: { maxTokens: 33 }
        })
      ]),
      { replies: answers, script }
    ),
    "A summary where every note is published": observe(
      Pipeline.sequence("all", [ask("one"), Primitive.reflect("stock", { unpublishedOnly: true })]),
      { replies: answers }
    ),
    "A conversation that is compressed": observe(asked(Primitive.compress("so_far")), { replies: answers, script }),
    "A conversation of which two turns are kept, with a prompt of notes": observe(
      asked(
        Primitive.compress("so_far", {
          keep: 2,
          threshold: { turns: 3 },
          prompt: Note.from(message, (text) => `Sum up for ${text}`),
          provider: own().provider,
          sampling: { temperature: 0.4 }
        })
      ),
      { replies: answers, script }
    ),
    "A conversation one turn below the threshold": observe(
      asked(Primitive.compress("so_far", { threshold: { turns: 4 } })),
      { replies: answers }
    ),
    "A conversation over a threshold of tokens, of which less is kept than wished": observe(
      asked(Primitive.compress("so_far", { threshold: { tokens: 150 }, keep: 3 })),
      { replies: answers }
    ),
    "A summary of a summary, with the system's word": observe(
      Pipeline.sequence("all", [
        Primitive.reset("begin", { system: "Be brief." }),
        ask("one"),
        Primitive.compress("first"),
        ask("two"),
        Primitive.compress("second"),
        Primitive.compress("third")
      ]),
      { replies: answers, script }
    ),
    "A compression that fails": observe(asked(Primitive.compress("so_far")), {
      replies: [yes, yes, yes, failing],
      script
    }),
    "A route, with what belongs to each": observe(
      Primitive.discern("team", {
        question: Note.from(customer, (text) => `Who knows ${text}?`),
        routes: {
          errors: { when: "outages", step: write("engineering") },
          billing: { when: "money", step: write("accounting") },
          rest: { when: "anything else" }
        },
        minConfidence: 0.83,
        default: write("firstLine"),
        introspect: true,
        sampling: { seed: 6 }
      }),
      { replies: [billing, "It is clear."], script }
    ),
    "A route below the confidence that is needed": observe(
      Primitive.discern("team", {
        question: "Who?",
        routes: { billing: write("accounting"), errors: write("engineering") },
        minConfidence: 0.84,
        default: write("firstLine")
      }),
      { replies: [billing] }
    ),
    "A route without a step and without a default": observe(
      Primitive.discern("team", { question: "Who?", routes: { billing: { when: "money" }, errors: write("x") } }),
      { replies: [billing] }
    ),
    "A route whose step fails": observe(
      Primitive.discern("team", { question: "Who?", routes: { billing: fails("x"), errors: write("y") } }),
      { replies: [billing], script }
    ),
    "A question that leads on": observe(Primitive.sift("go", { question: "Go on?", step: ask("next"), repairs: 2 }), {
      replies: [yes, no]
    }),
    "A question that leads nowhere": observe(Primitive.sift("go", { question: "Go on?", step: ask("next") }), {
      replies: [no]
    }),
    "A conversation that is begun anew": observe(
      asked(Primitive.reset("anew", { system: "Be kind.", note: Note.handle("two", Schema.Unknown), release: false })),
      { replies: answers }
    ),
    "A conversation that is begun anew with the system's word": observe(
      asked(Primitive.reset("anew", { system: "Be kind." })),
      { replies: answers }
    ),
    "A conversation that is cut": observe(asked(Primitive.truncate("cut", { first: 1, last: 2, release: false })), {
      replies: answers
    }),
    "A conversation that is cut and forgets": observe(
      asked(Primitive.truncate("cut", { first: 2, last: 1, threshold: 6 })),
      { replies: answers }
    ),
    "A conversation one message below the threshold": observe(
      asked(Primitive.truncate("cut", { first: 0, last: 0, threshold: 7 })),
      { replies: answers }
    ),
    "Notes that are forgotten, and remembered again": observe(
      Pipeline.sequence("all", [
        ask("one"),
        Primitive.checkpoint("before"),
        ask("two"),
        Primitive.forget("away", { drop: ["message", "one"] }),
        ask("three"),
        Primitive.restore("back", { from: { checkpoint: "before" } }),
        ask("four")
      ]),
      { replies: answers }
    ),
    "Notes that alone are kept, and a fresh conversation": observe(
      Pipeline.sequence("all", [
        ask("one"),
        Primitive.forget("away", { keep: ["customer"] }),
        Primitive.checkpoint("then"),
        ask("two"),
        Primitive.restore("back", { from: { checkpoint: "then" }, session: "fresh" })
      ]),
      { replies: answers }
    ),
    "A checkpoint that is not there": observe(Primitive.restore("back", { from: { checkpoint: "never" } })),
    "A thought that is not there": observe(Primitive.restore("back", { from: "00000000-0000-7000-8000-00000000ffff" })),
    "A thought of a given conversation": observe(ask("one"), {
      replies: answers,
      thought: Effect.map(start, (thought) =>
        Thought.withSession(
          thought,
          Session.append(
            Session.empty,
            { role: "system", text: "Be fair." },
            { role: "user", text: "Hello.", carries: [thought.note("customer")!.id] },
            { role: "assistant", text: "Good day." }
          )
        )
      )
    })
  })
)
