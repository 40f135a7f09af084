import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Memory, Note, Pipeline, Primitive, Step, Thought } from "cogito"
import { machineOn, resumeOf, runOf } from "./machine.ts"
import { asks } from "./scenarios/parts.ts"
import { inMemoryAtLeast } from "./both.ts"

const stores = inMemoryAtLeast()

const wait = Pipeline.waitFor("wait", { schema: Schema.String, prompt: "What now?" })
const other = Note.handle("other", Schema.String)
const notes = { message: "Hello", other: "more" }

/** A step that acts, after it has failed so often; without a number it only fails. */
const failing = (done: Array<string>, key: string, times = Number.POSITIVE_INFINITY) => {
  let tries = 0
  return Step.make(key, {
    run: () =>
      tries++ < times ? Effect.fail({ _tag: "Busy" as const, message: "busy" }) : Effect.sync(() => void done.push(key))
  })
}
const once = (done: Array<string>) => Step.once("once", () => Effect.sync(() => void done.push("once")))
const seen = (thought: Thought.Thought<any>): number => Thought.history(thought, "message").length

/** Redacts a note of the run's thought. */
const redact = (key: string, thoughtId: string) =>
  Effect.flatMap(Memory.load(thoughtId), (thought) => Memory.redact(thought.note(key)!))

