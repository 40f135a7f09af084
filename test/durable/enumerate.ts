/** Runs a scenario with a crash at each of its boundaries, resumes it in another process, and compares. */
import { assert } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { TestClock } from "effect/testing"
import { setImmediate } from "node:timers/promises"
import { Memory, Pipeline, type Step, Store, Thought } from "cogito"
import { compile, read } from "../../src/synapse/form.ts"
import { Process } from "./process.ts"
import { ended, plain, stored, withoutIds } from "./seen.ts"
import { World } from "./world.ts"

/** A step as the code of a process makes it. */
export type Making = (process: Process, world: World) => Step.Any

export interface Scenario {
  readonly step: Making
  /** What is asked of people, with the answers. A question without one runs into its limit. */
  readonly answers?: Readonly<Record<string, unknown>>
  /** How many calls it makes again after its end, as it has failed. */
  readonly repeats?: number
  /** Whether it fails in the end. */
  readonly fails?: boolean
  /** What the memory has before. */
  readonly before?: Effect.Effect<unknown, unknown, Memory.Memory>
}

/** Where runs are stored: gives a new, empty store. */
export type MakeStore = Effect.Effect<Store.Store, Memory.MemoryError>

const id = "run"

// the first malformed answer loads its reader, in real time: that must not happen while the test sets the clock
await Effect.runPromiseExit(
  read(
    compile("none", Schema.Struct({}), (value) => value),
    "none",
    "lenient"
  )
)

/** Runs the scenario to its end, from its beginning or from where others have left it. */
const toTheEnd = ({ answers = {}, step: making }: Scenario, process: Process, world: World) =>
  Effect.gen(function* () {
    const { ledger } = yield* Memory.Memory
    const step = making(process, world)
    const start = yield* Thought.make("work", { message: "Hello" })
    const known = yield* ledger.load(id)
    let going = known === undefined ? Pipeline.run(step, start, { durable: { id } }) : Pipeline.resume(step, id)
    for (;;) {
      const exit = yield* Effect.exit(going)
      const waits = suspendedOn(exit)
      if (waits === undefined) {
        // the background of processes that have ended
        yield* Pipeline.resumeAll([step])
        return exit
      }
      let answered = 0
      for (const { frame, key } of waits) {
        if (!(key in answers)) continue
        yield* Pipeline.answer(id, frame, answers[key], { by: "jane" })
        answered++
      }
      if (answered === 0) yield* Effect.sleep("1 hour")
      going = Pipeline.resume(step, id)
    }
  }).pipe(Effect.provide(Pipeline.supervisor())) as Effect.Effect<Exit.Exit<Thought.Thought<any>, unknown>, unknown>

const suspendedOn = (exit: Exit.Exit<unknown, unknown>): Pipeline.Suspended["waits"] | undefined => {
  const reason = Exit.isFailure(exit) ? exit.cause.reasons.find(Cause.isFailReason) : undefined
  return reason?.error instanceof Pipeline.Suspended ? reason.error.waits : undefined
}

/** Waits until the process has ended or died, and lets the clock go on whenever nothing happens. */
const driven = <A, E>(process: Process, effect: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkDetach(effect)
    for (let ticks = 0; ticks < 400; ticks++) {
      for (let still = 0; still < 3; still = process.busy > 0 ? 0 : still + 1) {
        yield* Effect.promise(() => setImmediate())
        if (process.isDead) return undefined
        const exit = fiber.pollUnsafe()
        if (exit !== undefined) return yield* exit
      }
      process.changed()
      yield* TestClock.adjust(ticks < 100 ? 5 : 60_000)
    }
    return yield* Effect.die(new Error(`${process.name} does not come to an end`))
  })

const isAnswered = ({ kind, state }: { readonly kind: string; readonly state: string }): boolean =>
  (kind === "complete" || kind === "decide") && (state === "answered" || state === "failed")

/** How many calls of the model the ledgers of a store have the outcomes of. */
const recorded = (store: Store.Store) =>
  Effect.gen(function* () {
    const runs = yield* store.ledger.runs("local", { limit: 100 })
    const rows = yield* Effect.forEach(runs, (run) => store.ledger.load("local", run.id))
    return { runs: runs.length, calls: rows.flatMap((row) => row?.calls ?? []).filter(isAnswered).length }
  })

const prepared = (scenario: Scenario, store: Store.Store) =>
  scenario.before === undefined
    ? Effect.void
    : Effect.scoped(
        Effect.flatMap(Memory.make({ store, scope: "local", embedder: "none" }), (memory) =>
          Effect.provideService(scenario.before!, Memory.Memory, memory)
        )
      )

