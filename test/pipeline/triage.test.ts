import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { Memory, Pipeline, Session, Thought } from "cogito"
import { Testing } from "cogito/testing"
import {
  answers,
  category,
  escalate,
  history,
  message,
  mood,
  replies,
  start,
  ticket,
  triage,
  withModel
} from "./triage.ts"
import { keptOf } from "../kept.ts"

const usage = { inputTokens: 10, outputTokens: 2 }

/** The triage run once, and what was sent. */
const ran = Effect.gen(function* () {
  const model = Testing.scripted(answers, { usage })
  return yield* Effect.gen(function* () {
    const done = yield* Pipeline.run(triage, yield* start)
    return { model, done, loaded: yield* Memory.load(done.id) }
  }).pipe(withModel(model))
})

describe("a triage of five steps", () => {
  it.effect("returns typed answers", () =>
    Effect.gen(function* () {
      const { done, model } = yield* ran
      assert.deepStrictEqual(done.get("ticket"), replies.ticket)
      assert.deepStrictEqual(done.get("history"), {
        matches: [],
        arms: { vector: "ok", lexical: "ok", pending: 0 }
      })
      assert.deepStrictEqual(done.get("category"), { ...replies.category, confidenceFrom: "stated" })
      assert.deepStrictEqual(done.get("mood"), { ...replies.mood, confidenceFrom: "stated", aspects: {} })
      assert.deepStrictEqual(done.get("escalate"), { ...replies.escalate, confidenceFrom: "stated" })
      assert.strictEqual(done.get("message"), message)
      assert.strictEqual(model.remaining(), 0)
    })
  )

  it.effect("asks one question per step, none for the search, and looks back once", () =>
    Effect.gen(function* () {
      const { model } = yield* ran
      assert.deepStrictEqual(
        model.requests.map(({ phase, task }) => [task.kind, phase]),
        [
          ["analyze", "reason"],
          ["categorize", "reason"],
          ["assess", "reason"],
          ["decide", "reason"],
          ["introspect", "introspect"]
        ]
      )
      assert.deepStrictEqual(model.requests.map(({ task }) => task.instruction).slice(0, 4), [
        "Extract the customer, the issue and every sign of urgency",
        "What kind of support issue is this?",
        "How does the customer feel?",
        "«Should a senior agent take Ada's billing issue?»"
      ])
    })
  )

  it.effect("begins every request with the bytes of the previous one, and its answer", () =>
    Effect.gen(function* () {
      const { done, model } = yield* ran
      for (const [i, request] of model.requests.entries()) {
        const before = keptOf(model.requests[i - 1]?.messages ?? request.messages.slice(0, 1))
        assert.deepStrictEqual(request.messages.slice(0, before.length), before)
        assert.deepStrictEqual(
          request.messages.slice(before.length).map(({ role }) => role),
          i === 0 ? ["user"] : ["assistant", "user"]
        )
      }
      // the conversation is what was sent, and the last answer
      const last = keptOf(model.requests.at(-1)!.messages)
      assert.deepStrictEqual(
        Session.entries(done.session).map(({ role, text }): ReturnType<typeof keptOf>[number] => ({ role, text })),
        [...last.slice(1), { role: "assistant", text: replies.summary }]
      )
    })
  )

  it.effect("has no text of the thought in the system message", () =>
    Effect.gen(function* () {
      const { model } = yield* ran
      for (const request of model.requests) {
        assert.deepStrictEqual(
          request.messages.map(({ role }) => role).filter((role) => role === "system"),
          ["system"]
        )
        const [system] = request.messages
        assert.strictEqual(system?.role, "system")
        assert.notInclude(system?.text, "Ada")
        assert.notInclude(system?.text, "charged")
      }
    })
  )

  it.effect("shows every note once, when it is new", () =>
    Effect.gen(function* () {
      const { model } = yield* ran
      const fresh = model.requests.map(({ task }) => task.context.filter((note) => note.fresh).map(({ key }) => key))
      assert.deepStrictEqual(fresh, [["message"], ["history"], [], [], []])
      const seen = model.requests.map(({ task }) => task.context.filter((note) => !note.fresh).map(({ key }) => key))
      assert.deepStrictEqual(seen, [
        [],
        ["message", "ticket"],
        ["message", "ticket", "history", "category"],
        ["message", "ticket", "history", "category", "mood"],
        ["message", "ticket", "history", "category", "mood", "escalate"]
      ])
      // the message's text is in one user message of the whole conversation
      const last = model.requests.at(-1)!.messages
      assert.strictEqual(last.filter(({ text }) => text.includes(message)).length, 1)
      // and how an earlier question was to be answered is in none
      assert.isFalse(last.some(({ text }) => text.includes("Say how sure you are")))
    })
  )

  it.effect("keeps the notes in order, with their sources and the models", () =>
    Effect.gen(function* () {
      const { done } = yield* ran
      assert.deepStrictEqual(
        Thought.notes(done).map(({ key, metadata, seq, source, step, trust }) => ({
          seq,
          key,
          source,
          step,
          trust,
          metadata
        })),
        [
          { seq: 1, key: "message", source: "user", step: "", trust: "untrusted", metadata: {} },
          { seq: 2, key: "ticket", source: "analyze", step: "triage/ticket", trust: "untrusted", metadata: reasoned },
          { seq: 3, key: "history", source: "seek", step: "triage/history", trust: "untrusted", metadata: {} },
          {
            seq: 4,
            key: "category",
            source: "categorize",
            step: "triage/category",
            trust: "untrusted",
            metadata: reasoned
          },
          { seq: 5, key: "mood", source: "assess", step: "triage/mood", trust: "untrusted", metadata: reasoned },
          {
            seq: 6,
            key: "escalate",
            source: "decide",
            step: "triage/escalate",
            trust: "untrusted",
            metadata: reasoned
          },
          {
            seq: 7,
            key: "escalate_summary",
            source: "decide-introspection",
            step: "triage/escalate",
            trust: "untrusted",
            metadata: { ...reasoned, temperature: "0.7" }
          }
        ]
      )
    })
  )

  it.effect("records which notes each message showed, and leaves nothing unpublished", () =>
    Effect.gen(function* () {
      const { done } = yield* ran
      const keys = new Map(Thought.notes(done).map(({ id, key }) => [id, key]))
      assert.deepStrictEqual(
        Session.entries(done.session).map(({ carries, covers, kind, role }) => [
          role,
          kind,
          carries.map((id) => keys.get(id)),
          covers
        ]),
        [
          ["user", "message", ["message"], []],
          ["assistant", "message", ["ticket"], []],
          ["user", "message", ["history"], []],
          ["assistant", "message", ["category"], []],
          ["user", "message", [], []],
          ["assistant", "message", ["mood"], []],
          ["user", "message", [], []],
          ["assistant", "message", ["escalate"], []],
          ["user", "message", [], []],
          ["assistant", "message", ["escalate_summary"], []]
        ]
      )
      assert.deepStrictEqual(Thought.unpublished(done), [])
      assert.strictEqual(Thought.publishedCount(done), 7)
    })
  )

  it.effect("stores the thought that it returns", () =>
    Effect.gen(function* () {
      const { done, loaded } = yield* ran
      assert.deepStrictEqual(loaded.toJSON(), done.toJSON())
      assert.deepStrictEqual(Thought.unpublished(loaded), [])
      assert.deepStrictEqual(yield* Thought.read(loaded, escalate), done.get("escalate"))
      const typed = yield* Thought.require(loaded, [ticket, history, category, mood, escalate])
      assert.deepStrictEqual(typed.get("category"), done.get("category"))
    })
  )

  it.effect("records the tokens of its last call", () =>
    Effect.gen(function* () {
      const { done, loaded } = yield* ran
      assert.deepStrictEqual(done.session.usage, usage)
      assert.deepStrictEqual(loaded.session.usage, usage)
    })
  )

  it.effect("sends the same bytes when it runs again on an equal thought", () =>
    Effect.gen(function* () {
      const requests = ran.pipe(
        Effect.map(({ model }) => model.requests),
        Effect.provide(Testing.ids)
      )
      assert.deepStrictEqual(yield* requests, yield* requests)
    })
  )

  it.effect("dates the notes by the clock", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_000)
      const { done } = yield* ran
      assert.deepStrictEqual(
        Thought.notes(done).map(({ created }) => DateTime.toEpochMillis(created)),
        Array.from({ length: 7 }, () => 1_000)
      )
    })
  )
})

const reasoned = { provider: "scripted", model: "script", via: "text", temperature: "0" }
