/** How far a redaction goes. */
import type { RedactOptions } from "../Memory.ts"
import type { Note } from "../Note.ts"
import { conflict, type MemoryError } from "./memoryError.ts"

export type Reach = NonNullable<RedactOptions["reach"]>

/** What the steps are called whose notes repeat the text of others as it is. */
export const copySources: ReadonlyArray<string> = ["seek", "survey"]

export const isCopy = ({ source }: Pick<Note, "source">): boolean => copySources.includes(source)

export const showsRedacted = (thoughtId: string): MemoryError =>
  conflict(thoughtId, "shows a note that has been redacted")
