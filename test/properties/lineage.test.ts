/**
 * Going back and forth between moments, over random programs: forks never change the thoughts they come from, a thought
 * that is loaded is the one that was in memory, what is restored is what was there, and the law of publication holds.
 */
import { assert, describe, it } from "@effect/vitest"
import { Memory, type Note, Pipeline, Primitive, Session, type Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { Arbitrary, Effect, Layer, Schema } from "effect"
import { makeStore } from "../pglite/prefilled.ts"
import { readRequest } from "./request.ts"
import { seenText } from "../../src/thought/render.ts"

const Key = Schema.Literals(["a", "b", "c"])
const Name = Schema.Literals(["first", "second"])
const Kept = Schema.Literals(["keep", "fresh"])
const Few = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4 }))

const Moving = Schema.Union([
  // another holder of the thought may go on with it
  Schema.TaggedStruct("Checkpoint", { name: Name, overtaken: Schema.Boolean }),
  Schema.TaggedStruct("Restore", { name: Name, session: Kept }),
  Schema.TaggedStruct("RestoreThought", { which: Few, session: Kept }),
  Schema.TaggedStruct("Forget", { drop: Schema.Array(Key) }),
  Schema.TaggedStruct("Keep", { keep: Schema.Array(Key) }),
  // goes on with an earlier thought, as another holder of it would
  Schema.TaggedStruct("Switch", { which: Few })
])
const Writing = Schema.Union([
  Schema.TaggedStruct("Append", { key: Key }),
  Schema.TaggedStruct("Decide", { introspect: Schema.Boolean }),
  Schema.TaggedStruct("Reflect", {}),
  Schema.TaggedStruct("Recall", { which: Few }),
  Schema.TaggedStruct("Seek", {}),
  Schema.TaggedStruct("Truncate", { first: Few, last: Few })
])

type Op = typeof Moving.Type | typeof Writing.Type

const moving: Arbitrary.Arbitrary<Op> = Arbitrary.schema(Moving)
const writing: Arbitrary.Arbitrary<Op> = Arbitrary.schema(Writing)
const ops = Arbitrary.array(
  Arbitrary.flatMap(Arbitrary.schema(Schema.Boolean), (moves) => (moves ? moving : writing)),
  { minLength: 6, maxLength: 24 }
)

type Any = Thought.Thought<any>

const plain = (thought: Any): unknown =>
  JSON.parse(JSON.stringify([thought, [...thought.checkpoints], Thought.unpublished(thought)]))
const ids = (notes: ReadonlyArray<Note.Note>) => notes.map(({ id }) => id)

/** A note is shown by one entry at most; after a call, each current one by exactly one. */
const showings = (thought: Any, { id }: Note.Note) =>
  Session.entries(thought.session)
    .flatMap(({ carries, covers }) => [...carries, ...covers])
    .filter((one) => one === id).length

/** What a checkpoint should bring back. */
interface Moment {
  readonly id: string
  readonly notes: ReadonlyArray<string>
  readonly entries: ReadonlyArray<Session.Entry>
}

interface State {
  readonly thought: Any
  /** Every thought that was ever stored, as it was left. */
  readonly left: ReadonlyMap<string, Any>
  /** By thought, what its checkpoints mean. */
  readonly moments: ReadonlyMap<string, ReadonlyMap<string, Moment>>
  /** Thoughts whose conversation lost messages: those do not come back. */
  readonly truncated: ReadonlySet<string>
}

const model = () =>
  Testing.scripted(({ phase, task }) =>
    phase === "introspect" || task.kind !== "decide"
      ? `a text about ${task.kind}`
      : { decision: true, confidence: 0.5, reasoning: ["It is."] }
  )

const run = (step: Step.Any, thought: Any): Effect.Effect<Any, any, any> =>
  Pipeline.run(step as Step.Step<{}, {}, any, any>, thought)

/** No thought has changed since it was left. */
const assertUnchanged = Effect.fnUntraced(function* (thoughts: Iterable<Any>) {
  for (const thought of thoughts) assert.deepStrictEqual(plain(yield* Memory.load(thought.id)), plain(thought))
})

