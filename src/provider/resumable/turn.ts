/** One call over a connection. */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"
import { ProviderError } from "../ProviderError.ts"
import type { Message, Response, Sent, StreamPart } from "../request.ts"
import { essentialOf } from "../tools.ts"
import { type Caller, disconnected } from "./guarded.ts"
import { busy, type Lease, type Pool } from "./pool.ts"
import type { Connection, Plan, Protocol, Received } from "./Protocol.ts"

/** A connection that is down, or was not opened: the call may be made in another way. */
interface Down {
  /** About how many tokens were sent. */
  readonly tokens: number
  /** Whether no connection could be opened. */
  readonly isUnopened: boolean
}

const downs = new WeakMap<ProviderError, Down>()

/** What is known of the connection, if the error is that it is down. */
export const downOf = (error: ProviderError): Down | undefined => downs.get(error)

const down = (error: ProviderError, tokens: number, isUnopened: boolean): ProviderError => {
  const { cause, model, provider, reason, requestId, usage } = error
  // a copy, since a connection may fail with the same error again
  const copy = new ProviderError({
    provider,
    model,
    reason,
    ...(usage === undefined ? {} : { usage }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(cause === undefined ? {} : { cause })
  })
  downs.set(copy, { tokens, isUnopened })
  return copy
}

/** A text that is equal for equal messages. White space around an answer does not count, as callers remove it. */
const keyOf = (message: Message): string =>
  JSON.stringify(essentialOf(message.role === "assistant" ? { ...message, text: message.text.trim() } : message))

/** The answer as the next request of the conversation repeats it. */
const answerOf = ({ calls = [], carry, text }: Response): Message => ({
  role: "assistant",
  text,
  ...(calls.length > 0 && { calls }),
  ...(carry !== undefined && { carry })
})

/** A connection that breaks within an answer cuts it off. */
const cut = ({ cause, model, provider, reason }: ProviderError): ProviderError =>
  new ProviderError({
    provider,
    model,
    reason:
      reason._tag === "Connection"
        ? { _tag: "Truncated", message: "the connection broke before the answer was complete: try again" }
        : reason,
    ...(cause === undefined ? {} : { cause })
  })

/**
 * Makes a call over a connection of the pool, and streams its answer.
 *
 * If the connection has lost the conversation, or turns out to be closed before anything of the answer has come, all of the
 * conversation is sent once more. A call that does not end with its whole answer, also an interrupted one, closes its
 * connection, so nothing of its answer can get into the next one.
 */
export const turn = <C extends Connection, Call>(
  caller: Caller,
  pool: Pool<C>,
  protocol: Protocol<C, Call>,
  call: Call
): Stream.Stream<StreamPart, ProviderError> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const made = new Turn(caller, pool, protocol, protocol.plan(call))
      yield* Effect.addFinalizer(() => made.end)
      return Stream.fromPull(Effect.succeed(made.pull))
    })
  )

class Turn<C extends Connection> {
  readonly #caller: Caller
  readonly #pool: Pool<C>
  readonly #protocol: Pick<Protocol<C, never>, "resumes">
  readonly #plan: Plan<C>
  readonly #keys: ReadonlyArray<string>
  #lease: Lease<C> | undefined
  #read: ((frame: string, millis: number) => Received) | undefined
  #tokens = 0
  #what: Sent["what"] = "all"
  #isAgain = false
  #hasReceived = false
  #hasEmitted = false
  #isDone = false

  constructor(caller: Caller, pool: Pool<C>, protocol: Pick<Protocol<C, never>, "resumes">, plan: Plan<C>) {
    this.#caller = caller
    this.#pool = pool
    this.#protocol = protocol
    this.#plan = plan
    this.#keys = plan.messages.map(keyOf)
  }

