import * as Schema from "effect/Schema"
import * as Primitive from "../../Primitive.ts"
import { define, type Definition } from "../model/define.ts"
import { maybe, Name, names, oneOf, option, words } from "../model/parts.ts"

const name = option("Name of the step.", Name)

const checkpoint = define("checkpoint", {
  description: "Marks this point under the name, and goes on with a fork.",
  fields: () => ({ name }),
  build: ({ name }) => Primitive.checkpoint(name)
})

const restore = define("restore", {
  description: "Goes back to a checkpoint, or over to another thought.",
  fields: (parts) => ({
    name,
    from: option(
      "The checkpoint, or the id of a thought, or a reader of one.",
      Schema.Union([
        Schema.NonEmptyString,
        parts.textReader,
        Schema.Struct({ checkpoint: option("Name of the checkpoint.", words) })
      ]).annotate({ expected: '{ checkpoint: "<name>" }, an id, or { reader: "<name>" }' })
    ),
    session: maybe("Whether its conversation goes on, or a fresh one begins.", oneOf("keep", "fresh"))
  }),
  defaults: { session: "keep" },
  build: ({ name, ...options }) => Primitive.restore(name, options)
})

const forget = define("forget", {
  description: "Goes on without some notes, and with a fresh conversation.",
  fields: () => ({
    name,
    drop: maybe("Keys of the notes that are left behind.", names),
    keep: maybe("Keys of the notes that stay; all others are left behind.", names)
  }),
  build: ({ name, ...options }) => Primitive.forget(name, options)
})

/** Steps that go on with a fork. */
export const forks: ReadonlyArray<Definition> = [checkpoint, restore, forget]