/** The thought is stored as it is, and the one it was forked from has not changed. */
const settle = Effect.fnUntraced(function* (state: State, done: Any, moments: ReadonlyMap<string, Moment>) {
  const left = new Map([...state.left, [done.id, done]])
  yield* assertUnchanged([done.id, done.parent?.id ?? done.id].flatMap((id) => left.get(id) ?? []))
  for (const note of Thought.current(done)) assert.isAtMost(showings(done, note), 1)
  return { ...state, thought: done, left, moments: new Map([...state.moments, [done.id, moments]]) } satisfies State
})

const step = Effect.fnUntraced(function* (scripted: Testing.Scripted, state: State, op: Op) {
  const { left, thought, truncated } = state
  const own = state.moments.get(thought.id) ?? new Map<string, Moment>()
  const pick = (which: number): Any => [...left.values()][which % left.size]!
  const asked = scripted.requests.length
  const shown = () => readRequest(scripted.requests[asked]!.messages.at(-1)!.text).notes.map(({ content }) => content)
  const texts = (notes: ReadonlyArray<Note.Note>) => notes.map(seenText)
  switch (op._tag) {
    case "Append":
      return { ...state, thought: yield* Thought.append(thought, op.key, `note ${thought.length}`) }
    case "Decide": {
      const fresh = Thought.unpublished(thought)
      const done = yield* run(Primitive.decide("go", { question: "Go on?", introspect: op.introspect }), thought)
      assert.deepStrictEqual(shown(), texts(fresh))
      for (const note of Thought.current(done)) assert.strictEqual(showings(done, note), 1)
      return yield* settle(state, done, own)
    }
    case "Reflect":
    case "Recall":
    case "Seek": {
      const source = op._tag === "Recall" ? pick(op.which) : thought
      if (op._tag === "Reflect" && Thought.current(thought).length === 0) return state
      // the thoughts are in the memory as they were left, so one without notes is the one that was left so
      if (op._tag === "Recall" && Thought.current(left.get(source.id)!).length === 0) return state
      const side =
        op._tag === "Reflect"
          ? Primitive.reflect("stock")
          : op._tag === "Recall"
            ? Primitive.recall("other", { thought: source.id })
            : Primitive.seek("found", { query: "note", limit: 2, summarize: true })
      const stored = yield* run(Pipeline.sequence("store", []), thought)
      const done = yield* run(side, stored)
      assert.deepStrictEqual(Session.entries(done.session), Session.entries(thought.session))
      if (op._tag === "Reflect") assert.deepStrictEqual(shown(), texts(Thought.current(thought)))
      const added = done.length - thought.length
      assert.deepStrictEqual(ids(Thought.unpublished(done)).slice(-added), ids(Thought.notes(done)).slice(-added))
      return yield* settle(state, done, own)
    }
    case "Truncate": {
      const shorter = Thought.withSession(thought, yield* Session.truncate(thought.session, op))
      const done = yield* run(Pipeline.sequence("store", []), shorter)
      return yield* settle({ ...state, truncated: new Set([...truncated, done.id]) }, done, own)
    }
    case "Checkpoint": {
      const parent = yield* run(Pipeline.sequence("store", []), thought)
      const before = yield* settle(state, parent, own)
      const done = yield* run(Primitive.checkpoint(op.name), parent)
      assert.deepStrictEqual(done.parent, { id: parent.id, seq: parent.length })
      assert.deepStrictEqual(Session.entries(done.session), Session.entries(parent.session))
      assert.deepStrictEqual(ids(Thought.unpublished(done)), ids(Thought.unpublished(parent)))
      const moment = { id: parent.id, notes: ids(Thought.notes(parent)), entries: Session.entries(parent.session) }
      const after = yield* settle(before, done, new Map([...own, [op.name, moment]]))
      if (!op.overtaken) return after
      const late = yield* Thought.append(parent, "a", "later")
      const overtaken = yield* run(Primitive.decide("go", { question: "Go on?" }), late)
      return { ...(yield* settle(after, overtaken, own)), thought: done }
    }
    case "Restore": {
      const restore = Primitive.restore("back", { from: { checkpoint: op.name }, session: op.session })
      const current = yield* run(Pipeline.sequence("store", []), thought)
      const before = yield* settle(state, current, own)
      const moment = own.get(op.name)
      if (moment === undefined) {
        const error = yield* Effect.flip(run(restore, current))
        assert.instanceOf(error.cause, Primitive.CheckpointNotFound)
        return before
      }
      const done = yield* run(restore, current)
      assert.deepStrictEqual(ids(Thought.notes(done)), moment.notes)
      assert.strictEqual(done.parent!.id, moment.id)
      if (op.session === "fresh") assert.strictEqual(done.session.length, 0)
      else if (!truncated.has(moment.id)) assert.deepStrictEqual(Session.entries(done.session), moment.entries)
      const theirs = [...(state.moments.get(moment.id) ?? [])]
      const known = new Map([...theirs, [op.name, moment] as const])
      // what the target has been told to remember since is remembered on its forks only
      assert.deepStrictEqual([...done.checkpoints.keys()].toSorted(), [...known.keys()].toSorted())
      return yield* settle(before, done, known)
    }
    case "RestoreThought": {
      const current = yield* run(Pipeline.sequence("store", []), thought)
      const before = yield* settle(state, current, own)
      const target = before.left.get(pick(op.which).id)!
      const done = yield* run(Primitive.restore("there", { from: target.id, session: op.session }), current)
      assert.deepStrictEqual(Thought.notes(done), Thought.notes(target))
      assert.deepStrictEqual(done.parent, { id: target.id, seq: target.length })
      const kept = op.session === "keep" ? Session.entries(target.session) : []
      assert.deepStrictEqual(Session.entries(done.session), kept)
      return yield* settle(before, done, before.moments.get(target.id)!)
    }
    case "Forget":
    case "Keep": {
      const forget = Primitive.forget("anew", op._tag === "Keep" ? { keep: op.keep } : { drop: op.drop })
      const parent = yield* run(Pipeline.sequence("store", []), thought)
      const before = yield* settle(state, parent, own)
      const done = yield* run(forget, parent)
      const goes = (key: string) =>
        op._tag === "Keep" ? !op.keep.some((one) => one === key) : op.drop.some((one) => one === key)
      assert.deepStrictEqual(ids(Thought.notes(done)), ids(Thought.notes(parent).filter(({ key }) => !goes(key))))
      assert.deepStrictEqual(Thought.unpublished(done), Thought.current(done))
      assert.deepStrictEqual(Thought.diff(parent, done).onlyInSecond, [])
      return yield* settle(before, done, own)
    }
    default: {
      const other = pick(op.which)
      const before = yield* settle(state, yield* run(Pipeline.sequence("store", []), thought), own)
      return { ...before, thought: yield* Memory.load(other.id) }
    }
  }
})

const pglite = Layer.provide(
  Layer.effect(
    Memory.Memory,
    Effect.flatMap(makeStore(), (store) => Memory.make({ store, scope: "local" }))
  ),
  Testing.embedder
)

const programs = Number(process.env["COGITO_PIPELINE_RUNS"] ?? 40)

describe.each([
  ["plain memory", Testing.memory, programs],
  ["PGlite", pglite, 2]
] as const)("forks in %s", (_, memory, runs) => {
  it.effect.prop(
    "never change their origin, restore earlier states, and keep the law of publication [C154, C164]",
    { ops },
    (program) => {
      const scripted = model()
      return Effect.gen(function* () {
        const start: Any = yield* run(Pipeline.sequence("store", []), yield* Thought.make("test", { a: "note" }))
        let state: State = {
          thought: start,
          left: new Map([[start.id, start]]),
          moments: new Map(),
          truncated: new Set()
        }
        for (const op of program.ops) state = yield* step(scripted, state, op)
        yield* assertUnchanged(state.left.values())
      }).pipe(Effect.provide(Layer.merge(scripted.layer, Layer.fresh(memory))))
    },
    { arbitrary: { runs, size: 24 }, timeout: 60_000 + 100 * runs }
  )
})
