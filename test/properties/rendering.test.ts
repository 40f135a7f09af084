import { assert, describe, it } from "@effect/vitest"
import { Note, Pipeline, Primitive, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { Arbitrary, Effect, Layer, Schema } from "effect"
import { escapeLines, fenceOf, message } from "../../src/thought/render.ts"
import { readNotes, readRequest, seen, structure, unescape } from "./request.ts"
import { texts, withFence } from "./texts.ts"

const isKey = (text: string): boolean => {
  try {
    Note.checkKey(text)
    return true
  } catch {
    return false
  }
}

/** Keys that try to end their line or quotes, as far as a key may. */
const keys = Arbitrary.all([Arbitrary.schema(Schema.Literals(["a", "b", "clé", "__proto__"])), texts]).pipe(
  // oxlint-disable-next-line no-control-regex -- control characters are what a key may not have
  Arbitrary.map(([name, text]) => name + text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, "")),
  Arbitrary.filter(isKey)
)

const notes = Arbitrary.array(
  Arbitrary.all({
    key: keys,
    content: texts,
    source: texts,
    trust: Arbitrary.schema(Schema.Literals(["trusted", "untrusted"]))
  }),
  { maxLength: 6 }
)

const sections = Arbitrary.array(
  Arbitrary.all({ heading: Arbitrary.schema(Schema.Literals(["Question", "Task", "Categories"])), body: texts }),
  { maxLength: 4 }
)

const forgedIn =
  (fence: string) =>
  <A extends Record<string, string>>(item: A) =>
    Object.fromEntries(Object.entries(item).map(([name, text]) => [name, withFence(text, fence)])) as A

describe("escaping", () => {
  it.prop("can be reversed exactly, and leaves no line that could be mistaken for the prompt's", [texts], ([text]) => {
    assert.strictEqual(unescape(escapeLines(text)), text)
    assert.deepStrictEqual(structure(escapeLines(text)), [])
    assert.strictEqual(unescape(escapeLines(escapeLines(text))), escapeLines(text))
  })
})

describe("a rendered message", () => {
  it.prop(
    "reads back as exactly the notes and sections it was made from",
    { notes, sections },
    (made) => {
      const fence = fenceOf("a conversation", 0)
      const given = { notes: made.notes.map(forgedIn(fence)), sections: made.sections.map(forgedIn(fence)) }
      const text = message({ ...given, fence })
      const read = readRequest(text)
      assert.deepStrictEqual(read.notes.map(seen), given.notes.map(seen))
      assert.deepStrictEqual(read.sections, given.sections)
      assert.isTrue(read.fences.every((found) => found === fence))
      // and no reader, however it splits lines, sees a heading or a note line more
      assert.lengthOf(structure(text), 1 + 2 * given.notes.length + given.sections.length)
    },
    { arbitrary: { runs: 500 } }
  )
})

describe("a thought's notes", () => {
  it.effect.prop("read back from their rendering", { notes }, (made) =>
    Effect.gen(function* () {
      let thought: Thought.Thought<any> = yield* Thought.make("test")
      const forged = forgedIn(fenceOf(thought.id, 0))
      for (const { key, ...draft } of made.notes.map(forged)) thought = yield* Thought.append(thought, key, draft)
      const text = Thought.render(thought, Thought.notes(thought))
      const read = text === "" ? [] : readNotes(text).notes
      assert.deepStrictEqual(read.map(seen), made.notes.map(forged).map(seen))
    })
  )
})

describe("a request", () => {
  it.effect.prop(
    "shows every note and asks its question so that both read back exactly",
    { notes, question: texts },
    (made) =>
      Effect.gen(function* () {
        let thought: Thought.Thought<any> = yield* Thought.make("test")
        const fence = fenceOf(thought.id, 0)
        const forged = forgedIn(fence)
        for (const { key, ...draft } of made.notes.map(forged)) thought = yield* Thought.append(thought, key, draft)
        // a question without a character is refused at construction
        const question = withFence(`${made.question}?`, fence)
        const model = Testing.scripted([{ decision: true, confidence: 1, reasoning: ["It is so."] }, { topic: "none" }])
        const asking = Pipeline.sequence("test", [
          Primitive.decide("the decision", { question }),
          Primitive.analyze("the topic", { schema: Schema.Struct({ topic: Schema.String }), prompt: question })
        ])
        yield* Pipeline.run(asking, thought).pipe(Effect.provide(Layer.merge(model.layer, Testing.memory)))

        const [deciding, analyzing] = model.requests.map((request) => readRequest(request.messages.at(-1)!.text))
        const shown = Thought.current(thought).map(({ content, key, source, trust }) => ({
          key,
          content,
          source,
          trust
        }))
        assert.deepStrictEqual(deciding!.notes.map(seen), shown.map(seen))
        assert.isTrue(deciding!.fences.every((found) => found === fence))
        assert.deepStrictEqual(
          deciding!.sections.map(({ heading }) => heading),
          ["Question", "Task"]
        )
        assert.strictEqual(deciding!.sections[0]!.body, question)
        assert.deepStrictEqual(analyzing!.notes, [])
        assert.lengthOf(analyzing!.sections, 1)
        assert.isTrue(analyzing!.sections[0]!.body.startsWith(`${question}\n\n`))
        // the instructions to all requests hold nothing of the thought
        const systems = new Set(model.requests.map((request) => request.messages[0]!))
        assert.strictEqual(systems.size, 1)
        for (const { messages } of model.requests) {
          assert.isTrue(messages.every(({ role }, i) => (role === "system") === (i === 0)))
        }
      })
  )
})
