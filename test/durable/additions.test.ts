/** What a value adds to the stored thought, if a part of it was made again. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Memory, type Note, Session, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { Additions } from "../../src/pipeline/durable/again.ts"
import { idAfter } from "../../src/pipeline/durable/frame.ts"
import { IdSource } from "../../src/thought/ids.ts"

const none = () => undefined
const ids = (notes: ReadonlyArray<Note.Note>) => notes.map(({ id }) => id)
const id = (n: number) => `00000000-0000-7000-8000-00000000000${n}`

/** A stored thought with one note and a conversation of two messages. */
const stored = Effect.gen(function* () {
  const begun = yield* Thought.make("work", { message: "Hello" })
  const session = Session.append(begun.session, { role: "user", text: "One." }, { role: "assistant", text: "Two." })
  return yield* Memory.commit(Thought.withSession(begun, session))
})

/** The thought with one more note, which has this id. */
const adding = (n: number, thought: Thought.Thought<any>, key: string, draft: object) =>
  Effect.provideService(Thought.append(thought, key, draft as never), IdSource, () => id(n))

describe("the notes that a value adds", () => {
  it.effect("differ from the stored ones by their content or metadata, or if these are missing or redacted", () =>
    Effect.gen(function* () {
      const before = yield* stored
      const note = { content: "1", metadata: { by: "a" } }
      const value = yield* adding(1, before, "n", note)
      const cases = {
        equal: [note, {}],
        "another content": [{ ...note, content: "2" }, { changed: [id(1)] }],
        "other metadata": [{ ...note, metadata: { by: "b" } }, { changed: [id(1)] }],
        "no metadata": [{ content: "1" }, { changed: [id(1)] }],
        "one more in its metadata": [{ ...note, metadata: { by: "a", more: "c" } }, { changed: [id(1)] }]
      } as const
      for (const [name, [there, differs]] of Object.entries(cases)) {
        const found = new Additions(value, none).differing(yield* adding(1, before, "n", there))
        assert.deepStrictEqual<object>(
          Object.fromEntries(Object.entries(found).map(([what, notes]) => [what, ids(notes)])),
          { missing: [], redacted: [], changed: [], ...differs },
          name
        )
      }
      assert.deepStrictEqual(ids(new Additions(value, none).differing(before).missing), [id(1)])
      // a note under another key is another note
      const other = new Additions(value, none).differing(yield* adding(1, before, "m", note))
      assert.deepStrictEqual(ids(other.changed), [id(1)])
      const kept = yield* Memory.commit(value)
      yield* Memory.redact(kept.note("n")!)
      const gone = new Additions(value, none).differing(yield* Memory.load(kept.id))
      assert.deepStrictEqual([ids(gone.redacted), ids(gone.missing), ids(gone.changed)], [[id(1)], [], []])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("get their next ids when they are renamed, also in the notes that derive from them", () =>
    Effect.gen(function* () {
      const before = yield* stored
      const message = before.note("message")!.id
      const one = yield* adding(1, before, "one", { content: "1", derivedFrom: [message] })
      const two = yield* adding(2, one, "two", { content: "2", derivedFrom: [id(1), message] })
      const three = yield* adding(3, two, "three", { content: "3", derivedFrom: [id(2)] })
      const additions = new Additions(three, none)
      additions.rename(Thought.notes(three).slice(1, 3))
      const whole = additions.onTopOf(before)
      const [first, second] = [idAfter(id(1)), idAfter(id(2))]
      assert.deepStrictEqual(
        Thought.notes(whole)
          .slice(1)
          .map(({ derivedFrom, id, seq }) => [seq, id, derivedFrom]),
        [
          [2, first, [message]],
          [3, second, [first, message]],
          [4, id(3), [second]]
        ]
      )
    }).pipe(Effect.provide(Testing.memory))
  )
})

describe("the conversation that a value adds", () => {
  it.effect("follows the stored one, without the messages that the value has removed", () =>
    Effect.gen(function* () {
      const before = yield* stored
      const [one] = Session.entries(before.session)
      const added = yield* adding(1, before, "n", { content: "1" })
      const left = yield* Session.remove(before.session, 0)
      const session = Session.append(
        left,
        { role: "user", text: "Three.", carries: [id(1)] },
        { role: "assistant", text: "Four." }
      )
      const additions = new Additions(Thought.withSession(added, session), none)
      additions.rename(Thought.notes(added).slice(1))
      const { session: whole } = additions.onTopOf(before)
      assert.deepStrictEqual(
        Session.entries(whole).map(({ carries, index, text }) => [index, text, carries]),
        [
          [1, "Two.", []],
          [2, "Three.", [idAfter(id(1))]],
          [3, "Four.", []]
        ]
      )
      assert.strictEqual(one?.text, "One.")
      // what is stored already is not added again
      const again = additions.onTopOf(additions.onTopOf(before))
      assert.deepStrictEqual(
        Session.entries(again.session).map(({ text }) => text),
        ["Two.", "Three.", "Four."]
      )
    }).pipe(Effect.provide(Testing.memory))
  )
})
