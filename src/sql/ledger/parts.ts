/** What the parts of a statement that writes rows of a run have in common. */
import { type RawBuilder, sql } from "kysely"
import { encode } from "../database/text.ts"

/** Whether the process has the run. */
export const isHeld: RawBuilder<boolean> = sql<boolean>`exists (select from held)`

/** A note that the run may repeat was redacted since the run was taken. */
export const isMuted: RawBuilder<boolean> = sql<boolean>`exists (select from held where muted)`

/** A text as it is stored, or nothing. */
export const maybe = (text: string | undefined): string | null => (text === undefined ? null : encode(text))

/** Whether a row of a call is a decision for one of the pipeline's own words, by its place: it repeats no note. */
export const isPlace: RawBuilder<boolean> = sql<boolean>`(kind = 'decision' and response ~ '^[0-9]+$')`
