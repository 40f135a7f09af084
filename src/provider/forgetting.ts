/** Answers that a cache keeps, and that it can forget if no use could be made of them. */
import * as Effect from "effect/Effect"
import type { DecideResponse, Response } from "./request.ts"
import { forgetting, inPlaceOf } from "./service.ts"

type Answer = Pick<Response | DecideResponse, "usage">

/** The answer, which can be forgotten in this way too. */
export const forgettable = <A extends Answer>(answer: A, forget: Effect.Effect<void>): A => {
  const usage = { ...answer.usage }
  const before = forgetting.get(answer.usage)
  forgetting.set(usage, before === undefined ? forget : Effect.andThen(forget, before))
  return { ...answer, usage }
}

/** The answer without its usage, which can be forgotten like that with it. */
export const free = <A extends Answer>(answer: A): A => ({ ...answer, usage: inPlaceOf(answer.usage, {}) })
