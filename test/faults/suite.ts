/** The tests of an adapter against everything that its server may do. */
import { afterAll, assert, beforeAll, describe, it, vi } from "@effect/vitest"
import type { ProviderError, Request, Response, Sampling, Shape } from "cogito/Provider"
import { Clock, Deferred, Duration, Effect, Fiber, Result, Stream } from "effect"
import { createServer } from "node:net"
import type { Adapter, Make } from "./adapters.ts"
import { assertClean, key, prompt } from "./clean.ts"
import type { Dialect } from "./dialect.ts"
import { type Deadlines, matrix, retryable, said, type Way, ways } from "./matrix.ts"
import { type Answer, requestId, reply, send, serve, silent, stream, trickle } from "./server.ts"

const model = (make: Make, host: string, options: Deadlines & Pick<Parameters<Make>[1], "allowInsecureHttp"> = {}) =>
  make(`http://${host}`, {
    apiKey: key,
    capabilities: { temperature: "free", efforts: ["low"] },
    ...options
  })

const request = (sampling: Sampling = {}): Request => ({
  messages: [
    { role: "system", text: "Be brief." },
    { role: "user", text: prompt }
  ],
  task: { kind: "analyze", instruction: prompt, questions: [], context: [] },
  phase: "reason",
  sampling
})

interface Outcome {
  readonly result: Result.Result<Response, ProviderError>
  /** The pieces of text that came before. */
  readonly deltas: ReadonlyArray<string>
}

/** Makes a call in one of the two ways. A stream that ends without its answer is a defect. */
const call = Effect.fnUntraced(function* (provider: Shape, way: Way, asked = request()) {
  const deltas: Array<string> = []
  const answers: Array<Response> = []
  if (way === "whole") return { result: yield* Effect.result(provider.complete(asked)), deltas }
  const run = Stream.runForEach(provider.stream(asked), (part) =>
    Effect.sync(() => {
      assert.lengthOf(answers, 0, "nothing comes after the answer")
      if (part._tag === "Text") deltas.push(part.delta)
      if (part._tag === "Done") answers.push(part.response)
    })
  )
  const result = yield* Effect.result(run)
  if (Result.isFailure(result)) assert.lengthOf(answers, 0, "a call that failed gave an answer")
  const outcome: Outcome = {
    result: Result.map(result, () => answers[0] ?? assert.fail("the stream ended without an answer")),
    deltas
  }
  return outcome
})

const testRows = (dialect: Dialect, make: Make): void => {
  for (const row of matrix(dialect)) {
    for (const way of row.ways ?? ways) {
      const expected = row.expected(way)
      const name = `${row.name}, ${way}: ${"text" in expected ? "the answer" : expected.tag}`
      it.live(name, () =>
        Effect.gen(function* () {
          const server = yield* serve(row.answer(way))
          const provider = yield* model(make, server.host, row.deadlines)
          const { deltas, result } = yield* call(provider, way)
          // Under load a short deadline may pass before the server has the request.
          if (row.deadlines === undefined) assert.lengthOf(server.recorded, 1)
          else assert.isAtMost(server.recorded.length, 1)
          if ("text" in expected) {
            const response = yield* Effect.fromResult(result)
            assert.strictEqual(response.text, expected.text)
            assert.deepStrictEqual(response.usage, dialect.usage)
            assert.deepInclude(response, { model: dialect.model, id: dialect.id })
            if (way === "stream") assert.strictEqual(deltas.join(""), expected.text)
          } else {
            const error = yield* Effect.flip(Effect.fromResult(result))
            assertClean(error)
            assert.strictEqual(error.reason._tag, expected.tag, error.message)
            assert.strictEqual(error.isRetryable, retryable[expected.tag])
            assert.deepStrictEqual(error.usage, expected.usage)
            assert.strictEqual(error.requestId, expected.anonymous === true ? undefined : requestId)
            assert.strictEqual("category" in error.reason ? error.reason.category : undefined, expected.category)
            const wait = error.retryAfter && Duration.toMillis(error.retryAfter)
            if (expected.retryAfter === undefined) assert.isUndefined(wait)
            else assert.isTrue(wait !== undefined && wait >= expected.retryAfter[0] && wait <= expected.retryAfter[1])
            assert.strictEqual(error.model, provider.model)
          }
          yield* server.idle()
        })
      )
    }
  }
}

// --------------------------------------------------------------------------------------------------- no server at all

/** A port of this machine where nobody listens. */
const closedPort = Effect.callback<number>((resume) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const address = server.address()
    server.close(() => resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0)))
  })
})

