import * as Schema from "effect/Schema"
import * as Note from "../../Note.ts"
import * as Primitive from "../../Primitive.ts"
import * as Synapse from "../../Synapse.ts"
import { define, type Definition } from "../model/define.ts"
import { maybe, Name, names, option, text } from "../model/parts.ts"
import { askingDefaults, calling, closed, compactable, looking, parsing, repairs } from "./asking.ts"

const key = option("Key of the note that is written.", Name)

const decide = define("decide", {
  description: "Asks a yes/no question.",
  fields: (parts) => ({ key, question: option("The question.", text(parts)), ...closed(parts) }),
  defaults: askingDefaults,
  build: ({ key, ...options }) => Primitive.decide(key, options),
  handle: ({ key }) => Note.handle(key, Synapse.Decision)
})

const analyze = define("analyze", {
  description: "Extracts a value of a registered schema.",
  fields: (parts) => ({
    key,
    schema: option("Name of the registered schema of the value.", parts.schema),
    prompt: option("What to extract.", text(parts)),
    repairs,
    parsing,
    ...looking,
    compact: compactable,
    ...calling(parts)
  }),
  defaults: askingDefaults,
  build: ({ key, ...options }) => Primitive.analyze(key, options),
  handle: ({ key, schema }) => Note.handle(key, schema)
})

const categorize = define("categorize", {
  description: "Puts the matter into one of several categories.",
  fields: (parts) => ({
    key,
    question: option("The question.", text(parts)),
    categories: option(
      "The categories: names, or names with a sentence on what belongs there.",
      Schema.Union([Schema.NonEmptyArray(Name), Schema.Record(Schema.String, Schema.String)]).annotate({
        expected: "a list of names, or an object of names with what belongs there"
      })
    ),
    ...closed(parts)
  }),
  defaults: askingDefaults,
  build: ({ key, ...options }) => Primitive.categorize(key, options),
  handle: (options) => Primitive.categorize(options.key, { question: "?", categories: options.categories })
})

const assess = define("assess", {
  description: "Judges the feeling in the notes.",
  fields: (parts) => ({
    key,
    question: option("The question.", text(parts)),
    aspects: maybe("Aspects that are judged one by one.", names),
    ...closed(parts)
  }),
  defaults: { ...askingDefaults, aspects: [] },
  build: ({ key, ...options }) => Primitive.assess(key, options),
  handle: ({ key }) => Note.handle(key, Synapse.Assessment)
})

const prioritize = define("prioritize", {
  description: "Puts items in order.",
  fields: (parts) => ({
    key,
    criteria: option('What to rank by; completes "Rank by …".', text(parts)),
    items: option(
      "The items: a list, a reader of one, or the key of a note that is one.",
      Schema.Union([
        Schema.NonEmptyArray(Schema.NonEmptyString),
        parts.textsReader,
        Schema.Struct({ note: option("Key of the note: a list of texts.", parts.textsHandle) })
      ]).annotate({ expected: 'a list of texts, { reader: "<name>" } or { note: "<key>" }' })
    ),
    ...closed(parts)
  }),
  defaults: askingDefaults,
  build: ({ items, key, ...options }) =>
    Primitive.prioritize(key, { ...options, items: "note" in items ? items.note : items }),
  handle: ({ items, key }) =>
    Note.handle(key, Synapse.Ranking("length" in items ? Schema.Literals(items) : Schema.String))
})

/** Steps that ask one question. */
export const questions: ReadonlyArray<Definition> = [decide, analyze, categorize, assess, prioritize]
