/**
 * The law of publication, over random programs: in every request with the full view, each note current at that moment is
 * carried or covered by exactly one live entry, the request's own included; superseded notes are not sent again.
 */
import { assert, describe, it, layer } from "@effect/vitest"
import { Memory, Note, Pipeline, Primitive, Provider, Session, Step, type Synapse, Thought } from "cogito"
import { Testing } from "cogito/testing"
import type { Shows } from "cogito/types"
import { Arbitrary, Effect, Layer, Schema } from "effect"
import { noteList } from "../../src/thought/render.ts"
import { memory as pglite } from "../pglite/prefilled.ts"
import { readRequest, seen } from "./request.ts"
import { forged, texts, withFence } from "./texts.ts"
import { keptOf, replyOf } from "../kept.ts"

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
  Schema.TaggedStruct("Shows", { count: Few, silent: Schema.Boolean, repeat: Schema.Boolean }),
  Schema.TaggedStruct("Truncate", { first: Few, last: Few, release: Schema.Boolean }),
  Schema.TaggedStruct("Prune", { count: Few }),
  Schema.TaggedStruct("Clear", {}),
  Schema.TaggedStruct("Reload", {}),
  Schema.TaggedStruct("TruncateStep", { first: Few, last: Few, threshold: Few, release: Schema.Boolean }),
  Schema.TaggedStruct("Reset", { note: Schema.optionalKey(Key), system: Schema.Boolean, release: Schema.Boolean }),
  Schema.TaggedStruct("Compress", { keep: Few, turns: Few, failing: Schema.Boolean }),
  Schema.TaggedStruct("Compact", { keep: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 })) })
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

/** What is done to the conversation, as steps. */
type Shortening = Extract<Op, { readonly _tag: "TruncateStep" | "Reset" | "Compress" }>

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
    // what belongs to an emoji or a script stays: both sides through `seen`
    readRequest(messages.at(-1)!.text)
      .notes.map(seen)
      .map(({ content, key }) => [key, content]),
    notes.map(seen).map(({ content, key }) => [key, content])
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
      if (phase === "introspect" || task.kind === "compress") return text
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
    assert.strictEqual(user!.text, keptOf(first.messages).at(-1)!.text)
    assert.deepStrictEqual(
      user!.carries,
      fresh.map(({ id }) => id)
    )
    assertLaw([...before, user!], thought)
    assert.deepStrictEqual(
      [assistant!.text, assistant!.carries],
      [seen({ ...answer, content: replyOf(answer) }).content, [answer.id]]
    )
  }
  let last = first.messages
  if (op.introspect) {
    const [user, assistant] = added.slice(-2)
    const reflection = requests.at(-1)!
    const then = Thought.at(done, answer.seq)
    const shown = native ? [...fresh, answer] : []
    assert.strictEqual(reflection.phase, "introspect")
    if (!native) assert.deepStrictEqual(reflection.messages.slice(0, first.messages.length), keptOf(first.messages))
    assert.deepStrictEqual(reflection.messages.slice(1, -1), wire(entries.slice(0, -2)))
    assertShows(
      reflection.messages,
      Thought.current(then).filter(({ id }) => shown.some((note) => note.id === id))
    )
    assertLaw(entries.slice(0, -1), then)
    const summary = done.note(`${answer.key}_summary`)!
    assert.deepStrictEqual(
      [user!.text, assistant!.text],
      [keptOf(reflection.messages).at(-1)!.text, seen(summary).content]
    )
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
  return { thought: done, begin: exchanges > 0 ? keptOf(last) : begin } satisfies State
})

const ids = (notes: ReadonlyArray<Note.Note>) => notes.map(({ id }) => id)

/** The messages that a summary of all but the last turns takes the place of. */
const oldOf = (session: Session.Session, keep: number): ReadonlyArray<Session.Entry> => {
  const turns = Session.turns(session)
  const begin = turns.findIndex(([entry]) => entry!.role !== "system")
  return begin === -1 ? [] : turns.slice(begin, Math.max(begin, turns.length - keep)).flat()
}

/** The summary was asked for with these messages in fences, and stands for all that they showed or stood for. */
const assertCompacted = (
  request: Provider.Request,
  old: ReadonlyArray<Session.Entry>,
  after: Thought.Thought<any>,
  key: string
) => {
  const asked = readRequest(request.messages[1]!.text)
  assert.deepStrictEqual([request.messages.length, request.task.kind, asked.sections.length], [2, "compress", 0])
  assert.deepStrictEqual(
    asked.notes.map(seen).map(({ content, source }) => [content, source]),
    old.map(({ role, text }, i) => [seen({ content: text, trust: asked.notes[i]?.trust ?? "trusted" }).content, role])
  )
  const entry = Session.entries(after.session).find(({ kind, role }) => kind === "summary" && role === "user")!
  assert.deepStrictEqual(entry.carries, [after.note(key)!.id])
  assert.deepStrictEqual(new Set(entry.covers), new Set(old.flatMap(({ carries, covers }) => [...carries, ...covers])))
  assertShows([{ role: entry.role, text: entry.text }], [after.note(key)!])
}

