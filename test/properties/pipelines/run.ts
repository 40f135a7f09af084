/** A program run by the library, and everything that can be seen of it. */
import { Cause, Clock, Effect, Exit, Fiber, Layer, Schema, Scope } from "effect"
import { TestClock } from "effect/testing"
import type { Store } from "cogito"
import { Memory, Pipeline, Provider, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { makeInMemory as makeStore } from "../../../src/memory/inMemory/store.ts"
import { compile, read } from "../../../src/synapse/form.ts"
import { build, type Call, makeWorld, Root, RunNumber } from "./build.ts"
import type { Program } from "./program.ts"

/** A commit that the store has taken, and when. */
export interface Commit extends Store.Commit {
  readonly at: number
}

export interface Observation {
  readonly start: Thought.Thought<any>
  readonly exit: Exit.Exit<Thought.Thought<any>, Pipeline.PipelineError<unknown>>
  /** Virtual milliseconds that the run took. */
  readonly at: number
  readonly calls: ReadonlyArray<Call>
  readonly commits: ReadonlyArray<Commit>
  /** The thoughts of the store, in the order in which they were first stored. */
  readonly stored: ReadonlyArray<Thought.Thought<any>>
}

const down = new Memory.MemoryError({ reason: { _tag: "Connection", message: "the store is out of reach" } })

/** A store that fails one commit, however often it is tried, and what it was given to commit. */
const recording = (store: Store.Store, failing: number | undefined) => {
  const commits: Array<Commit> = []
  const tried: Array<Store.Commit> = []
  let busy = 0
  const tracked = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.acquireUseRelease(
      Effect.sync(() => busy++),
      () => effect,
      () => Effect.sync(() => busy--)
    )
  const recorded: Store.Store = {
    ...store,
    commit: (scope, commit) =>
      Effect.suspend(() => {
        // a commit that fails for want of a connection is tried once more
        if (!tried.includes(commit)) tried.push(commit)
        return tried.indexOf(commit) === failing
          ? Effect.fail(down)
          : Effect.tap(tracked(store.commit(scope, commit)), () =>
              Effect.map(Clock.currentTimeMillis, (at) => void commits.push({ ...commit, at }))
            )
      }),
    append: (scope, ref, notes) => tracked(store.append(scope, ref, notes)),
    load: (scope, ref) => tracked(store.load(scope, ref)),
    putVectors: (scope, space, vectors) => tracked(store.putVectors(scope, space, vectors))
  }
  return { busy: () => busy, commits, recorded }
}

/** Thoughts that a commit writes, those first that others were forked from. */
const writtenBy = (commit: Store.Commit): ReadonlyArray<string> => [
  ...(commit.before ?? []).flatMap(writtenBy),
  ...(commit.parent === undefined ? [] : writtenBy(commit.parent)),
  commit.thought.id
]

/** Long after everything that ends at all has ended. */
export const horizon = 1e12

// The first malformed answer loads its reader, in real time: that must not happen while the test sets the clock.
await Effect.runPromiseExit(
  read(
    compile("none", Schema.Struct({}), (value) => value),
    "none",
    "lenient"
  )
)

/** Lets a store that is not in this process's memory come to rest. */
const settled = (busy: () => number) =>
  Effect.promise(async () => {
    for (let still = 0; still < 3; still = busy() > 0 ? 0 : still + 1)
      await new Promise((resume) => setImmediate(resume))
  })

export interface Setting {
  readonly store: Effect.Effect<Store.Store, Memory.MemoryError>
  /** When to let the store come to rest, in order of time. A store in memory needs no time. */
  readonly moments: ReadonlyArray<number>
  /** How many runs there are of the same pipeline, at the same time. */
  readonly runs: number
}

/** Runs a program from its beginning at time 0. */
export const observe = (program: Program, setting: Partial<Setting> = {}) =>
  Effect.map(observeAll(program, setting), ([observation]) => observation!)

export const observeAll = (program: Program, { moments = [], runs = 1, store = makeStore }: Partial<Setting>) =>
  Effect.gen(function* () {
    const world = makeWorld(program.root)
    const pipeline = build(program.root, world)
    const real = yield* store
    const scope = yield* Scope.make()
    const background = yield* Layer.buildWithScope(
      Pipeline.supervisor({ grace: 0, onFailure: () => Effect.void }),
      scope
    )
    const started = yield* Effect.forEach(Array.from({ length: runs }), (_, run) =>
      Effect.gen(function* () {
        const { busy, commits, recorded } = recording(real, program.failingCommit)
        const memory = yield* Memory.make({ store: recorded, scope: "local" })
        const start: Thought.Thought<any> = yield* Thought.make("test", { message: "Hello" })
        const ended = { at: horizon }
        const fiber = yield* Pipeline.run(pipeline, start).pipe(
          Effect.onExit(() => Effect.map(Clock.currentTimeMillis, (at) => void (ended.at = at))),
          Effect.provideService(Memory.Memory, memory),
          Effect.provideService(Provider.Provider, world.model.provider),
          Effect.provideService(RunNumber, run),
          Effect.provideService(Root, start.id),
          Effect.provide(background),
          Effect.forkChild
        )
        return { start, fiber, ended, commits, busy, memory, run }
      })
    )
    const busy = () => started.reduce((sum, one) => sum + one.busy(), 0)
    const end = program.interruptAt ?? horizon
    const left = [...moments]
    const advance = Effect.fnUntraced(function* (to: number) {
      while (left[0] !== undefined && left[0] < to) {
        yield* TestClock.setTime(left.shift()!)
        yield* settled(busy)
      }
      yield* TestClock.setTime(to)
    })
    // what happens at the first moment is through before the clock moves
    yield* settled(busy)
    yield* advance(end)
    // what an interruption does not stop takes its time
    const interrupted = yield* Effect.forkChild(Fiber.interruptAll(started.map(({ fiber }) => fiber)))
    // the background has the time that it needs, and no more
    yield* advance(horizon)
    yield* Fiber.join(interrupted)
    yield* Scope.close(scope, Exit.void)
    return yield* Effect.forEach(started, ({ commits, ended, fiber, memory, run, start }) =>
      Effect.gen(function* () {
        const exit = yield* Fiber.await(fiber)
        const ids = [...new Set(commits.flatMap(writtenBy))]
        return {
          start,
          exit,
          at: ended.at,
          calls: world.calls.filter((call) => call.run === run),
          commits,
          stored: yield* Effect.forEach(ids, memory.load)
        } satisfies Observation
      })
    )
  }).pipe(Effect.scoped, Effect.provide(Layer.merge(Testing.embedder, Layer.fresh(TestClock.layer()))))

/** How a run ended, in a word. */
export const endOf = (exit: Observation["exit"]): "Done" | "Failed" | "Died" | "Interrupted" => {
  if (Exit.isSuccess(exit)) return "Done"
  if (Cause.hasDies(exit.cause)) return "Died"
  return Cause.hasFails(exit.cause) ? "Failed" : "Interrupted"
}
