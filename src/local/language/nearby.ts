/** Tells which value of a text belongs to which name, by the words beside it: "Tax: 19.00" and "3 nights". */

import { isBefore } from "./before.ts"

/** Words for the same thing. The first one stands for the others. */
const synonyms: ReadonlyArray<ReadonlyArray<string>> = [
  ["people", "person", "guest", "attendee", "participant", "visitor", "traveller", "traveler"],
  ["cost", "price", "costing"],
  ["quantity", "qty"],
  ["tax", "vat"],
  ["color", "colour"],
  ["license", "licence"],
  ["zip", "postal", "postcode"],
  ["telephone", "phone", "tel", "mobile"],
  ["wait", "waiting"],
  ["piece", "pc", "item", "unit"],
  ["millisecond", "ms", "milli"],
  ["second", "sec", "s"],
  ["minute", "min"],
  ["hour", "hr", "h"],
  ["day", "d"],
  ["month", "mo"],
  ["year", "yr"],
  ["milligram", "mg"],
  ["kilogram", "kg", "kilo"],
  ["gram", "g", "gramme"],
  ["kilometer", "km", "kilometre"],
  ["meter", "m", "metre"],
  ["centimeter", "cm", "centimetre"],
  ["millimeter", "mm", "millimetre"],
  ["liter", "l", "litre"],
  ["degree", "°", "celsius", "fahrenheit", "temperature", "c", "f"],
  ["gigabyte", "gb"],
  ["megabyte", "mb"],
  ["os", "operating"]
]

const standsFor = new Map(synonyms.flatMap(([first = "", ...others]) => others.map((other) => [other, first] as const)))

/** Words that say nothing about what a value is. */
const empty: ReadonlySet<string> = new Set(
  (
    "a an and any are at be by can come coming did do does extract find for from get give had has have how i in is it its list many me " +
    "much my name named of on or our please read show tell that the their them there they this to value was we were what when " +
    "where which who will with you your"
  ).split(" ")
)

const stem = (word: string): string => {
  const plain = word.toLowerCase()
  const single =
    plain.length > 3 ? plain.replace(/(?<=[^s])ies$/u, "y").replace(/(?<=x|ch|sh|ss)es$|(?<=[^su])s$/u, "") : plain
  return standsFor.get(single) ?? standsFor.get(plain) ?? single
}

/** The words of a text that say what a value is, each in one form. */
export const contentOf = (text: string): ReadonlyArray<string> =>
  (text.match(/°|\p{L}+/gu) ?? []).filter((word) => !empty.has(word.toLowerCase())).map(stem)

/** Whether two words are forms of one: "waiting" and "waited". */
const isSame = (one: string, other: string): boolean =>
  one === other || (Math.min(one.length, other.length) > 3 && (one.startsWith(other) || other.startsWith(one)))

/** Where a clause ends. A full stop ends it only before white space. */
const clauseEnd = /[,;:!?\n()]|\.(?=\s|$)|\b(?:and|but|or|then)\b/u
/** The same without the colon: a label stands before it. */
const clauseStart = /[,;!?\n()]|\.(?=\s)|\b(?:and|but|or|then)\b/gu
const farthest = 4
/** More characters than the words that count have. */
const around = 160

const wordsIn = (side: string): ReadonlyArray<string> => (side.match(/°|\p{L}+|\d[\d.,:/-]*/gu) ?? []).map(stem)

/** The words of the clause before a place, the nearest first, and those after it. */
const sidesOf = (
  text: string,
  start: number,
  end: number
): readonly [before: ReadonlyArray<string>, after: ReadonlyArray<string>] => {
  const before = text.slice(Math.max(0, start - around), start)
  const last = Array.from(before.matchAll(clauseStart)).at(-1)
  const after = text.slice(end, end + around)
  const to = after.search(clauseEnd)
  return [
    wordsIn(last === undefined ? before : before.slice(last.index + last[0].length)).toReversed(),
    wordsIn(to < 0 ? after : after.slice(0, to))
  ]
}

