/**
 * What steps that search the memory have in common: their exclusions, the state of the search, and the summary of its
 * results.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { either, fields, flag, maybe, words } from "../../arguments/forms.ts"
import { quoted } from "../../text/legible.ts"
import { stateOf } from "../../thought/state.ts"
import type { Wording } from "./wording.ts"
import { write } from "../../run/write.ts"
import * as Note from "../../thought/Note.ts"
import type { Provider } from "../../provider/Provider.ts"
import type { ProviderError } from "../../provider/ProviderError.ts"
import type { Thought } from "../../thought/model.ts"
import { checkSampling, checkText, stepNamed } from "../../arguments/checked.ts"
import { callingForms } from "./options.ts"
import { type Material, summarise, type SummaryOptions, summarySettings } from "./summary.ts"

export const Unit = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

export const Arms = Schema.Struct({
  vector: Schema.Literals(["ok", "partial", "unavailable", "none"]),
  lexical: Schema.Literals(["ok", "unavailable"]),
  pending: Schema.Int,
  rerank: Schema.optionalKey(Schema.Literals(["ok", "late", "failed"]))
})

/** Ids of the thought and of the thoughts whose notes it began with, even if it does not see them. */
export const own = (thought: Thought<any>): ReadonlySet<string> =>
  new Set([
    thought.id,
    ...(thought.parent === undefined || thought.parent.seq === 0 ? [] : [thought.parent.id]),
    ...Array.from(stateOf(thought).log, (note) => note.thoughtId)
  ])

/**
 * How to summarise what a search found, in a call outside the thought's conversation.
 *
 * @category models
 */
export interface Summarize extends SummaryOptions {
  /** What the summary should say. Default: what the found notes say about the query. */
  readonly prompt?: string
  /** Key of the note for the summary. Default: the step's key with `_summary`. */
  readonly summaryKey?: string
}

/** The form of this option. */
export const summarizeForm = either(
  "true, false, or an object that says how to summarise",
  flag,
  fields("", {
    prompt: maybe("What the summary should say.", words),
    summaryKey: maybe("Key of the note that the summary becomes.", words),
    ...callingForms
  })
)

/**
 * The effect of the option `summarize` on the type of a search.
 *
 * @category models
 */
export declare namespace Summarize {
  /** Whether, and how, what is found is summarised. */
  type Option = boolean | Summarize
  /** The errors of summarising. None without it. */
  type Err<S> = [S] extends [false | undefined] ? never : ProviderError
  /** The services that summarising needs. None without it. */
  type Req<S> = [S] extends [false | undefined] ? never : Provider
}

/** The note with the search results, and the thought that contains it. */
interface Noted {
  readonly note: Note.Note
  readonly thought: Thought<any>
}

/** The keys that a search writes, and how it adds its summary. Throws if the two keys are equal. */
export const summaryOf = (
  kind: string,
  key: string,
  option: Summarize.Option | undefined,
  words: { readonly prompt: string; readonly nothing: string }
) => {
  const given = option === true ? {} : option
  if (given === undefined || given === false) {
    return {
      writes: [key],
      settings: {},
      add: ({ thought }: Noted, _query: Wording, _material: Material) => Effect.succeed(thought)
    }
  }
  const { prompt = words.prompt } = given
  const task: Wording = { text: prompt, trust: "trusted" }
  checkText(stepNamed(key), "summarize.prompt", prompt)
  checkSampling(stepNamed(key), given.sampling, "summarize.sampling")
  const summaryKey = Note.checkKey(given.summaryKey ?? `${key}_summary`)
  if (summaryKey === key) throw new Error(`The step ${quoted(key)} needs another key for its summary.`)
  const text = Note.handle(summaryKey, Schema.String)
  return {
    writes: [key, summaryKey],
    settings: { summarize: true, "summarize.prompt": given.prompt, ...summarySettings(given, "summarize.") },
    add: Effect.fnUntraced(function* ({ note, thought }: Noted, query: Wording, material: Material) {
      if (material.notes.length === 0)
        return (yield* write(thought, kind, text, words.nothing, { from: [note] })).thought
      const sections = [{ heading: "Query", body: query.text }]
      const sources = [note, ...(query.sources ?? [])]
      return yield* summarise(thought, kind, summaryKey, task, { ...material, sections, sources }, given)
    })
  }
}
