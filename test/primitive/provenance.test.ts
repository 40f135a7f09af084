/** What steps that read their own words from notes record of it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { Memory, Note, Pipeline, Primitive, type Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { conversing } from "./conversation.ts"

const tone = Note.handle("tone", Schema.String)
const words = Note.from(tone, (text) => `Answer in this tone: ${text}`)

const using = (answers: ReadonlyArray<Testing.Reply>) =>
  Effect.provide(Layer.merge(Testing.scripted(answers).layer, Testing.memory))

/** Keys of the notes that a note is derived from, as far as they are the thought's own. */
const sourcesOf = (thought: Thought.Thought<any>, key: string): ReadonlyArray<string> => {
  const keys = new Map(Thought.notes(thought).map((note) => [note.id, note.key]))
  return (thought.note(key)?.derivedFrom ?? []).map((id) => keys.get(id) ?? "elsewhere")
}

const yes = { decision: true, confidence: 0.9, reasoning: ["It says so."] }
const order = { ranked: ["b", "a"], confidence: 0.9, reasoning: ["It is dearer."] }

const start = (trust: Note.Trust) => Thought.make("ask", { tone: { content: "kind", trust } })

describe("a note names the note that its step read its text from, and is trusted no more than that:", () => {
  for (const trust of ["trusted", "untrusted"] as const) {
    it.effect(`what a search found for a query that is ${trust}, and the words that say that it is nothing`, () =>
      Effect.gen(function* () {
        const done = yield* Pipeline.run(
          Pipeline.sequence("look", [
            Primitive.seek("history", { query: words, summarize: true }),
            Primitive.survey("related", { query: words, summarize: true })
          ]),
          yield* start(trust)
        )
        for (const key of ["history", "related"]) {
          assert.deepStrictEqual(sourcesOf(done, key), ["tone"])
          assert.deepStrictEqual(sourcesOf(done, `${key}_summary`), [key])
          assert.deepStrictEqual([done.note(key)?.trust, done.note(`${key}_summary`)?.trust], [trust, trust])
        }
      }).pipe(using([]))
    )
  }

  for (const trust of ["trusted", "untrusted"] as const) {
    it.effect(`a text that is refined, or measured, by words that are ${trust}`, () =>
      Effect.gen(function* () {
        const draft = Note.handle("draft", Schema.String)
        const start = yield* Thought.make("ask", {
          draft: { content: "No.", trust: "trusted" },
          tone: { content: "kind", trust }
        })
        const run = (refine: Note.Text, criteria: Note.Text) => {
          const step = Primitive.amplify("reply", { source: draft, refine, criteria })
          return Pipeline.run(step as Step.Any as Step.Step<{}, {}>, start).pipe(using(["Sorry, no.", yes]))
        }
        for (const [refine, criteria] of [
          [words, "It is short."],
          ["Say it better", words],
          [words, words]
        ] as const) {
          const done = yield* run(refine, criteria)
          assert.deepStrictEqual(sourcesOf(done, "reply"), ["draft", "tone"])
          assert.strictEqual(done.note("reply")?.trust, trust)
        }
        const fixed = yield* run("Say it better", "It is short.")
        assert.deepStrictEqual(sourcesOf(fixed, "reply"), ["draft"])
        assert.strictEqual(fixed.note("reply")?.trust, "trusted")
      })
    )

    it.effect(`an order of items that are ${trust}, and that its request shows as items only`, () =>
      Effect.gen(function* () {
        const list = Note.handle("list", Schema.Array(Schema.String))
        for (const items of [list, Note.from(list, (all) => all)]) {
          const made = yield* Thought.make("plan", { list: { content: '["a","b"]', trust } })
          const seen = yield* Pipeline.run(Primitive.decide("go", { question: "Go on?" }), made)
          const step = Primitive.prioritize("order", { criteria: "cost", items, view: { recent: 0 } })
          const done = yield* Pipeline.run(step, yield* Thought.require(seen, [list]))
          assert.deepStrictEqual(sourcesOf(done, "order"), ["list"])
          assert.strictEqual(done.note("order")?.trust, trust)
        }
      }).pipe(using([yes, order, yes, order]))
    )
  }

  it.effect("what a survey found, which is made of the notes too", () =>
    Effect.gen(function* () {
      const task = { taskId: "billing" }
      const memory = yield* Memory.Memory
      const stored = yield* memory.commit(yield* Thought.make("earlier", { message: "kind words" }, task))
      const asking = yield* Thought.make("ask", { tone: { content: "kind", trust: "trusted" } })
      const done = yield* Pipeline.run(Primitive.survey("related", { query: words, summarize: true }), asking)
      const ids = [done.note("tone")!.id, stored.note("message")!.id]
      assert.deepStrictEqual([...done.note("related")!.derivedFrom].toSorted(), ids.toSorted())
      assert.deepStrictEqual(sourcesOf(done, "related_summary"), ["related"])
      assert.strictEqual(done.note("related")!.trust, "untrusted")
    }).pipe(using(["They were kind."]))
  )

  it.effect("a summary of another thought, and one of the conversation", () =>
    Effect.gen(function* () {
      const memory = yield* Memory.Memory
      const other = yield* memory.commit(
        yield* Thought.make("earlier", { message: { content: "x", trust: "trusted" } })
      )
      const recalled = yield* Pipeline.run(
        Primitive.recall("past", { thought: other.id, prompt: words }),
        yield* start("trusted")
      )
      assert.deepStrictEqual(sourcesOf(recalled, "past"), ["tone", "elsewhere"])
      const talked = yield* Thought.append(yield* conversing(3), "tone", "kind")
      const step = Primitive.compress("so_far", { prompt: words })
      const compressed = yield* Pipeline.run(step, talked)
      assert.deepStrictEqual(sourcesOf(compressed, "so_far"), ["n2", "n3", "tone"])
    }).pipe(using(["It was fine.", "They talked."]))
  )

  it.effect("a summary of unpublished notes, with words that are published", () =>
    Effect.gen(function* () {
      const done = yield* Pipeline.run(
        Pipeline.sequence("think", [
          Primitive.decide("go", { question: "Go on?" }),
          Pipeline.sequence("new", [Primitive.seek("history", { query: "nothing at all" })]),
          Primitive.reflect("gist", { prompt: words, unpublishedOnly: true })
        ]),
        yield* start("untrusted")
      )
      assert.deepStrictEqual(sourcesOf(done, "gist"), ["tone", "history"])
      assert.strictEqual(done.note("gist")?.trust, "untrusted")
    }).pipe(using([yes, "Nothing was found."]))
  )
})

