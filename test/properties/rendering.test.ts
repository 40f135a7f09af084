import { assert, describe, it } from "@effect/vitest"
import { Note, Pipeline, Primitive, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { Arbitrary, Effect, Layer, Schema } from "effect"
import { escapeLines, inOrder, message, noteList, request } from "../../src/thought/render.ts"
import { readNotes, readRequest, seen, structure, unescape } from "./request.ts"
import { forged, texts, withFence } from "./texts.ts"

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
  Arbitrary.all({ heading: Arbitrary.schema(Schema.Literals(["Items", "Query", "Categories"])), body: texts }),
  { maxLength: 4 }
)

const fencedIn =
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
    { notes, sections, task: texts, how: texts },
    (made) => {
      const given = forged(
        (fence) => ({
          notes: made.notes.map(fencedIn(fence)),
          sections: made.sections.map(fencedIn(fence)),
          ...fencedIn(fence)({ task: made.task, how: made.how })
        }),
        message
      )
      const { kept, text } = request(given)
      const read = readRequest(text)
      assert.deepStrictEqual(read.notes.map(seen), given.notes.map(seen))
      assert.deepStrictEqual(read.sections, given.sections)
      assert.strictEqual(read.task, `${given.task}\n\n${given.how}`)
      // what is kept is a request of its own
      const rest = readRequest(text.slice(0, kept))
      assert.deepStrictEqual([rest.notes, rest.task, rest.sections], [read.notes, given.task, []])
      // no text holds the fence of any note
      const parts: ReadonlyArray<Record<string, string>> = [...given.notes.map(seen), ...given.sections]
      const own = [given.task, given.how, ...parts.flatMap((part) => Object.values(part))]
      for (const fence of read.fences) assert.isFalse(own.some((one) => one.includes(fence)))
      // and no reader, however it splits lines, sees a heading or a note line more
      assert.lengthOf(structure(text), 2 * given.notes.length + given.sections.length)
    },
    { arbitrary: { runs: 500 } }
  )
})

describe("a thought's notes", () => {
  it.effect.prop("read back from their rendering", { notes }, (made) =>
    Effect.gen(function* () {
      const given = forged((fence) => made.notes.map(fencedIn(fence)), noteList)
      let thought: Thought.Thought<any> = yield* Thought.make("test")
      for (const { key, ...draft } of given) thought = yield* Thought.append(thought, key, draft)
      const text = Thought.render(thought, Thought.notes(thought))
      assert.strictEqual(text, noteList(given))
      assert.deepStrictEqual(readNotes(text).notes.map(seen), given.map(seen))
    })
  )
})

describe("a request", () => {
  it.effect.prop(
    "shows every note and asks its question so that both read back exactly",
    { notes, question: texts },
    (made) =>
      Effect.gen(function* () {
        const given = forged(
          // a question without a character is refused at construction
          (fence) => ({ notes: made.notes.map(fencedIn(fence)), task: withFence(`${made.question}?`, fence) }),
          message
        )
        const question = given.task
        let thought: Thought.Thought<any> = yield* Thought.make("test")
        for (const { key, ...draft } of given.notes) thought = yield* Thought.append(thought, key, draft)
        const model = Testing.scripted([{ decision: true, confidence: 1, reasoning: ["It is so."] }, { topic: "none" }])
        const asking = Pipeline.sequence("test", [
          Primitive.decide("the decision", { question }),
          Primitive.analyze("the topic", { schema: Schema.Struct({ topic: Schema.String }), prompt: question })
        ])
        yield* Pipeline.run(asking, thought).pipe(Effect.provide(Layer.merge(model.layer, Testing.memory)))

        const [deciding, analyzing] = model.requests.map((request) => readRequest(request.messages.at(-1)!.text))
        const shown = inOrder(Thought.current(thought)).map(({ content, key, source, trust }) => ({
          key,
          content,
          source,
          trust
        }))
        assert.deepStrictEqual(deciding!.notes.map(seen), shown.map(seen))
        assert.deepStrictEqual(analyzing!.notes, [])
        for (const { sections, task } of [deciding!, analyzing!]) {
          assert.deepStrictEqual(sections, [])
          assert.isTrue(task.startsWith(`${question}\n\n`))
        }
        // the conversation keeps the question without how to answer it
        const kept = readRequest(model.requests[1]!.messages[1]!.text)
        assert.deepStrictEqual([kept.notes.map(seen), kept.task], [shown.map(seen), question])
        // the instructions to all requests hold nothing of the thought
        const systems = new Set(model.requests.map((request) => request.messages[0]!))
        assert.strictEqual(systems.size, 1)
        for (const { messages } of model.requests) {
          assert.isTrue(messages.every(({ role }, i) => (role === "system") === (i === 0)))
        }
      })
  )
})
