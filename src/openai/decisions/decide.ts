/** How a provider decides closed questions, by its options. */
import * as Effect from "effect/Effect"
import { fail } from "../../http/Endpoint.ts"
import { deciding, type Way } from "../../provider/decisions.ts"
import { make, type Prices, type Shape } from "../../Provider.ts"
import type { Client, Target } from "../api/client.ts"
import { logprobs } from "./logprobs.ts"
import { decidesNatively, native } from "./native.ts"

export type Decisions = boolean | "logprobs"

type Decide = NonNullable<Shape["decide"]>

const wayOf = (
  client: Client,
  target: Target,
  decisions: Decisions = client.official && decidesNatively(target.model)
): Way | undefined => {
  if (decisions === false) return undefined
  return decisions === "logprobs" ? logprobs(client, target) : native(client, target)
}

type Caller = Pick<Shape, "name" | "model" | "capabilities">

/** A model that only decides. */
export const onlyDeciding = (name: string, model: string, prices: Prices | undefined): Caller => ({
  name,
  model,
  capabilities: {
    temperature: "never",
    efforts: [],
    structuredOutput: "none",
    seed: false,
    // a conversation with calls can be decided on
    tools: true,
    ...(prices !== undefined && { prices })
  }
})

/** The part of a provider that decides. Empty if it decides in words. */
export const decideOf = (
  client: Client,
  target: Target,
  caller: Caller,
  decisions: Decisions | undefined
): { readonly decide?: Decide } => {
  const way = wayOf(client, target, decisions)
  if (way === undefined) return {}
  // Budgets must count each call, not each request, so a provider of its own makes the calls.
  const { decide: ask = way.ask } = make({ ...caller, complete: () => Effect.never, decide: way.ask })
  return {
    decide: deciding({ ...way, ask }, (message) => fail(client.endpoint, { _tag: "Unsupported", message }))
  }
}
