/** Connections that are closed once, and carry nothing afterwards. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { ProviderError } from "../ProviderError.ts"
import type { Shape } from "../Shape.ts"
import type { Connection } from "./Protocol.ts"

/** Whose connection it is. */
export type Caller = Pick<Shape, "name" | "model">

export const disconnected = ({ model, name }: Caller, message: string): ProviderError =>
  new ProviderError({ provider: name, model, reason: { _tag: "Connection", message } })

/** A connection that is closed at most once, by `closing`. Whatever it is asked to do afterwards fails. */
export const guarded = (
  connection: Connection,
  closing: Effect.Effect<void>,
  caller: Caller
): Connection & { readonly isOpen: () => boolean; readonly close: Effect.Effect<void> } => {
  let isClosed = false
  const closed = Deferred.makeUnsafe<never, ProviderError>()
  const error = disconnected(caller, "the connection is closed: make the call again")
  const whileOpen = <A>(effect: () => Effect.Effect<A, ProviderError>): Effect.Effect<A, ProviderError> =>
    Effect.suspend(() => (isClosed ? Effect.fail(error) : effect()))
  return {
    send: (frame) => whileOpen(() => connection.send(frame)),
    receive: whileOpen(() => Effect.raceFirst(connection.receive, Deferred.await(closed))),
    close: Effect.suspend(() => {
      if (isClosed) return Effect.void
      isClosed = true
      return Effect.andThen(Deferred.fail(closed, error), closing)
    }),
    isOpen: () => !isClosed && (connection.isOpen?.() ?? true)
  }
}
