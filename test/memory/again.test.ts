/** A store whose answers are lost: what it has done is not done again. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Memory, Pipeline, Primitive, Signal, Step, Store, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { makeLifecycle } from "../../src/memory/archive/lifecycle.ts"
import { withIds } from "../../src/memory/model/again.ts"

const lost = Effect.fail(
  new Memory.MemoryError({ reason: { _tag: "Connection", message: "The connection broke before the answer came." } })
)

/**
 * A memory whose store loses as many of its next answers as said, after it has done what was asked; then it refuses as many
 * commits as said without doing anything.
 */
const opened = Effect.gen(function* () {
  const store = yield* Store.makeInMemory
  let left = 0
  const losing = <A>(done: Effect.Effect<A, Memory.MemoryError>) =>
    Effect.filterOrElse(
      done,
      () => left-- <= 0,
      () => lost
    )
  const memory = yield* Memory.make({
    store: {
      ...store,
      commit: (scope, commit) =>
        Effect.suspend(() => (left <= 0 && refusing-- > 0 ? lost : losing(store.commit(scope, commit)))),
      append: (scope, ref, notes) => losing(store.append(scope, ref, notes)),
      redact: (scope, noteId, millis, reach) => losing(store.redact(scope, noteId, millis, reach)),
      restore: (scope, stored) => losing(store.restore(scope, stored)),
      remove: (scope, ref, options) => losing(store.remove(scope, ref, options)),
      load: (scope, ref) => (isCut ? lost : store.load(scope, ref))
    },
    scope: "local"
  })
  let isCut = false
  let refusing = 0
  const lose = (answers: number, options: { readonly cut?: boolean; readonly refuse?: number } = {}) =>
    Effect.sync(() => {
      left = answers
      refusing = options.refuse ?? 0
      isCut = options.cut === true
    })
  return { memory, lose }
})

const texts = (memory: Memory.Shape, id: string) =>
  Effect.map(memory.load(id), (thought) => Thought.notes(thought).map(({ content }) => content))

