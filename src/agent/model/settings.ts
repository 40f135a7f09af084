/** What an agent is made of, once its options were checked. */
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Tool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import type { Sampling } from "../../Provider.ts"
import type { Shape } from "../../provider/Shape.ts"
import type { Form } from "../../synapse/form.ts"
import type { Thought } from "../../thought/model.ts"
import type * as Note from "../../thought/Note.ts"
import type { AnyDocument } from "./Document.ts"
import type { Effort } from "./effort.ts"
import type { Triage } from "./Triage.ts"
import type { Verdict } from "./verdict.ts"

/**
 * How long an agent goes on, and how much of a result it sees.
 *
 * **Details**
 *
 * - `rounds`: the most calls of the model. In the last one it must answer. Default 20
 * - `repeats`: the agent stops when a call gives the same result this often. Default 3
 * - `failures`: it stops when every call failed in so many rounds in a row. Default 3
 * - `parallel`: how many calls of one round are carried out at a time. Default 8
 * - `resultTokens`: about how many tokens of a result the model sees, from its beginning and its end; the note has all of it.
 *   Default 4,000
 * - `tools`: the most tools that `select: "similar"` sends. Default 8
 *
 * @category models
 */
export interface Limits {
  readonly rounds: number
  readonly repeats: number
  readonly failures: number
  readonly parallel: number
  readonly resultTokens: number
  readonly tools: number
}

/**
 * Which tools an agent may use for a message.
 *
 * **Details**
 *
 * - `"all"`: all of its toolkit
 * - `"triage"`: those that triage names
 * - `"similar"`: the `limits.tools` whose name and description are most similar to the message, by the `Embedder` in the context.
 *   If it fails, all
 *
 * A tool that is not selected is neither sent nor callable.
 *
 * @category models
 */
export type Select = "all" | "triage" | "similar"

/**
 * What `prepare` sets for one round. Unset fields are as in every round.
 *
 * **Details**
 *
 * - `provider`: who is asked, such as a larger model after some rounds
 * - `tools`: those of the selected tools that may be used
 * - `toolChoice`: whether a tool must be called. The model is asked to: a server may ignore `"required"`. With `"none"` or a name,
 *   calls of other tools are not carried out
 * - `sampling`: replaces the fields of the agent's `sampling` and `effort`
 *
 * @category models
 */
export interface Prepared<N extends string = string> {
  readonly provider?: Shape
  readonly tools?: ReadonlyArray<N>
  readonly toolChoice?: "auto" | "none" | "required" | { readonly tool: N }
  readonly sampling?: Sampling
}

/**
 * An effect of an agent's tools, policy or instructions. Their errors and services are in the type that `Agent.make` returns; in
 * here they are any, as each agent has others.
 */
export type Work<A> = Effect.Effect<A, any, any>

/** The same, of a generator. */
export type Working<A> = Effect.fn.Return<A, any, any>

/** Judges a call, given the thought as it is then. */
type Policy = (
  call: { readonly id: string; readonly name: string; readonly params: any },
  thought: Thought<any>
) => Verdict | Work<Verdict>

/** Sets a round, given its number from 1 and the thought as it is then. */
type Prepare = (round: number, thought: Thought<any>) => Prepared | Work<Prepared>

export interface Settings {
  readonly name: string
  readonly instructions: Note.Text
  readonly toolkit: Toolkit.Toolkit<Record<string, Tool.Any>>
  readonly handle: Note.Handle<string, any>
  /** The form of the answer. Undefined for a text. */
  readonly form: Form<any> | undefined
  readonly limits: Limits
  readonly sampling: Sampling
  readonly provider: Shape | undefined
  /** Default: by the annotations of the tools. */
  readonly policy: Policy | undefined
  readonly approval: { readonly timeout?: Duration.Input }
  readonly triage: Triage | undefined
  readonly select: Select
  readonly effort: Effort
  readonly prepare: Prepare | undefined
  readonly documents: ReadonlyArray<AnyDocument>
}
