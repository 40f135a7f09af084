import { it } from "@effect/vitest"
import { DateTime, Effect, Schema } from "effect"
import { Note, Pipeline, Primitive, Provider, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { observe, start } from "../observed.ts"
import { transcribe } from "../transcript.ts"

const message = Note.handle("message", Schema.String)
const store = Pipeline.sequence("store", [])
const usage = { inputTokens: 31, outputTokens: 17 }
const failing = new Provider.ProviderError({
  provider: "vendor",
  model: "vendor-3",
  reason: { _tag: "Timeout", message: "Too slow." }
})
const own = () => Testing.scripted(["Of its own provider."], { name: "own", model: "own-1" })

/** What the memory has before the search. */
const earlier = Effect.gen(function* () {
  const remember = (
    intent: string,
    notes: Readonly<Record<string, string | Thought.Draft>>,
    options: { readonly taskId?: string; readonly traceId: string }
  ) => Effect.flatMap(Thought.make(intent, notes, options), (thought) => Pipeline.run(store, thought))
  yield* remember(
    "first ticket",
    { complaint: "I was charged twice by card.", area: { content: "billing twice", trust: "trusted", source: "crm" } },
    { taskId: "task-a", traceId: "trace-a" }
  )
  yield* remember(
    "second ticket",
    { complaint: { content: "The lamp is dark, twice.", metadata: { lang: "en" }, source: "mail" } },
    { taskId: "task-b", traceId: "trace-b" }
  )
  yield* remember("no ticket", { remark: `charged ${"again and ".repeat(45)}` }, { traceId: "trace-c" })
  return yield* start
})
const summarize = {
  prompt: "What of it?",
  summaryKey: "sum",
  sampling: { temperature: 0.2, maxTokens: 44 }
} as const
const none = "00000000-0000-7000-8000-00000000ffff"
const nobody = { query: "zebra", keys: ["absent"] }

it.effect("what searches find, write and signal", () =>
  transcribe("searches", {
    "Notes by a text of an untrusted note": observe(
      Primitive.seek("found", { query: Note.from(message, (text) => text.toLowerCase()) }),
      { thought: earlier }
    ),
    "One note of some keys and sources, with a summary in its own words": observe(
      Primitive.seek("found", {
        query: "charged twice",
        limit: 1,
        keys: ["complaint", "area"],
        excludeSources: ["mail"],
        taskId: "task-a",
        trust: "untrusted",
        diversity: 0.3,
        fusion: { vectorWeight: 2, lexicalWeight: 1 },
        summarize
      }),
      { thought: earlier, replies: ["It was twice."], script: { usage } }
    ),
    "Trusted notes until a moment, none of one thought, with a plain summary": observe(
      Primitive.seek("found", {
        query: "billing",
        trust: "trusted",
        until: DateTime.makeUnsafe(1),
        excludeThoughts: [none],
        summarize: true
      }),
      { thought: earlier, replies: ["It is of billing."], script: { usage } }
    ),
    "Nothing found, with a summary": observe(Primitive.seek("found", { ...nobody, summarize: true }), {
      thought: earlier
    }),
    "A summary that fails": observe(Primitive.seek("found", { query: "charged", summarize: true }), {
      thought: earlier,
      replies: [failing]
    }),
    Tasks: observe(Primitive.survey("related", { query: "charged twice" }), { thought: earlier }),
    "One task, with a summary": observe(
      Primitive.survey("related", {
        query: Note.from(message, (text) => text),
        limit: 1,
        sources: ["mail", "user"],
        summarize: true
      }),
      { thought: earlier, replies: ["They are related."], script: { usage } }
    ),
    "No tasks, with a summary": observe(Primitive.survey("related", { ...nobody, summarize: true }), {
      thought: earlier
    }),
    "Another thought by its trace, with every option": observe(
      Primitive.recall("last", {
        thought: { traceId: "trace-b" },
        prompt: Note.from(message, (text) => `Does it say ${text}?`),
        provider: own().provider,
        sampling: { seed: 9, temperature: 0.1 }
      }),
      { thought: earlier }
    ),
    "A thought without notes": observe(Primitive.recall("last", { thought: { traceId: "trace-e" } }), {
      thought: Effect.andThen(
        Effect.flatMap(Thought.make("empty", {}, { traceId: "trace-e" }), (thought) => Pipeline.run(store, thought)),
        start
      )
    }),
    "A thought that is not there": observe(Primitive.recall("last", { thought: none }), { thought: earlier }),
    "A trace that is not there": observe(Primitive.recall("last", { thought: { traceId: "trace-z" } }), {
      thought: earlier
    })
  })
)
