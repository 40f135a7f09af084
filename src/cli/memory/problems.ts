/** Consistency of a stored thought. */
import type { StoredThought } from "../../Store.ts"

/** The problems of a thought, described without any stored text. */
export const problemsOf = ({ entries, nextIndex, notes, thought, version }: StoredThought): ReadonlyArray<string> => {
  const problems: Array<string> = []
  if (!Number.isInteger(version) || version < 1) problems.push(`its version is ${version}`)

  const ids = new Set<string>()
  for (const [index, note] of notes.entries()) {
    if (note.seq !== index + 1) problems.push(`note ${note.id} has number ${note.seq} where ${index + 1} is due`)
    if (ids.has(note.id)) problems.push(`note ${note.id} is there twice`)
    ids.add(note.id)
    const own = note.thoughtId === thought.id
    if (own === note.seq <= (thought.parent?.seq ?? 0)) {
      problems.push(`note ${note.id} belongs to ${own ? "it" : "another thought"}, on the wrong side of the fork`)
    }
  }
  const shared = thought.parent?.seq ?? 0
  if (notes.length < shared)
    problems.push(`it has ${notes.length} of the ${shared} notes that it shares with its parent`)

  let last = -1
  for (const { carries, covers, index } of entries) {
    if (index <= last || index >= nextIndex) problems.push(`message ${index} is out of order`)
    last = index
    const missing = [...carries, ...covers].filter((id) => !ids.has(id))
    for (const id of missing) problems.push(`message ${index} shows note ${id}, which is not there`)
  }
  return problems
}