const testUnreachable = (make: Make): void => {
  for (const way of ways) {
    it.live(`a server that is not there, ${way}: Connection`, () =>
      Effect.gen(function* () {
        const port = yield* closedPort
        for (const host of [`127.0.0.1:${port}`, `model.invalid:${port}`]) {
          const { result } = yield* call(yield* model(make, host, { allowInsecureHttp: true }), way)
          const error = yield* Effect.flip(Effect.fromResult(result))
          assertClean(error)
          assert.strictEqual(error.reason._tag, "Connection")
          assert.isTrue(error.isRetryable)
          assert.include(error.message, host)
        }
      })
    )
  }
}

// ----------------------------------------------------------------------------------------------------------- learning

/** Refuses what the model does not take, as long as it is sent. */
const refusing =
  (dialect: Dialect, parameter: "temperature" | "effort"): Answer =>
  (response, incoming, asked) => {
    const { body } = asked
    const answer = dialect.isSent(body, parameter)
      ? reply(400, dialect.refusalOf(parameter))
      : body.stream === true
        ? stream(dialect.events("good", said))
        : reply(200, dialect.body("good", said))
    answer(response, incoming, asked)
  }

const testLearning = (dialect: Dialect, make: Make): void => {
  for (const way of ways) {
    for (const parameter of ["temperature", "effort"] as const) {
      it.live(`a refused ${parameter}, ${way}: one more call, and then none`, () =>
        Effect.gen(function* () {
          const server = yield* serve(refusing(dialect, parameter))
          const provider = yield* model(make, server.host)
          const sampling = parameter === "temperature" ? { temperature: 0.2 } : { effort: "low" }
          for (const calls of [2, 3]) {
            const { result } = yield* call(provider, way, request(sampling))
            const response = yield* Effect.fromResult(result)
            assert.strictEqual(response.text, said)
            assert.lengthOf(server.recorded, calls)
            assert.isUndefined(response.sampling?.[parameter], "it does not claim what was not sent")
            assert.isObject(response.sampling)
          }
          assert.deepStrictEqual(
            server.recorded.map(({ body }) => dialect.isSent(body, parameter)),
            [true, false, false]
          )
        })
      )
    }

    it.live(`a parameter refused that was not sent, ${way}: InvalidRequest, once`, () =>
      Effect.gen(function* () {
        const server = yield* serve(reply(400, dialect.refusalOf("temperature")))
        const { result } = yield* call(yield* model(make, server.host), way)
        const error = yield* Effect.flip(Effect.fromResult(result))
        assert.deepInclude(error.reason, { _tag: "InvalidRequest", parameter: "temperature" })
        assert.lengthOf(server.recorded, 1)
      })
    )
  }
}

// --------------------------------------------------------------------------------------------------------------- time

// Both ends are in this process, which other processes may keep from running: the best of a few tries counts.
const tries = 8
const soon = 100

/** The fewest milliseconds of a few tries; enough when it is so few. */
const best = Effect.fnUntraced(function* <E, R>(attempt: Effect.Effect<number, E, R>, enough: number) {
  let found = Number.POSITIVE_INFINITY
  for (let i = 0; i < tries && found > enough; i++) found = Math.min(found, yield* attempt)
  return found
})

const testPunctuality = (dialect: Dialect, make: Make): void => {
  const limit = 50
  const half = dialect.events("good", said).slice(0, -2).join("")
  const rows: ReadonlyArray<readonly [what: string, way: Way, answer: Answer, deadlines: Deadlines]> = [
    ["does not answer", "whole", silent, { timeout: limit }],
    ["does not answer", "stream", silent, { timeout: "1 hour", connectTimeout: limit }],
    ["stalls", "whole", stallsAfter(`{"half": "`, { "content-type": "application/json" }), { idleTimeout: limit }],
    ["stalls", "stream", stallsAfter(half, { "content-type": "text/event-stream" }), { idleTimeout: limit }],
    ["trickles", "whole", trickle(" ".repeat(1000), 5), { timeout: limit }],
    ["trickles", "stream", trickle(half, 5, { "content-type": "text/event-stream" }), { timeout: limit }]
  ]
  for (const [what, way, answer, deadlines] of rows) {
    it.live(`a server that ${what}, ${way}: the call ends and the connection closes ${soon} ms after its time`, () =>
      Effect.gen(function* () {
        const server = yield* serve(answer)
        const provider = yield* model(make, server.host, deadlines)
        const attempt = Effect.gen(function* () {
          const start = yield* Clock.currentTimeMillis
          const { result } = yield* call(provider, way)
          const error = yield* Effect.flip(Effect.fromResult(result))
          yield* server.idle()
          assert.strictEqual(error.reason._tag, "Timeout")
          return (yield* Clock.currentTimeMillis) - start
        })
        const millis = yield* best(attempt, limit + soon)
        // Timers of Node may be a little early.
        assert.isAtLeast(millis, limit - 5)
        assert.isAtMost(millis, limit + soon)
      })
    )
  }
}

// ------------------------------------------------------------------------------------------------------- interruption

const stallsAfter = (text: string, headers: Record<string, string>) => send(text, "open", headers)

