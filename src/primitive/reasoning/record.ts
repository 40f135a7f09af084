/** How notes appear in requests, and requests in the metadata of notes. */
import { isFound } from "../../thought/found.ts"
import type * as Note from "../../thought/Note.ts"
import type { ContextNote } from "../../provider/task.ts"
import type { Shape as ProviderShape } from "../../provider/Shape.ts"
import type { Answered } from "../../synapse/Declaration.ts"

export const contextNote = (note: Note.Note, isFresh: boolean): ContextNote => ({
  id: note.id,
  key: note.key,
  text: note.content,
  source: note.source,
  step: note.step,
  trust: note.trust,
  fresh: isFresh,
  ...(isFound(note) ? { found: true as const } : {})
})

/** Metadata about the call. Contains only sampling that was sent. */
export const provenance = (provider: ProviderShape, answer: Answered<unknown>): Record<string, string> => ({
  provider: answer.provider ?? provider.name,
  model: answer.model,
  via: answer.via,
  ...(answer.sampling.temperature === undefined ? {} : { temperature: String(answer.sampling.temperature) }),
  ...(answer.sampling.effort === undefined ? {} : { effort: answer.sampling.effort }),
  ...(answer.cached === true ? { cached: "true" } : {}),
  // the kinds of changes to the answer, without duplicates
  ...(answer.coercions.length === 0
    ? {}
    : { coerced: [...new Set(answer.coercions.map(({ kind }) => kind))].toSorted().join(", ") })
})
