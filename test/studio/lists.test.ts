/** What the studio lists, without its server: thoughts, what a search finds, and the page around both. */
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { Memory, Thought } from "../../src/index.ts"
import { searchPage } from "../../src/studio/search.ts"
import { shell } from "../../src/studio/shell.ts"
import { thoughtsPage } from "../../src/studio/thoughts.ts"
import { Testing } from "../../src/testing/index.ts"

describe("a list of the studio", () => {
  it.effect("has thoughts with their tasks", () =>
    Effect.gen(function* () {
      const first = yield* Memory.commit(yield* Thought.make("first", { message: "a" }, { taskId: "orders" }))
      const second = yield* Memory.commit(yield* Thought.make("second"))
      const { next, thoughts } = yield* thoughtsPage(undefined)
      assert.isUndefined(next)
      const byIntent = thoughts.toSorted((a, b) => a.intent.localeCompare(b.intent))
      assert.deepStrictEqual(byIntent, [
        { id: first.id, intent: "first", taskId: "orders", createdMillis: 0, notes: 1 },
        { id: second.id, intent: "second", createdMillis: 0, notes: 0 }
      ])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("has the score and the rank in each arm of every note that a search finds", () =>
    Effect.gen(function* () {
      const thought = yield* Memory.commit(yield* Thought.make("kites", { message: "a red kite" }))
      const note = thought.note("message")!
      const memory = yield* Memory.Memory
      const found = (scores: object, ranks: object) =>
        ({ note, thought: { id: thought.id, intent: "kites" }, copies: 1, score: 0.5, scores, ranks }) as any
      const search = () =>
        Effect.succeed({
          arms: { vector: "used", lexical: "used", pending: 0 },
          matches: [
            found({ vector: 0.9, lexical: 0.4 }, { vector: 1, lexical: 3 }),
            found({ vector: 0.8 }, { vector: 2 }),
            found({ lexical: 0.3 }, { lexical: 1 })
          ]
        } as any)
      const { matches, query } = yield* Effect.provideService(searchPage("kite"), Memory.Memory, { ...memory, search })
      assert.strictEqual(query, "kite")
      const one = {
        thoughtId: thought.id,
        intent: "kites",
        key: "message",
        seq: note.seq,
        createdMillis: DateTime.toEpochMillis(note.created),
        content: "a red kite",
        isCut: false,
        trust: note.trust,
        copies: 1,
        score: 0.5
      }
      assert.deepStrictEqual(matches, [
        { ...one, vector: { score: 0.9, rank: 1 }, lexical: { score: 0.4, rank: 3 } },
        { ...one, vector: { score: 0.8, rank: 2 } },
        { ...one, lexical: { score: 0.3, rank: 1 } }
      ])
    }).pipe(Effect.provide(Testing.memory))
  )
})

describe("the page of the studio", () => {
  it("supports light and dark systems, needs no icon, and knows its own path", () => {
    const { body, status, type } = shell("/studio/")
    const head = body.slice(0, body.indexOf("<style>")).split("\n")
    assert.deepStrictEqual(
      [status, type, head],
      [
        200,
        "text/html",
        [
          "<!doctype html>",
          '<html lang="en">',
          "<head>",
          '<meta charset="utf-8">',
          '<meta name="viewport" content="width=device-width, initial-scale=1">',
          '<meta name="color-scheme" content="light dark">',
          '<link rel="icon" href="data:,">',
          "<title>cogito studio</title>",
          ""
        ]
      ]
    )
    assert.include(body, '<div id="app" data-base="/studio/"></div>')
  })
})
