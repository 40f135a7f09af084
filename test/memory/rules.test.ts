/** Rules that every store follows, as plain functions: appended notes, values that are behind the store, and runs. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Latch, Result, Stream } from "effect"
import { Memory, Store, Thought } from "cogito"
import { place } from "../../src/memory/archive/append.ts"
import { caughtUp } from "../../src/memory/catchUp.ts"
import { standingOf } from "../../src/memory/model/standing.ts"
import { newRun, step, wait } from "../../src/testing/contract/ledger/rows.ts"
import { newNote, note } from "../../src/testing/contract/stage/rows.ts"

const opened = Effect.gen(function* () {
  const store = yield* Store.makeInMemory
  return { store, memory: yield* Memory.make({ store, scope: "local", embedder: "none" }) }
})

describe("notes that are appended", () => {
  const thought = { id: "t", lastSeq: 3 }
  const [first, second] = [newNote({ content: "first" }), newNote({ content: "second" })]
  const stored = { ...note("t", 2), ...first }
  const placed = (known: Parameters<typeof place>[1], ...given: Parameters<typeof place>[2]) => {
    const found = Result.getOrUndefined(place(thought, known, given))
    const shown = ({ content, seq, thoughtId }: typeof stored) => [thoughtId, seq, content]
    return found && { added: found.added.map(shown), all: found.all.map(shown) }
  }

  it("follow the last note without a gap, without those that are stored already", () => {
    const [one, two] = [
      ["t", 4, "first"],
      ["t", 5, "second"]
    ]
    assert.deepStrictEqual(placed([], first, second), { added: [one, two], all: [one, two] })
    const there = ["t", 2, "first"]
    const next = ["t", 4, "second"]
    assert.deepStrictEqual(placed([stored], first, second), { added: [next], all: [there, next] })
    assert.deepStrictEqual(placed([stored], second, first), { added: [next], all: [next, there] })
    assert.deepStrictEqual(placed([], second, second), { added: [next], all: [next, next] })
  })

  it("must not have the id of a note with another thought, key or content", () => {
    for (const other of [{ thoughtId: "u" }, { key: "other" }, { content: "other" }]) {
      assert.isUndefined(placed([{ ...stored, ...other }], first), JSON.stringify(other))
    }
    // a redacted note has no content to compare
    assert.deepStrictEqual(placed([{ ...stored, content: "", redacted: stored.created }], first)?.added, [])
  })
})

describe("a value that is behind its store", () => {
  it.effect("has notes that were appended meanwhile before its own unstored notes, each note once", () =>
    Effect.gen(function* () {
      const { memory } = yield* opened
      const base = yield* memory.commit(yield* Thought.make("t", { a: "a" }))
      const half = yield* Thought.append(base, "b", "b")
      const whole = yield* Thought.append(half, "c", "c")
      yield* memory.commit(half)
      yield* memory.append(base.id, [{ key: "x", content: "x" }])
      const there = yield* memory.load(base.id)
      const contents = (value: ReturnType<typeof caughtUp>) =>
        value === undefined || value === "past" ? value : Thought.notes(value).map(({ content, seq }) => [seq, content])
      assert.deepStrictEqual(contents(caughtUp(whole, there, { appended: true })), [
        [1, "a"],
        [2, "b"],
        [3, "x"],
        [4, "c"]
      ])
      assert.strictEqual(contents(caughtUp(half, there, { appended: false })), "past")
      assert.isUndefined(contents(caughtUp(whole, there, { appended: false })))
    }).pipe(Effect.scoped)
  )
})

describe("an archive", () => {
  it.effect("has forks of forks, with or without notes of their own", () =>
    Effect.gen(function* () {
      const { memory } = yield* opened
      const root = yield* Thought.make("t", { a: "a", b: "b" })
      const empty = yield* Thought.fork(root)
      const second = yield* Thought.fork(empty)
      const third = yield* Thought.append(yield* Thought.fork(second), "c", "c")
      yield* memory.commit(third)
      const lines = yield* Stream.runCollect(memory.exportLines())
      assert.lengthOf(lines, 5)
      const other = memory.importLines(Stream.fromIterable(lines)).pipe(Memory.withScope("other"))
      assert.deepStrictEqual(yield* other, { imported: 4, present: 0 })
      assert.deepStrictEqual(yield* other, { imported: 0, present: 4 })
      const there = yield* memory.load(third.id).pipe(Memory.withScope("other"))
      assert.deepStrictEqual(
        Thought.notes(there).map(({ content }) => content),
        ["a", "b", "c"]
      )
    }).pipe(Effect.scoped)
  )
})

describe("rows of a durable run", () => {
  const run = newRun("thought", { id: "r", seed: "s" })
  const known = { seed: "s", status: "running", owner: "a", epoch: 1, endedMillis: undefined } as const
  const ends = { status: "completed", end: undefined, error: undefined, endedMillis: 7 } as const
  const over = { ...known, status: "completed", endedMillis: 7 } as const
  const rows = { runId: "r", epoch: 1 }
  const begins = [run]

  it("are written only by the process that holds the run", () => {
    for (const [given, stored, expected] of [
      [rows, known, "held"],
      [rows, undefined, "lost"],
      [{ ...rows, epoch: 2 }, known, "lost"],
      [rows, over, "lost"],
      // they were stored before, but the response was lost
      [{ ...rows, ends }, over, "done"],
      [{ ...rows, ends: { ...ends, endedMillis: 8 } }, over, "lost"],
      [{ ...rows, ends: { ...ends, status: "failed" } }, over, "lost"],
      [{ ...rows, begins }, undefined, "held"],
      [{ ...rows, begins }, known, "held"],
      // the same call from another process
      [
        { ...rows, begins: [newRun("thought", { id: "r", seed: "s", lease: { owner: "b", millis: 1 } })] },
        known,
        "lost"
      ],
      [{ ...rows, begins }, { ...known, seed: "other" }, "taken"],
      [{ ...rows, begins }, { ...known, status: "waiting" }, "lost"]
    ] as const) {
      assert.strictEqual(
        standingOf(given, (id) => (id === "r" ? stored : undefined)),
        expected,
        JSON.stringify([given, stored])
      )
    }
  })

  it.effect("are written completely, even if the writer is interrupted meanwhile", () =>
    Effect.gen(function* () {
      const store = yield* Store.makeInMemory
      const gate = Latch.makeUnsafe(false)
      const { ledger } = store
      const slow: Store.Store = {
        ...store,
        ledger: { ...ledger, record: (...given) => Effect.andThen(gate.await, ledger.record(...given)) }
      }
      const memory = yield* Memory.make({ store: slow, scope: "local", embedder: "none" })
      const { id } = yield* memory.commit(yield* Thought.make("t", { a: "a" }))
      const writing = yield* Effect.forkChild(memory.ledger.record({ ...rows, begins: [newRun(id, { id: "r" })] }), {
        startImmediately: true
      })
      const stopping = yield* Effect.forkChild(Fiber.interrupt(writing), { startImmediately: true })
      yield* Effect.yieldNow
      yield* gate.open
      yield* Fiber.join(stopping)
      assert.strictEqual((yield* memory.ledger.load("r"))?.run.status, "running")
    }).pipe(Effect.scoped)
  )
})

describe("the questions of a run", () => {
  const asking = Effect.gen(function* () {
    const { memory } = yield* opened
    const { id } = yield* memory.commit(yield* Thought.make("t", { a: "a" }))
    const run = newRun(id)
    const rows = { runId: run.id, epoch: 1 }
    yield* memory.ledger.record({ ...rows, begins: [run] })
    const ask = (frame: string, more: object = {}) => wait(run.id, id, frame, more)
    const open = Effect.map(memory.ledger.waits({ limit: 9 }), (waits) => waits.map(({ frame }) => frame))
    return { ask, ledger: memory.ledger, open, rows, runId: run.id }
  })

  it.effect("stay open until they are asked again or their step completes, however often they were asked", () =>
    Effect.gen(function* () {
      const { ask, ledger, open, rows } = yield* asking
      for (const frame of ["/a@0", "/a@0^", "/a@0^^", "/b@0"]) {
        yield* ledger.record({ ...rows, waits: [ask(frame)] })
        assert.deepStrictEqual(yield* open, frame === "/b@0" ? ["/a@0^^", "/b@0"] : [frame])
      }
      yield* ledger.record({ ...rows, steps: [step("/a@0", { outcome: "completed" })] })
      assert.deepStrictEqual(yield* open, ["/b@0"])
    }).pipe(Effect.scoped)
  )

  it.effect("keep their answers if they are written again, with or without a prompt", () =>
    Effect.gen(function* () {
      for (const prompt of ["", "May this be refunded?"]) {
        const { ask, ledger, open, rows, runId } = yield* asking
        const waits = [ask("/a@0", { prompt })]
        yield* ledger.record({ ...rows, waits })
        yield* ledger.answer({ runId, frame: "/a@0" }, { json: "true", by: "ada", millis: 5 })
        yield* ledger.record({ ...rows, waits })
        const [kept] = (yield* ledger.load(runId))?.waits ?? []
        assert.deepStrictEqual(
          [kept?.prompt, kept?.answer, kept?.answeredBy, kept?.answeredMillis],
          [prompt, "true", "ada", 5]
        )
        assert.deepStrictEqual(yield* open, [])
      }
    }).pipe(Effect.scoped)
  )
})