for (const [where, makeStore] of Object.entries(stores)) {
  describe(`a run ${where} that goes on after a redaction`, () => {
    it.effect("does not repeat an effect whose value was removed", () =>
      Effect.gen(function* () {
        const { within } = machineOn(yield* makeStore())
        const done: Array<string> = []
        const pays = (key: string) => Step.make(key, { run: () => Effect.sync(() => void done.push(key)) })
        const valued = Step.make("paid", { schema: Schema.Finite, run: () => Effect.sync(() => done.push("paid")) })
        const step = Pipeline.concurrent("all", { charge: pays("charge"), paid: valued, wait }) as Step.Any
        const { thoughtId } = yield* Effect.flip(within()(runOf(step, {}, Thought.make("work", notes))))
        assert.deepStrictEqual(done, ["charge", "paid"])
        yield* within()(redact("message", thoughtId))
        yield* Effect.flip(within()(resumeOf(step)))
        yield* within()(Pipeline.answer("run", "wait", "On"))
        const after = yield* within()(resumeOf(step))
        assert.deepStrictEqual(done, ["charge", "paid"])
        // what was derived from the note is not there, as where it had been stored
        assert.deepStrictEqual(
          Thought.notes(after).map(({ key }) => key),
          ["other", "wait"]
        )
      })
    )

    it.effect("keeps the note of such an effect, with its type, if the note was not redacted", () =>
      Effect.gen(function* () {
        const { within } = machineOn(yield* makeStore())
        const done: Array<string> = []
        const paid = Step.make("paid", {
          schema: Schema.Finite,
          run: Note.from(other, (text) => Effect.sync(() => done.push(text)))
        })
        const step = Pipeline.gen("all", function* () {
          const sum = yield* Pipeline.ask(paid)
          yield* Pipeline.ask(wait)
          yield* Pipeline.ask(Step.make("last", { schema: Schema.Finite, run: () => sum + 1 }))
        }) as Step.Any
        const { thoughtId } = yield* Effect.flip(within()(runOf(step, {}, Thought.make("work", notes))))
        yield* within()(redact("message", thoughtId))
        yield* Effect.flip(within()(resumeOf(step)))
        yield* within()(Pipeline.answer("run", "wait", "On"))
        const after = yield* within()(resumeOf(step))
        assert.deepStrictEqual(done, ["more"])
        assert.strictEqual(after.get("last"), 2)
      })
    )

    it.effect("asks again and stores the answer as a new note, once for each redaction", () =>
      Effect.gen(function* () {
        const { within, world } = machineOn(yield* makeStore())
        const load = Effect.flatMap(Memory.Memory, (memory) => memory.load(source.id))
        const source = yield* Thought.make("source", { one: "1", two: "2" })
        const step = Pipeline.gen("all", function* () {
          yield* Effect.orDie(load)
          yield* Pipeline.ask(asks("it"))
          yield* Pipeline.ask(wait)
        }) as Step.Any
        yield* within()(Memory.commit(source))
        const { thoughtId } = yield* Effect.flip(within()(runOf(step, {}, Thought.make("work", notes))))
        const asked: Array<number> = [world.requests.length]
        for (const key of ["one", "two"]) {
          yield* within()(redact(key, source.id))
          assert.isUndefined((yield* within()(Memory.load(thoughtId))).note("it"))
          for (const _ of [1, 2]) {
            yield* Effect.flip(within()(resumeOf(step)))
            asked.push(world.requests.length)
            assert.isDefined((yield* within()(Memory.load(thoughtId))).note("it"))
          }
        }
        assert.deepStrictEqual(asked, [1, 2, 2, 3, 3])
        yield* within()(Pipeline.answer("run", "wait", "On"))
        const after = yield* within()(resumeOf(step))
        assert.strictEqual(world.requests.length, 3)
        assert.deepStrictEqual(
          Thought.notes(after).map(({ key }) => key),
          ["message", "other", "it", "wait"]
        )
        // the question is shown with its answer
        assert.isTrue(after.session.length > 0)
      })
    )

    it.effect("searches again where the query was made of the note", () =>
      Effect.gen(function* () {
        for (const search of [Primitive.seek, Primitive.survey]) {
          const { within } = machineOn(yield* makeStore())
          const source = yield* Thought.make("source", { one: "first" })
          const query = Note.from(other, () =>
            Effect.map(Memory.load(source.id), (loaded) => loaded.note("one")?.content ?? "nothing")
          )
          const found = search("found", { query, limit: 1, excludeThoughts: [source.id] })
          const step = Step.retry(Pipeline.sequence("all", [found, wait])) as Step.Any
          yield* within()(Memory.commit(source))
          yield* Effect.flip(within()(runOf(step, {}, Thought.make("work", notes))))
          yield* within()(redact("one", source.id))
          assert.strictEqual((yield* Effect.flip(within()(resumeOf(step))))._tag, "Suspended")
        }
      })
    )

    it.effect("takes the same way, and repeats nothing on it", () =>
      Effect.gen(function* () {
        const ways: Readonly<Record<string, (done: Array<string>) => readonly [Step.Any, ReadonlyArray<string>]>> = {
          "a retry": (done) => [Step.retry(failing(done, "pay", 1), { times: 2 }), ["pay"]],
          "an alternative": (done) => [Step.recover(failing(done, "card"), failing(done, "invoice", 0)), ["invoice"]],
          "another one": (done) => [
            Pipeline.fallback("either", [failing(done, "card"), failing(done, "invoice", 0)]),
            ["invoice"]
          ],
          "an optional step": (done) => [Step.enrich(failing(done, "card")), []],
          "a condition": (done) => [
            Pipeline.filter("if", { when: (thought) => seen(thought) === 1, step: failing(done, "one", 0) }),
            ["one"]
          ],
          "a choice": (done) => [
            Pipeline.switch("which", {
              on: (thought: Thought.Thought<any>) => (seen(thought) === 1 ? "one" : "none"),
              branches: { one: failing(done, "one", 0) },
              default: failing(done, "none", 0)
            } as never) as Step.Any,
            ["one"]
          ],
          "a gate": (done) => [
            Pipeline.gate("pass", {
              check: (thought: Thought.Thought<any>) => (seen(thought) === 1 ? ("pass" as const) : ("skip" as const)),
              step: failing(done, "one", 0)
            }) as Step.Any,
            ["one"]
          ]
        }
        for (const [way, of] of Object.entries(ways)) {
          const { within } = machineOn(yield* makeStore())
          const done: Array<string> = []
          const [one, expected] = of(done)
          const step = Step.retry(Pipeline.sequence("all", [one, wait] as any) as Step.Any)
          const { thoughtId } = yield* Effect.flip(within()(runOf(step, {}, Thought.make("work", notes))))
          assert.deepStrictEqual(done, expected, way)
          yield* within()(redact("message", thoughtId))
          yield* Effect.flip(within()(resumeOf(step)))
          yield* within()(Pipeline.answer("run", "wait", "On"))
          const after = yield* within()(resumeOf(step))
          assert.deepStrictEqual([done, after.get("wait")], [expected, "On"], way)
        }
      })
    )

    it.effect("asks again only those steps of a generator whose notes are gone", () =>
      Effect.gen(function* () {
        const { within, world } = machineOn(yield* makeStore())
        const source = yield* Thought.make("source", { one: "1" })
        const step = Pipeline.gen("all", function* () {
          yield* Pipeline.ask(asks("before"))
          yield* Effect.orDie(Memory.load(source.id))
          yield* Pipeline.ask(asks("after"))
          yield* Pipeline.ask(wait)
        }) as Step.Any
        yield* within()(Memory.commit(source))
        yield* Effect.flip(within()(runOf(step, {}, Thought.make("work", notes))))
        yield* within()(redact("one", source.id))
        yield* Effect.flip(within()(resumeOf(step)))
        assert.strictEqual(world.requests.length, 3)
        assert.include(world.requests[2], "Is it after?")
        yield* within()(Pipeline.answer("run", "wait", "On"))
        const after = yield* within()(resumeOf(step))
        // completed: whatever is redacted later, it makes no calls
        yield* within()(redact("wait", after.id))
        assert.deepStrictEqual(Thought.notes(yield* within()(resumeOf(step))).length, after.length - 2)
        yield* within()(redact("message", after.id))
        const refused = yield* Effect.flip(within()(resumeOf(step)))
        assert.include(refused.message, `load its thought ${after.id} with Memory.load`)
        assert.strictEqual(world.requests.length, 3)
      })
    )

    it.effect("carries out an effect after a commit once, whatever is stored again", () =>
      Effect.gen(function* () {
        const { within } = machineOn(yield* makeStore())
        const done: Array<string> = []
        const step = Pipeline.gen("all", function* () {
          yield* Pipeline.ask(asks("it"))
          yield* Pipeline.ask(Step.enrich(Pipeline.sequence("rest", [once(done), asks("found")] as any) as Step.Any))
          yield* Pipeline.ask(wait)
        }) as Step.Any
        const { thoughtId } = yield* Effect.flip(within()(runOf(step, {}, Thought.make("work", notes))))
        assert.deepStrictEqual(done, ["once"])
        for (const key of ["found", "it", "other"]) {
          yield* within()(redact(key, thoughtId))
          yield* Effect.flip(within()(resumeOf(step)))
        }
        assert.deepStrictEqual(done, ["once"])
      })
    )

    it.effect("does not read a removed text from the value that it began with", () =>
      Effect.gen(function* () {
        const { within } = machineOn(yield* makeStore())
        const copy = Step.make("copy", { schema: Schema.String, run: Note.from(other, (text) => text) })
        const step = Pipeline.sequence("all", [wait, copy]) as Step.Any
        const begun = yield* within()(Effect.flatMap(Thought.make("work", notes), Memory.commit))
        const { thoughtId } = yield* Effect.flip(within()(runOf(step, {}, Effect.succeed(begun))))
        yield* within()(redact("other", thoughtId))
        yield* Effect.exit(within()(resumeOf(step)))
        yield* within()(Pipeline.answer("run", "wait", "On"))
        const again = yield* Effect.exit(within()(runOf(step, {}, Effect.succeed(begun))))
        assert.include(String(again), "NoteNotFound")
        assert.isUndefined((yield* within()(Memory.load(thoughtId))).note("copy"))
      })
    )

    it.effect("asks a question of a generator again, and goes on after later steps", () =>
      Effect.gen(function* () {
        const { within } = machineOn(yield* makeStore())
        const first = Pipeline.waitFor("first", { schema: Schema.String, prompt: "Who?" })
        const generated = Pipeline.gen("generated", function* () {
          yield* Pipeline.ask(first)
        })
        const step = Pipeline.sequence("all", [generated, asks("it"), wait] as any) as Step.Any
        const { thoughtId } = yield* Effect.flip(within()(runOf(step, {}, Thought.make("work", notes))))
        yield* within()(Pipeline.answer("run", "first", "Ann"))
        yield* Effect.flip(within()(resumeOf(step)))
        yield* within()(redact("first", thoughtId))
        yield* Effect.flip(within()(resumeOf(step)))
        yield* within()(Pipeline.answer("run", "first", "Bob"))
        yield* Effect.flip(within()(resumeOf(step)))
        yield* within()(Pipeline.answer("run", "wait", "On"))
        const after = yield* within()(resumeOf(step))
        assert.deepStrictEqual([after.get("first"), after.get("wait")], ["Bob", "On"])
      })
    )

    it.effect("makes a failed call again, after it has waited once more", () =>
      Effect.gen(function* () {
        const { within } = machineOn(yield* makeStore())
        const done: Array<string> = []
        const first = Pipeline.waitFor("first", { schema: Schema.String, prompt: "Who?" })
        const generated = Pipeline.gen("generated", function* () {
          yield* Pipeline.ask(first)
        })
        const step = Pipeline.sequence("all", [generated, failing(done, "pay", 1)] as any) as Step.Any
        const { thoughtId } = yield* Effect.flip(within()(runOf(step, {}, Thought.make("work", notes))))
        yield* within()(Pipeline.answer("run", "first", "Ann"))
        assert.strictEqual((yield* Effect.flip(within()(resumeOf(step))))._tag, "PipelineError")
        yield* within()(redact("first", thoughtId))
        yield* Effect.flip(within()(resumeOf(step)))
        yield* within()(Pipeline.answer("run", "first", "Bob"))
        assert.strictEqual((yield* within()(resumeOf(step))).get("first"), "Bob")
        assert.deepStrictEqual(done, ["pay"])
      })
    )

    it.effect("keeps notes that were made again before later steps, however often it is resumed", () =>
      Effect.gen(function* () {
        const { within, world } = machineOn(yield* makeStore())
        const source = yield* Thought.make("source", { one: "1" })
        const done: Array<string> = []
        const generated = Pipeline.gen("generated", function* () {
          yield* Effect.orDie(Memory.load(source.id))
          yield* Pipeline.ask(asks("it"))
        })
        let decided = 0
        const later = Step.enrich(
          Pipeline.filter("if", {
            when: () => Effect.sync(() => decided++ === 0),
            step: Step.make("later", {
              schema: Schema.Finite,
              run: Note.from(other, () => Effect.sync(() => done.push("later")))
            })
          }) as Step.Any
        )
        const step = Pipeline.sequence("all", [generated, later, wait] as any) as Step.Any
        yield* within()(Memory.commit(source))
        yield* Effect.flip(within()(runOf(step, {}, Thought.make("work", notes))))
        yield* within()(redact("one", source.id))
        for (const _ of [1, 2, 3]) yield* Effect.flip(within()(resumeOf(step)))
        yield* within()(Pipeline.answer("run", "wait", "On"))
        for (const _ of [1, 2]) {
          const after = yield* within()(resumeOf(step))
          assert.sameMembers(
            Thought.notes(after).map(({ key }) => key),
            ["message", "other", "it", "later", "wait"]
          )
        }
        assert.deepStrictEqual([done, decided, world.requests.length], [["later"], 1, 2])
      })
    )

    it.effect("says where its notes are, if it is completed and a redaction has taken its answers alone", () =>
      Effect.gen(function* () {
        const { within } = machineOn(yield* makeStore())
        const made = Step.make("made", { schema: Schema.Finite, run: () => 1 })
        const generated = Pipeline.gen("generated", function* () {
          yield* Pipeline.ask(Step.make("asked", { schema: Schema.Finite, run: () => 2 }))
        })
        const step = Step.retry(Pipeline.sequence("all", [made, generated] as any) as Step.Any) as Step.Any
        const { id } = yield* within()(runOf(step, {}, Thought.make("work", notes)))
        assert.strictEqual((yield* within()(resumeOf(step))).get("asked"), 2)
        yield* within()(Memory.append(id, [{ key: "later", content: "more" }]))
        yield* within()(redact("later", id))
        const refused = yield* Effect.flip(within()(resumeOf(step)))
        assert.include(refused.message, `load its thought ${id} with Memory.load`)
      })
    )

    it.effect("says that its code has changed, if it is completed and nothing was redacted", () =>
      Effect.gen(function* () {
        const { within } = machineOn(yield* makeStore())
        let key = "asked"
        const generated = Pipeline.gen("generated", function* () {
          yield* Pipeline.ask(asks(key))
        })
        // the types of its notes are known only once it is executed again, and the answer before it is no longer needed
        const step = Pipeline.sequence("all", [asks("before"), Step.retry(generated as Step.Any)] as any) as Step.Any
        yield* within()(runOf(step, {}, Thought.make("work", notes)))
        assert.isDefined((yield* within()(resumeOf(step))).note("asked"))
        key = "other"
        const refused = yield* Effect.flip(within()(resumeOf(step)))
        assert.instanceOf(refused, Pipeline.ReplayMismatch)
      })
    )

    it.effect("goes on in a branch that has failed, whose question was asked again in an earlier process", () =>
      Effect.gen(function* () {
        const source = yield* Thought.make("source", { one: "1" })
        const first = Pipeline.waitFor("first", { schema: Schema.String, prompt: "Who?" })
        const named = Note.handle("first", Schema.String)
        const second = Pipeline.waitFor("second", {
          schema: Schema.String,
          prompt: Note.prompt`Is it ${named}?`
        })
        const branches: Readonly<Record<string, ReadonlyArray<Step.Any>>> = {
          "an effect follows": [first, failing([], "card")],
          "a call of the model follows": [first, asks("it", "Who is it?"), failing([], "card")],
          "a question follows that shows the answer": [first, second, failing([], "card")]
        }
        for (const [name, steps] of Object.entries(branches)) {
          const { within, world } = machineOn(yield* makeStore())
          const loads = Step.make("loads", {
            schema: Schema.Finite,
            run: () => Effect.map(Memory.load(source.id), ({ length }) => length)
          })
          const step = Pipeline.fallback("either", [
            Pipeline.sequence("one", steps as any) as Step.Any,
            Pipeline.sequence("other way", [loads, wait] as any) as Step.Any
          ]) as Step.Any
          yield* within()(Memory.commit(source))
          yield* Effect.flip(within()(runOf(step, {}, Thought.make("work", notes))))
          const answerAll = (value: string) =>
            Effect.gen(function* () {
              for (const key of ["first", ...(steps.includes(second) ? ["second"] : [])]) {
                yield* within()(Pipeline.answer("run", key, value))
                const { _tag } = yield* Effect.flip(within()(resumeOf(step)))
                assert.strictEqual(_tag, "Suspended", name)
              }
            })
          yield* answerAll("Ann")
          yield* within()(redact("one", source.id))
          yield* Effect.flip(within()(resumeOf(step)))
          yield* answerAll("Bob")
          yield* within()(Pipeline.answer("run", "wait", "On"))
          const after = yield* within()(resumeOf(step))
          assert.deepStrictEqual([after.note("first"), after.get("wait")], [undefined, "On"], name)
          assert.strictEqual(world.requests.length, name.includes("model") ? 2 : 0, name)
        }
      })
    )
  })
}