/** Runs a scenario in a process. Undefined if it died. */
const inProcess = (scenario: Scenario, process: Process, world: World, store: Store.Store, ids: number) =>
  Effect.gen(function* () {
    const services = process.layer(store, world.model.provider, ids)
    const exit = yield* driven(process, Effect.provide(toTheEnd(scenario, process, world), services))
    return exit === undefined ? undefined : { exit: ended(exit), left: yield* stored(store) }
  })

const onItsClock = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  effect.pipe(Effect.scoped, Effect.provide(Layer.fresh(TestClock.layer())))

/** What came of a scenario: `open` calls were made by processes that died before they could record the outcome. */
interface Outcome {
  readonly exit: unknown
  readonly left: Effect.Success<ReturnType<typeof stored>>
  readonly calls: number
  readonly open: number
  readonly effects: ReadonlyMap<string, number>
  readonly process: Process
}

/** Runs a scenario in processes that end at these boundaries, and one more that comes to the end. */
const through = (scenario: Scenario, makeStore: MakeStore, crashes: ReadonlyArray<number>) =>
  onItsClock(
    Effect.gen(function* () {
      const store = yield* makeStore
      const world = new World()
      yield* prepared(scenario, store)
      let [known, open, ids] = [0, 0, 0]
      for (const [number, crashAt] of [...crashes, Infinity].entries()) {
        const process = new Process(`process ${number}`, crashAt)
        const end = yield* inProcess(scenario, process, world, store, ids)
        if (end !== undefined) {
          return { ...end, calls: world.requests.length, open, effects: world.effects, process } satisfies Outcome
        }
        const { calls, runs } = yield* recorded(store)
        open += process.asked.length - (calls - known)
        known = calls
        if (runs > 0) ids = number + 1
      }
      return yield* Effect.die(new Error("no process came to the end"))
    })
  )

const compare = ({ repeats = 0 }: Scenario, whole: Outcome, crashed: Outcome, where: string): void => {
  assert.deepStrictEqual(plain(crashed.exit), plain(whole.exit), where)
  assert.deepStrictEqual(plain(crashed.left.thoughts), plain(whole.left.thoughts), where)
  assert.deepStrictEqual(plain(crashed.left.runs), plain(whole.left.runs), where)
  assert.deepStrictEqual(plain(crashed.left.ledger), plain(whole.left.ledger), `the ledger, ${where}`)
  assert.isAtMost(crashed.calls, whole.calls + crashed.open + repeats, `calls, ${where}`)
  for (const [key, count] of crashed.effects) {
    const before = whole.effects.get(key) ?? 0
    if (key.startsWith("once ")) assert.isAtMost(count, before, `${key}, ${where}`)
    if (key.startsWith("make ")) assert.isAtMost(count, before + 1, `${key}, ${where}`)
  }
}

/** Checks that the scenario does what it should, and that it does the same where it is not durable. */
const checked = (scenario: Scenario, unbroken: Outcome) =>
  Effect.gen(function* () {
    const isFailed = typeof unbroken.exit === "string" || !("notes" in (unbroken.exit as object))
    assert.strictEqual(isFailed, scenario.fails === true, JSON.stringify(unbroken.exit))
    const run = unbroken.left.runs.find((one) => one.id === id)
    assert.strictEqual(run?.status, scenario.fails === true ? "failed" : "completed")
    if (scenario.answers !== undefined) return
    const process = new Process("not durable")
    const world = new World()
    const store = yield* Store.makeInMemory
    yield* prepared(scenario, store)
    const going = Effect.flatMap(Thought.make("work", { message: "Hello" }), (start) =>
      Effect.exit(Pipeline.run(scenario.step(process, world), start))
    ).pipe(Effect.provide(Pipeline.supervisor())) as Effect.Effect<Exit.Exit<unknown, unknown>>
    yield* driven(process, Effect.provide(going, process.layer(store, world.model.provider)))
    const { thoughts } = yield* stored(store)
    assert.deepStrictEqual(withoutIds(unbroken.left.thoughts), withoutIds(thoughts), "the same run, not durable")
    assert.strictEqual(unbroken.calls, world.requests.length, "calls of the same run, not durable")
    assert.deepStrictEqual([...unbroken.effects], [...world.effects], "effects of the same run, not durable")
  }).pipe(onItsClock)

