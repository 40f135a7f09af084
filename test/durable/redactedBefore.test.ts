import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { Store } from "cogito"
import { Memory, Note, Pipeline, Session, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { type Going, machineOn, runOf } from "./machine.ts"
import { at } from "./process.ts"
import { asks } from "./scenarios/parts.ts"
import { bothWithRows } from "./both.ts"

const canary = "canary-4711"
const kept = { keep: "answers" } as const

const stores = bothWithRows()

const holding = (rows: ReadonlyArray<string>) => rows.filter((row) => row.includes(canary))

/** Answers with everything that it is shown. */
const repeating = Testing.scripted((request) => {
  const reasoning = [JSON.stringify(request.messages).includes(canary) ? `They say ${canary}` : "so"]
  return { decision: true, confidence: 1, reasoning }
})

for (const [where, makeStore] of Object.entries(stores)) {
  describe(`after a redaction ${where}`, () => {
    it.effect("a new run of an older value goes on without the text of the note", () =>
      Effect.gen(function* () {
        const { rows, store } = yield* makeStore()
        const { within, world } = machineOn(store)
        Object.assign(world, { model: repeating })
        const notes = { message: `Hello ${canary}`, other: "more" }
        const begun = yield* within()(Effect.flatMap(Thought.make("work", notes), Memory.commit))
        const read = Step.make("read", {
          schema: Schema.String,
          run: Note.from(Note.handle("message", Schema.String), (text) => text)
        })
        const values: Readonly<Record<string, Thought.Thought<any>>> = {
          stored: begun,
          returned: yield* within()(runOf(asks("it"), { id: "first", ...kept }, Effect.succeed(begun)))
        }
        yield* within()(Memory.redact(begun.note("message")!))
        assert.deepStrictEqual(holding(yield* rows), [])
        for (const [name, value] of Object.entries(values)) {
          const asked = repeating.requests.length
          yield* Effect.exit(within()(runOf(asks("last"), { id: name, ...kept }, Effect.succeed(value))))
          assert.isAbove(repeating.requests.length, asked)
          assert.notInclude(JSON.stringify(repeating.requests.slice(asked)), canary)
          const exit = yield* Effect.exit(within()(runOf(read, { id: `${name}, read` }, Effect.succeed(value))))
          assert.include(String(exit), "NoteNotFound")
          assert.deepStrictEqual(holding(yield* rows), [], name)
        }
        const after = yield* within()(runOf(asks("last"), { id: "returned" }, Effect.succeed(values["returned"]!)))
        assert.deepStrictEqual(
          Thought.notes(after).map(({ key }) => key),
          ["other", "last"]
        )
        const fork = yield* Thought.fork(begun)
        const forked = yield* within()(runOf(asks("last"), { id: "fork" }, Effect.succeed(fork) as Going))
        assert.deepStrictEqual(
          Thought.notes(forked).map(({ key }) => key),
          ["other", "last"]
        )
        assert.notInclude(JSON.stringify(repeating.requests.slice(-1)), canary)
        assert.deepStrictEqual(holding(yield* rows), [])
        // one that has a conversation, of which the rest stays
        const talk = Thought.withSession(
          yield* Thought.fork(values["returned"]!),
          Session.append(values["returned"]!.session, { role: "user", text: "kept", carries: [] })
        )
        const further = yield* within()(runOf(asks("last"), { id: "talk" }, Effect.succeed(talk) as Going))
        assert.deepStrictEqual(
          Thought.notes(further).map(({ key }) => key),
          ["other", "last"]
        )
        assert.include(
          Session.entries(further.session).map(({ text }) => text),
          "kept"
        )
        assert.notInclude(JSON.stringify(repeating.requests.slice(-1)), canary)
        assert.deepStrictEqual(holding(yield* rows), [])
      })
    )

    const parts: Readonly<Record<string, () => Step.Any>> = {
      "a question": () => asks("it"),
      "a question in a branch": () => Pipeline.concurrent("both", { it: asks("it"), other: asks("other") }) as Step.Any,
      "an effect": () => Step.make("it", { schema: Schema.String, run: () => `so ${canary}` }),
      "an answer of a person": () => Pipeline.waitFor("it", { schema: Schema.String, prompt: "Who?" })
    }
    it.effect.each(Object.entries(parts))("what a rerun has copied is gone too: %s", ([, part]) =>
      Effect.gen(function* () {
        const { rows, store } = yield* makeStore()
        const { crashing, within, world } = machineOn(store)
        Object.assign(world, {
          model: Testing.scripted((request) => {
            const reasoning = [JSON.stringify(request.task).includes("Is it it?") ? canary : "so"]
            return { decision: true, confidence: 1, reasoning }
          })
        })
        const last = Step.make("last", {
          schema: Schema.String,
          run: Note.from(Note.handle("message", Schema.String), (text) => text)
        })
        const all = (name: string) => Pipeline.sequence(name, [part(), last] as any) as Step.Any
        yield* Effect.exit(within()(runOf(all("all"), kept)))
        yield* Effect.exit(within()(Pipeline.answer("run", "it", canary)))
        const done = yield* within()(runOf(all("all"), kept))
        const repeat = (id: string, name = "all") =>
          Pipeline.rerun(all(name), "run", { id }) as Effect.Effect<any, any, any>
        yield* within()(repeat("second"))
        // in another pipeline, and in one that is resumed
        yield* within()(repeat("third", "others"))
        yield* crashing(at("before", "commit", 3))(repeat("fourth"))
        yield* within()(Pipeline.resume(all("all"), "fourth"))
        assert.isAbove(holding(yield* rows).length, 3)
        const note = Thought.notes(done).find(({ key }) => key === "it" || key === "it.it")
        yield* within()(Memory.redact(note!))
        assert.deepStrictEqual(holding(yield* rows), [])
        assert.notInclude(String(yield* Effect.exit(within()(Pipeline.resume(all("all"), "second")))), canary)
      })
    )

    it.effect("a rerun that has read its run before takes no answer whose note is gone", () =>
      Effect.gen(function* () {
        const { rows, store } = yield* makeStore()
        const { within, world } = machineOn(store)
        Object.assign(world, {
          model: Testing.scripted(() => ({ decision: true, confidence: 1, reasoning: [canary] }))
        })
        const step = Pipeline.concurrent("both", { it: asks("it"), other: asks("other") }) as Step.Any
        const done = yield* within()(runOf(step, kept))
        const notes = Thought.notes(done).filter(({ content }) => content.includes(canary))
        assert.strictEqual(notes.length, 2)
        const fresh = Testing.scripted(() => ({ decision: true, confidence: 1, reasoning: ["so"] }))
        const redacting = Effect.gen(function* () {
          for (const { id } of notes) yield* within()(Memory.redact(id))
        })
        let isFirst = true
        const late: Store.Store = {
          ...store,
          commit: (scope, commit) =>
            Effect.suspend(() => {
              if (!isFirst) return store.commit(scope, commit)
              isFirst = false
              return Effect.andThen(Effect.orDie(redacting), store.commit(scope, commit))
            })
        }
        const other = machineOn(late)
        Object.assign(other.world, { model: fresh })
        const made = yield* other.within()(
          Pipeline.rerun(step, "run", { id: "second" }) as Effect.Effect<any, any, any>
        )
        assert.deepInclude(made, { made: 2, reused: 0 })
        assert.deepStrictEqual(holding(yield* rows), [])
      })
    )
  })
}
