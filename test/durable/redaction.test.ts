import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Option, Schema } from "effect"
import { Memory, Note, Pipeline, Primitive, Step, Synapse, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { type Going, machineOn, resumeOf, runOf } from "./machine.ts"
import { at, type Boundary } from "./process.ts"
import { asks } from "./scenarios/parts.ts"
import { bothWithRows, casesOn } from "./both.ts"

const canary = "canary-4711"
const message = Note.handle("message", Schema.String)
const start = Thought.make("work", { message: `Hello ${canary}` })

type Where = (boundaries: ReadonlyArray<Boundary>) => boolean

const kept = (keep: boolean) => (keep ? { keep: "answers" as const } : {})
const run = (step: Step.Any, keep: boolean) => runOf(step, kept(keep), start as Going)

const repeats = Note.from(message, (text) => `What of ${text}?`)

/** What shows the note, repeats it, is derived from it, or fails with it. */
const parts: Readonly<Record<string, () => any>> = {
  "a question": () => asks("it"),
  "a question made of it": () => Primitive.decide("it", { question: repeats, via: "text" }),
  "a native question made of it": () => Primitive.decide("it", { question: repeats }),
  "an effect that returns it": () =>
    Step.make("it", { schema: Schema.String, run: Note.from(message, (text) => `so ${text}`) }),
  "an effect that fails with it": () =>
    Step.recover(
      Step.make("it", { run: Note.from(message, (text) => Effect.fail({ _tag: "Refused", message: `no ${text}` })) }),
      asks("instead")
    ),
  "a failure that is reported": () =>
    Step.enrich(
      Step.make("it", { run: Note.from(message, (text) => Effect.fail({ _tag: "Refused", message: `no ${text}` })) }),
      {
        report: "why"
      }
    ),
  "a search for it": () => Primitive.seek("it", { query: repeats, limit: 3, summarize: true }),
  "a condition that is decided by it": () =>
    Pipeline.switch("it", {
      on: Note.from(message, (text) => text.slice(0, 5)) as never,
      branches: { Hello: asks("then") } as never,
      default: "pass"
    }),
  branches: () => Pipeline.concurrent("it", { a: asks("a"), b: asks("b", "(fails)") }, { minSuccesses: 1 }),
  "a step in the background": () => Pipeline.scaffold("it", { step: asks("later") }),
  "a summary of the conversation": () =>
    Pipeline.compact(Pipeline.sequence("it", [asks("a"), asks("b"), asks("c")]), { turns: 2, keep: 0 })
}

const after: Readonly<Record<string, Where>> = {
  "when a call has begun": at("after", "call", 2),
  "when a call is answered": at("before", "commit", 3),
  "when a step is stored": at("after", "commit", 3)
}

const stores = bothWithRows()

const holding = (rows: ReadonlyArray<string>) => rows.filter((row) => row.includes(canary))

/** Stores another thought, the first note of which is to be redacted, and gives its notes. */
const earlier = Effect.gen(function* () {
  const notes = { message: `Hello ${canary}`, more: "Hello" }
  return Thought.notes(yield* Memory.commit(yield* Thought.make("earlier", notes, { traceId: "earlier" })))
})

/** Redacts the first note of the run's thought. */
const redacted = Effect.gen(function* () {
  const [{ thoughtId }] = (yield* Pipeline.runs())
    .filter(({ parent }) => parent === undefined)
    .map(({ start: begun }) => begun) as any
  const [first] = Thought.notes(yield* Memory.load(thoughtId))
  return yield* Memory.redact(first!)
})

for (const [where, makeStore] of Object.entries(stores)) {
  const isAll = where === "in memory"
  describe(`a redaction ${where} leaves nothing of the text of a note in a run that has come to`, () => {
    const moments = isAll ? Object.keys(after) : ["when a call is answered"]
    const cases = Object.keys(parts).flatMap((part) => moments.map((moment) => [part, moment] as const))
    it.effect.each(casesOn(where, cases))("%s, %s, and the run goes on", ([part, moment]) =>
      Effect.gen(function* () {
        for (const keep of isAll ? [true, false] : [true]) {
          const { rows, store } = yield* makeStore()
          const { crashing, within, world } = machineOn(store)
          const step = Pipeline.sequence("all", [asks("first"), parts[part]!(), asks("last")]) as Step.Any
          // what has come to its end before can be redacted too
          yield* Effect.exit(crashing(after[moment]!)(run(step, keep)))
          assert.isAbove(holding(yield* rows).length, 0)
          yield* within()(redacted)
          assert.deepStrictEqual(holding(yield* rows), [], `keep: ${keep}`)
          const asked = world.requests.length
          const resumed = yield* Effect.exit(within()(resumeOf(step)))
          // a step that needs the text cannot have it
          const isNeeded = step.node.children[1]?.reads.includes("message") === true
          if (Exit.isFailure(resumed) && isNeeded) assert.include(String(resumed), "NoteNotFound")
          else assert.isTrue(Exit.isSuccess(resumed), `keep: ${keep}, ${String(resumed)}`)
          assert.isTrue(world.requests.slice(asked).every((request) => !request.includes(canary)))
          assert.deepStrictEqual(holding(yield* rows), [])
        }
      })
    )

    const wait = Pipeline.waitFor("wait", { schema: Schema.String, prompt: repeats })
    const own = Pipeline.waitFor("wait", { schema: Schema.String, prompt: "What now?" })

    it.effect("a question to a person, with its answer", () =>
      Effect.gen(function* () {
        const { rows, store } = yield* makeStore()
        const { within, world } = machineOn(store)
        const step = Pipeline.sequence("all", [asks("first"), wait]) as Step.Any
        yield* Effect.flip(within()(run(step, true)))
        yield* within()(Pipeline.answer("run", "wait", `I know ${canary}`, { by: canary }))
        assert.isAtLeast(holding(yield* rows).length, 2)
        yield* within()(redacted)
        assert.deepStrictEqual(holding(yield* rows), [])
        // it reads the note
        assert.include(String(yield* Effect.exit(within()(resumeOf(step)))), "NoteNotFound")
        assert.strictEqual(world.requests.length, 1)
        assert.deepStrictEqual(holding(yield* rows), [])
      })
    )

    it.effect("a question to a person that has nothing to do with it, which is asked again", () =>
      Effect.gen(function* () {
        const { rows, store } = yield* makeStore()
        const { within, world } = machineOn(store)
        const step = Pipeline.sequence("all", [asks("first"), own, asks("last")]) as Step.Any
        yield* Effect.flip(within()(run(step, true)))
        yield* within()(Pipeline.answer("run", "wait", canary))
        yield* within()(redacted)
        assert.deepStrictEqual(holding(yield* rows), [])
        // nobody can see what they would answer
        const blind = yield* Effect.flip(within()(Pipeline.answer("run", "wait", "yes")))
        assert.include(blind.message, "resume the run")
        const [resumed] = yield* within()(Pipeline.resumeAll([step]))
        assert.include(String(resumed?.exit), "Suspended")
        assert.deepStrictEqual(yield* within()(Pipeline.resumeAll([step])), [])
        const open = (yield* within()(Pipeline.waiting())).map(({ key, prompt }) => [key, prompt])
        assert.deepStrictEqual(open, [["wait", "What now?"]])
        yield* within()(Pipeline.answer("run", "wait", "go on"))
        const done = yield* within()(resumeOf(step))
        assert.strictEqual(done.get("wait"), "go on")
        assert.strictEqual(world.requests.length, 2)
      })
    )

    const found: Readonly<Record<string, Step.Any>> = {
      found: Primitive.seek("it", { query: "hello", limit: 3, summarize: true }),
      recalled: Primitive.recall("it", { thought: { traceId: "earlier" }, prompt: "What was it?" })
    }
    it.effect.each(casesOn(where, Object.entries(found)))(
      "a note that a begun call shows, and that it has %s in another thought",
      ([, it]) =>
        Effect.gen(function* () {
          for (const keep of [true, false]) {
            const { store } = yield* makeStore()
            const { crashing, within, world } = machineOn(store)
            const [secret] = yield* within()(earlier)
            const step = Step.retry(Pipeline.sequence("all", [it, asks("last")]) as Step.Any) as Step.Any
            yield* crashing(at("after", "call", 1))(runOf(step, kept(keep)))
            const hashes = Effect.map(store.ledger.load("local", "run"), (ledger) =>
              ledger?.calls.flatMap(({ hash, kind, state }) => (kind === "complete" ? [[state, hash !== ""]] : []))
            )
            assert.deepStrictEqual(yield* hashes, [["begun", true]])
            yield* within()(Memory.redact(secret!))
            assert.deepStrictEqual(yield* hashes, [["begun", false]])
            const asked = world.requests.length
            yield* within()(resumeOf(step))
            assert.isTrue(world.requests.slice(asked).every((request) => !request.includes(canary)))
          }
        })
    )

    const recollection = Note.handle("it", Schema.String)
    const readers: Readonly<Record<string, ReadonlyArray<Step.Any>>> = {
      "an effect": [
        Step.make("copy", { schema: Schema.String, run: Note.from(recollection, (text) => `so ${text}`) }) as Step.Any,
        own as Step.Any
      ],
      "a question to a person": [
        Pipeline.waitFor("wait", {
          schema: Schema.String,
          prompt: Note.from(recollection, (text) => `Is it so that ${text}?`)
        }) as Step.Any
      ]
    }
    it.effect.each(casesOn(where, Object.entries(readers)))(
      "a note of another thought, which %s repeats in an attempt",
      ([, reading]) =>
        Effect.gen(function* () {
          for (const keep of [true, false]) {
            const { rows, store } = yield* makeStore()
            const { within, world } = machineOn(store)
            const [secret] = yield* within()(earlier)
            Object.assign(world, { model: Testing.scripted(() => `They say ${canary}`) })
            const all = Pipeline.sequence("all", [found["recalled"], ...reading] as any) as Step.Any
            const step = Step.retry(all) as Step.Any
            yield* Effect.flip(within()(runOf(step, kept(keep))))
            assert.isAbove(holding(yield* rows).length, 0)
            yield* within()(Memory.redact(secret!))
            assert.deepStrictEqual(holding(yield* rows), [], `keep: ${keep}`)
            Object.assign(world, { model: Testing.scripted(() => "They say nothing") })
            yield* Effect.flip(within()(resumeOf(step)))
            yield* within()(Pipeline.answer("run", "wait", "go on"))
            const done = yield* within()(resumeOf(step))
            assert.strictEqual(done.get("wait"), "go on")
            assert.deepStrictEqual(holding(yield* rows), [])
          }
        })
    )

    /** Code that fails with a note of another thought, or asks about it. */
    const loading = (secret: Note.Note) =>
      Effect.map(Memory.load(secret.thoughtId), (loaded) => loaded.note("message")?.content ?? "nothing")
    const failing = (secret: Note.Note) =>
      Effect.flatMap(loading(secret), (text) => Effect.fail({ _tag: "Refused", message: `no ${text}` }))
    const searching = Effect.flatMap(Memory.search("hello"), ({ matches }) =>
      Effect.fail({ _tag: "Refused", message: matches.map(({ note }) => note.content).join() })
    )
    const inquiring = (secret: Note.Note) =>
      Effect.flatMap(loading(secret), (text) => Synapse.binary({ question: "Is it so?" })(text))
    const inquiringThen = <A>(secret: Note.Note, value: A) => Effect.as(inquiring(secret), value)
    const down = Effect.fail({ _tag: "Down", message: "down" })
    const nothing = Step.make("nothing", { run: Effect.void })
    const noted = { schema: Schema.String }
    const repeated = (secret: Note.Note) => Note.from(message, () => loading(secret))
    /** These, and then a wait, in an attempt that is not over. */
    const attempted = (...steps: ReadonlyArray<Step.Any>) => {
      const until = Pipeline.waitFor("until", { schema: Schema.String, prompt: "Until when?" })
      return Step.retry(Pipeline.sequence("made", [...steps, until] as any) as Step.Any) as Step.Any
    }
    const getting: Readonly<Record<string, (secret: Note.Note) => Step.Any>> = {
      "a value fails": (secret) => Step.make("it", { ...noted, run: failing(secret) }),
      "a value fails with what it has found": () => Step.make("it", { ...noted, run: searching }),
      "a value fails in an optional step": (secret) => Step.enrich(Step.make("it", { ...noted, run: failing(secret) })),
      "a reader fails": (secret) => Step.make("it", { ...noted, run: Note.from(message, () => failing(secret)) }),
      "an effect fails": (secret) => Step.make("it", { run: failing(secret) }),
      "a condition fails": (secret) => Pipeline.filter("it", { when: failing(secret), step: nothing }),
      "a check fails": (secret) => Pipeline.gate("it", { check: failing(secret) }),
      "a choice is made": (secret) =>
        Pipeline.switch("it", {
          on: loading(secret) as never,
          branches: { Hello: nothing } as never,
          default: "pass"
        }) as never,
      "a value fails after it has asked": (secret) =>
        Step.make("it", { ...noted, run: Effect.andThen(inquiring(secret), down) }),
      "an effect fails after it has asked": (secret) =>
        Step.make("it", { run: Effect.andThen(inquiring(secret), down) }),
      "a side effect asks": (secret) => Pipeline.tap("it", () => inquiring(secret)),
      "a condition asks": (secret) => Pipeline.filter("it", { when: inquiringThen(secret, true), step: nothing }),
      "a check asks": (secret) => Pipeline.gate("it", { check: inquiringThen(secret, "pass" as const) }),
      "an update asks": (secret) => Pipeline.mutate("it", { note: message, update: () => inquiringThen(secret, "so") }),
      "a step of a generator fails": (secret) =>
        Pipeline.gen("it", function* () {
          const text = yield* loading(secret)
          yield* Pipeline.ask(Step.make("made", { run: Effect.fail({ _tag: "Refused", message: text }) }))
        }) as Step.Any,
      "a step of a generator asks": (secret) =>
        Pipeline.gen("it", function* () {
          const text = yield* loading(secret)
          yield* Pipeline.ask(Step.retry(Pipeline.sequence("made", [asks("asked", text), own])))
        }) as Step.Any,
      "the reader of a question repeats it": (secret) =>
        attempted(Primitive.decide("it", { question: repeated(secret), via: "text" })),
      "the reader of a question repeats it, whose answer is reviewed": (secret) =>
        attempted(Primitive.decide("it", { question: repeated(secret), via: "text", introspect: true })),
      "the reader of a question to a person repeats it": (secret) =>
        Pipeline.waitFor("it", { schema: Schema.String, prompt: repeated(secret) }) as Step.Any,
      "the reader of a question repeats it, which waits for approval": (secret) =>
        Primitive.approve("it", { prompt: repeated(secret) }) as Step.Any,
      "the reader of a review repeats it": (secret) => attempted(Primitive.reflect("it", { prompt: repeated(secret) })),
      "the reader of a refinement repeats it": (secret) =>
        attempted(Primitive.amplify("it", { source: message, refine: repeated(secret), criteria: "Is it well?" })),
      "the reader of a criterion repeats it": (secret) =>
        attempted(Primitive.amplify("it", { source: message, refine: "Say it well", criteria: repeated(secret) })),
      "the reader of a synthesis repeats it": (secret) =>
        attempted(Primitive.converge("it", { branches: [nothing], prompt: repeated(secret) })),
      "the reader of a summary of the conversation repeats it": (secret) =>
        attempted(
          asks("before"),
          Primitive.compress("it", { prompt: repeated(secret), threshold: { turns: 1 }, keep: 0 })
        ),
      "the reader of a query repeats it": (secret) =>
        attempted(Primitive.seek("it", { query: repeated(secret), summarize: true, limit: 1 })),
      "an effect after the commit asks": (secret) => Step.once("it", () => Effect.orDie(inquiring(secret)) as never)
    }
    it.effect.each(casesOn(where, Object.entries(getting)))(
      "a note that code has loaded from another thought, where %s",
      ([, it]) =>
        Effect.gen(function* () {
          for (const keep of isAll ? [true, false] : [true]) {
            const { rows, store } = yield* makeStore()
            const { within, world } = machineOn(store)
            const [secret] = yield* within()(earlier)
            const model = Testing.scripted((request) => {
              const repeated = JSON.stringify(request).includes(canary)
              return { decision: true, confidence: 1, reasoning: [repeated ? canary : "so"] }
            })
            Object.assign(world, { model })
            const all = Pipeline.sequence("all", [it(secret!), own] as any) as Step.Any
            yield* Effect.exit(within()(runOf(all, kept(keep))))
            // otherwise what is no longer needed is not kept
            if (keep) assert.include(JSON.stringify(yield* store.ledger.load("local", "run")), canary)
            yield* within()(Memory.redact(secret!))
            assert.deepStrictEqual(holding(yield* rows), [], `keep: ${keep}`)
            Object.assign(world, {
              model: Testing.scripted(() => ({ decision: true, confidence: 1, reasoning: ["so"] }))
            })
            assert.notInclude(String(yield* Effect.exit(within()(resumeOf(all)))), "ReplayMismatch")
            assert.deepStrictEqual(holding(yield* rows), [])
          }
        })
    )

    it.effect("a note that code has loaded from another thought, and decides nothing again that it has decided", () =>
      Effect.gen(function* () {
        const go = Pipeline.waitFor("go", { schema: Schema.String, prompt: "Go on?" })
        const wrong = Step.make("wrong", { schema: Schema.String, run: () => "the other way" })
        const ways: Readonly<Record<string, (secret: Note.Note) => Step.Any>> = {
          filter: (secret) =>
            Pipeline.filter("it", { when: Effect.map(loading(secret), (text) => text.includes(canary)), step: go }),
          gate: (secret) =>
            Pipeline.gate("it", {
              check: Effect.map(loading(secret), (text) => (text.includes(canary) ? "pass" : "fail")),
              step: go
            }),
          switch: (secret) =>
            Pipeline.switch("it", {
              on: Effect.map(loading(secret), (text) => (text.includes(canary) ? "known" : "unknown")),
              branches: { known: go, unknown: wrong }
            })
        }
        for (const [name, way] of Object.entries(ways)) {
          const { store } = yield* makeStore()
          const { within } = machineOn(store)
          const [secret] = yield* within()(earlier)
          const step = Pipeline.sequence("all", [way(secret!), nothing] as any) as Step.Any
          yield* Effect.flip(within()(runOf(step)))
          yield* within()(Memory.redact(secret!))
          assert.instanceOf(yield* Effect.flip(within()(resumeOf(step))), Pipeline.Suspended, name)
          yield* within()(Pipeline.answer("run", "go", "yes"))
          assert.strictEqual((yield* within()(resumeOf(step))).get("go"), "yes", name)
        }
      })
    )

    it.effect.each(casesOn(where, Object.entries(found)))("a note that it has %s in another thought", ([, it]) =>
      Effect.gen(function* () {
        for (const keep of [true, false]) {
          const { rows, store } = yield* makeStore()
          const { crashing, within, world } = machineOn(store)
          const [secret] = yield* within()(earlier)
          Object.assign(world, { model: Testing.scripted(() => `They say ${canary}`) })
          // its answers are recorded, and nothing of them is stored until all of it has ended
          const wait = Pipeline.waitFor("wait", { schema: Schema.String, prompt: "What now?" })
          const waiting = Step.retry(Pipeline.sequence("all", [it, wait]) as Step.Any) as Step.Any
          const last = Primitive.reflect("last", { prompt: "What now?" })
          const asking = Step.retry(Pipeline.sequence("all", [it, last]) as Step.Any) as Step.Any
          const step = keep ? asking : waiting
          if (keep) yield* crashing(at("before", "call", 2))(runOf(step, kept(keep)))
          else yield* Effect.flip(within()(runOf(step)))
          const { calls = [], steps } = (yield* store.ledger.load("local", "run")) ?? {}
          assert.isTrue(calls.some(({ kind, response }) => kind === "complete" && response?.includes(canary)))
          assert.deepStrictEqual(
            steps?.flatMap(({ frame, position }) => (position === undefined ? [] : [frame])),
            ["^0"]
          )
          yield* within()(Memory.redact(secret!))
          assert.deepStrictEqual(holding(yield* rows), [])
          Object.assign(world, { model: Testing.scripted(() => "They say nothing") })
          if (!keep) {
            // nobody can see the question until it is asked again
            yield* Effect.flip(within()(resumeOf(step)))
            yield* within()(Pipeline.answer("run", "wait", "go on"))
          }
          const done = yield* within()(resumeOf(step))
          assert.strictEqual(done.note(keep ? "last" : "wait")?.content, keep ? "They say nothing" : "go on")
          assert.deepStrictEqual(holding(yield* rows), [])
        }
      })
    )
  })
}

describe("a redaction", () => {
  it.effect("fails a generator that asks for a note that is gone, so that recover goes on", () =>
    Effect.gen(function* () {
      const loud = Step.make("loud", { schema: Schema.String, run: Note.from(message, (text) => `${text}!`) })
      const body = function* () {
        yield* Pipeline.ask(loud)
        yield* Pipeline.ask(Primitive.approve("ok", { prompt: "Go on?" }))
      }
      const instead = Step.make("instead", { schema: Schema.String, run: () => "Nothing is left." })
      const outcome = (step: Step.Any, id: string) =>
        Effect.gen(function* () {
          const { thoughtId } = yield* Effect.flip(runOf(step, { id }, start as Going)) as Effect.Effect<{
            thoughtId: string
          }>
          const note = (yield* Memory.load(thoughtId)).note("message")
          if (note !== undefined) yield* Memory.redact(note)
          return yield* Effect.exit(
            Pipeline.resume(step, id) as Effect.Effect<Thought.Thought<any>, Pipeline.PipelineError<unknown>>
          )
        })
      const failed = yield* outcome(Pipeline.gen("g", body), "alone")
      const error = Option.getOrThrow(Exit.findErrorOption(failed))
      assert.deepStrictEqual(error.path, ["g"])
      assert.deepInclude(error.cause, { _tag: "NoteNotFound", key: "loud" })
      const recovered = yield* outcome(Step.recover(Pipeline.gen("g", body), instead), "recovered")
      assert.strictEqual(Exit.isSuccess(recovered) && recovered.value.get("instead"), "Nothing is left.")
    }).pipe(Effect.provide(Testing.memory))
  )
})