/** Ends a process at each boundary but those with the same state outside as the one before. Gives how many there are. */
export const enumerate = (scenario: Scenario, makeStore: MakeStore = Store.makeInMemory) =>
  Effect.gen(function* () {
    const unbroken = yield* through(scenario, makeStore, [])
    yield* checked(scenario, unbroken)
    const { boundaries } = unbroken.process
    for (let at = 1; at <= boundaries.length; at++) {
      const boundary = boundaries[at - 1]
      if (boundary?.state === boundaries[at - 2]?.state) continue
      const where = `ended ${boundary?.at} ${boundary?.what} (${at} of ${boundaries.length})`
      const crashed = yield* through(scenario, makeStore, [at]).pipe(
        Effect.catchCause((cause) => Effect.die(new Error(`${where}: ${Cause.pretty(cause)}`)))
      )
      compare(scenario, unbroken, crashed, where)
    }
    return boundaries.length
  })

/** Ends a process at one boundary of as many as there are. Says where. */
export const endedAt = (scenario: Scenario, pick: (boundaries: number) => number) =>
  Effect.gen(function* () {
    const unbroken = yield* through(scenario, Store.makeInMemory, [])
    const { boundaries } = unbroken.process
    const at = pick(boundaries.length)
    const where = `ended ${boundaries[at - 1]?.at} ${boundaries[at - 1]?.what} (${at} of ${boundaries.length})`
    compare(scenario, unbroken, yield* through(scenario, Store.makeInMemory, [at]), where)
    return where
  })

/**
 * The same from every state that the store goes through: the writes of the whole run are made again up to each of them, and another
 * process goes on from there; with two crashes it ends as well, and a third one goes on. Gives how many boundaries that covers: at
 * those between two writes the store is the same.
 */
export const enumerateStates = (scenario: Scenario, crashes: 1 | 2 = 1) =>
  Effect.gen(function* () {
    const first: Array<Write> = []
    const unbroken = yield* through(scenario, Effect.map(Store.makeInMemory, written(first)), [])
    yield* checked(scenario, unbroken)
    const base: Array<Write> = []
    yield* prepared(scenario, written(base)(yield* Store.makeInMemory))
    let covered = unbroken.process.boundaries.length
    for (let at = base.length; at <= first.length; at++) {
      const before = first.slice(0, at)
      const second: Array<Write> = []
      const where = `ended after ${at} of ${first.length} writes`
      const crashed = yield* from(scenario, before, second, where)
      compare(scenario, unbroken, crashed, where)
      if (crashes === 1) continue
      covered += crashed.process.boundaries.length
      for (let then = 1; then <= second.length; then++) {
        const again = `${where}, and again after ${then} of ${second.length}`
        compare(scenario, unbroken, yield* from(scenario, [...before, ...second.slice(0, then)], [], again), again)
      }
    }
    return covered
  })

/** Runs a scenario on a store to which these writes were made, and adds its own to others. */
const from = (scenario: Scenario, before: ReadonlyArray<Write>, writes: Array<Write>, where: string) =>
  Effect.gen(function* () {
    const store = yield* Store.makeInMemory
    for (const { millis, write } of before) {
      yield* TestClock.setTime(millis)
      yield* write(store)
    }
    const { calls: known, runs } = yield* recorded(store)
    const world = new World()
    const process = new Process(`process ${before.length}`)
    const end = yield* inProcess(scenario, process, world, written(writes)(store), runs > 0 ? before.length : 0)
    if (end === undefined) return yield* Effect.die(new Error("nothing has ended it"))
    const { effects, requests } = world
    return { ...end, calls: known + requests.length, open: 0, effects, process } satisfies Outcome
  }).pipe(
    onItsClock,
    Effect.catchCause((cause) => Effect.die(new Error(`${where}: ${Cause.pretty(cause)}`)))
  )

interface Write {
  readonly millis: number
  readonly write: (store: Store.Store) => Effect.Effect<unknown, Memory.MemoryError>
}

/** The store, which remembers what is written to it. */
const written =
  (writes: Array<Write>) =>
  (store: Store.Store): Store.Store => {
    const kept = <A, E>(write: (store: Store.Store) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.tap(write(store), () =>
        Effect.map(Clock.currentTimeMillis, (millis) => writes.push({ millis, write: write as Write["write"] }))
      )
    const { ledger } = store
    return {
      ...store,
      commit: (scope, commit) => kept((on) => on.commit(scope, commit)),
      append: (scope, ref, notes) => kept((on) => on.append(scope, ref, notes)),
      ledger: {
        ...ledger,
        record: (scope, rows) => kept((on) => on.ledger.record(scope, rows)),
        claim: (scope, runId, lease) => kept((on) => on.ledger.claim(scope, runId, lease)),
        answer: (scope, wait, answer) => kept((on) => on.ledger.answer(scope, wait, answer))
      }
    }
  }