const isNumber = (word: string): boolean => /^\d/u.test(word)

/** How near the first wanted word is: 1 if it comes next, less if it is farther, 0 if it is not among the next four or after a number. */
const nearness = (words: ReadonlyArray<string>, wanted: ReadonlyArray<string>): number => {
  const stop = words.findIndex(isNumber)
  const at = words
    .slice(0, Math.min(farthest, stop < 0 ? farthest : stop))
    .findIndex((word) => wanted.some((one) => isSame(one, word)))
  return at < 0 ? 0 : 1 / (1 + at)
}

/** How near the wanted words stand to a place in a text: from 0 to 1. */
export const saidBeside = (text: string, start: number, end: number, wanted: ReadonlyArray<string>): number => {
  const [before, after] = sidesOf(text, start, end)
  return Math.max(nearness(before, wanted), nearness(after, wanted))
}

const units: ReadonlyArray<readonly [measure: string, units: ReadonlyArray<string>]> = [
  ["age", ["day", "week", "month", "year"]],
  [
    "duration delay wait time period term tenure warranty notice",
    ["millisecond", "second", "minute", "hour", "day", "night", "week", "month", "year"]
  ],
  ["weight mass load", ["milligram", "gram", "kilogram", "ton", "pound", "lb", "ounce", "oz"]],
  [
    "length height width depth distance size diameter",
    ["millimeter", "centimeter", "meter", "kilometer", "inch", "foot", "feet", "ft", "mile", "yard"]
  ],
  ["volume capacity", ["liter", "milliliter", "ml", "gallon", "pint"]],
  ["temperature", ["degree"]],
  ["storage memory size disk", ["kilobyte", "kb", "megabyte", "gigabyte", "terabyte", "tb"]]
]

/** The unit that a number stands before, perhaps with one word between them: "30 business days". */
export const unitAfter = (text: string, end: number): string | undefined => {
  const next = /^[\s-]?(°|\p{L}+)?(?:\s(\p{L}+))?/u.exec(text.slice(end))
  return [next?.[1], next?.[2]]
    .flatMap((word) => (word === undefined ? [] : [stem(word)]))
    .find((word) => units.some(([, all]) => all.includes(word)))
}

/** Whether words ask for a number with this unit, or without one: "days waiting" is in days, "weight" in any unit of weight. */
export const asksFor = (wanted: ReadonlyArray<string>, unit: string | undefined): boolean => {
  const named = wanted.filter((word) => units.some(([, all]) => all.includes(word)))
  if (named.length > 0) return unit !== undefined && named.includes(unit)
  const measures = units.filter(([measure]) => measure.split(" ").some((word) => wanted.includes(stem(word))))
  if (measures.length > 0) return unit !== undefined && measures.some(([, all]) => all.includes(unit))
  return unit === undefined
}

/** Words before a number that is a name, as in "order 88213". */
const naming =
  /(?<=(?:#|\b(?:order|invoice|ticket|room|flight|version|route|page|error|status|code|port|id|no\.?|nr\.?|number|ref|reference|case|bill|gate|line|user|ending in)[\s:#]*))/iuy

/** A number that names something instead of counting it: "order 88213". */
export const isName = (text: string, start: number): boolean => isBefore(naming, text, start)

const vague: ReadonlySet<string> = new Set(["number", "no", "id", "code", "reference", "sku", "value"])

/** Codes that follow a word of a name: "order 88213", "Flight LH 438". */
export const codesBeside = (text: string, wanted: ReadonlyArray<string>): ReadonlyArray<string> => {
  const words = wanted.filter((word) => !vague.has(word))
  const code =
    /(\p{L}+)(?:\s+(?:number|no\.?|nr\.?|id|code|is))?[\s:#]*\s((?:[A-Z]{1,3}\s)?#?[A-Za-z]*-?\d[\w-]*)(?![\w.,]*\d)/gu
  return Array.from(text.matchAll(code)).flatMap(([, word = "", found = ""]) =>
    words.some((one) => isSame(one, stem(word))) ? [found] : []
  )
}
