import * as Effect from "effect/Effect"
import type * as Note from "../../Note.ts"
import { quoted } from "../../text/legible.ts"
import type { Gives } from "../model/parts.ts"

/**
 * A reader whose result is checked against what the document needs. A wrong result is a defect that names the reader.
 */
export const guarded = (
  name: string,
  reader: Note.Reader<any, any, any, any>,
  gives: Gives
): Note.Reader<any, unknown, any, any> => ({
  ...reader,
  read: (log) =>
    (reader.read(log) as Effect.Effect<unknown>).pipe(
      Effect.filterOrElse(fits[gives], (value) =>
        Effect.die(
          new Error(
            `The registered reader ${quoted(name)} must give ${words[gives]} where the document has it, and ` +
              `gave ${Array.isArray(value) ? "a list" : `a value of type ${typeof value}`}.`
          )
        )
      )
    )
})

const isText = (value: unknown): boolean => typeof value === "string"

const fits: Readonly<Record<Gives, (value: unknown) => boolean>> = {
  text: isText,
  texts: (value) => Array.isArray(value) && value.every(isText),
  condition: (value) => typeof value === "boolean"
}

const words: Readonly<Record<Gives, string>> = {
  text: "text",
  texts: "a list of texts",
  condition: "true or false"
}
