import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer } from "effect"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Pipeline, Primitive, Provider, Step, Store, Memory, Thought } from "cogito"
import { type Going, machine, runOf, start } from "./machine.ts"
import { at } from "./process.ts"
import { asks } from "./scenarios/parts.ts"

const kept = { keep: "answers" } as const
const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "cogito-fixture-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** Runs a step plainly, with the answers of a file. */
const replayed = (
  step: Step.Any,
  path: string,
  options: NonNullable<Parameters<typeof Provider.replay>[1]> = {}
): Effect.Effect<any> => {
  const memory = Layer.effect(
    Memory.Memory,
    Effect.flatMap(Store.makeInMemory, (store) => Memory.make({ store, scope: "local", embedder: "none" }))
  )
  const services = Layer.merge(Provider.replay(path, options), memory)
  return Effect.exit(
    Effect.provide(Effect.flatMap(start, (thought) => Pipeline.run(step, thought)) as Going, services)
  ) as Effect.Effect<any>
}

const contents = (thought: Thought.Thought<any>) => Thought.notes(thought).map(({ content, key }) => [key, content])

describe("a fixture of a run", () => {
  it.effect("replays in a plain run, with native decisions, branches and failures", () =>
    Effect.gen(function* () {
      const { within } = yield* machine
      const path = join(yield* folder, "run.json")
      const step = Pipeline.sequence("all", [
        asks("text"),
        Primitive.decide("native", { question: "Is it so?" }),
        Step.recover(asks("bad", "(fails)"), asks("instead")),
        Pipeline.concurrent("two", { a: asks("a"), b: asks("b", "(fails)") }, { minSuccesses: 1 })
      ]) as Step.Any
      const done = yield* within()(runOf(step, kept))
      yield* within()(Pipeline.toFixture("run", path))
      const exit = yield* replayed(step, path)
      if (Exit.isFailure(exit)) throw new Error(String(exit))
      assert.deepStrictEqual(contents(exit.value as Thought.Thought<any>), contents(done))
    }).pipe(Effect.scoped)
  )

  it.effect("of a run that was resumed, and that failed, fails as the run did", () =>
    Effect.gen(function* () {
      const { crashing, within, world } = yield* machine
      const path = join(yield* folder, "run.json")
      const step = Pipeline.sequence("all", [asks("a"), asks("b"), asks("c", "(fails)")]) as Step.Any
      yield* crashing(at("after", "call", 2))(runOf(step, kept))
      const error = yield* Effect.flip(within()(runOf(step)))
      yield* within()(Pipeline.toFixture("run", path))
      const exit = yield* replayed(step, path)
      const failure = Exit.isFailure(exit) ? (Cause.squash(exit.cause) as any) : assert.fail("it has not failed")
      assert.deepStrictEqual(failure.path, ["all", "c"])
      assert.deepStrictEqual(failure.cause.reason, error.cause.reason)
      assert.strictEqual(failure.cause.reason._tag, "Overloaded")
      assert.strictEqual(world.requests.length, 4)
    }).pipe(Effect.scoped)
  )

  it.effect("names the requested model, or no model if no request was sent", () =>
    Effect.gen(function* () {
      const { within } = yield* machine
      const path = join(yield* folder, "run.json")
      const native = Primitive.decide("native", { question: "Is it so?" })
      const aboutOf = (step: Step.Any, id: string) =>
        Effect.gen(function* () {
          yield* within()(runOf(step, { id, ...kept }))
          yield* within()(Pipeline.toFixture(id, path))
          const { calls, capabilities, decides, model, provider } = JSON.parse(readFileSync(path, "utf8"))
          return { provider, model, decides, tools: capabilities.tools, calls: calls.length }
        })
      const asked = { provider: "scripted", model: "script", tools: false }
      assert.deepStrictEqual(yield* aboutOf(asks("a"), "text"), { ...asked, decides: false, calls: 1 })
      assert.deepStrictEqual(yield* aboutOf(native, "native"), { ...asked, decides: true, calls: 1 })
      const quiet = Step.make("quiet", { run: () => {} })
      const none = { provider: "none", model: "none", decides: false, tools: false, calls: 0 }
      assert.deepStrictEqual(yield* aboutOf(quiet, "none"), none)
      yield* within()(runOf(quiet, { id: "not kept" }))
      const error = yield* Effect.flip(within()(Pipeline.toFixture("not kept", path)))
      assert.deepInclude(error, { _tag: "AnswersNotKept", runId: "not kept" })
    }).pipe(Effect.scoped)
  )

  it.effect("replaces texts before they are written", () =>
    Effect.gen(function* () {
      const { within } = yield* machine
      const path = join(yield* folder, "run.json")
      const step = Pipeline.sequence("all", [asks("a"), asks("b")]) as Step.Any
      const redact = (text: string) => text.replaceAll("Hello", "[message]").replaceAll("Is it b?", "[question]")
      const done = yield* within()(runOf(step, kept))
      yield* within()(Pipeline.toFixture("run", path, { redact }))
      const text = readFileSync(path, "utf8")
      assert.notInclude(text, "Hello")
      assert.notInclude(text, "Is it b?")
      assert.include(text, "[message]")
      const exit = yield* replayed(step, path, { redact })
      if (Exit.isFailure(exit)) throw new Error(String(exit))
      assert.deepStrictEqual(
        contents(exit.value as Thought.Thought<any>),
        contents(done).map(([key, content]) => [key, key === "message" ? content : redact(content!)])
      )
    }).pipe(Effect.scoped)
  )

  it.effect("fails if its file cannot be written", () =>
    Effect.gen(function* () {
      const { within } = yield* machine
      const path = yield* folder
      yield* within()(runOf(asks("a") as Step.Any, kept))
      // a folder, and a file within a file
      writeFileSync(join(path, "file"), "")
      for (const taken of [path, join(path, "file", "run.json")]) {
        const error = yield* Effect.flip(within()(Pipeline.toFixture("run", taken)))
        assert.strictEqual(error._tag, "ProviderError")
        assert.include(error.message, taken)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("needs answers that were kept, and are there", () =>
    Effect.gen(function* () {
      const { within } = yield* machine
      const path = join(yield* folder, "run.json")
      const step = asks("a")
      yield* within()(runOf(step as Step.Any))
      const error = yield* Effect.flip(within()(Pipeline.toFixture("run", path)))
      assert.deepInclude(error, { _tag: "AnswersNotKept", runId: "run" })
      yield* within()(runOf(step as Step.Any, { id: "kept", ...kept }))
      const [message] = yield* within()(
        Effect.gen(function* () {
          const run = (yield* Pipeline.runs()).find(({ id }) => id === "kept")
          return Thought.notes(yield* Memory.load(run!.start.thoughtId))
        })
      )
      yield* within()(Memory.redact(message!))
      const gone = yield* Effect.flip(within()(Pipeline.toFixture("kept", path)))
      assert.deepInclude(gone, { _tag: "AnswersNotKept", runId: "kept" })
      const none = yield* Effect.flip(within()(Pipeline.toFixture("no such run", path)))
      assert.ok(none._tag === "MemoryError" && none.reason._tag === "NotFound")
    }).pipe(Effect.scoped)
  )

  it.effect.each([
    ["a place below a file", "file/run.json"],
    ["a folder", "."]
  ])("cannot be written to %s", ([, name]) =>
    Effect.gen(function* () {
      const { within } = yield* machine
      const own = yield* folder
      writeFileSync(join(own, "file"), "")
      const path = join(own, name!)
      yield* within()(runOf(asks("a") as Step.Any, kept))
      const error = yield* Effect.flip(within()(Pipeline.toFixture("run", path)))
      assert.strictEqual(error._tag, "ProviderError", String(error))
      assert.include(error.message, path)
    }).pipe(Effect.scoped)
  )
})
