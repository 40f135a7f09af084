/** English words that name a time, such as "last week", "in May" or "2025-05-12", and what each of them means. */
import * as DateTime from "effect/DateTime"
import { around, past, type Period, starting, type Unit, whole } from "./periods.ts"

/** What stands around words that may name a time. */
interface Place {
  readonly now: DateTime.Zoned
  readonly before: string
  readonly after: string
  /** Whether it continues a list of times, as in "in May or June". */
  readonly joined: boolean
}

/** The time that words name; undefined if they mean something else there. */
type Read = (place: Place, ...words: ReadonlyArray<string | undefined>) => Period | undefined

const units = "(day|week|month|quarter|year)"
const unit = (word = ""): Unit => word.toLowerCase() as Unit

const numbers = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
const number = `\\d{1,3}|${numbers.join("|")}`
const numberOf = (word: string) => (/^an?$/i.test(word) ? 1 : numbers.indexOf(word.toLowerCase()) + 1 || Number(word))
const vague = "few|several|couple(?: of)?"
/** How far back a vague number may reach. */
const vagueOf = (word: string) => (/^couple/i.test(word) ? 3 : 6)

const months =
  "(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\b"
const monthOf = (word = "") => "janfebmaraprmayjunjulaugsepoctnovdec".indexOf(word.slice(0, 3).toLowerCase()) / 3 + 1

const years = "(\\d{4}|last year|this year)\\b"
const yearOf = (now: DateTime.Zoned, word: string) =>
  /year/i.test(word) ? DateTime.toParts(now).year - (/last/i.test(word) ? 1 : 0) : Number(word)

/** The latest of a period that comes once a year which has begun, or which has ended if it is the last. */
const latest = ({ before, now }: Place, month: number, of: Unit, day = 1): Period | undefined => {
  const { year } = DateTime.toParts(now)
  const current = starting(of, now, year, month, day)
  const isOver = current !== undefined && current[/last $/i.test(before) ? "untilMillis" : "fromMillis"]
  return isOver === false || isOver <= now.epochMilliseconds || /this $/i.test(before)
    ? current
    : starting(of, now, year - 1, month, day)
}

/** Months that are also other words, or names: some only count with a capital letter. */
const isVerb = (word = "") => /^mar|^may/.test(word)
const isUnmistakable = (word = "") => /^(january|february|july|september|october|november|december)$/i.test(word)

const inside = /\b(?:in|during|since|early|mid|late|throughout)[ -]$/i
const about = /\b(?:before|after|between|by|from|last|of|this|through|to|until|till)[ -]$/i

