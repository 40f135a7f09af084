/** Nodes for primitives. Their options are those of the primitive. */
import * as DateTime from "effect/DateTime"
import { hasProperty } from "effect/Predicate"
import * as Schema from "effect/Schema"
import { name, option } from "../../arguments/forms.ts"
import * as Primitive from "../../Primitive.ts"
import * as Synapse from "../../Synapse.ts"
import { type Definition, making, type Options, optionsOf } from "../model/define.ts"

const keyed = (
  type: string,
  make: object,
  description: string,
  holds: Definition["holds"] & {},
  { key = "Key of the note that is written.", given = (options: Options) => options } = {}
): Definition => ({
  type,
  description,
  fields: { key: option(key, name), ...optionsOf(make) },
  build: ({ key, ...options }) => making(make)(key, given(options)),
  holds
})

const named = (type: string, make: object, description: string): Definition => ({
  type,
  description,
  fields: { name: option("Name of the step.", name), ...optionsOf(make) },
  build: ({ name, ...options }) => making(make)(name, options)
})

const text = () => Schema.String

/** Rejects an empty range of time. */
const inOrder = (options: Options): Options => {
  const { since, until } = options
  if (DateTime.isDateTime(since) && DateTime.isDateTime(until) && !DateTime.isLessThan(since, until)) {
    throw new Error("`until` must be after `since`.")
  }
  return options
}

/** A list of items stays as it is; a reference to a note becomes its handle. */
const itemsOf = (options: Options): Options => {
  const { items } = options
  return hasProperty(items, "note") ? { ...options, items: items.note } : options
}

/** The schema of the note that `categorize` writes. */
const classification = (categories: unknown) =>
  Primitive.categorize("key", { question: "?", categories: categories as Readonly<Record<string, string>> }).schema

export const primitives: ReadonlyArray<Definition> = [
  keyed("decide", Primitive.decide, "Asks a yes/no question.", () => Synapse.Decision),
  keyed(
    "analyze",
    Primitive.analyze,
    "Extracts a value of a registered schema.",
    ({ schema }) => schema as Schema.Codec<any, any>
  ),
  keyed("categorize", Primitive.categorize, "Puts the matter into one of several categories.", ({ categories }) =>
    classification(categories)
  ),
  keyed("assess", Primitive.assess, "Judges the feeling in the notes.", () => Synapse.Assessment),
  keyed(
    "prioritize",
    Primitive.prioritize,
    "Puts items in order.",
    ({ items }) =>
      Synapse.Ranking(Array.isArray(items) ? Schema.Literals(items as ReadonlyArray<string>) : Schema.String),
    { given: itemsOf }
  ),
  keyed("sift", Primitive.sift, "Asks a yes/no question, and on yes runs a step.", () => Synapse.Decision),
  keyed(
    "discern",
    Primitive.discern,
    "Asks which of several routes fits, and runs the step of that route.",
    ({ routes }) => classification(Object.fromEntries(Object.keys(routes as object).map((label) => [label, label])))
  ),
  keyed(
    "converge",
    Primitive.converge,
    "Runs branches beside each other and writes what they come to together.",
    () => Primitive.Convergence
  ),
  keyed("seek", Primitive.seek, "Finds notes of earlier thoughts by meaning.", () => Primitive.Findings, {
    given: inOrder
  }),
  keyed("survey", Primitive.survey, "Finds earlier tasks by the meaning of their notes.", () => Primitive.Overview, {
    given: inOrder
  }),
  keyed("approve", Primitive.approve, "Waits until a person approves or refuses.", () => Primitive.Approval),
  keyed("recall", Primitive.recall, "Summarises another thought.", text),
  keyed("reflect", Primitive.reflect, "Summarises the notes of this thought.", text),
  keyed("amplify", Primitive.amplify, "Refines a note until it meets criteria.", () => Primitive.Amplification),
  {
    type: "checkpoint",
    description: "Marks this point under the name, and goes on with a fork.",
    fields: { name: option("Name of the step.", name) },
    build: ({ name }) => making(Primitive.checkpoint)(name)
  },
  named("restore", Primitive.restore, "Goes back to a checkpoint, or over to another thought."),
  named("forget", Primitive.forget, "Goes on without some notes, and with a fresh conversation."),
  keyed("compress", Primitive.compress, "Puts a summary in the place of the older conversation.", text, {
    key: "Key of the note that the summary becomes."
  }),
  named("truncate", Primitive.truncate, "Takes messages out of the middle of the conversation."),
  named("reset", Primitive.reset, "Begins the conversation anew.")
]