const interruptible = ({ events }: Dialect): ReadonlyArray<readonly [what: string, way: Way, answer: Answer]> => [
  ["before the headers", "whole", silent],
  ["before the headers", "stream", silent],
  ["in the body", "whole", stallsAfter(`{"half": "`, { "content-type": "application/json" })],
  ["in a body that trickles", "whole", trickle(" ".repeat(1000), 5)],
  [
    "in an error",
    "whole",
    (response) => {
      response.writeHead(500, { "content-type": "application/json" })
      response.write(`{"error": `)
    }
  ],
  [
    "between events",
    "stream",
    stallsAfter(events("good", said).slice(0, -2).join(""), { "content-type": "text/event-stream" })
  ],
  [
    "in an event",
    "stream",
    stallsAfter(events("good", said).join("").slice(0, -20), { "content-type": "text/event-stream" })
  ]
]

const testInterruption = (dialect: Dialect, make: Make): void => {
  for (const [what, way, answer] of interruptible(dialect)) {
    it.live(`an interruption ${what}, ${way}: the connection closes within ${soon} ms`, () =>
      Effect.gen(function* () {
        const server = yield* serve(answer)
        const provider = yield* model(make, server.host, { timeout: "1 hour", idleTimeout: "1 hour" })
        const attempt = Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(call(provider, way))
          yield* server.arrived
          yield* Effect.sleep(20)
          const start = yield* Clock.currentTimeMillis
          yield* Fiber.interrupt(fiber)
          yield* server.closed
          assert.strictEqual(server.answering(), 0)
          return (yield* Clock.currentTimeMillis) - start
        })
        assert.isAtMost(yield* best(attempt, soon), soon)
      })
    )
  }

  it.live("a stream that is read no further: the connection closes", () =>
    Effect.gen(function* () {
      const events = dialect.events("good", said)
      const server = yield* serve(stream(events.slice(0, -2), { end: "open" }))
      const provider = yield* model(make, server.host, { timeout: "1 hour", idleTimeout: "1 hour" })
      const first = yield* Stream.runCollect(Stream.take(provider.stream(request()), 1))
      assert.deepStrictEqual(
        first.map(({ _tag }) => _tag),
        ["Text"]
      )
      yield* server.closed
    })
  )

  it.live("a stream that is interrupted after its first piece: the connection closes, and no answer comes", () =>
    Effect.gen(function* () {
      const events = dialect.events("good", said)
      const server = yield* serve(stream(events.slice(0, -2), { end: "open" }))
      const provider = yield* model(make, server.host, { timeout: "1 hour", idleTimeout: "1 hour" })
      const begun = yield* Deferred.make<void>()
      const tags: Array<string> = []
      const reading = Stream.runForEach(provider.stream(request()), ({ _tag }) => {
        tags.push(_tag)
        return Deferred.succeed(begun, undefined)
      })
      const fiber = yield* Effect.forkChild(reading)
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(fiber)
      yield* server.closed
      assert.notInclude(tags, "Done")
    })
  )

  it.live("calls one after the other: their connections are used again", () =>
    Effect.gen(function* () {
      const server = yield* serve((response, incoming, asked) => {
        const answer =
          asked.body.stream === true ? stream(dialect.events("good", said)) : reply(200, dialect.body("good", said))
        answer(response, incoming, asked)
      })
      const provider = yield* model(make, server.host)
      for (let i = 0; i < 4; i++) {
        for (const way of ways) {
          const { result } = yield* call(provider, way)
          assert.isTrue(Result.isSuccess(result))
          // The end of a stream's body is read after its answer.
          yield* server.idle()
          yield* Effect.sleep(10)
        }
      }
      // One, but for ends that come late under load.
      assert.isAtMost(server.connections(), 3)
    })
  )
}

/** Runs all of it; what any of it writes to the console must not hold the key or the prompt. */
export const testAdapter = ({ dialect, make }: Adapter): void => {
  const written: Array<string> = []

  beforeAll(async () => {
    for (const method of ["log", "info", "warn", "error", "debug", "trace"] as const) {
      vi.spyOn(console, method).mockImplementation((...args: ReadonlyArray<unknown>) => {
        written.push(args.map(String).join(" "))
      })
    }
    // What is loaded with the first call must not count against the time of another.
    const warmUp = Effect.flatMap(serve(reply(200, dialect.body("good", said))), ({ host }) =>
      Effect.flatMap(model(make, host), (provider) => provider.complete(request()))
    )
    await Effect.runPromise(Effect.scoped(warmUp))
  })

  afterAll(() => {
    vi.restoreAllMocks()
    assert.notInclude(written.join("\n"), "canary")
  })

  describe.concurrent("faults", () => {
    testRows(dialect, make)
    testUnreachable(make)
    testLearning(dialect, make)
    testPunctuality(dialect, make)
    testInterruption(dialect, make)
  })
}
