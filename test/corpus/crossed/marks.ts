/** One thing that went wrong with the marks of a text: too many, too few, another one, or the end of it. */

/** The text with the slip; undefined where there is no place for it. */
export type Slip = (text: string) => string | undefined

interface Place {
  readonly pattern: RegExp
  /** Which of the places: from 0 for the first to 1 for the last. */
  readonly share: number
}

const at = (pattern: RegExp, share: number): Place => ({ pattern, share })

const firstBracket = at(/[{[]/g, 0)
const someBracket = at(/[{}[\]]/g, 0.5)
const lastBracket = at(/[\]}]/g, 1)
const comma = at(/,/g, 0.5)
const colon = at(/:/g, 0.5)
const openingOfKey = at(/(?<=[{,\n]\s*)["'](?=\w+["']?\s*:)/g, 0.5)
const closingOfKey = at(/(?<=[{,\n]\s*["']?\w+)["'](?=\s*:)/g, 0.5)
const openingOfText = at(/(?<=[:[]\s*)["']/g, 0)
const closingOfText = at(/["'](?=\s*[,\]}])/g, 1)

/** Puts something else where a mark stands. */
const replacing =
  ({ pattern, share }: Place, change: (mark: string) => string): Slip =>
  (text) => {
    const found = [...text.matchAll(pattern)]
    const one = found[Math.round(share * (found.length - 1))]
    return one === undefined
      ? undefined
      : text.slice(0, one.index) + change(one[0]) + text.slice(one.index + one[0].length)
  }

const none = () => ""
const twice = (mark: string) => mark + mark

const others: Readonly<Record<string, string>> = { "{": "[", "}": "]", "[": "{", "]": "}", '"': "'", "'": '"' }
const other = (mark: string) => others[mark] ?? mark

const cutAt =
  (share: number, less = 0): Slip =>
  (text) =>
    text.length < 4 ? undefined : text.slice(0, Math.floor(text.length * share) - less)

export const slips: Readonly<Record<string, Slip>> = {
  "no first bracket": replacing(firstBracket, none),
  "no bracket inside": replacing(someBracket, none),
  "no last bracket": replacing(lastBracket, none),
  "first bracket twice": replacing(firstBracket, twice),
  "last bracket twice": replacing(lastBracket, twice),
  "other first bracket": replacing(firstBracket, other),
  "other last bracket": replacing(lastBracket, other),
  "no comma": replacing(comma, none),
  "comma twice": replacing(comma, twice),
  "comma at the end": replacing(lastBracket, (mark) => `,${mark}`),
  "no colon": replacing(colon, none),
  "colon twice": replacing(colon, twice),
  "comma for a colon": replacing(colon, () => ","),
  "key without its first quote": replacing(openingOfKey, none),
  "key without its last quote": replacing(closingOfKey, none),
  "text without its first quote": replacing(openingOfText, none),
  "text without its last quote": replacing(closingOfText, none),
  "first quote twice": replacing(openingOfText, twice),
  "last quote twice": replacing(closingOfText, twice),
  "other last quote": replacing(closingOfText, other),
  "cut early": cutAt(0.4),
  "cut late": cutAt(0.8),
  "cut before the end": cutAt(1, 1),
  "key twice": (text) => {
    const found = /[{,]\s*(["']\w+["'])\s*:/.exec(text)
    return found === null
      ? undefined
      : `${text.slice(0, found.index + 1)}${found[1] ?? ""}: 0, ${text.slice(found.index + 1)}`
  }
}
