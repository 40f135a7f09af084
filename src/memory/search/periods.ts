/** Periods of the calendar, in the time zone of the given moment. */
import * as DateTime from "effect/DateTime"

/** From a moment to another, which is no part of it. */
export interface Period {
  readonly fromMillis: number
  readonly untilMillis: number
}

export type Unit = "day" | "week" | "month" | "quarter" | "year"

type Steps = Partial<DateTime.DateTime.PartsForMath>

const steps = (unit: Unit, count: number): Steps =>
  unit === "quarter" ? { months: 3 * count } : { [`${unit}s`]: count }

const between = (from: DateTime.Zoned, until: DateTime.Zoned): Period => ({
  fromMillis: from.epochMilliseconds,
  untilMillis: until.epochMilliseconds
})

const startOf = (moment: DateTime.Zoned, unit: Unit): DateTime.Zoned => {
  if (unit !== "quarter") return DateTime.startOf(moment, unit, { weekStartsOn: 1 })
  const months = (DateTime.toParts(moment).month - 1) % 3
  return DateTime.subtract(DateTime.startOf(moment, "month"), { months })
}

/** The whole day, week, month, quarter or year that was so many before the present one. Weeks begin on Monday. */
export const whole = (now: DateTime.Zoned, unit: Unit, ago: number): Period => {
  const from = DateTime.subtract(startOf(now, unit), steps(unit, ago))
  return between(from, DateTime.add(from, steps(unit, 1)))
}

/** From so many units before today until the end of today. */
export const past = (now: DateTime.Zoned, unit: Unit, count: number): Period => {
  const today = startOf(now, "day")
  return between(DateTime.subtract(today, steps(unit, count)), DateTime.add(today, { days: 1 }))
}

const halves: Readonly<Record<Unit, readonly [before: Steps, after: Steps]>> = {
  day: [{}, { days: 1 }],
  week: [{ days: 3 }, { days: 4 }],
  month: [{ days: 15 }, { days: 15 }],
  quarter: [{ days: 45 }, { days: 45 }],
  year: [{ months: 6 }, { months: 6 }]
}

/** The unit in the middle of which is the day so many units before today. */
export const around = (now: DateTime.Zoned, unit: Unit, count: number): Period => {
  const [before, after] = halves[unit]
  const middle = DateTime.subtract(startOf(now, "day"), steps(unit, count))
  return between(DateTime.subtract(middle, before), DateTime.add(middle, after))
}

/** The period that begins on a date; undefined if there is no such date. */
export const starting = (
  unit: Unit,
  { zone }: DateTime.Zoned,
  year: number,
  month: number,
  day = 1
): Period | undefined => {
  if (!(year >= 1900 && year <= 2100 && month >= 1 && month <= 12 && day >= 1 && day <= 31)) return undefined
  const from = DateTime.makeZonedUnsafe({ year, month, day }, { timeZone: zone, adjustForTimeZone: true })
  return DateTime.toParts(from).day === day ? between(from, DateTime.add(from, steps(unit, 1))) : undefined
}
