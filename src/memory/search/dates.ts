/** The preference of a search for notes of the times that its question names. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SurveyOptions } from "../model/Search.ts"
import type { StoreQuery } from "../model/Store.ts"
import { fail, type MemoryError } from "../model/error.ts"
import { bounded, dateWeight, within } from "./fusion.ts"
import { timesIn } from "./times.ts"

/** What the times that a question names change in its search. */
interface Dated {
  /** What a store has to prefer; undefined if the question names no time. */
  readonly dates: StoreQuery["dates"]
  /** The text whose meaning is looked for: vectors do not tell times, and words of times only disturb them. */
  readonly meant: string
}

/** Reads the times that a question names. Fails if an option is out of range. */
export const datesOf = Effect.fnUntraced(function* (
  question: string,
  { timeZone = "UTC", weight = dateWeight }: NonNullable<SurveyOptions["dates"]>,
  nowMillis: number
): Effect.fn.Return<Dated, MemoryError> {
  yield* within("A search's dates.weight", weight, 0, Number.MAX_VALUE)
  const zone = typeof timeZone === "string" ? DateTime.zoneFromString(timeZone) : Option.none()
  if (Option.isNone(zone)) {
    return yield* fail({
      _tag: "Query",
      message: 'A search\'s dates.timeZone must be the name of a time zone, such as "Europe/Berlin", or "+02:00".'
    })
  }
  if (weight === 0) return { dates: undefined, meant: question }
  const { periods, rest } = timesIn(question, DateTime.makeZonedUnsafe(nowMillis, { timeZone: zone.value }))
  return { dates: periods.length === 0 ? undefined : { weight: bounded(weight), periods }, meant: rest }
})
