/** What notes and requests say of each other. */
import { isFound } from "../../thought/found.ts"
import type * as Note from "../../thought/Note.ts"
import type { ContextNote } from "../../provider/task.ts"
import type { Shape as ProviderShape } from "../../provider/Shape.ts"
import type { Asked } from "../../synapse/Declaration.ts"

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

/** What was really used: a sampling that was not sent is not claimed. */
export const provenance = (provider: ProviderShape, answer: Asked<unknown>): Record<string, string> => ({
  provider: answer.provider ?? provider.name,
  model: answer.model,
  via: answer.via,
  ...(answer.sampling.temperature === undefined ? {} : { temperature: String(answer.sampling.temperature) }),
  ...(answer.sampling.effort === undefined ? {} : { effort: answer.sampling.effort }),
  ...(answer.cached === true ? { cached: "true" } : {}),
  // what was done to the answer, each thing once
  ...(answer.coercions.length === 0
    ? {}
    : { coerced: [...new Set(answer.coercions.map(({ kind }) => kind))].toSorted().join(", ") })
})
