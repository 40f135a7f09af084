/** What every kind of step records of where its note came from, and that redaction follows it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { Memory, Note, Pipeline, Primitive, Session, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"

const secret = "the card is 4111"
const message = Note.handle("message", Schema.String)
const yes = { decision: true, confidence: 0.9, reasoning: ["It says so."] }

const start = Thought.make("test", { message: secret, open: "it rains" })

const using = (answers: ReadonlyArray<unknown>) =>
  Effect.provide(Layer.merge(Testing.scripted(answers as never).layer, Testing.memory))

/** Keys of the notes that a note names. */
const sourcesOf = (thought: Thought.Thought<any>, key: string) => {
  const byId = new Map(Thought.notes(thought).map((note) => [note.id, note.key] as const))
  return (thought.note(key)?.derivedFrom ?? []).map((id) => byId.get(id) ?? "elsewhere")
}

describe("a note names what it was made from:", () => {
  it.effect("an answer what is new to it, and the answer before", () =>
    Effect.gen(function* () {
      const done = yield* Pipeline.run(
        Pipeline.sequence("ask", [
          Primitive.decide("first", { question: "Is it?", introspect: true }),
          Step.make("computed", { schema: Schema.String, run: Note.from(message, (text) => text) }),
          Primitive.decide("second", { question: "And now?", view: { recent: 1 } })
        ]),
        yield* start
      )
      assert.deepStrictEqual(sourcesOf(done, "first"), ["message", "open"])
      assert.deepStrictEqual(sourcesOf(done, "first_summary"), ["first"])
      assert.deepStrictEqual(sourcesOf(done, "computed"), ["message"])
      assert.deepStrictEqual(sourcesOf(done, "second"), ["first_summary", "computed"])
    }).pipe(using([yes, "So it is.", yes]))
  )

  it.effect("a refinement, a synthesis, summaries and reports what they rest on", () =>
    Effect.gen(function* () {
      const shout = Step.make("shout", { schema: Schema.String, run: Note.from(message, (text) => text) })
      const done = yield* Pipeline.run(
        Pipeline.sequence("make", [
          shout,
          Primitive.amplify("better", { source: shout, refine: "Shorten", criteria: "Short", rounds: 1 }),
          Primitive.reflect("thoughts"),
          Pipeline.concurrent("both", [Step.make("three", { schema: Schema.Finite, run: () => 3 })], {
            report: "ends"
          }),
          Primitive.decide("answer", { question: "Is it?" }),
          Primitive.compress("soFar")
        ]),
        yield* start
      )
      assert.deepStrictEqual(sourcesOf(done, "better"), ["shout"])
      assert.deepStrictEqual(sourcesOf(done, "thoughts"), ["open", "better"])
      assert.deepStrictEqual(sourcesOf(done, "three"), ["thoughts"])
      assert.deepStrictEqual(sourcesOf(done, "ends"), ["three"])
      assert.deepStrictEqual(sourcesOf(done, "answer"), ["ends"])
      assert.deepStrictEqual(sourcesOf(done, "soFar"), ["answer"])
    }).pipe(using(["short", yes, "All is well.", yes, "They talked."]))
  )

  it.effect("as few in the last of many steps as in the second", () =>
    Effect.gen(function* () {
      const step = (i: number) =>
        i % 3 === 0
          ? Step.make(`n${i}`, { schema: Schema.String, run: () => "x" })
          : i % 3 === 1
            ? Primitive.decide(`n${i}`, { question: "Is it?" })
            : Step.make(`n${i}`, { schema: Schema.String, run: Note.from(message, (text) => text) })
      const steps = Array.from({ length: 300 }, (_, i) => step(i))
      const done = yield* Pipeline.run(
        Pipeline.gen("many", function* () {
          for (const one of steps) yield* Pipeline.ask(one)
        }),
        yield* start
      )
      const lengths = Thought.notes(done).map(({ derivedFrom }) => derivedFrom.length)
      assert.isAtMost(Math.max(...lengths), 3)
    }).pipe(using(Array.from({ length: 100 }, () => yes)))
  )
})