const shorteningOf = (op: Shortening): Step.Step<{}, {}, Provider.ProviderError, Provider.Provider> => {
  switch (op._tag) {
    case "TruncateStep":
      return Primitive.truncate("truncate", op)
    case "Reset":
      return Primitive.reset("reset", {
        release: op.release,
        ...(op.system ? { system: "Be brief." } : {}),
        ...(op.note === undefined ? {} : { note: Note.handle(op.note, Schema.String) })
      })
    default:
      return Primitive.compress("so_far", {
        keep: op.keep,
        ...(op.turns === 0 ? {} : { threshold: { turns: op.turns } })
      })
  }
}

/** Runs a step that shortens the conversation. It asks nothing but for a summary, and never loses a note or shows it twice. */
const shorten = Effect.fnUntraced(function* (model: ReturnType<typeof makeModel>, state: State, op: Shortening) {
  const { thought } = state
  const [requested, fresh] = [model.requests.length, Thought.unpublished(thought)]
  const done: Thought.Thought<any> = yield* Pipeline.run(shorteningOf(op), thought)
  const requests = model.requests.slice(requested)
  const entries = Session.entries(done.session)
  assert.strictEqual(done.length, thought.length + requests.length)
  for (const note of Thought.current(done)) {
    const hidden = Thought.unpublished(done).some(({ id }) => id === note.id)
    assert.strictEqual(showings(entries, note), hidden ? 0 : 1, `note ${note.seq}, of the key ${note.key}`)
  }
  if (op._tag === "Compress") {
    const old = oldOf(thought.session, op.keep)
    const head = entries.findIndex(({ role }) => role !== "system")
    const turns = Session.turns(thought.session).filter(([entry]) => entry!.role !== "system")
    const due = turns.length >= op.turns && old.some(({ kind }) => kind === "message")
    assert.strictEqual(requests.length, due ? 1 : 0)
    if (due) {
      assertCompacted(requests[0]!, old, done, "so_far")
      assert.deepStrictEqual(
        wire(entries.slice(head + 1)),
        wire(Session.entries(thought.session)).slice(head + old.length)
      )
    } else assert.deepStrictEqual(entries, Session.entries(thought.session))
    assert.deepStrictEqual(ids(Thought.unpublished(done)), ids(fresh.filter(({ key }) => !due || key !== "so_far")))
  } else if (!op.release) {
    const carried = op._tag === "Reset" ? op.note : undefined
    assert.deepStrictEqual(ids(Thought.unpublished(done)), ids(fresh.filter(({ key }) => key !== carried)))
  }
  const unchanged = JSON.stringify(wire(entries)) === JSON.stringify(wire(Session.entries(thought.session)))
  return { thought: done, begin: unchanged ? state.begin : [] } satisfies State
})

/** Runs a question in a pipeline that compacts at four turns. */
const compacted = Effect.fnUntraced(function* (model: ReturnType<typeof makeModel>, state: State, keep: number) {
  const { thought } = state
  const key = "conversation_summary"
  const requested = model.requests.length
  const asking = Primitive.decide("decision", { question: "Is it so?", via: "text" })
  const done: Thought.Thought<any> = yield* Pipeline.run(
    Pipeline.compact(asking, { turns: 4, tokens: 1e9, keep }),
    thought
  )
  const requests = model.requests.slice(requested)
  const question = requests.at(-1)!
  const turns = Session.turns(thought.session).filter(([entry]) => entry!.role !== "system")
  const old = oldOf(thought.session, keep)
  const due = turns.length >= 4 && old.some(({ kind }) => kind === "message")
  assert.strictEqual(requests.length, due ? 2 : 1)
  const entries = Session.entries(done.session)
  if (due) {
    const before = Thought.withSession(done, Session.fromEntries(entries.slice(0, -2), done.session))
    assertCompacted(requests[0]!, old, before, key)
    assert.strictEqual(Session.turns(before.session).filter(([entry]) => entry!.role !== "system").length, keep + 1)
  } else assert.deepStrictEqual(entries.slice(0, -2), Session.entries(thought.session))
  assert.deepStrictEqual(keptOf(question.messages).slice(1), wire(entries.slice(0, -1)))
  assertShows(
    question.messages,
    Thought.unpublished(thought).filter((note) => !due || note.key !== key)
  )
  assertLaw(entries.slice(0, -1), Thought.at(done, done.length - 1))
  assertLaw(entries, done)
  return { thought: done, begin: keptOf(question.messages) } satisfies State
})

