/** Reads what a text says in the form of a label and a value: "Colour: navy". */
import { contentOf } from "./nearby.ts"

/** A value after a label, and where it starts. */
export interface Labelled {
  readonly label: string
  readonly text: string
  readonly start: number
}

const label =
  /(?:^|\n|[.;,]\s+)[ \t]*(?:[-*•][ \t]+)?(?:\*\*)?(\p{L}[\p{L} _/-]{0,30}?)(?:\*\*)?[ \t]*:(?:\*\*)?[ \t]+/gu
/** A value ends with its line, its sentence, or where the next label begins. */
const end = /\n|;|[.!?](?=\s|$)(?<!\b(?:Mr|Mrs|Ms|Dr|Prof|St|No)\.)|,\s+(?=\p{L}[\p{L} _/-]{0,30}:\s)/u

/** All labelled values of a text, in order. */
const labelled = (text: string): ReadonlyArray<Labelled> =>
  Array.from(text.matchAll(label), (match) => {
    const start = match.index + match[0].length
    const rest = text.slice(start)
    const stop = rest.search(end)
    return { label: match[1] ?? "", text: (stop < 0 ? rest : rest.slice(0, stop)).trimEnd(), start }
  }).filter((one) => one.text !== "")

/** How well a label fits the words of a name: 3 if they say the same, less if one of them says more. */
const fitOf = (own: ReadonlyArray<string>, words: ReadonlyArray<string>): number => {
  if (own.length === 0 || words.length === 0) return 0
  const inside = own.every((word) => words.includes(word))
  const around = words.every((word) => own.includes(word))
  if (inside && around) return 3
  // the last word says what it is: "customer name" fits "name", and "total" fits "total due"
  if (inside && own.at(-1) === words.at(-1)) return 2
  return around ? 1 : 0
}

/** The value whose label fits the name best. */
export const labelledFor = (text: string, name: string): Labelled | undefined => {
  const words = wordsIn(name)
  const fitting = labelled(text).map((one) => [one, fitOf(wordsIn(one.label), words)] as const)
  const best = Math.max(0, ...fitting.map(([, fit]) => fit))
  return best === 0 ? undefined : fitting.find(([, fit]) => fit === best)?.[0]
}

// "Name" says nothing inside a sentence, but everything as a label
const wordsIn = (name: string): ReadonlyArray<string> =>
  contentOf(name.replace(/\bname\b/giu, "called").replace(/\bno\b/giu, "number"))

/** The items of a value that lists several: "penicillin, nuts". */
export const itemsOf = (text: string): ReadonlyArray<string> =>
  text
    .split(/\s*[,;|]\s*(?:(?:and|or)\s+)?|\s+(?:and|or)\s+/u)
    .map((item) => item.trim())
    .filter((item) => item !== "")
