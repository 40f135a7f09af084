/** Picks one field of each value of a list, for comparisons. */
import type { Match } from "../../../Memory.ts"
import type { Note } from "../../../Note.ts"
import { assert } from "./assert.ts"

/** A field of each value. The test fails if there is no list. */
export const each = <A, Field extends keyof A>(
  values: ReadonlyArray<A> | undefined,
  field: Field
): ReadonlyArray<A[Field]> =>
  values === undefined ? assert.fail("there is no list") : values.map((value) => value[field])

/** A field of each match's note. */
export const eachNote = <Field extends keyof Note>(matches: ReadonlyArray<Match> | undefined, field: Field) =>
  each(each(matches, "note"), field)