/** Runs a step of one's own that shows some of the notes. Just these are carried, once, and its own note as the reply. */
const show = Effect.fnUntraced(function* (state: State, op: Extract<Op, { readonly _tag: "Shows" }>) {
  const { thought } = state
  const notes = Thought.unpublished(thought).slice(0, op.count)
  // a new word takes the place of the one before
  const left = Thought.unpublished(thought)
    .slice(op.count)
    .filter(({ key }) => op.silent || key !== "word")
  const text = `${Thought.render(thought, notes)}\n\n## Task\n\nIn one word?`
  const shows: Shows = () => ({ notes: op.repeat ? [...notes, ...notes] : notes, text })
  const run = () => "## Task 0\n</note>\u2028\\# x"
  const showing: Step.Step<{}, {}> = op.silent
    ? Step.make("word", { run, shows })
    : Step.make("word", { schema: Schema.String, run, shows })
  const done: Thought.Thought<any> = yield* Pipeline.run(showing, thought)
  const before = Session.entries(thought.session)
  const entries = Session.entries(done.session)
  assert.deepStrictEqual(entries.slice(0, before.length), before)
  const word = op.silent ? [] : [done.note("word")!]
  assert.deepStrictEqual(
    entries.slice(before.length).map(({ carries, covers, role, text }) => [role, text, carries, covers]),
    [["user", text, ids(notes), []], ...word.map((note) => ["assistant", seen(note).content, [note.id], []])]
  )
  assert.deepStrictEqual(ids(Thought.unpublished(done)), ids(left))
  const hidden = new Set(ids(left))
  for (const note of Thought.current(done)) {
    assert.strictEqual(showings(entries, note), hidden.has(note.id) ? 0 : 1, `note ${note.seq}, of the key ${note.key}`)
  }
  return { ...state, thought: done } satisfies State
})

/** What the memory gives back is what was in hand. */
const assertReloads = Effect.fnUntraced(function* (thought: Thought.Thought<any>) {
  const memory = yield* Memory.Memory
  const { id } = yield* memory.commit(thought)
  const loaded: Thought.Thought<any> = yield* memory.load(id)
  assert.deepStrictEqual(JSON.parse(JSON.stringify(loaded)), JSON.parse(JSON.stringify(thought)))
  assert.deepStrictEqual(ids(Thought.unpublished(loaded)), ids(Thought.unpublished(thought)))
  return loaded
})

const step = Effect.fnUntraced(function* (model: ReturnType<typeof makeModel>, state: State, op: Op) {
  const { thought } = state
  /** When messages were taken away, the requests begin anew. */
  const shortened = (session: Session.Session): State => {
    const [now, before] = [session, thought.session].map((one) => JSON.stringify(wire(Session.entries(one))))
    return { thought: Thought.withSession(thought, session), begin: now === before ? state.begin : [] }
  }
  switch (op._tag) {
    case "Append": {
      const own = { key: op.key, source: "user", trust: "untrusted" } as const
      const made = forged(
        (fence) => ({ ...own, content: withFence(op.content, fence) }),
        (note) => noteList([note])
      )
      return { ...state, thought: yield* Thought.append(thought, op.key, made.content) }
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
    case "Shows":
      return yield* show(state, op)
    case "Truncate": {
      const after = shortened(yield* Session.truncate(thought.session, op))
      if (!op.release) assert.deepStrictEqual(Thought.unpublished(after.thought), Thought.unpublished(thought))
      return after
    }
    case "Prune":
      return shortened(yield* Session.prune(thought.session, op.count))
    case "Clear":
      return shortened(Session.clear(thought.session))
    case "TruncateStep":
    case "Reset":
      return yield* shorten(model, state, op)
    case "Compress": {
      if (!op.failing) return yield* shorten(model, state, op)
      model.next.failing = "reason"
      const requested = model.requests.length
      const result = yield* Effect.result(Pipeline.run(shorteningOf(op), thought))
      model.next.failing = "none"
      assert.strictEqual(result._tag, model.requests.length > requested ? "Failure" : "Success")
      const left: Thought.Thought<any> = result._tag === "Failure" ? result.failure.thought! : result.success
      assert.deepStrictEqual(JSON.parse(JSON.stringify(left)), JSON.parse(JSON.stringify(thought)))
      return { ...state, thought: left }
    }
    case "Compact":
      return yield* compacted(model, state, op.keep)
    default:
      return { ...state, thought: yield* assertReloads(thought) }
  }
})

/** Runs a program on a memory, checking each of its steps and what is read back at its end. */
const assertProgram = (program: { readonly ops: ReadonlyArray<Op> }) =>
  Effect.suspend(() => {
    const model = makeModel()
    return Effect.gen(function* () {
      let state: State = { thought: yield* Thought.make("test", { a: "first" }), begin: [] }
      for (const op of program.ops) state = yield* step(model, state, op)
      yield* assertReloads(state.thought)
    }).pipe(Effect.provide(model.layer))
  })

const runs = Number(process.env["COGITO_PIPELINE_RUNS"] ?? 100)

describe("the law of publication", () => {
  it.effect.prop(
    "holds in every request of any program, and the memory returns equal thoughts [C782] [C784]",
    { ops },
    (program) => assertProgram(program).pipe(Effect.provide(Layer.fresh(Testing.memory))),
    { arbitrary: { runs, size: 30 } }
  )

  layer(Layer.provide(pglite(), Testing.embedder), { timeout: "60 seconds" })((it) => {
    it.effect.prop("holds on PGlite as well [C784]", { ops }, assertProgram, {
      arbitrary: { runs: Math.ceil(runs / 8), size: 30 }
    })
  })
})
