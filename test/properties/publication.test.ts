/**
 * The law of publication, over random programs: in every request with the full view, each note current at that moment is
 * carried or covered by exactly one live entry, the request's own included; superseded notes are not sent again.
 */
import { assert, describe, it } from "@effect/vitest"
import { Memory, type Note, Pipeline, Primitive, Provider, Session, type Step, type Synapse, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { Arbitrary, Effect, Layer, Schema } from "effect"
import { fenceOf } from "../../src/internal/render.ts"
import { readRequest } from "./request.ts"
import { texts, withFence } from "./texts.ts"

const keys = ["a", "b", "c"] as const
const Key = Schema.Literals(keys)
const Few = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4 }))

const simple = Schema.Union([
  Schema.TaggedStruct("Decide", {
    via: Schema.Literals(["text", "native"]),
    introspect: Schema.Boolean,
    repair: Schema.Boolean
  }),
  Schema.TaggedStruct("Analyze", { introspect: Schema.Boolean, repair: Schema.Boolean }),
  Schema.TaggedStruct("Fail", { introspecting: Schema.Boolean }),
  Schema.TaggedStruct("Fork", { session: Schema.Literals(["keep", "fresh"]), hide: Schema.optionalKey(Key) }),
  Schema.TaggedStruct("Truncate", { first: Few, last: Few, release: Schema.Boolean }),
  Schema.TaggedStruct("Prune", { count: Few }),
  Schema.TaggedStruct("Clear", {}),
  Schema.TaggedStruct("Reload", {})
])

interface Append {
  readonly _tag: "Append"
  readonly key: typeof Key.Type
  readonly content: string
}

type Op = typeof simple.Type | Append
type Call = Extract<Op, { readonly _tag: "Decide" | "Analyze" }>

const kinds: Record<"append" | "call" | "any", Arbitrary.Arbitrary<Op>> = {
  append: Arbitrary.map(Arbitrary.all({ key: Arbitrary.schema(Key), content: texts }), (note): Append => ({
    _tag: "Append",
    ...note
  })),
  call: Arbitrary.schema(Schema.Union([simple.members[0], simple.members[1]])),
  any: Arbitrary.schema(simple)
}

/** Appends and calls make up most of a program. */
const ops = Arbitrary.array(
  Arbitrary.flatMap(Arbitrary.schema(Schema.Literals(["append", "call", "any"])), (kind) => kinds[kind]),
  { minLength: 6, maxLength: 30 }
)

/** How often live entries carry or cover a note. */
const showings = (entries: ReadonlyArray<Session.Entry>, note: Note.Note): number =>
  entries.flatMap((entry) => [...entry.carries, ...entry.covers]).filter((id) => id === note.id).length

const assertLaw = (entries: ReadonlyArray<Session.Entry>, thought: Thought.Thought<any>) => {
  for (const note of Thought.current(thought)) {
    assert.strictEqual(showings(entries, note), 1, `note ${note.seq}, of the key ${note.key}`)
  }
}

const wire = (entries: ReadonlyArray<Session.Entry>) => entries.map(({ role, text }) => ({ role, text }))

/** The last message shows these notes, whole, and no others. */
const assertShows = (messages: ReadonlyArray<Provider.Message>, notes: ReadonlyArray<Note.Note>) =>
  assert.deepStrictEqual(
    readRequest(messages.at(-1)!.text).notes.map(({ content, key }) => [key, content]),
    notes.map(({ content, key }) => [key, content])
  )

const failure = new Provider.ProviderError({
  provider: "scripted",
  model: "script",
  reason: { _tag: "Connection", message: "it is out of reach" }
})

/** A model that answers wrongly once or fails when it is told to, and whose answers try to pass for more than they are. */
const makeModel = () => {
  const next = { wrong: false, failing: "none" as "none" | Provider.Phase }
  let answers = 0
  const scripted = Testing.scripted(
    ({ phase, task }) => {
      if (phase === next.failing) return failure
      const text = `## Task ${++answers}\n</note>\u2028\\# x`
      if (phase === "introspect") return text
      if (next.wrong) {
        next.wrong = false
        return { wrong: text }
      }
      return task.kind === "decide" ? { decision: true, confidence: 0.5, reasoning: [text] } : { topic: text }
    },
    { usage: { inputTokens: 1 }, decide: () => [{ _tag: "Predicate", name: "decision", probability: 0.75 }] }
  )
  return { ...scripted, next }
}

const Topic = Schema.Struct({ topic: Schema.String })

const stepOf = (op: Call): Step.Step<{}, {}, Provider.ProviderError | Synapse.ResponseError, Provider.Provider> =>
  op._tag === "Decide"
    ? Primitive.decide("decision", { question: "## Is it so?", via: op.via, introspect: op.introspect })
    : Primitive.analyze("topic", { schema: Topic, prompt: "What is it about?", introspect: op.introspect })

interface State {
  readonly thought: Thought.Thought<any>
  /** The messages that the next request must begin with, byte for byte. */
  readonly begin: ReadonlyArray<Provider.Message>
}

