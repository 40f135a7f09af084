/** Removing thoughts, with and without forks, and all of a scope. */
import { Memory, Thought } from "cogito"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { archived, idOf, inSecond, scene, stored } from "./stage.ts"

const forked = Effect.fnUntraced(function* (
  thought: Thought.Thought<any>,
  traceId: string,
  notes: ReadonlyArray<string>
) {
  yield* TestClock.adjust("1 second")
  let fork = yield* Thought.fork(thought, { traceId, checkpoint: `at ${thought.traceId}` })
  for (const key of notes) fork = yield* Thought.append(fork, key, `${key} of ${traceId}`)
  return yield* Memory.commit(fork)
})

/** Forks of a thought at its first, second and third note, and a fork of one of these. */
const family = Effect.gen(function* () {
  const first = yield* stored("root", { a: "first" }, { traceId: "root", taskId: "task" })
  const early = yield* forked(first, "early", ["x"])
  const second = yield* Memory.commit(
    yield* Thought.append(first, "b", { content: "second", derivedFrom: [idOf(first, "a")] })
  )
  const late = yield* forked(second, "late", [])
  const twin = yield* forked(second, "twin", ["y"])
  const grandchild = yield* forked(late, "grandchild", ["z"])
  yield* Memory.append(first.id, [{ key: "c", content: "third, only here", derivedFrom: [idOf(second, "b")] }])
  const root = yield* Memory.load(first.id)
  yield* Memory.append(twin.id, [{ key: "from c", content: "made of the third", derivedFrom: [idOf(root, "c")] }])
  return { root, early, late, twin, grandchild }
})

const texts = (query: string) =>
  Effect.map(Memory.search(query, { limit: 20 }), ({ arms, matches }) => ({
    arms,
    texts: matches.map(({ note, thought }) => `${note.content} (${thought.traceId})`)
  }))

export const removalScenes = [
  scene("Removing a thought that was forked", ({ show }) =>
    Effect.gen(function* () {
      const { early, grandchild, late, root, twin } = yield* family
      yield* show("refused, as it has forks", Memory.remove(root.id))
      yield* show("refused with the option off", Memory.remove(late.id, { materialize: false }))
      yield* show("what is stored", archived())
      yield* show("removed, and its notes kept", Memory.remove({ traceId: "root" }, { materialize: true }))
      yield* show("what is stored then", archived())
      yield* show("the parent of its forks", Memory.children(late.id))
      yield* show("the grandchild", Memory.load(grandchild.id))
      yield* show("a fork that it left behind", Memory.load(early.id))
      yield* show("the thought itself", Memory.load(root.id))
      yield* show("what is found", texts("first second third"))
      yield* show("its trace is free", stored("again", {}, { traceId: "root" }))
      yield* show(
        "a fork goes on",
        Effect.map(Effect.flatMap(Thought.append(twin, "more", "m"), Memory.commit), ({ length }) => length)
      )
      yield* show("the middle removed", Memory.remove(late.id, { materialize: true }))
      yield* show("what is stored at last", archived())
    })
  ),
  scene("Removing a thought without forks", ({ show }) =>
    Effect.gen(function* () {
      const { grandchild, late } = yield* family
      yield* show("a leaf", Memory.remove(grandchild.id))
      yield* show("once more", Memory.remove(grandchild.id))
      yield* show("by its trace, with nothing to keep", Memory.remove({ traceId: "late" }, { materialize: true }))
      yield* show("the ancestors of what is gone", Memory.ancestors(late.id))
      yield* show("an unknown trace", Memory.remove({ traceId: "nobody" }))
      yield* show("in another scope", inSecond(Memory.remove({ traceId: "early" })))
      yield* show("what is stored", archived())
    })
  ),
  scene("Removing a scope", ({ show }) =>
    Effect.gen(function* () {
      yield* family
      yield* inSecond(stored("elsewhere", { a: "first of the others" }, { traceId: "root" }))
      yield* show("all of it", Memory.purge)
      yield* show("once more", Memory.purge)
      yield* show("what is stored", archived())
      yield* show("what is found", texts("first second third"))
      yield* show("what others have", inSecond(archived()))
      yield* show("what others find", inSecond(texts("first second third")))
      yield* show("pending", Memory.pending)
      yield* show("begun anew", stored("new", { a: "first" }, { traceId: "root" }))
    })
  )
]