const monthAlone: Read = (place, word = "") => {
  if (/^ (?:be|have|not|also)\b/.test(place.after)) return undefined
  const isOwner = /^['’]/.test(place.after) && !/(?:last|of|this) $/i.test(place.before)
  const named = place.joined || (about.test(place.before) && !isOwner)
  const meant = isUnmistakable(word) || inside.test(place.before) || (named && /^[A-Z]/.test(word))
  return meant ? latest(place, monthOf(word), "month") : undefined
}

const dayOfMonth = (place: Place, day: string, word: string, year: string | undefined, sure = false) => {
  if (isVerb(word) && year === undefined && !sure) return undefined
  return year === undefined
    ? latest(place, monthOf(word), "day", Number(day))
    : starting("day", place.now, yearOf(place.now, year), monthOf(word), Number(day))
}

const ordinals = ["first", "second", "third", "fourth"]

const quarter = (place: Place, which: number, year: string | undefined): Period | undefined => {
  const month = 3 * which - 2
  return year === undefined
    ? latest(place, month, "quarter")
    : starting("quarter", place.now, yearOf(place.now, year), month)
}

const dateFollows = new RegExp(`^,? (?:the )?(?:\\d|${months})`, "i")
const weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

/** The last such day before today, or that of this week. */
const weekday: Read = ({ after, before, joined, now }, word = "") => {
  if (dateFollows.test(after)) return undefined
  const away = weekdays.indexOf(word.toLowerCase()) - ((DateTime.toParts(now).weekDay + 6) % 7)
  if (/\bthis $/i.test(before)) return whole(now, "day", -away)
  if (!joined && !/\b(?:on|last|past|since|before|after|from|between)(?: the)? $/i.test(before)) return undefined
  return whole(now, "day", away < 0 ? -away : 7 - away)
}

const yearAlone: Read = ({ after, before, joined, now }, year) => {
  // "in 2000 cases" counts something
  if (/^ (?!(?:was|is|as|has|does|its|this|versus)\b)[a-z]+s\b/.test(after)) return undefined
  const meant = joined || inside.test(before) || /\b(?:before|after|between|from|the year) $/i.test(before)
  return meant ? starting("year", now, Number(year), 1) : undefined
}

const rules: ReadonlyArray<readonly [pattern: string, read: Read]> = [
  ["(?:today|tonight|this (?:morning|afternoon|evening))\\b", ({ now }) => whole(now, "day", 0)],
  ["(?:yesterday|last night)\\b", ({ now }) => whole(now, "day", 1)],
  ["(?:the )?day before yesterday\\b", ({ now }) => whole(now, "day", 2)],
  [
    `(this|current|last|previous) ${units}\\b`,
    ({ now }, which = "", of) => whole(now, unit(of), /^(?:this|current)$/i.test(which) ? 0 : 1)
  ],
  [
    `(?:last|past|previous) (?:(${number}) )?${units}s?\\b`,
    ({ now }, count = "one", of) => past(now, unit(of), numberOf(count))
  ],
  [
    `(?:the )?(?:last|past|previous) (${vague}) ${units}s\\b`,
    ({ now }, count = "", of) => past(now, unit(of), vagueOf(count))
  ],
  [`(${number}|an?) ${units}s? ago\\b`, ({ now }, count = "", of) => around(now, unit(of), numberOf(count))],
  [`(?:an? )?(${vague}) ${units}s ago\\b`, ({ now }, count = "", of) => past(now, unit(of), vagueOf(count))],
  [`(${weekdays.join("|")})\\b`, weekday],
  [
    "(?<!-)(\\d{4})-(\\d\\d)-(\\d\\d)(?!\\d|-\\w)",
    ({ now }, year, month, day) => starting("day", now, Number(year), Number(month), Number(day))
  ],
  ["(?<!-)(\\d{4})-(\\d\\d)(?![\\w-])", ({ now }, year, month) => starting("month", now, Number(year), Number(month))],
  [
    `(\\d{1,2})(?:st|nd|rd|th)?( of)? ${months}\\.?(?:,? ${years})?`,
    (place, day = "", of, word = "", year) => dayOfMonth(place, day, word, year, of !== undefined)
  ],
  [
    `${months}\\.? (\\d{1,2})(?:st|nd|rd|th)?\\b(?![:%])(?:,? ${years})?`,
    (place, word = "", day = "", year) => dayOfMonth(place, day, word, year)
  ],
  [
    `${months}\\.?,?(?: of)? ${years}`,
    ({ now }, word, year = "") => starting("month", now, yearOf(now, year), monthOf(word))
  ],
  [`${months}\\.?`, monthAlone],
  ["(\\d{4}) q([1-4])\\b", (place, year, which = "") => quarter(place, Number(which), year)],
  [
    `q([1-4])(?: (?:of )?${years})?\\b`,
    (place, which = "", year) =>
      year !== undefined || place.joined || inside.test(place.before) || about.test(place.before)
        ? quarter(place, Number(which), year)
        : undefined
  ],
  [
    `(first|second|third|fourth|1st|2nd|3rd|4th) quarter\\b(?:(?: of)? ${years})?`,
    (place, which = "", year) => quarter(place, ordinals.indexOf(which.toLowerCase()) + 1 || Number(which[0]), year)
  ],
  ["((?:19|20)\\d\\d)(?![\\w%-]|[.,:]\\d)", yearAlone]
]
/** Each kind of words, with the function that reads their parts. */
export const timeWords = rules.map(([pattern, read]) => [new RegExp(`(?<!\\w)${pattern}`, "gi"), read] as const)
