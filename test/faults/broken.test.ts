import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { assert, describe, it } from "@effect/vitest"
import type { Request } from "cogito/Provider"
import { Effect, Stream } from "effect"
import { adapters } from "./adapters.ts"
import { key } from "./clean.ts"
import { eventStream, send, serve } from "./server.ts"

setFlagsFromString("--expose-gc")
const collectGarbage: () => void = runInNewContext("gc")

const request: Request = {
  messages: [{ role: "user", text: "Hello" }],
  task: { kind: "greet", instruction: "Hello", questions: [], context: [] },
  phase: "reason",
  sampling: {}
}

/** How many signals there still are when everything that nobody holds is gone. */
const left = (signals: ReadonlyArray<WeakRef<AbortSignal>>) =>
  Effect.gen(function* () {
    for (let i = 0; i < 20; i++) {
      // an SDK lets a call go after the body of its answer was collected
      yield* Effect.sleep(20)
      collectGarbage()
      if (signals.every((signal) => signal.deref() === undefined)) return 0
    }
    return signals.filter((signal) => signal.deref() !== undefined).length
  })

describe("calls whose connection breaks in the middle of an answer", () => {
  for (const { dialect, make } of Object.values(adapters)) {
    it.live(`leave nothing in memory: ${dialect.name}`, () =>
      Effect.gen(function* () {
        const whole = JSON.stringify(dialect.body("good", "hello there")).slice(0, 50)
        const events = dialect.events("good", "hello there").slice(0, -2).join("")
        const server = yield* serve((response, incoming, asked) => {
          const isStream = asked.body.stream === true
          const answer = isStream ? send(events, "destroyed", eventStream) : send(whole, "destroyed")
          answer(response, incoming, asked)
        })
        const signals: Array<WeakRef<AbortSignal>> = []
        const provider = yield* make(new URL(server.baseUrl).origin, {
          apiKey: key,
          fetch: (input, init) => {
            if (init?.signal) signals.push(new WeakRef(init.signal))
            return fetch(input, init)
          }
        })
        for (let i = 0; i < 10; i++) {
          const call = i % 2 === 0 ? provider.complete(request) : Stream.runDrain(provider.stream(request))
          const { reason } = yield* Effect.flip(call)
          assert.strictEqual(reason._tag, "Truncated")
        }
        assert.strictEqual(signals.length, 10)
        // the last call may still be on the stack
        assert.isAtMost(yield* left(signals), 1)
      }).pipe(Effect.scoped)
    )
  }
})
