/** What the notes of steps that read other thoughts derive from, and which thoughts such steps leave out. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { type Memory, Note, Pipeline, Primitive, type Provider, type Step, Thought } from "cogito"
import { Testing } from "cogito/testing"

const message = Note.handle("message", Schema.String)
const nothing = Pipeline.sequence("nothing", [])

/** A stored thought with one note of this trust. */
const remember = (content: string, taskId: string, trust: Note.Trust = "trusted") =>
  Effect.flatMap(Thought.make("remember", { past: { content, trust } }, { taskId }), (thought) =>
    Pipeline.run(nothing, thought)
  )

const asking = (content: string, trust: Note.Trust = "untrusted") =>
  Thought.make("ask", { message: { content, trust } }, { taskId: "asking" })

const withModel = (...replies: ReadonlyArray<string>) =>
  Effect.provide(Layer.merge(Testing.scripted(replies).layer, Layer.fresh(Testing.memory)))

/** The trust of a note, and the names of the notes that it derives from. */
const lineage = (thought: Thought.Thought<any>, key: string, names: Readonly<Record<string, string | undefined>>) => {
  const note = thought.note(key)
  const nameOf = (id: string) => Object.keys(names).find((name) => names[name] === id) ?? "another"
  return { trust: note?.trust, from: note?.derivedFrom.map(nameOf).toSorted() }
}

describe("the summary of what a search found", () => {
  const query = Note.from(message, (text) => text)
  // a survey also finds the intent of a task, whose trust is not known
  for (const [name, search, expected] of [
    [
      "seek",
      Primitive.seek("found", { query, taskId: "past", summarize: true }),
      { untrusted: "untrusted", trusted: "trusted" }
    ],
    [
      "survey",
      Primitive.survey("found", { query, taskId: "past", summarize: true }),
      { untrusted: "untrusted", trusted: "untrusted" }
    ]
  ] as const) {
    it.effect(`derives from what was found, with its trust, in ${name}`, () =>
      Effect.gen(function* () {
        yield* remember("charged twice", "past")
        for (const trust of ["untrusted", "trusted"] as const) {
          const thought = yield* Pipeline.run(
            search as Step.Step<any, any, any, Memory.Memory | Provider.Provider>,
            yield* asking("charged", trust)
          )
          const names = { found: thought.note("found")?.id }
          assert.deepStrictEqual(lineage(thought, "found_summary", names), { trust: expected[trust], from: ["found"] })
        }
      }).pipe(withModel("The customer was charged twice.", "The customer was charged twice."))
    )
  }
})

describe("a thought that is recalled by an id from a note", () => {
  it.effect("has a summary that derives from that note and from its own notes", () =>
    Effect.gen(function* () {
      const past = yield* remember("charged twice", "past")
      const recall = Primitive.recall("last", { thought: Note.from(message, (id) => id.trim()) })
      const thought = yield* Pipeline.run(recall, yield* asking(` ${past.id} `))
      const names = { message: thought.note("message")?.id, past: past.note("past")?.id }
      assert.deepStrictEqual(lineage(thought, "last", names), { trust: "untrusted", from: ["message", "past"] })
      assert.strictEqual(thought.get("last"), "The customer was charged twice.")
    }).pipe(withModel("The customer was charged twice."))
  )
})

describe("a survey", () => {
  it.effect("leaves out its own thought and those in excludeThoughts, but no others", () =>
    Effect.gen(function* () {
      const one = yield* remember("charged once", "one")
      const two = yield* remember("charged twice", "two")
      yield* remember("charged again", "three")
      const tasks = (excludeThoughts?: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          const survey = Primitive.survey("found", { query: "charged", ...(excludeThoughts && { excludeThoughts }) })
          const thought = yield* Pipeline.run(survey, yield* asking("charged"))
          return thought
            .get("found")
            .tasks.map(({ taskId }) => taskId)
            .toSorted()
        })
      const before = yield* tasks([one.id])
      assert.deepStrictEqual(before, ["three", "two"])
      assert.deepStrictEqual(
        (yield* tasks([one.id, two.id])).filter((id) => id !== "asking"),
        ["three"]
      )
    }).pipe(Effect.provide(Layer.fresh(Testing.memory)))
  )
})
