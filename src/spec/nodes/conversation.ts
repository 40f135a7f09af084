import * as Schema from "effect/Schema"
import * as Note from "../../Note.ts"
import * as Primitive from "../../Primitive.ts"
import { define, type Definition } from "../model/define.ts"
import { count, flag, maybe, Name, option, text, words } from "../model/parts.ts"
import { calling } from "./asking.ts"

const name = option("Name of the step.", Name)
const release = maybe("Whether notes of removed messages can be shown again.", flag)

const compress = define("compress", {
  description: "Puts a summary in the place of the older conversation.",
  fields: (parts) => ({
    key: option("Key of the note that the summary becomes.", Name),
    threshold: maybe(
      "From where on the conversation is long.",
      Schema.Struct({
        turns: maybe("At so many turns.", count(1)),
        tokens: maybe("At so many tokens.", count(1))
      }).annotate({ expected: "an object with turns or tokens" })
    ),
    keep: maybe("How many of the last turns stay.", count(0)),
    prompt: maybe("What to summarise.", text(parts)),
    ...calling(parts)
  }),
  defaults: { keep: 0 },
  build: ({ key, ...options }) => Primitive.compress(key, options),
  handle: ({ key }) => Note.handle(key, Schema.String)
})

const truncate = define("truncate", {
  description: "Takes messages out of the middle of the conversation.",
  fields: () => ({
    name,
    first: maybe("How many turns stay at the beginning.", count(0)),
    last: maybe("How many turns stay at the end.", count(0)),
    threshold: maybe("Does nothing while there are fewer messages.", count(0)),
    release
  }),
  defaults: { first: 1, last: 10, threshold: 0, release: true },
  build: ({ name, ...options }) => Primitive.truncate(name, options)
})

const reset = define("reset", {
  description: "Begins the conversation anew.",
  fields: (parts) => ({
    name,
    system: maybe("The system's word to begin with.", words),
    note: maybe("Key of the note to begin with.", parts.handle),
    release
  }),
  defaults: { release: true },
  build: ({ name, ...options }) => Primitive.reset(name, options)
})

/** Steps that shorten the conversation. */
export const conversation: ReadonlyArray<Definition> = [compress, truncate, reset]
