/** Thoughts that are stored together: a thought, others that a run has left to store with it, and their parents. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Embedder, Memory, Store, Thought } from "cogito"
import { commit, entry, notes, thought } from "../../src/testing/contract/stage/rows.ts"
import { stateOf, withState } from "../../src/thought/state.ts"
import { moody } from "./embedder.ts"

/** A memory without an embedder, and all commits that its store receives. */
const opened = Effect.gen(function* () {
  const store = yield* Store.makeInMemory
  const given: Array<Store.Commit> = []
  const recording: Store.Store = {
    ...store,
    commit: (scope, one) =>
      Effect.suspend(() => {
        given.push(one)
        return store.commit(scope, one)
      })
  }
  const memory = yield* Memory.make({ store: recording, scope: "local", embedder: "none" })
  return { given, memory, store }
})

/** The thought with others to be stored with it. */
const leaving = <N>(main: Thought.Thought<N>, ...left: ReadonlyArray<Thought.Thought<any>>): Thought.Thought<N> =>
  withState(main, { left })

const contents = (value: Thought.Thought<any>) => Thought.notes(value).map(({ content }) => content)

describe("thoughts that are stored together", () => {
  it.effect("are written with parents first, in whatever order they are given", () =>
    Effect.gen(function* () {
      const { given, memory } = yield* opened
      const parent = yield* Thought.make("t", { a: "of the parent" })
      const fork = yield* Thought.append(yield* Thought.fork(parent), "b", "of the fork")
      const second = yield* Thought.append(yield* Thought.fork(fork), "c", "of the second")
      const alone = [fork, second].map((one) => withState(one, { unstoredParent: undefined }))
      yield* memory.commit(leaving(parent, ...alone.toReversed()))
      const [written] = given
      assert.deepStrictEqual(
        [...(written?.before ?? []), written].map((one) => one?.thought.id),
        [parent.id, fork.id, second.id]
      )
      assert.deepStrictEqual(contents(yield* memory.load(second.id)), ["of the parent", "of the fork", "of the second"])
    }).pipe(Effect.scoped)
  )

  it.effect("have their stored versions afterwards, including those without changes", () =>
    Effect.gen(function* () {
      const { memory } = yield* opened
      const same = yield* memory.commit(yield* Thought.make("t", { a: "first" }))
      const changed = yield* memory.commit(yield* Thought.make("t", { a: "first" }))
      const main = yield* Thought.make("t", { a: "first" })
      const stored = yield* memory.commit(leaving(main, same, yield* Thought.append(changed, "b", "second")))
      const { left } = stateOf(stored)
      assert.deepStrictEqual(
        [...left, stored].map((one) => stateOf(one).stored.version),
        [1, 2, 1]
      )
      for (const one of left) {
        const more = yield* memory.commit(yield* Thought.append(one, "late", "third"))
        assert.deepStrictEqual(contents(yield* memory.load(one.id)), contents(more))
      }
    }).pipe(Effect.scoped)
  )

  it.effect("must not exceed a limit, and neither must the parents stored with them", () =>
    Effect.gen(function* () {
      const { given, memory } = yield* opened
      const parent = yield* Thought.make("t", { a: "a" }, { taskId: "x".repeat(257) })
      const main = yield* Thought.make("t", { a: "a" })
      const { reason } = yield* Effect.flip(memory.commit(leaving(main, yield* Thought.fork(parent))))
      assert.deepInclude(reason, { _tag: "TooLarge", field: "taskId" })
      assert.deepStrictEqual(given, [])
    }).pipe(Effect.scoped)
  )

  it.effect("are embedded with the parents stored with them", () =>
    Effect.gen(function* () {
      const { embedder, mood } = yield* moody()
      const store = yield* Store.makeInMemory

      const memory = yield* Effect.provideService(Memory.make({ store, scope: "local" }), Embedder.Embedder, embedder)
      yield* memory.embedPending
      const fork = yield* Thought.append(
        yield* Thought.fork(yield* Thought.make("t", { a: "of the parent" })),
        "b",
        "of the fork"
      )
      yield* memory.commit(leaving(yield* Thought.make("t", { a: "of the main one" }), fork))
      yield* memory.flush
      assert.deepStrictEqual(mood.calls.flat().toSorted(), ["of the fork", "of the main one", "of the parent"])
    }).pipe(Effect.scoped)
  )
})