describe("when the answer of a store is lost", () => {
  const begun = Effect.gen(function* () {
    const { lose, memory } = yield* opened
    const thought = yield* memory.commit(yield* Thought.make("try", { message: "first" }))
    return { lose, memory, thought }
  })
  const provided = Effect.provide(Testing.embedder)

  it.effect("a commit is known as one's own and succeeds", () =>
    Effect.gen(function* () {
      const { lose, memory, thought } = yield* begun
      const more = yield* Thought.append(thought, "late", "second")
      yield* lose(1)
      const stored = yield* memory.commit(more)
      assert.deepStrictEqual(yield* texts(memory, thought.id), ["first", "second"])
      const again = yield* memory.commit(yield* Thought.append(stored, "later", "third"))
      assert.deepStrictEqual(yield* texts(memory, again.id), ["first", "second", "third"])
    }).pipe(Effect.scoped, provided)
  )

  it.effect("a fork is stored once with what its parent lacked", () =>
    Effect.gen(function* () {
      const { lose, memory, thought } = yield* begun
      const more = yield* Thought.fork(yield* Thought.append(thought, "late", "second"))
      yield* lose(1)
      assert.strictEqual((yield* memory.commit(more)).length, 2)
      assert.deepStrictEqual(yield* texts(memory, thought.id), ["first", "second"])
      assert.deepStrictEqual(yield* texts(memory, more.id), ["first", "second"])
    }).pipe(Effect.scoped, provided)
  )

  it.effect("a commit that another one came before is not taken for one's own, and fails", () =>
    Effect.gen(function* () {
      const { lose, memory, thought } = yield* begun
      yield* memory.commit(yield* Thought.append(thought, "late", "theirs"))
      yield* lose(1)
      const error = yield* Effect.flip(memory.commit(yield* Thought.append(thought, "late", "ours")))
      assert.strictEqual(error.reason._tag, "ConcurrencyConflict")
      assert.deepStrictEqual(yield* texts(memory, thought.id), ["first", "theirs"])
    }).pipe(Effect.scoped, provided)
  )

  it.effect("a commit on a later version than the store has fails, and stores nothing", () =>
    Effect.gen(function* () {
      const { memory } = yield* begun
      const first = yield* Thought.make("try", { message: "first" })
      const both = yield* Thought.append(first, "late", "second")
      yield* memory.commit(first)
      const later = yield* memory.commit(both)
      yield* memory.remove(first.id)
      // what took two commits has come in one
      yield* memory.commit(both)
      const error = yield* Effect.flip(memory.commit(yield* Thought.append(later, "later", "third")))
      assert.strictEqual(error.reason._tag, "ConcurrencyConflict")
      assert.deepStrictEqual(yield* texts(memory, first.id), ["first", "second"])
    }).pipe(Effect.scoped, provided)
  )

  it.effect("a run that left its thought is stored whole", () =>
    Effect.gen(function* () {
      const { lose, memory, thought } = yield* begun
      // inside a connector the thought that is left and its fork are stored at once
      const steps = Primitive.forget("without", { drop: ["message"] }).pipe(Step.retry())
      yield* lose(1)
      const done = yield* Pipeline.run(steps, yield* Thought.append(thought, "late", "second")).pipe(
        Effect.provideService(Memory.Memory, memory)
      )
      assert.deepStrictEqual(yield* texts(memory, done.id), ["second"])
      assert.deepStrictEqual(yield* texts(memory, thought.id), ["first", "second"])
    }).pipe(Effect.scoped, provided)
  )

  it.effect("an append adds its notes once, and so does one that is run again after it failed", () =>
    Effect.gen(function* () {
      const { lose, memory, thought } = yield* begun
      yield* lose(1)
      assert.strictEqual((yield* memory.append(thought.id, [{ key: "a", content: "second" }]))[0]?.seq, 2)
      const append = Memory.append(thought.id, [{ key: "b", content: "third" }]).pipe(
        Effect.provideService(Memory.Memory, memory)
      )
      yield* lose(2)
      const error = yield* Effect.flip(append)
      assert.isTrue(error.isRetryable)
      assert.strictEqual((yield* append)[0]?.seq, 3)
      // run again after a success, it is another addition
      assert.strictEqual((yield* append)[0]?.seq, 4)
      assert.deepStrictEqual(yield* texts(memory, thought.id), ["first", "second", "third", "third"])
      yield* lose(2)
      assert.strictEqual((yield* Effect.retry(append, { times: 1 }))[0]?.seq, 5)
      assert.strictEqual((yield* texts(memory, thought.id)).length, 5)
    }).pipe(Effect.scoped, provided)
  )

  it.effect("a removal is done, also if it is run again after it failed", () =>
    Effect.gen(function* () {
      const { lose, memory, thought } = yield* begun
      yield* lose(1)
      yield* memory.remove(thought.id)
      const gone = yield* Effect.flip(memory.remove(thought.id))
      assert.strictEqual(gone.reason._tag, "NotFound")
      const other = yield* memory.commit(yield* Thought.make("try"))
      const remove = Memory.remove(other.id).pipe(Effect.provideService(Memory.Memory, memory))
      yield* lose(2)
      assert.isTrue((yield* Effect.flip(remove)).isRetryable)
      yield* remove
      // run again after a success, it finds nothing
      assert.strictEqual((yield* Effect.flip(remove)).reason._tag, "NotFound")
    }).pipe(Effect.scoped, provided)
  )

  it.effect("a removal that was refused is not taken for done when the thought is gone later", () =>
    Effect.gen(function* () {
      const { memory, thought } = yield* begun
      yield* memory.commit(yield* Thought.fork(thought))
      const remove = Memory.remove(thought.id).pipe(Effect.provideService(Memory.Memory, memory))
      assert.strictEqual((yield* Effect.flip(remove)).reason._tag, "HasForks")
      yield* memory.remove(thought.id, { materialize: true })
      assert.strictEqual((yield* Effect.flip(remove)).reason._tag, "NotFound")
    }).pipe(Effect.scoped, provided)
  )

  const write = (key: string) => Step.make(key, { schema: Schema.String, run: () => key })

  it.effect("twice during a run, it goes on if the store has its commit", () =>
    Effect.gen(function* () {
      const { lose, memory, thought } = yield* begun
      const told: Array<string> = []
      const done: Array<number> = []
      for (const leaves of [false, true]) {
        told.length = 0
        done.length = 0
        const tried = Pipeline.sequence("tried", [
          write("a"),
          ...(leaves ? [Primitive.checkpoint("c")] : []),
          write("b"),
          Step.make("lose", { run: lose(2) }),
          Step.once("once", (stored) => Effect.sync(() => done.push(stored.length)))
        ])
        const steps = Pipeline.sequence("all", [Step.retry(tried), write("d")])
        const end = yield* Pipeline.run(steps, yield* Thought.fork(thought)).pipe(
          Signal.listen((signal) => {
            if (signal._tag === "NoteStored") told.push(signal.key)
          }),
          Effect.provideService(Memory.Memory, memory)
        )
        assert.deepStrictEqual(yield* texts(memory, end.id), ["first", "a", "b", "d"])
        assert.deepStrictEqual((yield* memory.load(end.id)).toJSON(), end.toJSON())
        assert.deepStrictEqual([told, done], [["a", "b", "d"], [3]])
      }
    }).pipe(Effect.scoped, provided)
  )

  it.effect("and then the connection, a run goes on, and its listeners hear once of each note that is stored", () =>
    Effect.gen(function* () {
      const { lose, memory, thought } = yield* begun
      const heard: Array<string> = []
      const steps = Pipeline.sequence("all", [
        write("a"),
        Step.make("lose", { run: lose(1, { refuse: 1 }) }),
        write("b"),
        write("c")
      ])
      const end = yield* Pipeline.run(steps, thought).pipe(
        Signal.listen((signal) => {
          if (signal._tag === "NoteStored") heard.push(signal.key)
        }),
        Effect.provideService(Memory.Memory, memory)
      )
      assert.deepStrictEqual(heard, ["a", "b", "c"])
      assert.deepStrictEqual(yield* texts(memory, end.id), ["first", "a", "b", "c"])
    }).pipe(Effect.scoped, provided)
  )

  it.effect("and the store cannot be asked, a run fails with what it had before", () =>
    Effect.gen(function* () {
      const { lose, memory, thought } = yield* begun
      const steps = Pipeline.sequence("all", [
        write("a"),
        Step.make("lose", { run: lose(2, { cut: true }) }),
        write("b")
      ])
      const error = yield* Pipeline.run(steps, thought).pipe(Effect.provideService(Memory.Memory, memory), Effect.flip)
      assert.strictEqual(error.cause.reason._tag, "Connection")
      assert.deepStrictEqual([error.path, error.thought?.length], [["all", "b"], 2])
      yield* lose(0)
      assert.deepStrictEqual(yield* texts(memory, thought.id), ["first", "a", "b"])
    }).pipe(Effect.scoped, provided)
  )

  it.effect("a redaction gives what it redacted", () =>
    Effect.gen(function* () {
      const { lose, memory, thought } = yield* begun
      const [note] = Thought.notes(thought)
      yield* lose(1)
      assert.deepStrictEqual(yield* memory.redact(note!), [note!.id])
    }).pipe(Effect.scoped, provided)
  )
})

