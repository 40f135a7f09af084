/** Calls over connections that keep their conversations, and otherwise in another way. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { accounted } from "../accounted.ts"
import type { Capabilities } from "../capabilities.ts"
import type { ProviderError } from "../ProviderError.ts"
import type { Request, Response, StreamPart } from "../request.ts"
import type { Caller } from "./guarded.ts"
import { type Limits, Pool } from "./pool.ts"
import type { Connection, Exchange, Protocol } from "./Protocol.ts"
import { downOf, turn } from "./turn.ts"

interface Options<Call> {
  readonly limits: Limits
  /** How long a call over a connection may take, and the error after that. */
  readonly deadline?: { readonly millis: number; readonly late: () => ProviderError }
  /** Makes the calls that no connection is there for. Without it they fail. */
  readonly replay?: Replay<Call>
}

/** Another way to make calls. */
interface Replay<Call> extends Exchange<Call> {
  readonly capabilities: Capabilities
  readonly requestOf: (call: Call) => Request
  readonly withRequest: (call: Call, request: Request) => Call
}

/** After a connection could not be opened, none is tried for so long if there is another way. */
const pause = 60_000

/** Makes calls over connections. The connections close with the scope. */
export const conversing = <C extends Connection, Call>(
  caller: Caller,
  protocol: Protocol<C, Call>,
  { deadline, limits, replay }: Options<Call>
): Effect.Effect<Exchange<Call>, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new Pool(caller, protocol, { ...limits, isImpatient: replay !== undefined })),
      (pool) => pool.close
    ),
    (pool) => {
      const stream: Exchange<Call>["stream"] = (call) => {
        const parts = turn(caller, pool, protocol, call)
        return deadline === undefined || deadline.millis === Infinity
          ? parts
          : Stream.interruptWhen(
              parts,
              Effect.delay(
                Effect.suspend(() => Effect.fail(deadline.late())),
                deadline.millis
              )
            )
      }
      const complete: Exchange<Call>["complete"] = (call) =>
        Stream.runFold(
          stream(call),
          (): Response | undefined => undefined,
          (found, part) => (part._tag === "Done" ? part.response : found)
        ).pipe(
          Effect.filterOrElse(
            (response) => response !== undefined,
            () => Effect.die(new Error("An answer over a connection ends with Done or an error."))
          )
        )
      const resumed = { complete, stream }
      return replay === undefined ? resumed : either(caller, protocol, resumed, replay)
    }
  )

/** Counts each way of making a call in the budgets in force: an answer that was cut off may have been billed. */
const apart = <Call>(caller: Caller, ways: Exchange<Call>, { capabilities, requestOf, withRequest }: Replay<Call>) => {
  const counting = accounted({ ...caller, capabilities })
  const counted: Exchange<Call> = {
    complete: (call) => counting.complete((request) => ways.complete(withRequest(call, request)))(requestOf(call)),
    stream: (call) => counting.stream((request) => ways.stream(withRequest(call, request)))(requestOf(call))
  }
  return counted
}

/** Makes calls over connections, and those that fail there in the other way. */
const either = <C extends Connection, Call>(
  caller: Caller,
  protocol: Protocol<C, Call>,
  resuming: Exchange<Call>,
  replay: Replay<Call>
): Exchange<Call> => {
  const resumed = apart(caller, resuming, replay)
  const replayed = apart(caller, replay, replay)
  let pausedUntil = -Infinity

  /** Whether to try a connection now. */
  const isTime = Effect.map(Clock.currentTimeMillis, (now) => now >= pausedUntil)

  const noted = (isUnopened: boolean): Effect.Effect<void> =>
    isUnopened
      ? Effect.map(Clock.currentTimeMillis, (now) => {
          pausedUntil = now + pause
        })
      : Effect.void

  /** The answer, with the tokens of both ways. */
  const withSent = (call: Call, tokens: number, response: Response): Response => {
    const whole = protocol.plan(call).tokens(0)
    return { ...response, sent: { tokens: tokens + whole, what: tokens > 0 ? "again" : "all" } }
  }

  const streamed = (call: Call, tokens: number) =>
    Stream.map(replayed.stream(call), (part): StreamPart =>
      part._tag === "Done" ? { ...part, response: withSent(call, tokens, part.response) } : part
    )
  const completed = (call: Call, tokens: number) =>
    Effect.map(replayed.complete(call), (response) => withSent(call, tokens, response))

  return {
    complete: (call) =>
      Effect.flatMap(isTime, (isNow) => {
        if (!isNow) return completed(call, 0)
        return Effect.catch(resumed.complete(call), (error) => {
          const down = downOf(error)
          if (down === undefined) return Effect.fail(error)
          return Effect.andThen(noted(down.isUnopened), completed(call, down.tokens))
        })
      }),
    stream: (call) =>
      Stream.unwrap(
        Effect.map(isTime, (isNow) => {
          if (!isNow) return streamed(call, 0)
          let hasEmitted = false
          return resumed.stream(call).pipe(
            Stream.tap(() => Effect.sync(() => (hasEmitted = true))),
            Stream.catch((error) => {
              const down = downOf(error)
              // another answer would not continue what has come of this one
              if (down === undefined || hasEmitted) return Stream.fail(error)
              return Stream.unwrap(Effect.as(noted(down.isUnopened), streamed(call, down.tokens)))
            })
          )
        })
      )
  }
}
