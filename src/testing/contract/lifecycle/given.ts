/** What the tests of the lifecycle share. */
import type { Space } from "../../../Memory.ts"
import type { NewNote } from "../../../Store.ts"
import { note } from "../stage/rows.ts"

export const space: Space = { embedder: "lifecycle embedder", dimensions: 2, metric: "cosine" }

/** A note to be appended. */
export const fresh = (more: Partial<NewNote> = {}): NewNote => {
  const { seq: _seq, thoughtId: _thought, ...made } = note("", 1, { key: "added", content: "text" })
  return { ...made, ...more }
}