/** What its own notes are derived from, by key, with their trust. */
const origins = (thought: Thought.Thought<any>) =>
  Object.fromEntries(
    Thought.notes(thought).map(({ key, trust }) => [key, `${trust}: ${sourcesOf(thought, key).join(", ")}`])
  )

describe("an answer in a long conversation", () => {
  const decide = (key: string, options: { readonly view?: { readonly recent: number } } = {}) =>
    Primitive.decide(key, { question: "Go on?", ...options }) as Step.Any as Step.Step<{}, {}>
  const steps: ReadonlyArray<Step.Step<{}, {}> | "mail"> = [
    decide("first"),
    decide("second"),
    "mail",
    decide("third"),
    decide("short", { view: { recent: 0 } }),
    decide("fourth"),
    Primitive.checkpoint("here"),
    Primitive.truncate("cut", { first: 0, last: 2 }),
    decide("fifth"),
    Primitive.compress("so_far") as Step.Any as Step.Step<{}, {}>,
    decide("sixth"),
    decide("seventh")
  ]
  /** Runs the steps one by one, each on what `between` makes of the value. */
  const run = (
    between: (thought: Thought.Thought) => Effect.Effect<Thought.Thought, Memory.MemoryError, Memory.Memory>
  ) =>
    Effect.gen(function* () {
      let thought: Thought.Thought = yield* start("trusted")
      for (const step of steps) {
        thought = yield* between(
          step === "mail"
            ? yield* Memory.commit(yield* Thought.append(thought, "mail", { content: "Hello", trust: "untrusted" }))
            : yield* Pipeline.run(step, thought)
        )
      }
      return origins(thought)
    }).pipe(using(Array.from({ length: 20 }, () => yes)))

  it.effect("has the same sources if every step computes them anew, and names only what is new to it", () =>
    Effect.gen(function* () {
      const continued = yield* run(Effect.succeed)
      assert.deepStrictEqual(continued, yield* run(({ id }) => Memory.load(id)))
      assert.strictEqual(continued["second"], "trusted: first")
      assert.strictEqual(continued["third"], "untrusted: second, mail")
      assert.strictEqual(continued["short"], "trusted: ")
      assert.strictEqual(continued["fourth"], "untrusted: third, short")
      assert.strictEqual(continued["seventh"], "untrusted: sixth")
    })
  )
})
