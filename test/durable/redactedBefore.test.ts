import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Exit, Schema, Scope } from "effect"
import { Memory, Note, Step, Store, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { type Going, machineOn, runOf } from "./machine.ts"
import { asks } from "./scenarios/parts.ts"
import { rowsOf } from "./seen.ts"
import { openPglite } from "./stores.ts"

const canary = "canary-4711"
const kept = { keep: "answers" } as const

const scope = Scope.makeUnsafe()
let pglite: Effect.Success<typeof openPglite>
beforeAll(async () => {
  pglite = await Effect.runPromise(Scope.provide(openPglite, scope))
})
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const stores = {
  "in memory": () => Effect.map(Store.makeInMemory, (store) => ({ store, rows: rowsOf(store) })),
  "on PGlite": () => Effect.map(pglite.makeStore, (store) => ({ store, rows: pglite.rows }))
}

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
      })
    )
  })
}
