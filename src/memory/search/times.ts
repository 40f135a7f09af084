/** The times that a question names. */
import type * as DateTime from "effect/DateTime"
import type { Period } from "./periods.ts"
import { timeWords } from "./timeWords.ts"

/** What a question says of times. */
interface Times {
  readonly periods: ReadonlyArray<Period>
  readonly rest: string
}

/** Times are looked for in this many characters; a longer text is rather a message than a question. */
const mostCharacters = 2000
const mostTimes = 8

const joins = /^(?:,? (?:and|or)|,| to| until| till| through| ?[-–])(?: the)? ?$/i
const ranges = /^(?: (?:to|until|till|through)(?: the)? | ?[-–] ?)$/i

/** Words before a time that go with it. */
const leading =
  /(?:(?:^| )(?:in|on|at|of|for|from|by|since|before|after|between|during|over|throughout|until|till)(?: the)?)? $/i

/** From the year 1 to the year 9999. */
const [firstMillis, lastMillis] = [-62_135_596_800_000, 253_370_764_800_000]

/** Without an end after "since" or "after", without a beginning after "before". */
const opened = (before: string, { fromMillis, untilMillis }: Period): Period => {
  const word = /\b(since|before|after)(?: the)?(?: early| mid| late)? $/i.exec(before)?.[1]?.toLowerCase()
  if (word === "since") return { fromMillis, untilMillis: lastMillis }
  if (word === "after") return { fromMillis: untilMillis, untilMillis: lastMillis }
  return word === "before" ? { fromMillis: firstMillis, untilMillis: fromMillis } : { fromMillis, untilMillis }
}

interface Named extends Period {
  readonly index: number
  readonly end: number
  readonly isBetween: boolean
}

/** The question without the words that name times, or as it is if nothing else is left. */
const without = (question: string, named: ReadonlyArray<Named>): string => {
  const rest = named.reduceRight(
    (text, { end, index }) => text.slice(0, index).replace(leading, "") + text.slice(end),
    question
  )
  return /[\p{L}\p{N}]/u.test(rest) ? rest.trim() : question
}

/**
 * The times that a question names, relative to now and in its time zone; at most eight, of the first 2,000 characters. Also
 * the rest of the question.
 */
export const timesIn = (question: string, now: DateTime.Zoned): Times => {
  const text = question.slice(0, mostCharacters).replace(/\s+/g, " ")
  const found = timeWords
    .flatMap(([pattern, read]) =>
      Array.from(text.matchAll(pattern), (match) => ({
        index: match.index,
        end: match.index + match[0].length,
        words: match.slice(1),
        read
      }))
    )
    .toSorted((a, b) => a.index - b.index || b.end - a.end)
  const named: Array<Named> = []
  for (const { end, index, read, words } of found) {
    const last = named.at(-1)
    const before = text.slice(Math.max(0, index - 30), index)
    if (named.length === mostTimes || (last !== undefined && index < last.end) || /\bnext $/i.test(before)) continue
    const gap = last === undefined ? "." : text.slice(last.end, index)
    const period = read({ now, before, after: text.slice(end, end + 30), joined: joins.test(gap) }, ...words)
    if (period === undefined) continue
    const isRange = ranges.test(gap) || (last?.isBetween === true && /^ and(?: the)? $/i.test(gap))
    if (last !== undefined && isRange && period.fromMillis >= last.fromMillis) {
      named[named.length - 1] = { ...last, end, untilMillis: period.untilMillis }
    } else {
      named.push({ ...opened(before, period), index, end, isBetween: /\bbetween(?: the)? $/i.test(before) })
    }
  }
  return {
    periods: named.map(({ fromMillis, untilMillis }) => ({ fromMillis, untilMillis })),
    rest: named.length === 0 ? question : without(text + question.slice(mostCharacters), named)
  }
}
