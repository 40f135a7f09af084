/**
 * Reads answers over HTTP, instead of the SDKs: within limits of time and size. A connection is closed when nobody
 * waits for it any more, and a broken answer never counts as complete.
 */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Pull from "effect/Pull"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Sse from "effect/encoding/Sse"
import type { ProviderError, Reason } from "../Provider.ts"
import type { Deadlines } from "./deadlines.ts"
import { parse } from "./decoding.ts"
import { type Endpoint, fail } from "./Endpoint.ts"
import { errorIn, fromSdk } from "./failure.ts"

/** Makes a call and returns its response, whose body has not been read yet: `asResponse()` of an SDK. */
export type Call = (signal: AbortSignal) => Promise<Response>

/** What precedes the body of a successful response. */
interface Head {
  readonly headers: Headers
  /** When the headers arrived, in milliseconds. */
  readonly received: number
}

/** The whole body of a successful response. */
export interface Body extends Head {
  readonly text: string
}

/** One event of a stream. `event` is `"message"` if the server names none. */
export interface ServerEvent extends Head {
  readonly event: string
  readonly data: string
}

/** The most bytes of an answer. */
const mostBytes = 32 * 1024 * 1024

/** What may follow a complete answer, so that its connection can be used again. */
const rest = { millis: 250, bytes: 64 * 1024 }

/** An answer whose body is being read. */
interface Opened extends Head {
  /** The next piece. Undefined at the end. */
  readonly next: Effect.Effect<Uint8Array | undefined, ProviderError>
  readonly problem: (reason: Reason) => ProviderError
}

type Reader = ReadableStreamDefaultReader<Uint8Array>

/** Reads the rest of a body. Returns whether its end was reached. */
const drain = (reader: Reader, left = rest.bytes): Effect.Effect<boolean> =>
  Effect.tryPromise(() => reader.read()).pipe(
    Effect.flatMap(({ done, value }) => {
      if (done) return Effect.succeed(true)
      return value.byteLength >= left ? Effect.succeed(false) : drain(reader, left - value.byteLength)
    }),
    Effect.timeout(rest.millis),
    Effect.orElseSucceed(() => false)
  )

/**
 * The signal of a call, which is aborted outside of the fiber's stack. The SDK of Anthropic keeps the reason until the body is
 * collected. With a stack trace the reason would keep the fiber, whose failure keeps the body: none of them would ever be collected.
 */
const makeConnection = () => {
  const controller = new AbortController()
  return { signal: controller.signal, close: () => queueMicrotask(() => controller.abort()) }
}

const millisSince = (start: bigint) => Effect.map(Clock.currentTimeNanos, (now) => Number((now - start) / 1_000_000n))

/**
 * Makes the call and reads its body until the scope closes. Unless the body was read to its end, that closes the
 * connection.
 */
const open = Effect.fnUntraced(function* (
  endpoint: Endpoint,
  deadlines: Deadlines,
  call: Call,
  streamed: boolean
): Effect.fn.Return<Opened, ProviderError, Scope.Scope> {
  const { connect, idle, total } = deadlines
  const start = yield* Clock.currentTimeNanos
  const connection = makeConnection()
  const answer: { reader?: Reader; ended: boolean } = { ended: false }

  const abort = Effect.sync(() => {
    if (answer.ended) return
    // Its rejection has already been handled.
    answer.reader?.cancel().catch(() => {})
    connection.close()
  })
  // Nobody reads a stream after its last event. The end of its body is read here, to keep the connection alive.
  yield* Effect.addFinalizer((exit) =>
    Exit.isSuccess(exit) && answer.reader !== undefined && !answer.ended
      ? Effect.asVoid(Effect.forkDetach(Effect.flatMap(drain(answer.reader), (isEnd) => (isEnd ? Effect.void : abort))))
      : abort
  )

  const late: Reason = {
    _tag: "Timeout",
    message: `no complete answer within ${Duration.format(total)}: raise timeout or ask for less`
  }
  /** Fails if the effect takes longer than `wait`, or than what is left of the total time. */
  const within = <A>(
    effect: Effect.Effect<A, ProviderError>,
    wait: Duration.Duration,
    reason: Reason,
    at: Headers | undefined
  ) =>
    Effect.flatMap(millisSince(start), (passed) => {
      const left = Duration.toMillis(total) - passed
      const [millis, why] = Duration.toMillis(wait) < left ? [Duration.toMillis(wait), reason] : [left, late]
      const tooLate = Effect.suspend(() => Effect.fail(fail(endpoint, why, { headers: at })))
      if (millis <= 0) return tooLate
      return millis === Infinity ? effect : Effect.timeoutOrElse(effect, { duration: millis, orElse: () => tooLate })
    })

  const response = yield* within(
    Effect.tryPromise({ try: () => call(connection.signal), catch: (cause) => ({ cause }) }).pipe(
      Effect.catch(({ cause }) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.fail(fromSdk(cause, endpoint, now)))
      )
    ),
    streamed ? connect : total,
    {
      _tag: "Timeout",
      message: `${endpoint.host} did not begin its answer within ${Duration.format(connect)}: raise connectTimeout`
    },
    undefined
  )
  const { headers } = response
  const received = yield* Clock.currentTimeMillis
  const problem = (reason: Reason) => fail(endpoint, reason, { headers })
  const body = response.body?.getReader()
  if (body !== undefined) answer.reader = body
  let bytes = 0

  const read = Effect.tryPromise({
    try: () => body?.read() ?? Promise.resolve({ done: true as const, value: undefined }),
    catch: () =>
      problem({
        _tag: "Truncated",
        message: `the connection to ${endpoint.host} broke before the answer was complete: try again`
      })
  })
  const next = within(
    read,
    idle,
    { _tag: "Timeout", message: `${endpoint.host} sent nothing for ${Duration.format(idle)}: raise idleTimeout` },
    headers
  ).pipe(
    Effect.flatMap(({ done, value }) => {
      if (done) {
        answer.ended = true
        return Effect.undefined
      }
      bytes += value.byteLength
      return bytes > mostBytes ? Effect.fail(problem(tooLarge(endpoint))) : Effect.succeed(value)
    })
  )
  return { headers, received, next, problem }
})