  /** Closes the connection, unless the answer is complete. */
  get end(): Effect.Effect<void> {
    return Effect.suspend(() => this.#lease?.drop ?? Effect.void)
  }

  get pull(): Pull.Pull<Arr.NonEmptyReadonlyArray<StreamPart>, ProviderError> {
    return Effect.suspend(() => {
      if (this.#isDone) return Cause.done()
      return Effect.andThen(this.#lease === undefined ? this.#begin : Effect.void, this.#next)
    })
  }

  /** Sends what a connection lacks. */
  get #begin(): Effect.Effect<void, ProviderError> {
    return Effect.gen({ self: this }, function* () {
      const { messages, settings } = this.#plan
      const lease = yield* Effect.uninterruptibleMask((restore) =>
        this.#pool.lease(settings, this.#keys, this.#isAgain, restore).pipe(
          Effect.mapError((error) =>
            error === busy
              ? down(disconnected(this.#caller, "all connections are busy: try again"), this.#tokens, false)
              : down(error, this.#tokens, true)
          ),
          Effect.tap((found) => Effect.sync(() => (this.#lease = found)))
        )
      )
      const { connection, from, hasChanged, own, previous } = lease
      this.#read = this.#plan.reader(own)
      this.#what = from > 0 ? "rest" : hasChanged || this.#isAgain ? "again" : "all"
      this.#tokens += this.#plan.tokens(from)
      const frames = this.#plan.frames(messages.slice(from), previous)
      yield* Effect.forEach(frames, (frame) => connection.send(frame), { discard: true }).pipe(
        Effect.catch((error) => this.#broken(error))
      )
    })
  }

  /** Waits for the next parts of the answer. */
  get #next(): Pull.Pull<Arr.NonEmptyReadonlyArray<StreamPart>, ProviderError> {
    return Effect.gen({ self: this }, function* () {
      for (;;) {
        const received = yield* this.#receive
        if (received === undefined || received._tag === "Nothing") continue
        if (received._tag === "Failed") {
          yield* this.#failed(received)
          continue
        }
        const parts = received._tag === "Parts" ? received.parts : [received]
        const found = yield* Effect.forEach(parts, (part) =>
          part._tag === "Done" ? this.#done(part.response) : Effect.succeed(part)
        )
        if (!Arr.isReadonlyArrayNonEmpty(found)) continue
        this.#hasEmitted = true
        return found
      }
    })
  }

  /** What the next frame means. Undefined if the call has begun again. */
  get #receive(): Effect.Effect<Received | undefined, ProviderError> {
    return Effect.suspend(() => {
      const { connection } = this.#lease ?? {}
      if (connection === undefined) return Effect.as(this.#begin, undefined)
      return connection.receive.pipe(
        Effect.flatMap((frame) =>
          Effect.map(Clock.currentTimeMillis, (millis) => {
            this.#hasReceived = true
            return this.#read?.(frame, millis)
          })
        ),
        Effect.catch((error) => Effect.as(this.#broken(error), undefined))
      )
    })
  }

  /** The connection is down. One that was open before may have been closed long ago, so the call begins again, once. */
  #broken(error: ProviderError): Effect.Effect<void, ProviderError> {
    return Effect.suspend(() => {
      const mayRetry = !this.#isAgain && this.#lease?.isUsed === true && !this.#hasReceived
      const failing = mayRetry
        ? Effect.sync(() => this.#again())
        : Effect.fail(down(this.#hasReceived ? cut(error) : error, this.#tokens, false))
      return Effect.andThen(this.end, failing)
    })
  }

  #failed({
    error,
    isClosing = false,
    isForgotten = false,
    mayContinue = false
  }: Extract<Received, { readonly _tag: "Failed" }>): Effect.Effect<void, ProviderError> {
    return Effect.gen({ self: this }, function* () {
      const lease = this.#lease
      if (lease !== undefined) yield* isClosing || mayContinue ? lease.drop : lease.keep(undefined)
      if (isForgotten && !this.#isAgain && !this.#hasEmitted) return this.#again()
      return yield* isClosing ? down(error, this.#tokens, false) : error
    })
  }

  #again(): void {
    this.#isAgain = true
    this.#hasReceived = false
    this.#lease = undefined
  }

  #done(response: Response): Effect.Effect<StreamPart> {
    return Effect.gen({ self: this }, function* () {
      const sent: Sent = { tokens: this.#tokens, what: this.#what }
      const held = {
        settings: this.#plan.settings,
        keys: [...this.#keys, keyOf(answerOf(response))],
        previous: response
      }
      this.#isDone = true
      yield* this.#lease?.keep(this.#protocol.resumes(response) ? held : undefined) ?? Effect.void
      return { _tag: "Done", response: { ...response, sent } }
    })
  }
}
