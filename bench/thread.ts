// @effect-diagnostics runEffectInsideEffect:off -- what is measured is what an application calls
/**
 * The embedded database in a thread of its own: how long the event loop waits while a folder is opened and while notes are
 * committed and searched for, and how long these take, beside the same in the calling thread.
 */
import { Effect, Layer } from "effect"
import { Memory, Thought } from "cogito"
import { PgliteMemory } from "cogito/pglite"
import { mkdtempSync, rmSync } from "node:fs"
import { loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { setTimeout } from "node:timers/promises"
import { median, print } from "./memory/compare.ts"

const rounds = 5
const folder = mkdtempSync(join(tmpdir(), "cogito-thread-"))
let made = 0

interface Figures {
  readonly millis: number
  /** The longest delay of the event loop, in milliseconds. */
  readonly delay: number
}

/** The delays are recorded by a timer, which has to run before and after what it measures. */
const recorded = Effect.promise(() => setTimeout(10))

const measured = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<readonly [A, Figures], E, R> =>
  Effect.gen(function* () {
    const delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    yield* recorded
    const before = performance.now()
    const result = yield* effect
    const millis = performance.now() - before
    yield* recorded
    delay.disable()
    return [result, { millis, delay: delay.max / 1e6 }]
  })

/** A thought of 50 notes. */
const thought = Effect.suspend(() =>
  Thought.make(
    "triage",
    Object.fromEntries(
      Array.from({ length: 50 }, (_, i) => [`note ${i}`, `parcel ${made++} was lost on its way to the customer`])
    )
  )
)

const round = (name: string, thread: boolean) =>
  Effect.gen(function* () {
    const live = PgliteMemory.layer({ dataDir: join(folder, name), embedder: "none", thread })
    const [context, opening] = yield* measured(Layer.build(live))
    const [, working] = yield* measured(
      Effect.gen(function* () {
        for (let i = 0; i < 20; i++) {
          yield* (yield* Memory.Memory).commit(yield* thought)
          yield* Memory.search(`a lost parcel ${i}`)
        }
      }).pipe(Effect.provide(context))
    )
    return { opening, working }
  }).pipe(Effect.scoped)

interface Round {
  readonly opening: Figures
  readonly working: Figures
}

const line = (what: string, here: ReadonlyArray<Figures>, there: ReadonlyArray<Figures>) => {
  const at = (figures: ReadonlyArray<Figures>, figure: keyof Figures) => median(figures.map((one) => one[figure]))
  for (const figure of ["delay", "millis"] as const) {
    const [one, other] = [at(here, figure), at(there, figure)]
    print(
      `${what}, ${figure === "delay" ? "longest delay of the event loop" : "time taken"}: ` +
        `${one.toFixed(0)} ms in the calling thread, ${other.toFixed(0)} ms in its own (${(other / one).toFixed(2)} x)`
    )
  }
}

const program = Effect.gen(function* () {
  print(`load of the machine ${loadavg()[0]?.toFixed(1)}; medians of ${rounds} rounds`)
  const all: Array<{ readonly kind: string; readonly here: Round; readonly there: Round }> = []
  for (let i = 0; i < rounds; i++) {
    for (const kind of ["new", "kept"]) {
      const here = yield* round(`here ${i}`, false)
      all.push({ kind, here, there: yield* round(`there ${i}`, true) })
    }
  }
  const of = (kind: string) => all.filter((one) => one.kind === kind)
  for (const kind of ["new", "kept"]) {
    line(
      `opening a ${kind} folder`,
      of(kind).map(({ here }) => here.opening),
      of(kind).map(({ there }) => there.opening)
    )
  }
  line(
    "20 commits of 50 notes and 20 searches",
    all.map(({ here }) => here.working),
    all.map(({ there }) => there.working)
  )
})

await Effect.runPromise(
  Effect.ensuring(
    program,
    Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )
)
