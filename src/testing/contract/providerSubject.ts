/** A provider that is tested, and the backend that the tests play. */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Answer, Reason, Shape } from "../../Provider.ts"

/**
 * What the backend of a provider does with a request.
 *
 * - `Text`: answers with the text; to a streamed call in pieces, where it has more than a few letters
 * - `Answers`: answers the closed questions of a native call, in their order
 * - `Failure`: refuses, for such a reason, before anything of an answer
 * - `Broken`: the connection breaks after this text
 * - `Never`: after this text nothing more comes, and the connection stays
 *
 * @category models
 */
export type ProviderReply =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Answers"; readonly answers: ReadonlyArray<Answer> }
  | { readonly _tag: "Failure"; readonly reason: Reason["_tag"] }
  | { readonly _tag: "Broken"; readonly text: string }
  | { readonly _tag: "Never"; readonly text: string }

/**
 * What a backend was asked.
 *
 * @category models
 */
export interface ProviderAsked {
  /** All that the request says: its messages in their order, and the form of the answer wherever that stands. */
  readonly prompt: string
  /** The temperature that was sent; undefined when none was. */
  readonly temperature: number | undefined
}

/**
 * A provider in front of a backend that a test plays.
 *
 * - `received`: all requests that reached the backend so far, in order
 * - `open`: how many of them are not over: neither answered to the end nor given up by the provider
 * - `secret`: what no error may hold, such as the key that the provider calls with
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
 * Makes a provider whose backend does with each request as `backend` says.
 *
 * @category models
 */
export type MakeProvider<E = never> = (
  backend: (asked: ProviderAsked) => ProviderReply
) => Effect.Effect<ProviderSubject, E, Scope.Scope>

/**
 * One thing that every provider promises, and how to find out.
 *
 * - `path`: what the provider promises, from the general to the special, as `["a provider", "answers", "gives …"]`
 * - `timeout`: in milliseconds, what it should be given on a slow machine
 * - `run`: fails or dies when the provider does not keep the promise
 *
 * @category models
 */
export interface ProviderTest {
  readonly path: ReadonlyArray<string>
  readonly timeout: number
  readonly run: <E>(make: MakeProvider<E>) => Effect.Effect<void, unknown>
}
