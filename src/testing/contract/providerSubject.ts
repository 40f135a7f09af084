/** The provider under test, and the backend that the tests play. */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Answer, Reason, Shape, ToolCall } from "../../Provider.ts"

/**
 * How the backend of a provider reacts to a request.
 *
 * **Details**
 *
 * - `Text`: answers with the text, in pieces if the call streams and the text has more than a few letters
 * - `Calls`: calls these tools, after the text if there is one. With `isBroken` the connection breaks in the last call
 * - `Answers`: answers the closed questions of a native call, in their order
 * - `Failure`: refuses for this reason before any part of an answer
 * - `Broken`: the connection breaks after this text
 * - `Never`: nothing follows this text, and the connection stays open
 *
 * @category models
 */
export type ProviderReply =
  | { readonly _tag: "Text"; readonly text: string }
  | {
      readonly _tag: "Calls"
      readonly calls: ReadonlyArray<ToolCall>
      readonly text?: string
      readonly isBroken?: boolean
    }
  | { readonly _tag: "Answers"; readonly answers: ReadonlyArray<Answer> }
  | { readonly _tag: "Failure"; readonly reason: Reason["_tag"] }
  | { readonly _tag: "Broken"; readonly text: string }
  | { readonly _tag: "Never"; readonly text: string }

/**
 * A request that reached the backend.
 *
 * @category models
 */
export interface ProviderAsked {
  /** Everything that the request contains: its messages in order, its tools, and the form of the answer wherever it is. */
  readonly prompt: string
  /** The temperature that was sent; undefined if none was. */
  readonly temperature: number | undefined
}

/**
 * A provider in front of a backend that a test plays.
 *
 * **Details**
 *
 * - `received`: all requests that have reached the backend, in order
 * - `open`: how many of them are neither answered completely nor abandoned by the provider
 * - `secret`: what no error may contain, such as the provider's API key
 *
 * @category models
 */
export interface ProviderSubject {
  readonly provider: Shape
  readonly received: () => ReadonlyArray<ProviderAsked>
  readonly open: () => number
  readonly secret?: string
}

/**
 * Makes a provider whose backend handles each request with `backend`.
 *
 * @category models
 */
export type MakeProvider<E = never> = (
  backend: (asked: ProviderAsked) => ProviderReply
) => Effect.Effect<ProviderSubject, E, Scope.Scope>

/**
 * One test of a provider's contract.
 *
 * **Details**
 *
 * - `path`: what it tests, from general to specific, such as `["a provider", "answers", "gives …"]`
 * - `timeout`: the time limit on a slow machine, in milliseconds
 * - `run`: fails or dies if the provider breaks the contract
 *
 * @category models
 */
export interface ProviderTest {
  readonly path: ReadonlyArray<string>
  readonly timeout: number
  readonly run: <E>(make: MakeProvider<E>) => Effect.Effect<void, unknown>
}
