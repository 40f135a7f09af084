/** Nodes around one step. */
import { type AnyForm, callable, duration, type Forms, name, option, step } from "../../arguments/forms.ts"
import * as Step from "../../Step.ts"
import { type Definition, making, optionsOf } from "../model/define.ts"
import type { Limits } from "../model/limits.ts"

/** The options of a connector around one step. Its name is required, and so are the options listed in `required`. */
const fieldsOf = (wrap: object, what: string, before: Forms = {}, required: ReadonlyArray<string> = []): Forms => {
  const { name: _, ...options } = optionsOf(wrap)
  const forms = Object.entries(options).map(([key, form]): readonly [string, AnyForm] => [
    key,
    required.includes(key) ? { ...form, optional: false } : form
  ])
  return { name: option("Name of the step.", name), step: option(what, step), ...before, ...Object.fromEntries(forms) }
}

const tried = "The step that is tried."
const failing = "The step that may fail."
const limited = "The step that is limited."

const wrapping = (type: string, wrap: object, description: string, what: string): Definition => ({
  type,
  description,
  fields: fieldsOf(wrap, what),
  build: ({ step, ...options }) => making(wrap)(step, options)
})

/** A connector that takes one more argument besides its options. */
const wrappingWith = (type: string, wrap: object, description: string, what: string, before: Forms): Definition => {
  const [under = ""] = Object.keys(before)
  return {
    type,
    description,
    fields: fieldsOf(wrap, what, before),
    build: ({ step, [under]: given, ...options }) => making(wrap)(step, given, options)
  }
}

export const attempts: ReadonlyArray<Definition> = [
  wrapping("retry", Step.retry, "Runs a step again when it fails, without a pause.", tried),
  wrapping("backoff", Step.backoff, "Runs a step again when it fails, after waits that grow.", tried),
  wrappingWith("timeout", Step.timeout, "Gives a step so much time.", tried, {
    duration: option("How much.", duration)
  }),
  wrappingWith("handle", Step.handle, "Tells a function of a failure, which stays one.", failing, {
    handler: option("The function of the failure and the thought.", callable)
  }),
  wrappingWith("recover", Step.recover, "Runs another step, on the thought from before, when one fails.", failing, {
    with: option("The other step.", step)
  }),
  wrapping(
    "enrich",
    Step.enrich,
    "Runs a step that is optional: when it fails, the thought goes on without it.",
    failing
  )
]

/** A limit. If the site keeps its state, that state replaces the numbers. */
const limiting = (
  type: string,
  wrap: object,
  description: string,
  required: ReadonlyArray<string>,
  numbers: ReadonlyArray<string>,
  [kept, under]: readonly [keyof Limits, string]
): Definition => ({
  type,
  description,
  fields: fieldsOf(wrap, limited, {}, required),
  build: ({ step, ...options }, { limits, names }) => {
    const entries = Object.entries(options)
    const own = entries.filter(([key]) => !numbers.includes(key))
    // the forms of the connector decoded them
    const said = Object.fromEntries(entries.filter(([key]) => numbers.includes(key))) as never
    const state = limits[kept](names, said)
    return making(wrap)(step, state === undefined ? options : { ...Object.fromEntries(own), [under]: state })
  }
})

export const limits: ReadonlyArray<Definition> = [
  limiting(
    "rateLimit",
    Step.rateLimit,
    "Lets a step run so often in a time.",
    ["limit", "per"],
    ["limit", "per", "burst"],
    ["rateLimiter", "limiter"]
  ),
  limiting(
    "circuitBreaker",
    Step.circuitBreaker,
    "Does not run a step for a time when it has failed too often.",
    [],
    ["failures", "reset", "successes"],
    ["circuitBreaker", "breaker"]
  ),
  limiting(
    "workerLimit",
    Step.workerLimit,
    "Lets so many runs of a step happen at a time.",
    ["workers"],
    ["workers"],
    ["workerPool", "pool"]
  ),
  wrapping(
    "budget",
    Step.budget,
    "Limits what the model calls of each run of a step may use. At least one limit is needed.",
    limited
  )
]
