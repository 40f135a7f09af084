import * as Step from "../../Step.ts"
import { define, type Definition } from "../model/define.ts"
import { count, flag, maybe, Name, number, option, type Parts } from "../model/parts.ts"

const attempted = (parts: Parts) => ({
  name: option("Name of the step.", Name),
  step: option("The step that is tried.", parts.node)
})
const worth = (parts: Parts) => maybe("A function of the error: whether another attempt is worth it.", parts.function)
const times = maybe("How often it is tried again.", count(0))

const retry = define("retry", {
  description: "Runs a step again when it fails, at once.",
  fields: (parts) => ({ ...attempted(parts), times, while: worth(parts) }),
  defaults: { times: 2 },
  build: ({ step, ...options }) => Step.retry(step, options)
})

const backoff = define("backoff", {
  description: "Runs a step again when it fails, after waits that grow.",
  fields: (parts) => ({
    ...attempted(parts),
    times,
    base: maybe("The first wait.", parts.duration),
    factor: maybe("How many times as long each wait is as the one before.", number(1)),
    cap: maybe("The longest wait.", parts.duration),
    jitter: maybe("Whether waits are random in part.", flag),
    while: worth(parts)
  }),
  defaults: { times: 4, base: "250 millis", factor: 2, cap: "30 seconds", jitter: true },
  build: ({ step, ...options }) => Step.backoff(step, options)
})

const timeout = define("timeout", {
  description: "Gives a step so much time.",
  fields: (parts) => ({ ...attempted(parts), duration: option("How much.", parts.duration) }),
  build: ({ duration, name, step }) => Step.timeout(step, duration, { name })
})

/** Steps that try another one. */
export const attempts: ReadonlyArray<Definition> = [retry, backoff, timeout]
