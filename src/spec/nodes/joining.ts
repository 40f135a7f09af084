/** Nodes that join steps or choose between them. */
import { type AnyForm, branches, flag, list, maybe, name, option, some, step } from "../../arguments/forms.ts"
import * as Pipeline from "../../Pipeline.ts"
import { named } from "../../Step.ts"
import { type Definition, making, optionsOf } from "../model/define.ts"

const itsName = option("Name of the step.", name)

/** A connector that takes a name and options. */
export const connector = (type: string, make: object, description: string): Definition => ({
  type,
  description,
  fields: { name: itsName, ...optionsOf(make) },
  build: ({ name, ...options }) => making(make)(name, options)
})

/** A connector that takes its steps as an argument of their own. */
const joining = (type: string, make: object, description: string, under: string, steps: AnyForm): Definition => ({
  type,
  description,
  fields: { name: itsName, [under]: steps, ...optionsOf(make) },
  build: ({ name, [under]: steps, ...options }) => making(make)(name, steps, options)
})

const beside = option("The branches.", branches)

export const joined: ReadonlyArray<Definition> = [
  joining(
    "sequence",
    Pipeline.sequence,
    "Runs steps one after the other.",
    "steps",
    option("The steps.", list("a list of steps", step))
  ),
  {
    type: "named",
    description: "Gives a step another name.",
    fields: { name: itsName, step: option("The step.", step) },
    build: ({ name, step }) => making(named)(step, name)
  },
  connector("filter", Pipeline.filter, "Runs a step only when a condition holds."),
  connector("switch", Pipeline.switch, "Runs the branch whose label a reader gives."),
  connector(
    "gate",
    Pipeline.gate,
    'Goes on, goes on without the step, or fails, as a reader says "pass", "skip" or "fail".'
  ),
  joining(
    "fallback",
    Pipeline.fallback,
    "Tries one step after the other until one is good.",
    "alternatives",
    option("The steps, best first.", some("a list of at least one step", step))
  ),
  joining(
    "concurrent",
    Pipeline.concurrent,
    "Runs branches beside each other and keeps the notes of all.",
    "branches",
    beside
  ),
  joining(
    "race",
    Pipeline.race,
    "Runs branches beside each other and goes on with the first that succeeds.",
    "branches",
    beside
  ),
  joining(
    "contest",
    Pipeline.contest,
    "Runs branches beside each other and goes on with the first that is good enough.",
    "branches",
    beside
  )
]

/** A setting for all steps inside. */
const surrounding = (type: string, make: object, description: string, enabled: string): Definition => ({
  type,
  description,
  fields: {
    step: option("The step with those steps inside.", step),
    enabled: maybe(enabled, flag, true),
    ...optionsOf(make)
  },
  build: ({ enabled = true, step, ...options }) => making(make)(step, enabled ? options : false)
})

export const surroundings: ReadonlyArray<Definition> = [
  surrounding(
    "introspect",
    Pipeline.introspect,
    "Turns introspection on for the steps inside: each reviews its answer in a second call.",
    "Whether they do; false turns it off inside another one."
  ),
  surrounding(
    "compact",
    Pipeline.compact,
    "Keeps the conversation of the steps inside short.",
    "Whether it is; false turns it off inside another one."
  )
]
