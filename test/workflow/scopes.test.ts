/** What a runner finds on its own: in several scopes, among many runs, and after outages. */
import { NodeCrypto } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { WorkflowEngine } from "effect/workflow"
import { setImmediate } from "node:timers/promises"
import { Memory, Pipeline, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { CogitoWorkflow } from "cogito/workflow"
import { causesOf, decode, encode } from "../../src/workflow/failure.ts"
import { type Watched, watch } from "../../src/workflow/watching.ts"
import { soon } from "../soon.ts"

const engine = Layer.provideMerge(WorkflowEngine.layerMemory, NodeCrypto.layerDigest)
const begun = Thought.make("order", { message: "order 17" })
const asked = <const K extends string>(key: K) =>
  Pipeline.waitFor(key, { schema: Schema.Finite, prompt: `How much for ${key}?` })

type Ledger = Memory.Memory["Service"]["ledger"]

/** The memory, with some operations of its ledger replaced. */
const changed = (changes: (ledger: Ledger) => Partial<Ledger>) =>
  Layer.effect(
    Memory.Memory,
    Effect.map(Memory.Memory, (memory) => ({ ...memory, ledger: { ...memory.ledger, ...changes(memory.ledger) } }))
  ).pipe(Layer.provide(Testing.memory))

/** Advances the clock second by second until the run has this status. */
const reached = (runId: string, status: string) =>
  soon(`the run ${runId} is ${status}`)(
    Effect.gen(function* () {
      const { ledger } = yield* Memory.Memory
      while ((yield* ledger.load(runId))?.run.status !== status) {
        yield* TestClock.adjust("1 second")
        yield* Effect.promise(() => setImmediate())
      }
    })
  )

describe("runs of one id in several scopes", () => {
  it.effect("are separate workflows, each woken by its own answer, through the cluster or without it", () =>
    Effect.gen(function* () {
      const flow = CogitoWorkflow.make(asked("amount"), { scopes: ["one", "two"], poll: "5 seconds" })
      const scopes = ["one", "two"] as const
      yield* Effect.gen(function* () {
        for (const scope of scopes) {
          const own = Memory.withScope(scope)
          yield* own(Effect.flatMap(begun, (thought) => flow.start(thought, { id: "pay" })))
          yield* own(reached("pay", "waiting"))
        }
        // the first one without the cluster
        yield* Memory.withScope("one")(Pipeline.answer("pay", "amount", 1))
        yield* Memory.withScope("one")(reached("pay", "completed"))
        const { ledger } = yield* Memory.Memory
        assert.strictEqual((yield* Memory.withScope("two")(ledger.load("pay")))?.run.status, "waiting")
        yield* Memory.withScope("two")(flow.answer("pay", "amount", 2))
        yield* Memory.withScope("two")(reached("pay", "completed"))
        const values = yield* Effect.forEach(scopes, (scope) =>
          Effect.map(Memory.withScope(scope)(Pipeline.resume(asked("amount"), "pay")), (done) => done.get("amount"))
        )
        assert.deepStrictEqual(values, [1, 2])
      }).pipe(Effect.provide(Layer.provideMerge(flow.layer, Layer.merge(engine, Testing.memory))))
    })
  )
})

describe("an answer to a question", () => {
  it.effect("wakes its run at once, whether it names the key or the frame of the question", () =>
    Effect.gen(function* () {
      const flow = CogitoWorkflow.make(Pipeline.sequence("all", [asked("a"), asked("b")]), { poll: "365 days" })
      yield* Effect.gen(function* () {
        yield* Effect.flatMap(begun, (thought) => flow.start(thought, { id: "pay" }))
        for (const [key, value] of [
          ["a", 1],
          ["/all/b", 2]
        ] as const) {
          yield* reached("pay", "waiting")
          yield* soon("the question")(
            Effect.repeat(
              Effect.andThen(
                Effect.promise(() => setImmediate()),
                Pipeline.waiting()
              ),
              {
                until: ([one]) => one?.frame === `/all/${key.slice(-1)}`
              }
            )
          )
          yield* flow.answer("pay", key, value)
        }
        yield* reached("pay", "completed")
        assert.isBelow(yield* Clock.currentTimeMillis, 60_000)
      }).pipe(Effect.provide(Layer.provideMerge(flow.layer, Layer.merge(engine, Testing.memory))))
    })
  )
})

describe("runs that are due", () => {
  it.effect("are all found, however many there are, including those that have not begun", () =>
    Effect.gen(function* () {
      const row = (i: number) => ({
        id: `run ${i}`,
        pipeline: "pay",
        status: i % 2 === 0 ? "pending" : "waiting",
        parent: undefined,
        createdMillis: i
      })
      const rows = Array.from({ length: 1_203 }, (_, i) => row(i))
      const queries: Array<unknown> = []
      const memory = changed(() => ({
        runs: ({ after, limit, status }) =>
          Effect.sync(() => {
            queries.push([after?.id, limit, status])
            const from = after === undefined ? 0 : rows.findIndex(({ id }) => id === after.id) + 1
            return rows.slice(from, from + (limit ?? 0)) as never
          })
      }))
      const done: Record<string, Array<string>> = { started: [], resumed: [] }
      const told = (what: string) => (id: string) => Effect.sync(() => void done[what]!.push(id))
      const watched: Watched = {
        workflow: {} as never,
        pipeline: "pay",
        executionId: (id) => Effect.succeed(id),
        start: told("started"),
        resume: told("resumed")
      }
      const fiber = yield* Effect.forkChild(Effect.provide(watch(watched, "5 seconds"), Layer.merge(engine, memory)))
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.interrupt(fiber)
      const status = ["pending", "waiting"]
      assert.deepStrictEqual(queries, [
        [undefined, 500, status],
        ["run 499", 500, status],
        ["run 999", 500, status]
      ])
      assert.deepStrictEqual([done["started"]?.length, done["resumed"]?.length], [602, 601])
    })
  )
})

describe("a memory that does not answer", () => {
  it.effect("is retried as often again after each question of its run", () =>
    Effect.gen(function* () {
      const down = new Memory.MemoryError({ reason: { _tag: "Connection", message: "down" } })
      let [outages, isFirst] = [10, true]
      const memory = Layer.effect(
        Memory.Memory,
        Effect.map(Memory.Memory, (memory) => {
          const { ledger } = memory
          return {
            ...memory,
            ledger: {
              ...ledger,
              claim: (...args: Parameters<typeof ledger.claim>) =>
                Effect.suspend(() => (outages-- > 0 ? Effect.fail(down) : ledger.claim(...args))),
              // the question is answered just before the run waits for it, and then the memory fails again
              waits: (query: Parameters<typeof ledger.waits>[0]) =>
                Effect.suspend(() => {
                  if (!isFirst) return ledger.waits(query)
                  isFirst = false
                  outages = 10
                  const answered = Effect.provideService(Pipeline.answer("pay", "amount", 1), Memory.Memory, memory)
                  return Effect.andThen(Effect.orDie(answered), ledger.waits(query))
                })
            }
          }
        })
      ).pipe(Layer.provide(Testing.memory))
      const flow = CogitoWorkflow.make(asked("amount"), { poll: "365 days" })
      yield* Effect.gen(function* () {
        yield* Effect.flatMap(begun, (thought) => flow.start(thought, { id: "pay" }))
        yield* reached("pay", "completed")
      }).pipe(Effect.provide(Layer.provideMerge(flow.layer, Layer.merge(engine, memory))))
    })
  )
})

describe("the failure of a workflow", () => {
  it("is small enough to be stored, however many failures came before it", () => {
    const failure = (i: number): Pipeline.Failure => ({
      path: ["all", `step ${i}`],
      cause: new Error(`failure ${i}`),
      durationMillis: i,
      before: [],
      beside: []
    })
    const many = Array.from({ length: 5_000 }, (_, i) => failure(i))
    const error = new Pipeline.PipelineError({ ...failure(0), before: many, beside: many, thought: undefined })
    const causes = causesOf(undefined)
    const encoded = encode(error, causes)
    assert.isBelow(JSON.stringify(encoded).length, 100_000)
    const read = decode(encoded, causes)
    assert.ok(read._tag === "PipelineError")
    assert.deepStrictEqual(read.path, ["all", "step 0"])
    assert.strictEqual(String(read.before[0]?.cause), "Error: failure 0")
    assert.strictEqual(String(read.before.at(-1)?.cause), "FailuresLeftOut: 4900 more failures")
  })
})
