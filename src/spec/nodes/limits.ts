import * as Step from "../../Step.ts"
import { define, type Definition } from "../model/define.ts"
import { above0, count, maybe, Name, number, oneOf, option, type Parts } from "../model/parts.ts"

const around = (parts: Parts) => ({
  name: option("Name of the step.", Name),
  step: option("The step that is limited.", parts.node)
})

const rateLimit = define("rateLimit", {
  description: "Lets a step run so often in a time.",
  fields: (parts) => ({
    ...around(parts),
    limit: option("How often.", above0),
    per: option("In which time.", parts.duration),
    burst: maybe("How often at once after a pause. Without it, as often as the limit.", number(1)),
    onExceeded: maybe("What becomes of a run that is too early.", oneOf("wait", "fail"))
  }),
  defaults: { onExceeded: "wait" },
  build: ({ burst, limit, name, onExceeded, per, step }, site) => {
    const options = { limit, per, ...(burst === undefined ? {} : { burst }) }
    const limiter = site.limits.rateLimiter(site.names, options)
    const own = { name, ...(onExceeded === undefined ? {} : { onExceeded }) }
    return Step.rateLimit(step, limiter === undefined ? { ...own, ...options } : { ...own, limiter })
  }
})

const circuitBreaker = define("circuitBreaker", {
  description: "Does not run a step for a time when it has failed too often.",
  fields: (parts) => ({
    ...around(parts),
    failures: maybe("After how many failures in a row it opens.", count(1)),
    reset: maybe("How long it stays open.", parts.duration),
    successes: maybe("After how many successes in a row it closes.", count(1)),
    counts: maybe("A function of the error: whether it counts as a failure.", parts.function)
  }),
  defaults: { failures: 5, reset: "1 minute", successes: 1 },
  build: ({ counts, name, step, ...options }, site) => {
    const breaker = site.limits.circuitBreaker(site.names, options)
    const own = { name, ...(counts === undefined ? {} : { counts }) }
    return Step.circuitBreaker(step, breaker === undefined ? { ...own, ...options } : { ...own, breaker })
  }
})

const workerLimit = define("workerLimit", {
  description: "Lets so many runs of a step happen at a time.",
  fields: (parts) => ({ ...around(parts), workers: option("How many.", count(1)) }),
  build: ({ name, step, ...options }, site) => {
    const pool = site.limits.workerPool(site.names, options)
    return Step.workerLimit(step, pool === undefined ? { name, ...options } : { name, pool })
  }
})

const budget = define("budget", {
  description: "Limits what the model calls of each run of a step may use. At least one limit is needed.",
  fields: (parts) => ({
    ...around(parts),
    calls: maybe("How many calls.", count(0)),
    tokens: maybe("How many tokens, of input and output together.", count(0)),
    usd: maybe("How many US dollars; the prices of the model must be known.", number(0)),
    time: maybe("How long after the beginning of the run.", parts.duration),
    onShort: maybe("What becomes of a call that others may still make room for.", oneOf("wait", "fail"))
  }),
  defaults: { onShort: "wait" },
  build: ({ step, ...options }) => Step.budget(step, options)
})

/** Steps that limit another one. */
export const limits: ReadonlyArray<Definition> = [rateLimit, circuitBreaker, workerLimit, budget]