it.effect("notes that are appended again are embedded again, but not those that were redacted meanwhile", () =>
  Effect.gen(function* () {
    const store = yield* Store.makeInMemory
    const offered: Array<ReadonlyArray<string>> = []
    const { append, redact } = makeLifecycle(store, Effect.succeed("local"), (scope, notes) => {
      assert.strictEqual(scope, "local")
      offered.push(notes.map(({ key }) => key))
    })
    const memory = yield* Memory.make({ store, scope: "local", embedder: "none" })
    const thought = yield* memory.commit(yield* Thought.make("try"))
    const drafts = ["a", "b", "c"].map((key, i) => ({
      id: `01890000-0000-7000-8000-00000000000${i}`,
      key,
      content: key
    }))
    yield* append(thought.id, drafts)
    yield* redact(drafts[1]?.id ?? "")
    const again = yield* append(thought.id, drafts)
    assert.deepStrictEqual(
      again.map(({ content }) => content),
      ["a", "", "c"]
    )
    assert.deepStrictEqual(offered, [
      ["a", "b", "c"],
      ["a", "c"]
    ])
  })
)

it.effect("a call whose outcome is not known draws the same ids again, and one that was refused draws others", () =>
  Effect.gen(function* () {
    for (const isSame of [true, false]) {
      const drawn: Array<string | undefined> = []
      const reason = isSame
        ? ({ _tag: "Connection", message: "The connection broke." } as const)
        : ({ _tag: "Query", message: "Refused." } as const)
      const adding = withIds([{ key: "a", content: "x" }], (notes) => {
        drawn.push(...notes.map(({ id }) => id))
        return Effect.fail(new Memory.MemoryError({ reason }))
      })
      yield* Effect.flip(adding)
      yield* Effect.flip(adding)
      assert.deepStrictEqual([drawn.length, drawn[0] === drawn[1]], [2, isSame])
    }
  })
)