const tooLarge = ({ host }: Endpoint): Reason => ({
  _tag: "InvalidResponse",
  message: `${host} sent more than ${mostBytes / 1024 / 1024} MiB: ask for less`
})

/** The reason for a response without any event. */
const nothingIn = (headers: Headers, { host }: Endpoint): Reason => {
  const type = headers.get("content-type") ?? ""
  return type === "" || type.startsWith("text/event-stream")
    ? { _tag: "Truncated", message: `the stream of ${host} ended before it began: try again` }
    : {
        _tag: "InvalidResponse",
        message: `${host} did not send a stream of events: check model and baseUrl`
      }
}

/** The longest body that is examined for an error, in characters. */
const longestError = 64 * 1024

/**
 * Makes a call and reads its whole answer.
 *
 * A rejected call fails as `fromSdk` says. Fails with `Timeout` if a deadline passes, with `Truncated` if the
 * connection breaks, and with `InvalidResponse` if the answer is too large. Interrupting it closes the connection.
 */
export const body = (endpoint: Endpoint, deadlines: Deadlines, call: Call): Effect.Effect<Body, ProviderError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { next, problem: _, ...head } = yield* open(endpoint, deadlines, call, false)
      const decoder = new TextDecoder()
      const pieces: Array<string> = []
      for (let bytes = yield* next; bytes !== undefined; bytes = yield* next) {
        pieces.push(decoder.decode(bytes, { stream: true }))
      }
      pieces.push(decoder.decode())
      return { text: pieces.join(""), ...head }
    })
  )

/**
 * Makes a call and reads its answer as server-sent events.
 *
 * **Details**
 *
 * - The end of the body ends the stream. Whether the answer was complete is up to the caller, by its last event, after
 *   which it should not pull again.
 * - An event counts once the empty line after it has arrived.
 * - Fails as `body` does. A response without any event fails with `Truncated`, or with `InvalidResponse` if it states
 *   another content type.
 * - A body that is a JSON error and not a stream becomes one event named `"error"`.
 */
export const events = (
  endpoint: Endpoint,
  deadlines: Deadlines,
  call: Call
): Stream.Stream<ServerEvent, ProviderError> =>
  Stream.unwrap(
    Effect.map(open(endpoint, deadlines, call, true), ({ next, problem, ...head }) => {
      const decoder = new TextDecoder()
      let isEmpty = true
      let found: Array<ServerEvent> = []
      let text = ""
      const parser = Sse.makeParser(
        (parsed) => {
          if (parsed._tag === "Event") found.push({ event: parsed.event, data: parsed.data, ...head })
        },
        { maxEventSize: mostBytes }
      )
      const pull: Pull.Pull<Arr.NonEmptyReadonlyArray<ServerEvent>, ProviderError> = Effect.flatMap(next, (bytes) => {
        if (bytes === undefined) {
          if (!isEmpty) return Cause.done()
          // some servers send an error with a good status instead of events
          if (errorIn(parse(text)) === undefined) return Effect.fail(problem(nothingIn(head.headers, endpoint)))
          isEmpty = false
          return Effect.succeed(Arr.of({ event: "error", data: text, ...head }))
        }
        const piece = decoder.decode(bytes, { stream: true })
        if (isEmpty && text.length < longestError) text += piece
        if (parser.feed(piece) !== undefined) return Effect.fail(problem(tooLarge(endpoint)))
        const events = found
        found = []
        if (!Arr.isArrayNonEmpty(events)) return pull
        isEmpty = false
        return Effect.succeed(events)
      })
      return Stream.fromPull(Effect.succeed(pull))
    })
  )
