/** What happens in a run of an agent, as it happens. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Tool from "effect/ai/Tool"
import type { Usage } from "../../thought/tokens.ts"
import type { Called, Returned } from "./called.ts"

/**
 * An event of a run of an agent. The names of its tools tell the types of parameters and results apart.
 *
 * **Details**
 *
 * - `Triaged`: the message was judged: whether it is safe, how much thinking it takes, and the tools that may be used
 * - `Text`, `Reasoning`: the next part of what the model writes in this round. An answer without calls is the answer of the agent
 * - `CallStarted`, `CallDelta`: the model writes a call, and the next part of its parameters. Nothing is carried out yet. The call
 *   `answer` is the answer of an agent with `output`
 * - `Called`: a complete call of a tool, with its parameters, before it is judged. Once more if a person has approved other
 *   parameters, with these
 * - `Asked`: somebody is asked whether it may be carried out. If nobody has answered yet, the stream fails with `Suspended`
 * - `Denied`: it is not carried out, because of the policy or of the person who was asked
 * - `Progress`: a preliminary result of a tool
 * - `Returned`: the result of a call
 * - `Failed`: what the model is shown of a call that failed, is unknown or malformed
 * - `Discarded`: drop the text of this round: the call of the model has failed, or has given a text where the answer has a schema
 * - `Compacted`: the conversation was shortened
 * - `Round`: a round of the model has ended, and what it has used. `usd` is set if its prices are known
 * - `Done`: the last event, with the final thought
 *
 * @category models
 */
export type Event<Tools extends Record<string, Tool.Any>, A, T> =
  | {
      readonly _tag: "Triaged"
      readonly safe: boolean
      readonly mode: "fast" | "deep"
      readonly tools: ReadonlyArray<keyof Tools & string>
    }
  | { readonly _tag: "Text"; readonly round: number; readonly delta: string }
  | { readonly _tag: "Reasoning"; readonly round: number; readonly delta: string }
  | { readonly _tag: "CallStarted"; readonly round: number; readonly id: string; readonly name: string }
  | { readonly _tag: "CallDelta"; readonly round: number; readonly id: string; readonly delta: string }
  | ({ readonly _tag: "Called" } & Called<Tools>)
  | ({ readonly _tag: "Asked"; readonly prompt: string } & Called<Tools>)
  | ({ readonly _tag: "Denied"; readonly reason: string } & Called<Tools>)
  | ({ readonly _tag: "Progress" } & Returned<Tools>)
  | ({ readonly _tag: "Returned" } & Returned<Tools>)
  | { readonly _tag: "Failed"; readonly id: string; readonly name: string; readonly failure: string }
  | { readonly _tag: "Discarded"; readonly round: number }
  | { readonly _tag: "Compacted" }
  | { readonly _tag: "Round"; readonly round: number; readonly usage: Usage; readonly usd?: number }
  | { readonly _tag: "Done"; readonly thought: T; readonly answer: A }

/** An event of any agent. */
export type AnyEvent = Event<Record<string, any>, unknown, unknown>

export interface Listener {
  readonly tell: (event: AnyEvent) => Effect.Effect<void>
  /** Never waits. For work that is being interrupted. */
  readonly leave: (event: AnyEvent) => Effect.Effect<void>
}

/** Who listens to the agent that runs. Agents within its tools have no listener. */
export const Listening = Context.Reference<Listener | undefined>("cogito/agent/Listening", {
  defaultValue: () => undefined
})

export const tell = (event: AnyEvent): Effect.Effect<void> =>
  Effect.withFiber((fiber) => fiber.getRef(Listening)?.tell(event) ?? Effect.void)
