/** What steps that read their own words from notes record of it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { Memory, Note, Pipeline, Primitive, Thought } from "cogito"
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
