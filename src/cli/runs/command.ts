/** Commands as a person can copy them to a shell. */
import * as Option from "effect/Option"
import type { ScopedPlace } from "../memory/place.ts"

/** A word of a shell. */
const word = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`

/** The flags that name the same memory. A URL has a password in it, so it is not shown. */
const placeOf = ({ dataDir, databaseUrl, scope }: ScopedPlace): ReadonlyArray<string> => [
  ...(Option.isSome(dataDir) ? ["--data-dir", word(dataDir.value)] : []),
  ...(Option.isSome(databaseUrl) ? ["--database-url", "URL"] : []),
  ...(Option.isSome(scope) ? ["--scope", word(scope.value)] : [])
]

/** `npx cogito …` on the same memory. */
export const commandOf = (place: ScopedPlace, ...words: ReadonlyArray<string>): string =>
  ["npx cogito", ...words.map(word), ...placeOf(place)].join(" ")
