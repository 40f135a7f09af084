/** Committing, loading, listing and adding to thoughts, and removing them. */
import { Memory, Session, Thought } from "cogito"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { archived, idOf, inSecond, scene, start, stored } from "./stage.ts"

const unknownId = "01890a5d-ac96-774b-bcce-b302099a8057"

/** Of a conversation each kind of entry, of which one was taken out again. */
const talked = (thought: Thought.Thought<any>) =>
  Session.remove(
    Session.withUsage(
      Session.append(
        Session.empty,
        { role: "system", text: "Be brief" },
        { role: "user", text: "Look\nat it\0", carries: [idOf(thought, "b"), idOf(thought, "a")] },
        { role: "assistant", text: "To be removed" },
        {
          role: "assistant",
          text: "Seen",
          kind: "summary",
          carries: [idOf(thought, "c")],
          covers: [idOf(thought, "a")]
        },
        { role: "user", text: "Some were left out", kind: "omission" }
      ),
      { outputTokens: 7, inputTokens: 11, cachedInputTokens: 3, cacheWriteTokens: 2, reasoningTokens: 5 }
    ),
    2
  )

export const thoughtScenes = [
  scene("A thought, a fork and what they become, stored and loaded", ({ show }) =>
    Effect.gen(function* () {
      const made = yield* Thought.make(
        "first intent",
        {
          b: { content: "two", metadata: { z: "26", a: "1" }, source: "mail", trust: "trusted" },
          a: "one\0\ud800",
          c: { content: "three" }
        },
        { taskId: "task-1", traceId: "trace-1" }
      )
      const thought = yield* Memory.commit(Thought.withSession(made, yield* talked(made)))
      yield* show("committed", Effect.succeed(thought))
      yield* show("loaded by its id", Memory.load(thought.id))
      yield* show(
        "what its last call cost",
        Effect.map(Memory.load(thought.id), ({ session }) => session.usage)
      )
      yield* show("loaded by its trace", Memory.load({ traceId: "trace-1" }))
      yield* TestClock.adjust("90 seconds")
      const fork = yield* Thought.fork(thought, { checkpoint: "before", traceId: "trace-2", hide: ["c"] })
      const longer = yield* Thought.append(fork, "a", {
        content: "again",
        derivedFrom: [idOf(made, "a"), idOf(made, "b")]
      })
      yield* Memory.commit(longer)
      yield* show("the fork loaded", Memory.load({ traceId: "trace-2" }))
      const fresh = yield* Thought.append(yield* Thought.fork(longer, { session: "fresh" }), "d", "four")
      const deeper = yield* Memory.commit(yield* Thought.fork(fresh, { checkpoint: "after" }))
      yield* show("a fork of a fork that was not stored, committed", Effect.succeed(deeper))
      yield* show(
        "committed twice",
        Effect.map(Memory.commit(longer), ({ length }) => length)
      )
      yield* show("what is stored", archived())
      yield* show("in another scope", inSecond(Memory.load(thought.id)))
      yield* show("a thought that is unknown", Memory.load(unknownId))
      yield* show("an id that is none", Memory.load("not an id\n"))
      yield* show("a trace that is unknown", Memory.load({ traceId: "trace-9" }))
      yield* show("a trace with a blank in it", Memory.load({ traceId: "trace 9" }))
    })
  ),
  scene("Commits that the store refuses", ({ show }) =>
    Effect.gen(function* () {
      const thought = yield* stored("one", { a: "1" }, { traceId: "trace-1" })
      yield* show("the trace of another thought", stored("two", { b: "2" }, { traceId: "trace-1" }))
      yield* show("the same trace in another scope", inSecond(stored("two", { b: "2" }, { traceId: "trace-1" })))
      yield* Memory.append(thought.id, [{ key: "late", content: "x" }])
      yield* show(
        "a value that the store has gone past",
        Effect.flatMap(Thought.append(thought, "b", "2"), Memory.commit)
      )
      yield* show(
        "a fork of such a value",
        Effect.flatMap(Effect.flatMap(Thought.append(thought, "b", "2"), Thought.fork), Memory.commit)
      )
      const removed = yield* stored("gone", { a: "3" })
      yield* Memory.remove(removed.id)
      yield* show("a thought that was removed", Effect.flatMap(Thought.append(removed, "b", "4"), Memory.commit))
      yield* show("a fork of one that was removed", Effect.flatMap(Thought.fork(removed), Memory.commit))
      yield* show("what is stored", archived())
    })
  ),
  scene("Listing thoughts and relatives", ({ show }) =>
    Effect.gen(function* () {
      const root = yield* stored("root", { a: "1" }, { taskId: "even", traceId: "t-0" })
      const all = [root]
      for (const i of [1, 2, 3, 4]) {
        yield* TestClock.adjust("1 second")
        const from = i === 4 ? (all[2] ?? root) : root
        all.push(yield* Memory.commit(yield* Thought.fork(from, { traceId: `t-${i}` })))
      }
      yield* TestClock.setTime(start.epochMilliseconds - 10_000)
      const early = yield* stored("early", {}, { taskId: "odd", traceId: "t-5" })
      yield* inSecond(stored("elsewhere", {}, { taskId: "even" }))
      const traces = (list: Effect.Effect<ReadonlyArray<Memory.Relative>, Memory.MemoryError, Memory.Memory>) =>
        Effect.map(list, (some) => some.map(({ traceId }) => traceId))
      yield* show("all in full", Memory.thoughts())
      yield* show("newest first", traces(Memory.thoughts({ order: "newest" })))
      yield* show("a task", traces(Memory.thoughts({ taskId: "odd" })))
      yield* show("a task, the newest two", traces(Memory.thoughts({ taskId: "even", order: "newest", limit: 2 })))
      yield* show("a task that is unknown", traces(Memory.thoughts({ taskId: "none" })))
      const [, , second, third] = yield* Memory.thoughts()
      if (second === undefined || third === undefined) return
      yield* show("after the second", traces(Memory.thoughts({ after: second })))
      yield* show(
        "before the third, newest first",
        traces(Memory.thoughts({ after: third, order: "newest", limit: 1 }))
      )
      const unknown = { id: unknownId, created: third.created }
      yield* show("after one that is not there", traces(Memory.thoughts({ after: unknown })))
      yield* show("children", Memory.children(root.id))
      yield* show(
        "children, one after another",
        traces(Memory.children({ traceId: "t-0" }, { after: second, limit: 1 }))
      )
      yield* show("children of a leaf", Memory.children(early.id))
      yield* show("ancestors", Memory.ancestors({ traceId: "t-4" }))
      yield* show("ancestors of the root", Memory.ancestors(root.id))
      yield* show("in another scope", inSecond(traces(Memory.thoughts())))
      for (const limit of [0, 1, 500, 501, 1.5]) {
        yield* show(
          `thoughts, a limit of ${limit}`,
          Effect.map(Memory.thoughts({ limit }), ({ length }) => length)
        )
        yield* show(
          `children, a limit of ${limit}`,
          Effect.map(Memory.children(root, { limit }), ({ length }) => length)
        )
      }
      yield* show("children of an unknown thought", Memory.children(unknownId))
      yield* show("ancestors of an unknown trace", Memory.ancestors({ traceId: "t-9" }))
      yield* show("children in another scope", inSecond(Memory.children(root.id)))
    })
  ),
  scene("Adding notes from outside", ({ show }) =>
    Effect.gen(function* () {
      const thought = yield* stored("one", { a: "1" }, { traceId: "trace-1" })
      const fork = yield* Memory.commit(yield* Thought.fork(thought))
      yield* TestClock.adjust("5 seconds")
      const full = {
        id: unknownId,
        key: "b",
        content: "\0 two",
        metadata: { y: "\ud800", x: "1" },
        source: "mail",
        trust: "trusted",
        derivedFrom: [idOf(thought, "a"), unknownId]
      } as const
      yield* show(
        "with and without all fields",
        Memory.append({ traceId: "trace-1" }, [{ key: "d", content: "" }, full])
      )
      yield* show("to a fork", Memory.append(fork.id, [{ key: "b", content: "of the fork" }]))
      yield* TestClock.adjust("5 seconds")
      yield* show("repeated, with one more", Memory.append(thought.id, [full, { key: "e", content: "new" }]))
      yield* show(
        "the same id twice in one call",
        Memory.append(thought.id, [
          { id: "01890a5d-ac96-774b-bcce-b302099a8058", key: "f", content: "x" },
          { id: "01890a5d-ac96-774b-bcce-b302099a8058", key: "f", content: "x" }
        ])
      )
      yield* show("none", Memory.append(thought.id, []))
      yield* show("none, to an unknown thought", Memory.append("01890a5d-ac96-774b-bcce-b302099a8059", []))
      for (const [name, change] of [
        ["another text", { content: "other" }],
        ["another key", { key: "other" }],
        ["an id in capitals", { id: full.id.toUpperCase() }],
        ["an id that is none", { id: "17" }],
        ["a blank key", { key: " " }],
        ["a key with a line break", { key: "a\nb" }],
        ["a key of 201 characters", { key: "k".repeat(201) }]
      ] as const) {
        yield* show(
          `refused: ${name}`,
          Memory.append(thought.id, [
            { key: "fine", content: "" },
            { ...full, ...change }
          ])
        )
      }
      yield* show("another thought's note", Memory.append(fork.id, [full]))
      yield* show("in another scope", inSecond(Memory.append(thought.id, [full])))
      yield* show("what is stored", archived())
      yield* show(
        "pending",
        Effect.andThen(
          Memory.flush,
          Effect.flatMap(Memory.Memory, ({ pending }) => pending)
        )
      )
    })
  )
]
