/** Notes that a command is given. */
import * as Effect from "effect/Effect"
import * as Flag from "effect/cli/Flag"
import { quoted } from "../../text/legible.ts"
import { UsageError } from "../console/failure.ts"

/** The flag of a note, which may be given several times. */
export const noteFlag = (description: string) =>
  Flag.String("note").pipe(
    Flag.withMetavar("key=text"),
    Flag.withDescription(`${description}; may be given several times`),
    Flag.between(0, 100)
  )

/** Texts of notes by key, as `key=text`. */
export const notesOf = (given: ReadonlyArray<string>): Effect.Effect<Readonly<Record<string, string>>, UsageError> =>
  Effect.map(
    Effect.forEach(given, (text) => {
      const at = text.indexOf("=")
      return at > 0
        ? Effect.succeed([text.slice(0, at), text.slice(at + 1)] as const)
        : new UsageError({ message: `--note ${quoted(text)} names no note: write --note key=text.` })
    }),
    (entries) => Object.fromEntries<string>(entries)
  ).pipe(
    Effect.filterOrFail(
      (notes) => Object.keys(notes).length === given.length,
      () => new UsageError({ message: "--note names a key twice: give each note once." })
    )
  )
