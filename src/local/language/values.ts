/** Finds values with a recognizable form in a text: money, dates, addresses, codes, numbers. */

import { isBefore } from "./before.ts"

/** The kind of a value. */
export type ValueKind =
  | "email"
  | "url"
  | "money"
  | "percent"
  | "date"
  | "time"
  | "phone"
  | "identifier"
  | "ip"
  | "version"
  | "host"
  | "handle"
  | "number"

/** A value as the text has it, where it starts, and its amount if it is numeric. */
export interface Value {
  readonly kind: ValueKind
  readonly text: string
  readonly start: number
  readonly amount?: number
}

/** An entity that another recognizer found. */
export interface Entity {
  readonly value: string
  readonly type: string
}

const month =
  "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
const weekday = "(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day,?\\s+)?"
/** With a comma before two decimals, as in "1.234,56", or with a point before decimals. */
const digits = String.raw`\d{1,3}(?:[.' ]\d{3})+,\d{2}(?!\d)|\d{1,3}(?:\.\d{3}){2,}(?![.\d])|\d{1,3}(?:[,' ]\d{3})+(?:\.\d+)?|\d+,\d{2}(?![\d,])|\d+(?:\.\d+)?`
const magnitude = String.raw`\s?(?:thousand|million|billion|mn|bn)\b`
const currency = String.raw`usd|eur|gbp|chf|jpy|cad|aud|dollars?|euros?|pounds?|cents?|francs?|yen|bucks`
/** An amount of money, which may be in thousands or more. */
const sum = String.raw`(?:${digits})(?:${magnitude}|\s?[kmb]\b)?`

// In order of precedence: a later pattern never takes characters that an earlier one took.
const patterns: ReadonlyArray<readonly [ValueKind, RegExp]> = [
  ["email", /(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+/giu],
  ["url", /\b(?:https?:\/\/|www\.)[^\s<>"')\]]+[^\s<>"')\].,;:!?]/giu],
  ["identifier", /\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/giu],
  ["ip", /(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.]*\d)/gu],
  ["handle", /(?<![\w@.])@[a-z_]\w+/giu],
  [
    "host",
    /(?<![\w@.-])(?:[a-z\d][a-z\d-]*\.)+(?:com|org|net|io|dev|app|edu|gov|info|co|eu|de|fr|uk|us|local|internal)\b(?!\.\w)/giu
  ],
  ["date", /\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})?(?!\w)/gu],
  ["date", /\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b/gu],
  [
    "date",
    new RegExp(
      String.raw`\b${weekday}${month}\.?\s+\d{1,2}(?:st|nd|rd|th)?(?:,?\s+\d{4})?\b|\b${weekday}\d{1,2}(?:st|nd|rd|th)?(?:\s+of)?\s+${month}\b(?:,?\s+\d{4})?|\b${month}\s+\d{4}\b`,
      "giu"
    )
  ],
  [
    "version",
    /\bv\d+(?:\.\d+)*\b|(?<![\w.-])(?!\d{1,3}(?:\.\d{3}){2}(?!\d))\d{1,3}\.\d{1,3}\.\d{1,5}(?:-[\w.]*\w)?(?![\w.]*\d)/giu
  ],
  [
    "money",
    new RegExp(String.raw`[$€£¥]\s?${sum}|\b${sum}\s?(?:[€£¥]|(?:${currency})\b)|\b(?:usd|eur|gbp|chf)\s?${sum}`, "giu")
  ],
  ["percent", new RegExp(String.raw`\b(?:${digits})\s?(?:%|percent\b)`, "giu")],
  ["time", /\b\d{1,2}:\d{2}(?::\d{2})?(?:\s?(?:[ap]m\b|[ap]\.m\b\.?))?|\b\d{1,2}\s?[ap]m\b/giu],
  ["phone", /(?<![\w-])(?:(?:\+\d{1,3}|0\d{2,4})(?:[\s/-]\d)?(?:[\s/-]\d{2,8}){1,4}|\+\d{7,15})(?![\w-])/gu],
  ["phone", /(?<![\w-])(?:\+\d{1,3}[\s-]?)?(?:\(\d{2,4}\)[\s-]?)?\d{3,4}[\s-]\d{3,4}(?:[\s-]\d{2,4})?(?![\w-])/gu],
  [
    "identifier",
    /(?<!\w)#[A-Za-z]*-?\d[\w-]*|\b[A-Z]{2,}[-_]?\d[\w-]*\b|\b[A-Z]{2,}(?:-[A-Z\d]+)*-\d[\w-]*\b|\b[A-Z]-\d{3,}\b|\b(?=[A-Z\d]*[A-Z])(?=[A-Z\d]*\d)[A-Z\d]{8,}\b/gu
  ],
  ["number", new RegExp(String.raw`(?<![\w.-])-?(?:${digits})(?:${magnitude}|k\b)?(?![\w-]|\.\d)`, "gu")]
]