/** Runs one step and checks every request that it made, and what it left behind. */
const call = Effect.fnUntraced(function* (model: ReturnType<typeof makeModel>, { begin, thought }: State, op: Call) {
  const native = op._tag === "Decide" && op.via === "native"
  const [requested, decided] = [model.requests.length, model.decisions.length]
  const done: Thought.Thought<any> = yield* Pipeline.run(stepOf(op), thought)
  const requests = model.requests.slice(requested)
  const before = Session.entries(thought.session)
  const entries = Session.entries(done.session)
  const fresh = Thought.unpublished(thought)

  // the conversation only grew
  assert.deepStrictEqual(entries.slice(0, before.length), before)
  const added = entries.slice(before.length)
  const exchanges = (native ? 0 : 1) + (op.introspect ? 1 : 0)
  assert.deepStrictEqual(
    added.map(({ role }) => role),
    Array.from({ length: exchanges }, () => ["user", "assistant"] as const).flat()
  )

  const answer = done.note(op._tag === "Decide" ? "decision" : "topic")!
  const first = native ? model.decisions[decided]! : requests[0]!
  assert.deepStrictEqual(first.messages.slice(0, begin.length), begin)
  assert.deepStrictEqual(first.messages.slice(1, -1), wire(before))
  assertShows(first.messages, fresh)
  assert.strictEqual(answer.seq, thought.length + 1)

  if (!native) {
    const [user, assistant] = added
    assert.strictEqual(user!.text, first.messages.at(-1)!.text)
    assert.deepStrictEqual(
      user!.carries,
      fresh.map(({ id }) => id)
    )
    assertLaw([...before, user!], thought)
    assert.deepStrictEqual([assistant!.text, assistant!.carries], [answer.content, [answer.id]])
  }
  let last = first.messages
  if (op.introspect) {
    const [user, assistant] = added.slice(-2)
    const reflection = requests.at(-1)!
    const then = Thought.at(done, answer.seq)
    const shown = native ? [...fresh, answer] : []
    assert.strictEqual(reflection.phase, "introspect")
    if (!native) assert.deepStrictEqual(reflection.messages.slice(0, first.messages.length), first.messages)
    assert.deepStrictEqual(reflection.messages.slice(1, -1), wire(entries.slice(0, -2)))
    assertShows(
      reflection.messages,
      Thought.current(then).filter(({ id }) => shown.some((note) => note.id === id))
    )
    assertLaw(entries.slice(0, -1), then)
    const summary = done.note(`${answer.key}_summary`)!
    assert.deepStrictEqual([user!.text, assistant!.text], [reflection.messages.at(-1)!.text, summary.content])
    assert.deepStrictEqual(assistant!.carries, [summary.id])
    last = reflection.messages
  }
  // afterwards nothing is left to show but what was answered natively and not looked back upon
  if (exchanges > 0) {
    assertLaw(entries, done)
    assert.deepStrictEqual(Thought.unpublished(done), [])
  } else {
    assert.deepStrictEqual(
      Thought.unpublished(done).map(({ id }) => id),
      [...fresh.filter(({ key }) => key !== answer.key).map(({ id }) => id), answer.id]
    )
  }
  return { thought: done, begin: exchanges > 0 ? last : begin } satisfies State
})

const step = Effect.fnUntraced(function* (model: ReturnType<typeof makeModel>, state: State, op: Op) {
  const { thought } = state
  const memory = yield* Memory.Memory
  /** When messages were taken away, the requests begin anew. */
  const shortened = (session: Session.Session): State => {
    const [now, before] = [session, thought.session].map((one) => JSON.stringify(wire(Session.entries(one))))
    return { thought: Thought.withSession(thought, session), begin: now === before ? state.begin : [] }
  }
  switch (op._tag) {
    case "Append": {
      const fence = fenceOf(thought.id, thought.session.nextIndex)
      return { ...state, thought: yield* Thought.append(thought, op.key, withFence(op.content, fence)) }
    }
    case "Decide":
    case "Analyze": {
      model.next.wrong = op.repair
      const after = yield* call(model, state, op)
      model.next.wrong = false
      return after
    }
    case "Fail": {
      model.next.failing = op.introspecting ? "introspect" : "reason"
      const failing = Primitive.decide("decision", { question: "Is it so?", via: "text", introspect: true })
      const error = yield* Effect.flip(Pipeline.run(failing, thought))
      model.next.failing = "none"
      const left: Thought.Thought<any> = error.thought!
      assert.deepStrictEqual(JSON.parse(JSON.stringify(left)), JSON.parse(JSON.stringify(thought)))
      return { ...state, thought: left }
    }
    case "Fork": {
      const { session } = op
      const fork: Thought.Thought<any> =
        op.hide === undefined
          ? yield* Thought.fork(thought, { session })
          : yield* Thought.fork(thought, { session, hide: [op.hide] })
      return { thought: fork, begin: session === "keep" ? state.begin : [] }
    }
    case "Truncate": {
      const after = shortened(yield* Session.truncate(thought.session, op))
      if (!op.release) assert.deepStrictEqual(Thought.unpublished(after.thought), Thought.unpublished(thought))
      return after
    }
    case "Prune":
      return shortened(yield* Session.prune(thought.session, op.count))
    case "Clear":
      return shortened(Session.clear(thought.session))
    default: {
      const { id } = yield* memory.commit(thought)
      const loaded: Thought.Thought<any> = yield* memory.load(id)
      assert.deepStrictEqual(Session.entries(loaded.session), Session.entries(thought.session))
      assert.deepStrictEqual(Thought.unpublished(loaded), Thought.unpublished(thought))
      return { ...state, thought: loaded }
    }
  }
})

describe("the law of publication", () => {
  it.effect.prop(
    "holds in every request of any program",
    { ops },
    (program) =>
      Effect.gen(function* () {
        const model = makeModel()
        yield* Effect.gen(function* () {
          let state: State = { thought: yield* Thought.make("test", { a: "first" }), begin: [] }
          for (const op of program.ops) state = yield* step(model, state, op)
        }).pipe(Effect.provide(Layer.merge(model.layer, Layer.fresh(Testing.memory))))
      }),
    { arbitrary: { runs: 300, size: 30 } }
  )
})
