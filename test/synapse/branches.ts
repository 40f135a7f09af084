/** Values of a recursive schema. */
import { Schema } from "effect"

export interface Branch {
  readonly below: ReadonlyArray<Branch>
}
export const Branch: Schema.Codec<Branch> = Schema.Struct({
  below: Schema.Array(Schema.suspend((): Schema.Codec<Branch> => Branch))
})

/** A branch of so many objects, each in the list of the one above. */
export const branch = (objects: number, end = ""): string => `{"below":[`.repeat(objects) + end + "]}".repeat(objects)

/** Nine branches, each but the first in a text that the one above holds. */
export const inOneAnother = (): string => {
  let text = branch(120)
  for (let i = 0; i < 8; i++) text = branch(120, JSON.stringify(text))
  return text
}
