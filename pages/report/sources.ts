/** Sources of notes in thoughts that the report does not have, as the results of searches name them. */
import type { NoteReport } from "../../src/report/model.ts"
import type { View } from "./model.ts"

export interface Foreign {
  readonly noteId: string
  readonly key: string
  readonly content: string
  readonly thoughtId: string
}

const computed = new WeakMap<View, ReadonlyMap<string, Foreign>>()

/** What searches have found, by the id of the note. */
const foundIn = (view: View): ReadonlyMap<string, Foreign> => {
  const known = computed.get(view)
  if (known !== undefined) return known
  const found = new Map<string, Foreign>()
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return
    if ("noteId" in value && "thoughtId" in value && "key" in value && "content" in value) {
      const { content, key, noteId, thoughtId } = value
      if (typeof noteId === "string" && typeof thoughtId === "string" && typeof key === "string")
        found.set(noteId, { noteId, thoughtId, key, content: typeof content === "string" ? content : "" })
    }
    for (const one of Object.values(value)) visit(one)
  }
  // only steps write results of searches; texts from outside may look like some
  for (const { content, step } of view.report.notes) {
    if (step === "" || !content.includes('"noteId"')) continue
    try {
      visit(JSON.parse(content))
    } catch {
      // a text that only mentions the word
    }
  }
  computed.set(view, found)
  return found
}

/** The sources of notes that are not in the report: those that a search has found, and how many others there are. */
export const foreignOf = (
  view: View,
  notes: ReadonlyArray<NoteReport>
): { readonly named: ReadonlyArray<Foreign>; readonly others: number } => {
  const ids = new Set(notes.flatMap(({ derivedFrom }) => derivedFrom.filter((id) => !view.byId.has(id))))
  const found = foundIn(view)
  const named = [...ids].flatMap((id) => found.get(id) ?? [])
  return { named, others: ids.size - named.length }
}
