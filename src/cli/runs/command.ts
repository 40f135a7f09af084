/** Commands as a person can copy them to a shell. */
import * as Option from "effect/Option"
import { replaceInvisible } from "../../text/invisible.ts"
import type { ScopedPlace } from "../memory/place.ts"

const none = /(?!)/

const escaped = (sign: string): string => `\\U${(sign.codePointAt(0) ?? 0).toString(16).padStart(8, "0")}`

const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** A word of a shell. What a terminal would obey or not show is escaped, as bash and zsh read it: `$'\U0000001b'`. */
const word = (text: string): string => {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text
  if (replaceInvisible(text, none, () => "") === text) return quote(text)
  return `$'${replaceInvisible(text.replaceAll(/[\\']/g, String.raw`\$&`), none, escaped)}'`
}

/** The flags that name the same memory. A URL has a password in it, so it is not shown. */
const placeOf = ({ dataDir, databaseUrl, scope }: ScopedPlace): ReadonlyArray<string> => [
  ...(Option.isSome(dataDir) ? ["--data-dir", word(dataDir.value)] : []),
  ...(Option.isSome(databaseUrl) ? ["--database-url", "URL"] : []),
  ...(Option.isSome(scope) ? ["--scope", word(scope.value)] : [])
]

/** `npx cogito …` on the same memory. Words that begin with a dash, as an id may, come last, so that they are no flags. */
export const commandOf = (
  place: ScopedPlace,
  words: ReadonlyArray<string>,
  flags: ReadonlyArray<string> = []
): string => {
  const dash = words.findIndex((one) => one.startsWith("-"))
  const [first, last] = dash === -1 ? [words, []] : [words.slice(0, dash), ["--", ...words.slice(dash)]]
  return ["npx cogito", ...first.map(word), ...flags.map(word), ...placeOf(place), ...last.map(word)].join(" ")
}
