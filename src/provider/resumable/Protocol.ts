/** What a vendor's connection and its protocol are to the library. */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { ProviderError } from "../ProviderError.ts"
import type { Message, Response, StreamPart } from "../request.ts"

/**
 * An open connection that carries frames of text, such as a WebSocket.
 *
 * **Details**
 *
 * - `send`: sends one frame
 * - `receive`: waits for the next frame. It fails once the connection is closed and all frames have been received
 * - `close`: closes the connection. The library calls it once, whether calls succeed, fail or are interrupted. Afterwards it
 *   neither sends nor receives: both fail with `Connection`
 * - `isOpen`: whether the other side has kept the connection open. Default: until a call fails
 *
 * @category resuming
 */
export interface Connection {
  readonly send: (frame: string) => Effect.Effect<void, ProviderError>
  readonly receive: Effect.Effect<string, ProviderError>
  readonly close: Effect.Effect<void>
  readonly isOpen?: () => boolean
}

/**
 * What a frame means for the answer that is being received.
 *
 * **Details**
 *
 * - `Nothing`: it is of no interest here, or belongs to an earlier answer
 * - a part of the answer, or several `Parts`. `Done` ends the answer, and the connection stays open for the next one
 * - `Failed`: the answer fails with `error`. `isForgotten` says that the connection no longer has the conversation: the
 *   library then sends all of it, once. `isClosing` says that the connection can no longer be used, so the call may be made in
 *   another way. `mayContinue` says that more of the answer may still come, so no other call may use the connection
 *
 * @category resuming
 */
export type Received =
  | { readonly _tag: "Nothing" }
  | StreamPart
  | { readonly _tag: "Parts"; readonly parts: ReadonlyArray<StreamPart> }
  | {
      readonly _tag: "Failed"
      readonly error: ProviderError
      readonly isForgotten?: boolean
      readonly isClosing?: boolean
      readonly mayContinue?: boolean
    }

/** How one call is made over a connection. */
export interface Plan<C> {
  /** The whole conversation. */
  readonly messages: ReadonlyArray<Message>
  /** What must be equal for a conversation to continue, as text. */
  readonly settings: string
  /** About how many tokens are sent if the connection has so many of the messages. */
  readonly tokens: (from: number) => number
  /** The frames that request the answer. `previous` is the answer that the connection has last, if it has any messages. */
  readonly frames: (lacking: ReadonlyArray<Message>, previous: Response | undefined) => ReadonlyArray<string>
  /** Begins to read the frames of one answer. */
  readonly reader: (connection: C) => (frame: string, millis: number) => Received
}

/** How calls are made over connections that keep their conversation. */
export interface Protocol<C extends Connection, Call> {
  readonly connect: Effect.Effect<C, ProviderError, Scope.Scope>
  readonly plan: (call: Call) => Plan<C>
  /** Whether a connection that has one conversation can begin another one. */
  readonly restarts: boolean
  /** Whether the conversation can continue after this answer. */
  readonly resumes: (answer: Response) => boolean
}

/**
 * The two ways to make a call.
 *
 * @category types
 */
export interface Exchange<Call> {
  readonly complete: (call: Call) => Effect.Effect<Response, ProviderError>
  readonly stream: (call: Call) => Stream.Stream<StreamPart, ProviderError>
}
