import { assert, describe, it } from "@effect/vitest"
import type { Request, Shape } from "cogito/Provider"
import { Deferred, Effect, Fiber, Random, Stream } from "effect"
import { getEventListeners } from "node:events"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { type Adapter, adapters } from "./adapters.ts"
import { key, prompt } from "./clean.ts"
import type { Dialect } from "./dialect.ts"
import { type Answer, eventStream, reply, send, serve, silent, stream, trickle } from "./server.ts"

// How many calls are interrupted, those of all adapters together.
const calls = Math.ceil(Number(process.env["COGITO_INTERRUPTED_CALLS"] ?? 252) / Object.keys(adapters).length)
const batch = 42
const mebibyte = 1024 * 1024

const text = `${prompt} 😀`.repeat(3)

/** The request of the call with this number. */
const requestOf = (number: number): Request => ({
  messages: [{ role: "user", text: `call ${number}: ${prompt}` }],
  task: { kind: "analyze", instruction: prompt, questions: [], context: [] },
  phase: "reason",
  sampling: {}
})

const numberIn = (said: string): number => Number(/call (\d+):/.exec(said)?.[1])

/** What servers do that calls are interrupted in; the last one answers at once. */
const behaviours = ({ body, events }: Dialect): Readonly<Record<"whole" | "stream", ReadonlyArray<Answer>>> => {
  const whole = JSON.stringify(body("good", text))
  const pieces = events("good", text)
  return {
    whole: [silent, send("", "open"), send(whole.slice(0, 100), "open"), trickle(whole, 1), reply(200, whole)],
    stream: [
      silent,
      send("", "open", eventStream),
      send(pieces.slice(0, -1).join(""), "open", eventStream),
      stream(pieces, { millis: 1 }),
      stream(pieces)
    ]
  }
}

setFlagsFromString("--expose-gc")
const collectGarbage: () => void = runInNewContext("gc")

/** The bytes in use when everything that nobody holds is gone. */
const heap = Effect.gen(function* () {
  for (let i = 0; i < 3; i++) {
    // Timers and sockets that have just ended are let go by the loop.
    yield* Effect.sleep(20)
    collectGarbage()
  }
  return process.memoryUsage().heapUsed
})

/** Warnings of the process, such as that of too many listeners, for the rest of the scope. */
const warnings = Effect.gen(function* () {
  const found: Array<string> = []
  const add = ({ name }: Error): void => {
    found.push(name)
  }
  process.on("warning", add)
  yield* Effect.addFinalizer(() => Effect.sync(() => process.off("warning", add)))
  return found
})

const isListenedTo = (signal: AbortSignal): boolean => getEventListeners(signal, "abort").length > 0

const call = (provider: Shape, number: number, way: "whole" | "stream") =>
  way === "whole"
    ? Effect.asVoid(provider.complete(requestOf(number)))
    : Stream.runDrain(provider.stream(requestOf(number)))

const testInterrupted = ({ dialect, make }: Adapter): void => {
  // A program may make all its calls with one signal, which lives as long as it does.
  const { signal } = new AbortController()
  const begin = <E>(effect: Effect.Effect<void, E>) => Effect.runFork(effect, { signal })
  it.live(
    `${calls} calls in ${dialect.name}, each interrupted at some time: no listener, no connection, no heap is left`,
    () =>
      Effect.gen(function* () {
        const warned = yield* warnings
        const answers = behaviours(dialect)
        const arrivals = new Map<number, Deferred.Deferred<void>>()
        const server = yield* serve((response, incoming, asked) => {
          const number = numberIn(dialect.promptOf(asked.body))
          const arrival = arrivals.get(number)
          if (arrival !== undefined) Deferred.doneUnsafe(arrival, Effect.void)
          const turns = answers[asked.body.stream === true ? "stream" : "whole"]
          const answer = turns[number % turns.length] ?? silent
          answer(response, incoming, asked)
        })
        const signals = new Set<AbortSignal>()
        const provider = yield* make(`http://${server.host}`, {
          apiKey: key,
          timeout: "1 hour",
          idleTimeout: "1 hour",
          fetch: (input, init) => {
            if (init?.signal) signals.add(init.signal)
            return fetch(input, init)
          }
        })
        let made = 0
        const interrupted = Effect.gen(function* () {
          const number = made++
          const arrival = yield* Deferred.make<void>()
          arrivals.set(number, arrival)
          const way = (yield* Random.nextBoolean) ? "whole" : "stream"
          const fiber = begin(call(provider, number, way))
          // One in four is interrupted on its way to the server, the others while it answers.
          if (number % 4 > 0) yield* Effect.raceFirst(Deferred.await(arrival), Fiber.await(fiber))
          yield* Effect.sleep(yield* Random.nextIntBetween(0, 6))
          yield* Fiber.interrupt(fiber)
          arrivals.delete(number)
        })
        let asked = 0
        const run = Effect.fnUntraced(function* (count: number) {
          for (let done = 0; done < count; done += batch) {
            yield* Effect.all(
              Array.from({ length: batch }, () => interrupted),
              { concurrency: 16 }
            )
            yield* server.idle()
            // A call that was done before its interruption reads the end of its stream yet.
            for (let i = 0; i < 50 && [...signals].some(isListenedTo); i++) yield* Effect.sleep(20)
            assert.isFalse([...signals].some(isListenedTo), "a listener is left")
            signals.clear()
            asked += server.recorded.length
            server.recorded.length = 0
            yield* server.forget
          }
        })
        yield* run(batch)
        const before = yield* heap
        yield* run(calls)
        const after = yield* heap
        assert.isAbove(asked, calls / 2, "most calls reach the server")
        assert.isFalse(isListenedTo(signal))
        assert.isBelow(after - before, 5 * mebibyte)
        assert.deepStrictEqual(warned, [])
      }).pipe(Random.withSeed(`interrupted ${dialect.name}`))
  )
}

describe("interrupted calls", () => {
  for (const adapter of Object.values(adapters)) testInterrupted(adapter)
})
