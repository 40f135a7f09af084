/** How well a parser reads the malformed answers: what it recovers, what it gets wrong, what it rightly leaves alone. */
import { isDeepStrictEqual } from "node:util"
import { Exit, Schema } from "effect"
import type { Case } from "./malformed/index.ts"

/** The decoded value that a parser takes from a text, or nothing. */
type Reading = { readonly value: unknown } | undefined

export type Parser = (one: Case) => Reading

/**
 * - `recovered`: the value that is expected
 * - `missed`: nothing, where there is a value
 * - `wrong`: another value than the expected one
 * - `rejected`: nothing, where nothing is to be taken
 * - `taken`: a value, where nothing is to be taken
 */
export type Verdict = "recovered" | "missed" | "wrong" | "rejected" | "taken"

export interface Result {
  readonly category: string
  readonly one: Case
  readonly reading: Reading
  readonly verdict: Verdict
}

/** Dates and the like are compared by what they are written as. */
const written = ({ schema }: Case, value: unknown): unknown => {
  const encoded = Schema.encodeUnknownExit(Schema.toCodecJson(schema))(value)
  return Exit.isSuccess(encoded) ? encoded.value : value
}

/** Without lossy readings, nothing may come of the cases that need one. */
const judge = (one: Case, reading: Reading, lossy: boolean): Verdict => {
  if (one.expected === "reject" || (one.lossy === true && !lossy)) return reading === undefined ? "rejected" : "taken"
  if (reading === undefined) return "missed"
  return isDeepStrictEqual(written(one, reading.value), written(one, one.expected.value)) ? "recovered" : "wrong"
}

export type Categories = Readonly<Record<string, ReadonlyArray<Case>>>

/** The verdict on every case; `lossy` when the parser was told to be generous. */
export const score = (
  categories: Categories,
  parser: Parser,
  { lossy }: { readonly lossy: boolean }
): ReadonlyArray<Result> =>
  Object.entries(categories).flatMap(([category, cases]) =>
    cases.map((one): Result => {
      const reading = parser(one)
      return { category, one, reading, verdict: judge(one, reading, lossy) }
    })
  )

export const count = (results: ReadonlyArray<Result>, ...verdicts: ReadonlyArray<Verdict>): number =>
  results.filter(({ verdict }) => verdicts.includes(verdict)).length
