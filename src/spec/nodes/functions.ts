import * as Schema from "effect/Schema"
import * as Pipeline from "../../Pipeline.ts"
import { once as onceStep } from "../../Step.ts"
import type * as Step from "../../Step.ts"
import { define, type Definition } from "../model/define.ts"
import { maybe, Name, option } from "../model/parts.ts"

const name = option("Name of the step.", Name)

/** How functions fail and what they need is in the type of the registry. */
type Unchecked = (name: string, options: unknown) => Step.Any

const tap = define("tap", {
  description: "Runs a function beside the thought, which stays as it is.",
  fields: (parts) => ({
    name,
    run: option(
      "The function of the thought, or a reader.",
      Schema.Union([parts.function, parts.reader]).annotate({
        expected: '{ function: "<name>" } or { reader: "<name>" }'
      })
    )
  }),
  build: ({ name, run }) => Pipeline.tap(name, run)
})

const once = define("once", {
  description: "Runs a function of the thought once all that led to it is stored.",
  fields: (parts) => ({ name, run: option("The function.", parts.function) }),
  build: ({ name, run }) => (onceStep as unknown as Unchecked)(name, run)
})

const mutate = define("mutate", {
  description: "Puts a new value in the place of a note's.",
  fields: (parts) => ({
    name,
    note: option("Key of the note.", parts.handle),
    update: option("The function of the value and the thought.", parts.function),
    when: maybe("A reader of whether to do it.", parts.condition)
  }),
  build: ({ name, ...options }) => (Pipeline.mutate as unknown as Unchecked)(name, options)
})

const scaffold = define("scaffold", {
  description: "Runs a step in the background, on a fork of the thought.",
  fields: (parts) => ({ name, step: option("The step.", parts.node) }),
  build: ({ name, step }) => (Pipeline.scaffold as unknown as Unchecked)(name, { step })
})

/** Steps with effects besides the notes. */
export const functions: ReadonlyArray<Definition> = [tap, once, mutate, scaffold]
