import * as DateTime from "effect/DateTime"
import * as Schema from "effect/Schema"
import * as Note from "../../Note.ts"
import * as Primitive from "../../Primitive.ts"
import { define, type Definition } from "../model/define.ts"
import { count, flag, maybe, Name, names, oneOf, option, type Parts, text, unit, words } from "../model/parts.ts"
import { calling } from "./asking.ts"

const key = option("Key of the note that is written.", Name)

/** Which notes a search may find. */
const search = (parts: Parts) => ({
  query: option("What to look for.", text(parts)),
  limit: maybe("Most matches.", count(1)),
  keys: maybe("Only notes under these keys.", names),
  sources: maybe("Only notes from these sources.", names),
  excludeSources: maybe("No notes from these sources.", names),
  taskId: maybe("Only notes of thoughts of this task.", words),
  excludeThoughts: maybe("No notes that these thoughts wrote.", names),
  since: maybe("Only notes created at this moment or later.", parts.moment),
  until: maybe("Only notes created before this moment.", parts.moment),
  trust: maybe("Only notes of this trust.", oneOf("trusted", "untrusted")),
  metadata: maybe(
    "Only notes whose metadata has these fields with these values.",
    Schema.Record(Schema.String, Schema.String).annotate({ expected: "an object of texts" })
  ),
  minSimilarity: maybe("Only matches at least this similar.", unit),
  summarize: maybe(
    "Whether, and how, what is found is summarised.",
    Schema.Union([
      Schema.Boolean,
      Schema.Struct({
        prompt: maybe("What the summary should say.", words),
        summaryKey: maybe("Key of the note that the summary becomes.", words),
        ...calling(parts)
      })
    ]).annotate({ expected: "true, false, or an object that says how to summarise" })
  )
})

/** Refuses a time that has no moments. */
const inOrder = <A extends { readonly since?: DateTime.Utc; readonly until?: DateTime.Utc }>(options: A): A => {
  const { since, until } = options
  if (since !== undefined && until !== undefined && !DateTime.isLessThan(since, until)) {
    throw new Error("`until` must be after `since`.")
  }
  return options
}

const seek = define("seek", {
  description: "Finds notes of earlier thoughts by meaning.",
  fields: (parts) => ({ key, ...search(parts) }),
  defaults: { limit: 10, summarize: false },
  build: ({ key, ...options }) => Primitive.seek(key, inOrder(options)),
  handle: ({ key }) => Note.handle(key, Primitive.Findings)
})

const survey = define("survey", {
  description: "Finds earlier tasks by the meaning of their notes.",
  fields: (parts) => ({ key, ...search(parts) }),
  defaults: { limit: 5, summarize: false },
  build: ({ key, ...options }) => Primitive.survey(key, inOrder(options)),
  handle: ({ key }) => Note.handle(key, Primitive.Overview)
})

const recall = define("recall", {
  description: "Summarises another thought.",
  fields: (parts) => ({
    key,
    thought: option(
      "Id of the thought, a reader of it, or its trace id.",
      Schema.Union([
        Schema.NonEmptyString,
        parts.textReader,
        Schema.Struct({ traceId: option("Trace id of the thought.", words) })
      ]).annotate({ expected: 'an id, { reader: "<name>" } or { traceId: "<id>" }' })
    ),
    prompt: maybe("What to summarise.", text(parts)),
    ...calling(parts)
  }),
  build: ({ key, ...options }) => Primitive.recall(key, options),
  handle: ({ key }) => Note.handle(key, Schema.String)
})

const reflect = define("reflect", {
  description: "Summarises the notes of this thought.",
  fields: (parts) => ({
    key,
    prompt: maybe("What to summarise.", text(parts)),
    unpublishedOnly: maybe("Only notes that the model has not seen.", flag),
    ...calling(parts)
  }),
  defaults: { unpublishedOnly: false },
  build: ({ key, ...options }) => Primitive.reflect(key, options),
  handle: ({ key }) => Note.handle(key, Schema.String)
})

/** Steps that look up or sum up notes. */
export const memory: ReadonlyArray<Definition> = [seek, survey, recall, reflect]
