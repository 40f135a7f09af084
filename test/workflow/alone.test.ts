/** Durable runs on an engine in this process, without a server. */
import { NodeCrypto } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, type Fiber, Layer, Schema, Scope } from "effect"
import { TestClock } from "effect/testing"
import { WorkflowEngine } from "effect/workflow"
import { setImmediate } from "node:timers/promises"
import { Memory, Pipeline, Primitive, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { CogitoWorkflow } from "cogito/workflow"
import { soon } from "../soon.ts"

class Broken extends Schema.TaggedError<Broken>()("Broken", { part: Schema.Finite }) {}

const engine = Layer.provideMerge(WorkflowEngine.layerMemory, NodeCrypto.layerDigest)
const yes = { decision: true, confidence: 0.9, reasoning: ["It is fine."] }
const begun = Thought.make("order", { message: "order 17" })

/** Lets the clock go on until something is there. */
const until = <A, E, R>(what: string, look: Effect.Effect<A | undefined, E, R>) =>
  soon(what)(
    Effect.gen(function* () {
      for (;;) {
        const found = yield* look
        if (found !== undefined) return found
        yield* TestClock.adjust("1 second")
        yield* Effect.promise(() => setImmediate())
      }
    })
  )
const ended = <A, E>(fiber: Fiber.Fiber<A, E>) =>
  Effect.flatten(
    until(
      "the end of the workflow",
      Effect.sync(() => fiber.pollUnsafe())
    )
  )

type Ledger = Memory.Memory["Service"]["ledger"]
type Within = <A, E>(effect: Effect.Effect<A, E, Memory.Memory>) => Effect.Effect<A, E>

/** The memory, with some operations of its ledger replaced. */
const changed = (changes: (ledger: Ledger, within: Within) => Partial<Ledger>) =>
  Layer.effect(
    Memory.Memory,
    Effect.map(Memory.Memory, (memory) => {
      const within: Within = Effect.provideService(Memory.Memory, memory)
      return { ...memory, ledger: { ...memory.ledger, ...changes(memory.ledger, within) } }
    })
  ).pipe(Layer.provide(Testing.memory))

describe("a workflow on an engine in memory", () => {
  it.effect("fails with every cause of its run, those before and beside the last one too", () =>
    Effect.gen(function* () {
      const breaks = (key: string, part: number) =>
        Step.make(key, { schema: Schema.String, run: () => Effect.fail(new Broken({ part })) })
      const ship = Step.retry(breaks("ship", 1), { times: 1 })
      const step = Pipeline.concurrent("both", { ship, pay: breaks("pay", 2) }, { minSuccesses: 2 })
      const both = CogitoWorkflow.make(step, { errors: Broken })
      const running = Effect.flatMap(begun, (thought) => both.execute(thought, { id: "both-1" }))
      const error = yield* Effect.flip(Effect.provide(running, both.layer))
      assert.ok(error._tag === "PipelineError", error._tag)
      const [first, second] = error.beside
      for (const [failure, part] of [
        [first, 1],
        [first?.before[0], 1],
        [second, 2]
      ] as const) {
        assert.ok(failure?.cause instanceof Broken)
        assert.strictEqual(failure.cause.part, part)
      }
    }).pipe(Effect.provide(Layer.provideMerge(engine, Testing.memory)))
  )

  const fine = Primitive.decide("fine", { question: "Is it fine?" })

  it.effect("goes on with its run after another process has taken it meanwhile, and left it", () =>
    Effect.gen(function* () {
      const { ledger } = yield* Memory.Memory
      const model = Testing.scripted([
        Effect.as(Effect.orDie(ledger.claim("fine-1", { owner: "another", millis: 2000, seize: true })), yes),
        yes
      ])
      const flow = CogitoWorkflow.make(fine)
      const running = Effect.flatMap(begun, (thought) => flow.execute(thought, { id: "fine-1" }))
      const done = yield* Effect.gen(function* () {
        return yield* ended(yield* Effect.forkChild(running))
      }).pipe(Effect.provide(Layer.provideMerge(flow.layer, model.layer)))
      assert.isTrue(done.get("fine").decision)
      assert.lengthOf(model.requests, 2)
    }).pipe(Effect.provide(Layer.provideMerge(engine, Testing.memory)))
  )

  it.effect("keeps the answers of its models if its options say so, and what to do with interrupted calls", () =>
    Effect.gen(function* () {
      const { ledger } = yield* Memory.Memory
      const model = Testing.scripted(() => yes)
      for (const [id, options] of [
        ["plain", {}],
        ["kept", { keep: "answers", onInterrupted: "fail" }]
      ] as const) {
        const flow = CogitoWorkflow.make(fine, { ...options, name: id })
        yield* Effect.gen(function* () {
          yield* ended(yield* Effect.forkChild(Effect.flatMap(begun, (thought) => flow.execute(thought, { id }))))
          const stored = yield* ledger.load(id)
          assert.deepStrictEqual(
            [stored?.run.keep, stored?.run.onInterrupted],
            [options.keep ?? "nothing", options.onInterrupted]
          )
          assert.deepStrictEqual(
            stored?.calls.map(({ response }) => response !== undefined),
            [options.keep === "answers"]
          )
          // a rerun repeats what was kept
          const again = yield* Effect.exit(Pipeline.rerun(fine, id))
          assert.strictEqual(Exit.isSuccess(again), options.keep === "answers")
        }).pipe(Effect.provide(Layer.provideMerge(flow.layer, model.layer)))
      }
      assert.lengthOf(model.requests, 2)
    }).pipe(Effect.provide(Layer.provideMerge(engine, Testing.memory)))
  )

  const outages: ReadonlyArray<readonly [string, number, Memory.MemoryError["reason"], boolean]> = [
    ["ten times", 10, { _tag: "Connection", message: "down" }, true],
    ["ten times in time", 10, { _tag: "Timeout", message: "late" }, true],
    ["eleven times", 11, { _tag: "Connection", message: "down" }, false],
    ["for good", 1, { _tag: "Connection", message: "closed", retryable: false }, false],
    ["with a fault", 1, { _tag: "Query", message: "no such table" }, false]
  ]
  it.effect.each(outages)("goes on or fails when the memory does not answer: %s", ([, times, reason, completes]) =>
    Effect.gen(function* () {
      let left = times
      const memory = changed((ledger) => ({
        claim: (...args) => (left-- > 0 ? Effect.fail(new Memory.MemoryError({ reason })) : ledger.claim(...args))
      }))
      const flow = CogitoWorkflow.make(fine)
      const running = Effect.flatMap(begun, (thought) => flow.execute(thought, { id: "fine-2" }))
      const services = Layer.provideMerge(flow.layer, Layer.mergeAll(engine, memory, Testing.scripted([yes]).layer))
      const exit = yield* Effect.gen(function* () {
        return yield* Effect.exit(ended(yield* Effect.forkChild(running)))
      }).pipe(Effect.provide(services))
      assert.strictEqual(Exit.isSuccess(exit), completes)
      assert.strictEqual(left, completes ? -1 : 0)
    })
  )

  it.effect("goes on at once if one of two questions is answered just before it waits", () =>
    Effect.gen(function* () {
      let claims = 0
      let looks = 0
      const memory = changed((ledger, within) => ({
        claim: (...args) =>
          Effect.andThen(
            Effect.sync(() => claims++),
            ledger.claim(...args)
          ),
        waits: (query) =>
          looks++ === 0
            ? Effect.andThen(Effect.orDie(within(Pipeline.answer("both-2", "a", 1))), ledger.waits(query))
            : ledger.waits(query)
      }))
      const amount = <const K extends string>(key: K) =>
        Pipeline.waitFor(key, { schema: Schema.Finite, prompt: "How much?" })
      const step = Pipeline.concurrent("both", [amount("a"), amount("b")])
      const flow = CogitoWorkflow.make(step, { poll: "365 days" })
      yield* Effect.gen(function* () {
        const running = yield* Effect.forkChild(
          Effect.flatMap(begun, (thought) => flow.execute(thought, { id: "both-2" }))
        )
        yield* until(
          "it goes on",
          Effect.sync(() => (claims > 1 ? true : undefined))
        )
        yield* flow.answer("both-2", "b", 2)
        const done = yield* ended(running)
        assert.deepStrictEqual([done.get("a"), done.get("b")], [1, 2])
      }).pipe(Effect.provide(Layer.provideMerge(flow.layer, Layer.merge(engine, memory))))
    })
  )

  it.effect("starts runs of its pipeline, but not background runs of other runs", () =>
    Effect.gen(function* () {
      const loaded = new Set<string>()
      const row = { pipeline: fine.name, status: "pending", parent: undefined }
      const rows = [
        { ...row, id: "own" },
        { ...row, id: "behind", parent: { runId: "other", frame: "/later" } },
        { ...row, id: "other", pipeline: "other" },
        { ...row, id: "also own" }
      ]
      const memory = changed((ledger) => ({
        runs: ({ dueMillis }) => Effect.succeed(dueMillis === undefined ? [] : (rows as never)),
        load: (id) => Effect.suspend(() => ledger.load((loaded.add(id), id)))
      }))
      const flow = CogitoWorkflow.make(fine, { poll: "10 seconds" })
      const services = Layer.provide(flow.layer, Layer.mergeAll(engine, memory, Testing.scripted([]).layer))
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Layer.build(services)
          yield* TestClock.adjust("10 seconds")
          yield* until(
            "the last run is looked at",
            Effect.sync(() => loaded.has("also own") || undefined)
          )
        })
      )
      assert.deepStrictEqual([...loaded], ["own", "also own"])
    })
  )

  it.effect("looks into the ledger again and again, also after a failure, until its layer is released", () =>
    Effect.gen(function* () {
      let looks = 0
      const down = new Memory.MemoryError({ reason: { _tag: "Connection", message: "down" } })
      const memory = changed((ledger) => ({
        runs: (query) => (query.dueMillis !== undefined && looks++ === 0 ? Effect.fail(down) : ledger.runs(query))
      }))
      const flow = CogitoWorkflow.make(fine, { poll: "10 seconds" })
      const scope = yield* Scope.make()
      const services = Layer.provide(flow.layer, Layer.mergeAll(engine, memory, Testing.scripted([]).layer))
      yield* Layer.buildWithScope(services, scope)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(looks, 6)
      yield* Scope.close(scope, Exit.void)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(looks, 6)
    })
  )
})
