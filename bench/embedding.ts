// @effect-diagnostics globalErrorInEffectFailure:off -- a program says what went wrong and ends
// @effect-diagnostics runEffectInsideEffect:off -- what is measured is what an application calls
/**
 * The offline encoder in worker threads: how long the event loop waits while notes are embedded, how long a search waits after
 * a burst of requests, and how many notes are embedded in a time, beside the encoder in the calling thread.
 */
import { Effect, Layer } from "effect"
import { Embedder, Memory, Pipeline, Primitive, Thought } from "cogito"
import { Local } from "cogito/local"
import { loadavg } from "node:os"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { median, print } from "./memory/compare.ts"

const rounds = 5
const sentence = "The parcel was lost on its way, and the customer wants another one by express mail before Friday. "

/** Texts that nothing has embedded before. */
let made = 0
const texts = (count: number, characters: number): ReadonlyArray<string> =>
  Array.from({ length: count }, () =>
    `${made++} ${sentence.repeat(Math.ceil(characters / sentence.length))}`.slice(0, characters)
  )

const timed = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<number, E, R> =>
  Effect.suspend(() => {
    const before = performance.now()
    return Effect.map(effect, () => performance.now() - before)
  })

/** Milliseconds for 100 notes of 2 kB, and the 99th percentile of the event loop's delay meanwhile. */
const embedding = (threads: number) =>
  Effect.gen(function* () {
    const { embedMany } = yield* Embedder.Embedder
    yield* embedMany(texts(4, 100))
    const delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    const millis = yield* timed(embedMany(texts(100, 2000)))
    delay.disable()
    return { millis, delay: delay.percentile(99) / 1e6 }
  }).pipe(Effect.provide(Layer.fresh(Local.embedderWith({ threads }))))

const history = Primitive.seek("history", { query: "a lost parcel" })

/** A request: it searches, and keeps what it was asked. */
const request = (message: string) =>
  Effect.flatMap(Thought.make("triage", { message }), (thought) => Pipeline.run(history, thought))

/** Milliseconds of a search when nothing waits, and right after 50 requests at once. */
const searching = Effect.gen(function* () {
  yield* Effect.forEach(texts(200, 200), request)
  yield* Memory.flush
  const idle: Array<number> = []
  const busy: Array<number> = []
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < 5; i++) idle.push(yield* timed(Memory.search(`a parcel ${made++}`)))
    yield* Effect.forEach(texts(50, 200), request, { concurrency: "unbounded" })
    busy.push(yield* timed(Memory.search(`a parcel ${made++}`)))
    yield* Memory.flush
  }
  return { idle: median(idle), busy: median(busy) }
}).pipe(Effect.provide(Memory.layerInMemory().pipe(Layer.provide(Local.embedder))))

const program = Effect.gen(function* () {
  print(`load of the machine ${loadavg()[0]?.toFixed(1)}; medians of ${rounds} rounds`)
  const all = []
  for (let round = 0; round < rounds; round++) all.push([yield* embedding(0), yield* embedding(2)] as const)
  const here = median(all.map(([one]) => one.millis))
  const there = median(all.map(([, two]) => two.millis))
  print(`100 notes of 2 kB, in the calling thread    ${here.toFixed(0)} ms`)
  print(`100 notes of 2 kB, in two threads           ${there.toFixed(0)} ms, ${(here / there).toFixed(2)} x as fast`)
  print(`delay of the event loop, p99, here          ${median(all.map(([one]) => one.delay)).toFixed(1)} ms`)
  print(`delay of the event loop, p99, two threads   ${median(all.map(([, two]) => two.delay)).toFixed(1)} ms`)
  const { busy, idle } = yield* searching
  print(`a search when nothing waits                 ${idle.toFixed(1)} ms`)
  print(`a search after 50 requests at once          ${busy.toFixed(1)} ms, ${(busy / idle).toFixed(2)} x`)
})

await Effect.runPromise(program)
