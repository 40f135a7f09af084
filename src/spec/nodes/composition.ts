import * as Schema from "effect/Schema"
import * as Pipeline from "../../Pipeline.ts"
import { named as namedStep } from "../../Step.ts"
import { define, type Definition } from "../model/define.ts"
import { flag, maybe, Name, option } from "../model/parts.ts"

const name = option("Name of the step.", Name)

const sequence = define("sequence", {
  description: "Runs steps one after the other.",
  fields: (parts) => ({
    name,
    steps: option("The steps.", Schema.Array(parts.node).annotate({ expected: "a list of steps" })),
    overwrite: maybe("Whether a later step may write a key again.", flag)
  }),
  defaults: { overwrite: false },
  build: ({ name, steps, ...options }) => Pipeline.sequence(name, steps, options)
})

const named = define("named", {
  description: "Gives a step another name.",
  fields: (parts) => ({ name, step: option("The step.", parts.node) }),
  build: ({ name, step }) => namedStep(step, name)
})

/** Steps that put others in their place. */
export const composition: ReadonlyArray<Definition> = [sequence, named]
