/** Nodes that run registered functions for their effects. */
import type * as Schema from "effect/Schema"
import { callable, either, name, option, reader } from "../../arguments/forms.ts"
import * as Pipeline from "../../Pipeline.ts"
import { once } from "../../Step.ts"
import { type Definition, making, optionsOf } from "../model/define.ts"
import { connector } from "./joining.ts"

export const functions: ReadonlyArray<Definition> = [
  {
    type: "tap",
    description: "Runs a function beside the thought, which stays as it is.",
    fields: {
      name: option("Name of the step.", name),
      run: option(
        "The function of the thought, or a reader.",
        either('{ function: "<name>" } or { reader: "<name>" }', callable, reader)
      )
    },
    build: ({ name, run }) => making(Pipeline.tap)(name, run)
  },
  {
    type: "once",
    description: "Runs a function of the thought once all that led to it is stored.",
    fields: { name: option("Name of the step.", name), run: option("The function.", callable) },
    build: ({ name, run }) => making(once)(name, run)
  },
  {
    type: "waitFor",
    description: "Waits for an answer from outside, and writes it.",
    fields: { key: option("Key of the note that the answer becomes.", name), ...optionsOf(Pipeline.waitFor) },
    build: ({ key, ...options }) => making(Pipeline.waitFor)(key, options),
    holds: ({ schema }) => schema as Schema.Codec<any, any>
  },
  connector("mutate", Pipeline.mutate, "Puts a new value in the place of a note's."),
  connector("scaffold", Pipeline.scaffold, "Runs a step in the background, on a fork of the thought.")
]