describe("a fork whose parent is not stored", () => {
  it.effect("is stored with its parent once, and alone afterwards", () =>
    Effect.gen(function* () {
      const { given, memory } = yield* opened
      const parent = yield* Thought.make("t", { a: "first" })
      const fork = yield* memory.commit(yield* Thought.append(yield* Thought.fork(parent), "b", "second"))
      yield* memory.commit(yield* Thought.append(fork, "c", "third"))
      assert.deepStrictEqual(
        given.map(({ notes: added, parent: above }) => [above?.notes.length, added.map(({ content }) => content)]),
        [
          [1, ["second"]],
          [undefined, ["third"]]
        ]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("goes on from an old value, even if its parent has more notes by then", () =>
    Effect.gen(function* () {
      const { memory } = yield* opened
      const parent = yield* Thought.make("t", { a: "first" })
      const fork = yield* Thought.append(yield* Thought.fork(parent), "b", "second")
      yield* memory.commit(fork)
      yield* memory.append(parent.id, [{ key: "x", content: "from outside" }])
      const more = yield* memory.commit(yield* Thought.append(fork, "c", "third"))
      assert.deepStrictEqual(contents(more), ["first", "second", "third"])
      assert.deepStrictEqual(contents(yield* memory.load(fork.id)), contents(more))
    }).pipe(Effect.scoped)
  )
})

describe("commits that a store writes together", () => {
  it.effect("remove the entries that each of them removes from one thought", () =>
    Effect.gen(function* () {
      const store = yield* Store.makeInMemory
      const row = thought()
      const entries = [0, 1, 2, 3].map((index) => entry(index))
      yield* store.commit("s", commit(row, { entries, nextIndex: 4 }))
      const first = commit(row, { version: 1, removed: [0], entries: [entry(4)], nextIndex: 5 })
      yield* store.commit("s", commit(row, { version: 2, removed: [2, 4], nextIndex: 5, before: [first] }))
      const there = yield* store.load("s", { id: row.id })
      assert.deepStrictEqual([there?.version, there?.entries.map(({ index }) => index)], [3, [1, 3]])
      const past = yield* store.history("s", row.id)
      assert.deepStrictEqual(
        past?.removed.map((one) => [one.entry.index, one.version]).toSorted(([a = 0], [b = 0]) => a - b),
        [
          [0, 2],
          [2, 3],
          [4, 3]
        ]
      )
    })
  )

  it.effect("are all refused if two of them have the same trace id or the same note", () =>
    Effect.gen(function* () {
      const store = yield* Store.makeInMemory
      const parent = thought()
      const fork = (more: object = {}) => thought({ parent: { id: parent.id, seq: 1 }, ...more })
      const own = fork()
      const [first] = notes(parent.id, 1, [{}])
      const above = commit(parent, { notes: first === undefined ? [] : [first] })
      const same = { id: first?.id ?? "" }
      for (const wrong of [
        commit(fork({ traceId: parent.traceId }), { parent: above }),
        commit(fork({ traceId: parent.traceId }), { before: [above] }),
        commit(own, { parent: above, notes: notes(own.id, 2, [same]) }),
        commit(own, { parent: above, notes: notes(own.id, 2, [{ id: "n" }, { id: "n" }]) })
      ]) {
        const { reason } = yield* Effect.flip(store.commit("s", wrong))
        assert.deepInclude(reason, { _tag: "Query", code: "23505" })
        assert.isUndefined(yield* store.load("s", { id: parent.id }))
      }
      yield* store.commit("s", commit(own, { parent: above, notes: notes(own.id, 2, [{}]) }))
    })
  )
})
