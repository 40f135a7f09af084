/**
 * Answers over HTTP, read here and not by an SDK: within their time and size, closed when nobody waits any more, and never
 * complete when they broke off.
 */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Pull from "effect/Pull"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Sse from "effect/encoding/Sse"
import type { ProviderError, Reason } from "../Provider.ts"
import type { Deadlines } from "./deadlines.ts"
import { parse } from "./decoding.ts"
import { type Endpoint, fail } from "./Endpoint.ts"
import { errorIn, fromSdk } from "./failure.ts"

/** Makes a call and gives its response, whose body is not read yet: an SDK's `asResponse()`. */
export type Call = (signal: AbortSignal) => Promise<Response>

/** What comes before the body of an answer with a good status. */
interface Head {
  readonly headers: Headers
  /** When the headers came, in milliseconds. */
  readonly received: number
}

/** The whole body of an answer with a good status. */
export interface Body extends Head {
  readonly text: string
}

/** One event of a stream; `event` is `"message"` where the server names none. */
export interface ServerEvent extends Head {
  readonly event: string
  readonly data: string
}

/** The most bytes of one answer. */
const mostBytes = 32 * 1024 * 1024

/** What may still come of an answer that is complete, so that its connection can be used again. */
const rest = { millis: 250, bytes: 64 * 1024 }

/** An answer whose body is being read. */
interface Opened extends Head {
  /** The next piece; nothing at the end. */
  readonly next: Effect.Effect<Uint8Array | undefined, ProviderError>
  readonly problem: (reason: Reason) => ProviderError
}

type Reader = ReadableStreamDefaultReader<Uint8Array>

/** Reads what is left of a body, and whether that was its end. */
const drain = (reader: Reader, left = rest.bytes): Effect.Effect<boolean> =>
  Effect.tryPromise(() => reader.read()).pipe(
    Effect.flatMap(({ done, value }) => {
      if (done) return Effect.succeed(true)
      return value.byteLength >= left ? Effect.succeed(false) : drain(reader, left - value.byteLength)
    }),
    Effect.timeout(rest.millis),
    Effect.orElseSucceed(() => false)
  )

const millisSince = (start: bigint) => Effect.map(Clock.currentTimeNanos, (now) => Number((now - start) / 1_000_000n))

/** Makes the call and reads its body until the scope closes, which closes the connection unless the body was read to its end. */
const open = Effect.fnUntraced(function* (
  endpoint: Endpoint,
  deadlines: Deadlines,
  call: Call,
  streamed: boolean
): Effect.fn.Return<Opened, ProviderError, Scope.Scope> {
  const { connect, idle, total } = deadlines
  const start = yield* Clock.currentTimeNanos
  const connection = yield* Scope.make()
  const signal = yield* Scope.provide(Effect.abortSignal, connection)
  const answer: { reader?: Reader; ended: boolean } = { ended: false }

  const abort = Effect.suspend(() => {
    if (answer.ended) return Effect.void
    // What it is rejected with was read already.
    answer.reader?.cancel().catch(() => {})
    return Scope.close(connection, Exit.void)
  })
  // A stream is left when its last event has come; what follows, the end of the body, is read so that the connection lives.
  yield* Effect.addFinalizer((exit) =>
    Exit.isSuccess(exit) && answer.reader !== undefined && !answer.ended
      ? Effect.asVoid(Effect.forkDetach(Effect.flatMap(drain(answer.reader), (isEnd) => (isEnd ? Effect.void : abort))))
      : abort
  )

  const late: Reason = {
    _tag: "Timeout",
    message: `no complete answer within ${Duration.format(total)}: raise timeout or ask for less`
  }
  /** Fails when the effect takes longer than a wait, or than what is left of the total time. */
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
    Effect.tryPromise({ try: () => call(signal), catch: (cause) => ({ cause }) }).pipe(
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
        message: `${host} sent something else than a stream of events: check model and baseUrl`
      }
}

/** The longest body that is looked at for an error, in characters. */
const longestError = 64 * 1024

/**
 * Makes a call and reads its whole answer.
 *
 * Fails with what `fromSdk` makes of a rejected call, with `Timeout` when a deadline passes, with `Truncated` when the
 * connection breaks, with `InvalidResponse` when the answer is too large. Interrupting it closes the connection.
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
 * The end of the body ends the stream: whether the answer was complete is for the caller to tell, by its last event, after
 * which it should not ask for more. An event counts when the empty line after it has come. Fails as `body` does, and when
 * an answer holds no event at all: with `Truncated`, or `InvalidResponse` when it says that it is something else. A body that
 * is a JSON error and no stream is one event named `"error"`.
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
          // some servers send an error with a good status in place of events
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