describe("redaction", () => {
  it.effect("takes away what a user's step made of what it searched for", () =>
    Effect.gen(function* () {
      const memory = yield* Memory.Memory
      const old = yield* memory.commit(yield* start)
      yield* memory.flush
      const quote = Step.make("quote", {
        schema: Schema.String,
        run: Effect.map(Memory.search("card"), ({ matches }) => `They wrote: ${matches[0]?.note.content}`)
      })
      const asking = yield* Thought.make("ask", { question: "What did they write?" }, { trust: "trusted" })
      const done = yield* Pipeline.run(quote, asking)
      assert.include(done.get("quote"), secret)
      // and it is not trusted more than what it quotes
      assert.strictEqual(done.note("quote")?.trust, "untrusted")
      yield* Memory.redact(Thought.notes(old)[0]!)
      const loaded = yield* Memory.load(done.id)
      assert.isUndefined(loaded.note("quote"))
      assert.strictEqual(loaded.note("question")?.content, "What did they write?")
    }).pipe(using([]))
  )

  it.effect("takes away what a generator asks with what it was answered", () =>
    Effect.gen(function* () {
      const read = Step.make("read", { schema: Schema.String, run: Note.from(message, (text) => text) })
      const done = yield* Pipeline.run(
        Pipeline.gen("talk", function* () {
          const text = yield* Pipeline.ask(read)
          yield* Pipeline.ask(Primitive.seek("found", { query: text }))
        }),
        yield* start
      )
      yield* Memory.redact(Thought.notes(done)[0]!)
      const rest = yield* everything(done.id)
      assert.notInclude(rest, "4111")
    }).pipe(using([]))
  )

  it.effect("takes away what a generator inside a generator makes of what the outer one has loaded", () =>
    Effect.gen(function* () {
      const other = yield* Pipeline.run(Pipeline.sequence("store", []), yield* start)
      const quiet = (key: string) => Step.make(key, { schema: Schema.String, run: Note.from({}, () => key) })
      const inner = Pipeline.gen("inner", function* () {
        yield* Pipeline.ask(quiet("x"))
        yield* Pipeline.ask(quiet("y"))
      })
      const outer = Pipeline.gen("outer", function* () {
        yield* Memory.load(other.id)
        yield* Pipeline.ask(inner)
      })
      const done = yield* Pipeline.run(outer, yield* Thought.make("asking"))
      yield* Memory.redact(other.note("message")!)
      assert.deepStrictEqual(
        Thought.notes(yield* Memory.load(done.id)).map(({ key }) => key),
        []
      )
    }).pipe(using([]))
  )

  it.effect("takes it away also when the inner generator has loaded something of its own", () =>
    Effect.gen(function* () {
      const nothing = Pipeline.sequence("store", [])
      const outside = yield* Pipeline.run(nothing, yield* start)
      const inside = yield* Pipeline.run(nothing, yield* start)
      const inner = Pipeline.gen("inner", function* () {
        yield* Memory.load(inside.id)
        yield* Pipeline.ask(Step.make("x", { schema: Schema.String, run: Note.from({}, () => "x") }))
      })
      const outer = Pipeline.gen("outer", function* () {
        yield* Memory.load(outside.id)
        yield* Pipeline.ask(inner)
      })
      for (const source of [outside, inside]) {
        const done = yield* Pipeline.run(outer, yield* Thought.make("asking"))
        assert.include(done.note("x")?.derivedFrom ?? [], source.note("message")!.id)
        yield* Memory.redact(source.note("message")!)
        assert.isUndefined((yield* Memory.load(done.id)).note("x"))
      }
    }).pipe(using([]))
  )

  it.effect("takes away questions that quote the note, and lets a later run go on", () =>
    Effect.gen(function* () {
      const first = Primitive.decide("first", { question: "Is it raining?" })
      const second = Primitive.decide("second", { question: Note.from(message, (text) => `Is "${text}" true?`) })
      const done = yield* Pipeline.run(Pipeline.sequence("ask", [first, second]), yield* start)
      assert.include(JSON.stringify(done.session), secret)
      const gone = yield* Memory.redact(Thought.notes(done)[0]!)
      assert.strictEqual(gone.length, 3)
      const loaded = yield* Memory.load(done.id)
      assert.notInclude(JSON.stringify(loaded), "4111")
      assert.deepStrictEqual(Session.entries(loaded.session), [])
      assert.deepStrictEqual(
        Thought.unpublished(loaded).map(({ key }) => key),
        ["open"]
      )
      const again = yield* Pipeline.run(Primitive.decide("third", { question: "Is it raining?" }), loaded)
      assert.deepStrictEqual(sourcesOf(again, "third"), ["open"])
      // the value of before would bring it back
      const stale = yield* Effect.flip(Pipeline.run(first, yield* Thought.append(done, "more", "text")))
      assert.notInclude(String(stale), "4111")
    }).pipe(using([yes, yes, yes, yes]))
  )
})

/** Everything of a thought that can be read, as text. */
const everything = (id: string) => Effect.map(Memory.load(id), (thought) => JSON.stringify(thought))