const entityKinds: Readonly<Record<string, ValueKind>> = {
  EMAIL: "email",
  URL: "url",
  MONEY: "money",
  PERCENT: "percent",
  DATE: "date",
  TIME: "time",
  CARDINAL: "number"
}

const words = [
  "zero",
  "one",
  "two",
  "three",
  "four",
  "five",
  "six",
  "seven",
  "eight",
  "nine",
  "ten",
  "eleven",
  "twelve"
]

/** The number in a value, or undefined: "$1,200.50" is 1200.5, "three" is 3, "5k" is 5000, "2 million" is 2000000. */
const amountOf = (text: string): number | undefined => {
  const word = words.indexOf(text.toLowerCase())
  if (word >= 0) return word
  const [written] = /-?\d(?:[\d,.' ]*\d)?/u.exec(text) ?? []
  if (written === undefined) return undefined
  const isDecimalComma = /^-?[\d.' ]*,\d{2}$/u.test(written) || /^-?\d{1,3}(?:\.\d{3}){2,}$/u.test(written)
  const plain = isDecimalComma ? written.replace(/[.' ]/gu, "").replace(",", ".") : written.replace(/[,' ]/gu, "")
  const [, unit = ""] = /\d\s?(k|m|b|thousand|million|billion|mn|bn)\b/iu.exec(text) ?? []
  const zeros = { k: 3, t: 3, m: 6, b: 9 }[unit.charAt(0).toLowerCase()] ?? 0
  // in scientific notation, because 1.1 multiplied by a million is not exactly 1100000
  const amount = Number(`${plain}e${zeros}`)
  return Number.isFinite(amount) ? amount : undefined
}

const numeric: ReadonlySet<ValueKind> = new Set<ValueKind>(["money", "percent", "number"])

const determined =
  /(?<=\b(?:the|this|that|these|those|which|what|another|any|every|each|no|a|an|my|your|his|her|our|their)\s+(?:\p{L}+\s+)?)one\b/iuy

/** Whether "one" stands for something named before, as in "the red one". */
const isPronoun = (text: string, value: string, start: number): boolean =>
  value.toLowerCase() === "one" && isBefore(determined, text, start)

/** All values of a text in order of appearance, without overlap. `entities` fill places that no pattern matches. */
export const values = (text: string, entities: ReadonlyArray<Entity>): ReadonlyArray<Value> => {
  const found: Array<Value> = []
  // 1 for each character of a value
  const taken = new Uint8Array(text.length)
  const add = (kind: ValueKind, match: string, start: number) => {
    const own = taken.subarray(start, start + match.length)
    if (own.includes(1)) return
    own.fill(1)
    const amount = numeric.has(kind) ? amountOf(match) : undefined
    found.push({ kind, text: match, start, ...(amount === undefined ? {} : { amount }) })
  }
  for (const [kind, pattern] of patterns) {
    for (const match of text.matchAll(pattern)) add(kind, match[0].trimEnd(), match.index)
  }
  let from = 0
  for (const { type, value } of entities) {
    const start = text.indexOf(value, from)
    if (start < 0) continue
    from = start + value.length
    const kind = entityKinds[type]
    if (kind === "number" && (amountOf(value) === undefined || isPronoun(text, value, start))) continue
    if (kind !== undefined) add(kind, value, start)
  }
  return found.toSorted((a, b) => a.start - b.start)
}

const monthNumber = (name: string) =>
  ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"].indexOf(
    name.slice(0, 3).toLowerCase()
  ) + 1

/** The day itself, or undefined if it does not exist in the calendar. */
const realDay = (day: string): string | undefined => {
  const date = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day) ? day : undefined
}

/** The day as `YYYY-MM-DD`. Undefined unless the text is in ISO order, or has a day, a month by name and a year. */
export const isoDate = (text: string): string | undefined => {
  const iso = /\d{4}-\d{2}-\d{2}/u.exec(text)
  if (iso !== null) return realDay(iso[0])
  const named = new RegExp(
    String.raw`(?:(\d{1,2})(?:st|nd|rd|th)?(?:\s+of)?\s+)?(${month})\.?(?:\s+(\d{1,2})(?:st|nd|rd|th)?)?,?\s+(\d{4})`,
    "iu"
  ).exec(text)
  const day = named?.[1] ?? named?.[3]
  if (named?.[2] === undefined || day === undefined) return undefined
  return realDay(`${named[4]}-${String(monthNumber(named[2])).padStart(2, "0")}-${day.padStart(2, "0")}`)
}

/** A date and the time beside it are one moment, as in "March 3, 2026 at 14:30". Others are a date or a time. */
export const momentsIn = (text: string, all: ReadonlyArray<Value>): ReadonlyArray<Value> => {
  const timed = all.filter(({ kind }) => kind === "date" || kind === "time")
  const endOf = (value: Value) => value.start + value.text.length
  const isTimeOf = (date: Value | undefined, time: Value | undefined) =>
    date?.kind === "date" && time?.kind === "time" && joins.test(text.slice(endOf(date), time.start))
  return timed.flatMap((value, i) => {
    const next = timed[i + 1]
    if (isTimeOf(timed[i - 1], value)) return []
    if (next === undefined || !isTimeOf(value, next)) return [value]
    return [{ ...value, text: text.slice(value.start, endOf(next)) }]
  })
}

const joins = /^(?:,?\s+|,?\s+(?:at|@|around|from|-|–)\s+)$/iu

/** The time of day in 24 hours: "2:30 pm" is 14:30. */
const clock = (hour: string, minutes: string, half: string): string => {
  const at = half === "" ? Number(hour) : (Number(hour) % 12) + (half.startsWith("p") ? 12 : 0)
  return `${String(at).padStart(2, "0")}:${minutes}`
}

/** The time that is written after a date in words. */
const spokenTime = (text: string): ReadonlyArray<string> => {
  const [, hour, minutes = "00", seconds = ":00", half = ""] =
    /[\s,](\d{1,2})(?::(\d{2})(:\d{2})?)?\s?([ap])?\.?(?:m\b\.?)?$/iu.exec(text) ?? []
  const isTime = hour !== undefined && /(?::\d{2}|[ap]\.?m\.?)$/iu.test(text)
  return isTime ? [clock(hour, minutes, half.toLowerCase()), seconds] : []
}

/**
 * The moment as ISO 8601 with seconds and zone. A text without a time gives midnight, and a text without a zone gives
 * UTC.
 *
 * UTC is spelled in both ways, with Z and with an offset. Empty if there is no such moment.
 */
export const isoDateTimes = (text: string): ReadonlyArray<string> => {
  const day = isoDate(text)
  const [, time = "00:00", seconds = ":00", zone = "Z"] =
    spokenTime(text).length > 0
      ? ["", ...spokenTime(text)]
      : (/T(\d{2}:\d{2})(:\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:\d{2})?$/u.exec(text) ?? [])
  const local = `${day}T${time}${seconds}`
  if (day === undefined || Number.isNaN(new Date(`${local}${zone}`).getTime())) return []
  return zone === "Z" ? [`${local}Z`, `${local}+00:00`] : [`${local}${zone}`]
}
