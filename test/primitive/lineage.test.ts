import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { Embedder, Memory, Note, Pipeline, Primitive, type Provider, Session, Signal, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { makeInMemory as makeStore } from "../../src/memory/inMemory/store.ts"
import { commit, speculative } from "../../src/run/run.ts"
import { makeStep } from "../../src/step/runtime/make.ts"
import { keptOf } from "../kept.ts"

const decide = Primitive.decide("go", { question: "Go on?" })
const answer = { decision: true, confidence: 0.5, reasoning: ["It says so."] }
const nothing = Pipeline.sequence("nothing", [])
const put = <const K extends string>(key: K, value: string) =>
  Step.make(key, { schema: Schema.String, run: () => value })

const scenario = <A, E>(
  script: ReadonlyArray<Testing.Reply>,
  body: (model: Testing.Scripted) => Effect.Effect<A, E, Provider.Provider | Memory.Memory>
) => {
  const model = Testing.scripted(script)
  return Effect.provide(body(model), Layer.merge(model.layer, Layer.fresh(Testing.memory)))
}

const start = Thought.make(
  "triage",
  { a: { content: "one", source: "crm", metadata: { language: "en" } }, b: "two" },
  { taskId: "ticket 7" }
)

const contents = (thought: Thought.Thought<any>) => Thought.current(thought).map(({ content, key }) => [key, content])
const ids = (notes: ReadonlyArray<Note.Note>) => notes.map(({ id }) => id)
const keysOf = (notes: ReadonlyArray<Note.Note>) => notes.map(({ key }) => key)
const plain = (thought: Thought.Thought<any>): unknown => JSON.parse(JSON.stringify(thought))

/** A connector that stores nothing until its step is done. */
const tried = (step: Step.Any): Step.Step<{}, {}, any, any> =>
  makeStep({ ...step.node, name: "tried", children: [step.node] }, (thought) =>
    Effect.flatMap(speculative(step[Step.TypeId].run(thought)), commit)
  )

/** A memory whose commits fail when told to, and that counts what is embedded. */
const moody = Effect.gen(function* () {
  const state = { failing: false, embedded: 0 }
  const embedder = yield* Embedder.Embedder
  const store = yield* makeStore
  const down = new Memory.MemoryError({ reason: { _tag: "Connection", message: "the database is down" } })
  const memory = yield* Memory.make({
    store: { ...store, commit: (...args) => (state.failing ? Effect.fail(down) : store.commit(...args)) },
    scope: "local"
  }).pipe(
    Effect.provideService(Embedder.Embedder, {
      ...embedder,
      embedMany: (texts) => {
        state.embedded += texts.length
        return embedder.embedMany(texts)
      }
    })
  )
  return { state, layer: Layer.succeed(Memory.Memory, memory) }
}).pipe(Effect.provide(Testing.embedder))

describe("checkpoint", () => {
  it.effect(
    "continues with a fork that has everything the thought has [C28, C29, C30, C31, C32, C33, C35, C36, C37]",
    () =>
      scenario([], () =>
        Effect.gen(function* () {
          const thought = yield* start
          const before = Primitive.checkpoint("before")
          const done = yield* Pipeline.run(before, thought)
          assert.notStrictEqual(done.id, thought.id)
          assert.notStrictEqual(done.traceId, thought.traceId)
          assert.deepStrictEqual(done.parent, { id: thought.id, seq: 2 })
          assert.deepStrictEqual(Thought.notes(done), Thought.notes(thought))
          assert.strictEqual(done.note("a")!.metadata["language"], "en")
          assert.deepStrictEqual([done.intent, done.taskId, before.name], ["triage", "ticket 7", "before"])
          assert.deepStrictEqual([...done.checkpoints], [["before", { id: thought.id, seq: 2 }]])
          assert.deepStrictEqual(plain(yield* Memory.load(done.id)), plain(done))
          assert.deepStrictEqual([...(yield* Memory.load(done.id)).checkpoints], [...done.checkpoints])
          assert.deepStrictEqual(before.node, {
            name: "before",
            kind: "checkpoint",
            reads: [],
            writes: [],
            surely: [],
            children: [],
            leaves: true
          })
        })
      )
  )

  it.effect("keeps the conversation as of the fork, and the parent as it was [C34]", () =>
    scenario([answer, answer], (model) =>
      Effect.gen(function* () {
        const asked = yield* Pipeline.run(decide, yield* start)
        const pipeline = Pipeline.sequence("on", [Primitive.checkpoint("before"), put("c", "three"), decide], {
          overwrite: true
        })
        const done = yield* Pipeline.run(pipeline, asked)
        assert.deepStrictEqual(Session.entries(done.session).slice(0, 2), Session.entries(asked.session))
        assert.deepStrictEqual(model.requests[1]!.messages.slice(0, 2), keptOf(model.requests[0]!.messages))
        assert.deepStrictEqual(plain(yield* Memory.load(asked.id)), plain(asked))
        assert.deepStrictEqual(plain(yield* Memory.load(done.id)), plain(done))
      })
    )
  )

  it.effect("signals that a thought was created", () =>
    scenario([], () =>
      Effect.gen(function* () {
        const created: Array<unknown> = []
        const thought = yield* Pipeline.run(nothing, yield* start)
        const done = yield* Pipeline.run(Primitive.checkpoint("before"), thought).pipe(
          Signal.listen((signal) => {
            if (signal._tag === "ThoughtCreated") created.push([signal.thoughtId, signal.path])
          })
        )
        assert.deepStrictEqual(created, [[done.id, ["before"]]])
      })
    )
  )

  it("refuses an invalid name", () => {
    assert.throws(() => Primitive.checkpoint(""), /1 to 200 characters/)
  })
})

describe("restore", () => {
  it.effect("within a speculative connector loses nothing that would be stored outside", () =>
    scenario([], () =>
      Effect.gen(function* () {
        const back = Primitive.restore("back", { from: { checkpoint: "here" } })
        const inner = () => [put("z", "1"), Primitive.checkpoint("here"), put("x", "2"), back, put("y", "3")]
        const shapeOf = (step: Step.Step<{}, {}, any, Memory.Memory>) =>
          Effect.gen(function* () {
            const thought = yield* start
            yield* Pipeline.run(step, thought)
            const rows: Array<ReadonlyArray<string>> = []
            const visit = (id: string): Effect.Effect<void, Memory.MemoryError, Memory.Memory> =>
              Effect.gen(function* () {
                rows.push(keysOf(Thought.notes(yield* Memory.load(id))))
                for (const child of yield* Memory.children(id)) yield* visit(child.id)
              })
            yield* visit(thought.id)
            return rows.map((keys) => keys.join(" ")).toSorted()
          })
        const outside = yield* shapeOf(Pipeline.sequence("all", inner()))
        assert.deepStrictEqual(outside, ["a b z", "a b z x", "a b z y"])
        assert.deepStrictEqual(yield* shapeOf(Pipeline.sequence("all", inner()).pipe(Step.retry())), outside)
        assert.deepStrictEqual(
          yield* shapeOf(Pipeline.sequence("all", inner()).pipe(Step.timeout("1 second"), Step.retry())),
          outside
        )
      })
    )
  )

  const bad = Pipeline.sequence("bad", [
    put("good", "good"),
    Primitive.checkpoint("before"),
    put("bad", "bad"),
    Primitive.restore("back", { from: { checkpoint: "before" } })
  ])

  it.effect("returns to a checkpoint: with earlier notes, and without later ones [C163, C164]", () =>
    scenario([answer], () =>
      Effect.gen(function* () {
        const thought = yield* start
        const done = yield* Pipeline.run(bad, thought)
        assert.deepStrictEqual(keysOf(Thought.notes(done)), ["a", "b", "good"])
        assert.deepStrictEqual(done.parent, { id: thought.id, seq: 3 })
        assert.deepStrictEqual([...done.checkpoints], [["before", { id: thought.id, seq: 3 }]])
        const on = yield* Pipeline.run(decide, done)
        assert.isTrue(on.get("go").decision)
        assert.deepStrictEqual(plain(yield* Memory.load(on.id)), plain(on))
        const again = yield* Pipeline.run(Primitive.restore("again", { from: { checkpoint: "before" } }), on)
        assert.deepStrictEqual(keysOf(Thought.notes(again)), ["a", "b", "good"])
      })
    )
  )

  it.effect("restores a conversation that does not end with a request without its answer", () =>
    scenario([answer, answer], (model) =>
      Effect.gen(function* () {
        const back = Primitive.restore("back", { from: { checkpoint: "before" } })
        const known = yield* Pipeline.run(Pipeline.sequence("first", [decide, put("c", "three")]), yield* start)
        const marked = yield* Pipeline.run(Primitive.checkpoint("before"), known)
        // the request shows what was there at the checkpoint, and its answer was not
        yield* Pipeline.run(Primitive.decide("later", { question: "Later?" }), known)
        const done = yield* Pipeline.run(back, marked)
        assert.deepStrictEqual(Session.entries(done.session), Session.entries(known.session))
        assert.deepStrictEqual(
          Session.entries(done.session).map(({ role }) => role),
          ["user", "assistant"]
        )
        assert.deepStrictEqual(keysOf(Thought.unpublished(done)), ["c"])
        assert.strictEqual(model.requests.length, 2)
        assert.deepStrictEqual(plain(yield* Memory.load(done.id)), plain(done))
      })
    )
  )

  it.effect("forks the thought of an id, fixed or read [C154, C155, C156, C157, C158, C161, C162]", () =>
    scenario([], () =>
      Effect.gen(function* () {
        const target = yield* Pipeline.run(nothing, yield* start)
        const before = plain(yield* Memory.load(target.id))
        const where = Note.handle("where", Schema.String)
        const current = yield* Thought.make("elsewhere", { where: target.id, mine: "mine" })
        for (const from of [target.id, Note.from(where, (id) => id)]) {
          const step = Primitive.restore("begin", { from })
          assert.deepStrictEqual(step.node.reads, typeof from === "string" ? [] : ["where"])
          const done = yield* Pipeline.run(step, current)
          assert.notInclude([target.id, current.id], done.id)
          assert.deepStrictEqual(done.parent, { id: target.id, seq: 2 })
          assert.deepStrictEqual(Thought.notes(done), Thought.notes(target))
          assert.deepStrictEqual([done.intent, done.taskId], ["triage", "ticket 7"])
          assert.strictEqual(done.note("a")!.metadata["language"], "en")
          assert.deepStrictEqual(plain(yield* Memory.load(done.id)), plain(done))
        }
        assert.deepStrictEqual(plain(yield* Memory.load(target.id)), before)
        assert.deepStrictEqual(contents(yield* Memory.load(current.id)), contents(current))
      })
    )
  )

  it.effect("continues the target's conversation, or starts a fresh one [C159]", () =>
    scenario([answer], () =>
      Effect.gen(function* () {
        const target = yield* Pipeline.run(decide, yield* start)
        const current = yield* Thought.make("elsewhere")
        const kept = yield* Pipeline.run(Primitive.restore("kept", { from: target.id }), current)
        assert.deepStrictEqual(Session.entries(kept.session), Session.entries(target.session))
        assert.deepStrictEqual(Thought.unpublished(kept), [])
        const fresh = yield* Pipeline.run(Primitive.restore("fresh", { from: target.id, session: "fresh" }), current)
        assert.strictEqual(fresh.session.length, 0)
        assert.deepStrictEqual(keysOf(Thought.unpublished(fresh)), ["a", "b", "go"])
        assert.deepStrictEqual(plain(yield* Memory.load(kept.id)), plain(kept))
      })
    )
  )

  it.effect("has the conversation of the checkpoint if the target has continued since", () =>
    scenario([answer, answer, answer], (model) =>
      Effect.gen(function* () {
        const target = yield* Pipeline.run(decide, yield* start)
        const fork = yield* Pipeline.run(Primitive.checkpoint("before"), target)
        const on = yield* Pipeline.run(decide, yield* Thought.append(target, "late", "later"))
        assert.strictEqual(on.session.length, 4)
        const back = yield* Pipeline.run(Primitive.restore("back", { from: { checkpoint: "before" } }), fork)
        assert.deepStrictEqual(Session.entries(back.session), Session.entries(target.session))
        assert.deepStrictEqual(Thought.notes(back), Thought.notes(target))
        assert.deepStrictEqual(Thought.unpublished(back), [])
        yield* Pipeline.run(decide, yield* Thought.append(back, "c", "three"))
        assert.deepStrictEqual(model.requests[2]!.messages.slice(0, 2), keptOf(model.requests[0]!.messages))
        assert.notInclude(JSON.stringify(model.requests[2]!.messages), "later")
      })
    )
  )

  it.effect("ends the conversation before a mark or a summary that stands for later messages", () =>
    scenario([answer, answer, "All went well."], () =>
      Effect.gen(function* () {
        const target = yield* Pipeline.run(decide, yield* start)
        const fork = yield* Pipeline.run(Primitive.checkpoint("before"), target)
        const on = yield* Pipeline.run(Primitive.decide("later", { question: "Later?" }), target)
        const back = Primitive.restore("back", { from: { checkpoint: "before" } })
        const marked = yield* Pipeline.run(Primitive.truncate("cut", { first: 1, last: 0, release: false }), on)
        assert.deepStrictEqual(
          Session.entries(marked.session).map(({ kind }) => kind),
          ["message", "message", "omission"]
        )
        const first = yield* Pipeline.run(back, fork)
        assert.deepStrictEqual(Session.entries(first.session), Session.entries(target.session))
        assert.deepStrictEqual(Thought.unpublished(first), [])

        // a summary of everything shows what came later too
        yield* Pipeline.run(Primitive.compress("summary"), marked)
        const second = yield* Pipeline.run(back, fork)
        assert.deepStrictEqual(Session.entries(second.session), [])
        assert.deepStrictEqual(keysOf(Thought.unpublished(second)), ["a", "b", "go"])
      })
    )
  )

  it.effect("reads the notes as the pipeline's type says", () =>
    scenario([answer], () =>
      Effect.gen(function* () {
        const pipeline = Pipeline.sequence("on", [
          decide,
          Primitive.checkpoint("before"),
          put("c", "three"),
          Primitive.restore("back", { from: { checkpoint: "before" } })
        ])
        const done = yield* Pipeline.run(pipeline, yield* start)
        assert.isTrue(done.get("go").decision)
        // the type still lists what is gone
        assert.isUndefined(done.get("c"))
        const error = yield* Effect.flip(Thought.read(done, put("c", "")))
        assert.instanceOf(error, Note.NoteNotFound)
      })
    )
  )

  it.effect("works before anything of it is stored, and leaves only what survives", () =>
    scenario([], () =>
      Effect.gen(function* () {
        const thought = yield* start
        const done: Thought.Thought<any> = yield* Pipeline.run(tried(bad), thought)
        assert.deepStrictEqual(keysOf(Thought.notes(done)), ["a", "b", "good"])
        assert.deepStrictEqual(plain(yield* Memory.load(done.id)), plain(done))
        assert.deepStrictEqual(keysOf(Thought.notes(yield* Memory.load(thought.id))), ["a", "b", "good"])
      })
    )
  )

  it.effect("fails with a typed error for an unknown id or checkpoint, and creates nothing [C160]", () =>
    scenario([], () =>
      Effect.gen(function* () {
        const thought = yield* start
        const unknown = yield* Effect.flip(Pipeline.run(Primitive.restore("back", { from: "no such id" }), thought))
        assert.notInclude(unknown.message, "no such id")
        assert.strictEqual(unknown.cause.reason._tag, "NotFound")
        assert.strictEqual(unknown.thought?.id, thought.id)
        const back = Primitive.restore("back", { from: { checkpoint: "never" } })
        const error = yield* Effect.flip(Pipeline.run(back, thought))
        assert.instanceOf(error.cause, Primitive.CheckpointNotFound)
        assert.deepStrictEqual([error.cause.checkpoint, error.cause.thoughtId], ["never", thought.id])
        assert.include(error.message, "Primitive.checkpoint of that name")
      })
    )
  )

  it.effect("names the note that an id was read from, never its text, when there is no such thought", () =>
    scenario([], () =>
      Effect.gen(function* () {
        const which = Note.handle("which", Schema.String)
        const begin = Primitive.restore("begin", { from: Note.from(which, (id) => id) })
        for (const canary of ["SECRETTEXT", "01890a5d-ac96-774b-bcce-b302099a8057"]) {
          const error = yield* Effect.flip(Pipeline.run(begin, yield* Thought.make("ask", { which: canary })))
          assert.strictEqual(error.cause.reason._tag, "NotFound")
          assert.include(error.message, 'the note "which"')
          for (const told of [error, error.cause]) {
            const texts = [told.message, String(told), JSON.stringify(told), inspect(told, { depth: null })]
            for (const text of texts) assert.notInclude(text, canary)
          }
        }
      })
    )
  )

  it.effect("names a missing thought by its id, or by the notes that the id was read from", () =>
    scenario([], () =>
      Effect.gen(function* () {
        const a = Note.handle("a", Schema.String)
        const b = Note.handle("b", Schema.String)
        const messageOf = (from: Note.Text) =>
          Effect.map(
            Effect.flatMap(start, (thought) => Effect.flip(Pipeline.run(Primitive.restore("back", { from }), thought))),
            ({ cause }) => cause.reason
          )
        const read = [
          "01890a5d-ac96-774b-bcce-b302099a8057",
          Note.from(a, (id) => id),
          Note.from({ a, b }, (both) => both.a + both.b),
          Note.from({}, () => "none")
        ]
        assert.deepStrictEqual(
          yield* Effect.forEach(read, messageOf),
          [
            'There is no thought with the id "01890a5d-ac96-774b-bcce-b302099a8057" in this scope.',
            'There is no thought with the id read from the note "a" in this scope.',
            'There is no thought with the id read from the notes "a" and "b" in this scope.',
            "There is no thought with the id that was read in this scope."
          ].map((message) => ({ _tag: "NotFound", message }))
        )
      })
    )
  )
})

describe("forget", () => {
  it.effect("continues with a fork that lacks the dropped keys [C91, C93, C96, C97, C98, C99, C100]", () =>
    scenario([answer, answer], (model) =>
      Effect.gen(function* () {
        const asked = yield* Pipeline.run(decide, yield* start)
        const anew = Primitive.forget("anew", { drop: ["a", "go", "none"] })
        const done = yield* Pipeline.run(anew, asked)
        assert.notStrictEqual(done.id, asked.id)
        assert.deepStrictEqual(done.parent, { id: asked.id, seq: 3 })
        assert.deepStrictEqual(keysOf(Thought.notes(done)), ["b"])
        assert.deepStrictEqual([done.taskId, done.intent, anew.name], ["ticket 7", "triage", "anew"])
        assert.strictEqual(done.session.length, 0)
        assert.deepStrictEqual(keysOf(Thought.unpublished(done)), ["b"])
        assert.deepStrictEqual(plain(yield* Memory.load(done.id)), plain(done))
        assert.deepStrictEqual(keysOf(Thought.notes(yield* Memory.load(asked.id))), ["a", "b", "go"])
        assert.isUndefined(done.get("a"))
        yield* Pipeline.run(decide, done)
        const sent = JSON.stringify(model.requests[1]!.messages)
        assert.include(sent, String.raw`\ntwo\n`)
        assert.notInclude(sent, String.raw`\none\n`)
      })
    )
  )

  const cases: ReadonlyArray<readonly [string, Parameters<typeof Primitive.forget>[1], ReadonlyArray<string>]> = [
    ["nothing by default [C92]", undefined, ["a", "b"]],
    ["all but what it keeps [C94]", { keep: ["b", "none"] }, ["b"]],
    ["by keep rather than by drop [C95]", { keep: ["b"], drop: ["b"] }, ["b"]],
    ["everything", { keep: [] }, []]
  ]
  it.effect.each(cases)("forgets %s", ([, options, left]) =>
    scenario([], () =>
      Effect.gen(function* () {
        const done = yield* Pipeline.run(Primitive.forget("anew", options), yield* start)
        assert.deepStrictEqual(keysOf(Thought.notes(done)), left)
        assert.deepStrictEqual(ids(Thought.unpublished(done)), ids(Thought.notes(done)))
      })
    )
  )

  it.effect("lets a forgotten key be written again", () =>
    scenario([], () =>
      Effect.gen(function* () {
        const anew = Pipeline.sequence("anew", [Primitive.forget("forget", { drop: ["a"] }), put("a", "new")])
        const done = yield* Pipeline.run(anew, yield* start)
        assert.deepStrictEqual(contents(done), [
          ["b", "two"],
          ["a", "new"]
        ])
        assert.lengthOf(Thought.history(done, "a"), 1)
      })
    )
  )
})

const forks = [
  ["checkpoint", () => Primitive.checkpoint("fork")],
  ["restore", (id: string) => Primitive.restore("fork", { from: id })],
  ["forget", () => Primitive.forget("fork", { drop: ["a"] })]
] as const

describe.each(forks)("%s", (_, fork) => {
  it.effect("embeds nothing again, and leaves no thought behind when the store fails [C785]", () =>
    Effect.gen(function* () {
      const { layer, state } = yield* moody
      yield* Effect.gen(function* () {
        const thought = yield* Pipeline.run(nothing, yield* start)
        const step: Step.Step<{}, {}, Memory.MemoryError, Memory.Memory> = fork(thought.id)
        const { flush } = yield* Memory.Memory
        yield* flush
        assert.strictEqual(state.embedded, 2)
        state.failing = true
        const error = yield* Effect.flip(Pipeline.run(step, thought))
        assert.strictEqual(error.cause.reason._tag, "Connection")
        assert.strictEqual(error.thought?.id, thought.id)
        state.failing = false
        assert.deepStrictEqual(plain(yield* Memory.load(thought.id)), plain(thought))
        assert.deepStrictEqual(yield* Memory.children(thought.id), [])
        const done = yield* Pipeline.run(step, thought)
        assert.deepStrictEqual(
          (yield* Memory.children(thought.id)).map(({ id }) => id),
          [done.id]
        )
        yield* flush
        assert.strictEqual(state.embedded, 2)
      }).pipe(Effect.provide(layer))
    })
  )
})
