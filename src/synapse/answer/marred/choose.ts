/** Chooses the answer among several values. Chooses none if in doubt. */
import * as Equal from "effect/Equal"
import * as Result from "effect/Result"
import type { Issue } from "../ResponseError.ts"
import { resembles } from "./align/alternatives.ts"
import type { Candidate } from "./candidates.ts"
import type { Failure } from "./scan/Cursor.ts"
import { tooDeep } from "./scan/json.ts"
import { loss, type Outcome } from "./align/Outcome.ts"
import { isCorrected, isDenied, isWithdrawn } from "./remarks.ts"
import type { Root } from "./align/Root.ts"

/** A candidate, its outcome after alignment with the schema, and the decoder's result. */
export interface Fit<out A> {
  readonly candidate: Candidate
  readonly outcome: Outcome
  readonly decoded: Result.Result<A, ReadonlyArray<Issue>>
}

interface Chosen<out A> {
  readonly candidate: Candidate
  readonly outcome: Outcome
  readonly value: A
}

export type Choice<A> = Result.Result<Chosen<A>, ReadonlyArray<Issue>>

const failures: Readonly<Record<Failure["_tag"], string>> = {
  Cut: "The answer was cut off here: write all of it",
  Elided: "Something was left out here: write all of it",
  Deep: tooDeep,
  Many: "There are too many values here to tell them apart: write one only",
  Broken: "This is not valid JSON"
}

const several = "There are several answers that fit: write one only"

export const choose = <A>(
  root: Root,
  all: ReadonlyArray<Fit<A>>,
  failure: Failure | undefined,
  text: string
): Choice<A> => {
  if (failure !== undefined) return refuse(failures[failure._tag], failure.path)
  const last = all.findLast(({ decoded }) => Result.isSuccess(decoded))
  if (last !== undefined && isWithdrawn(text, last.candidate.end)) return refuse(withdrawn)
  const fits = counting(all, text)
  if (fits.length === 0 && all.length > 0) return refuse(denied)
  const taken = fits.flatMap(({ candidate, decoded, outcome }): ReadonlyArray<Chosen<A>> =>
    Result.isSuccess(decoded) ? [{ candidate, outcome, value: decoded.success }] : []
  )
  const marked = taken.filter(({ candidate }) => candidate.where !== "prose")
  const pool = marked.length > 0 ? marked : taken
  const [first] = best(pool)
  if (first === undefined) {
    // Not every candidate has known issues.
    const known = fits.filter(({ decoded }) => Result.isFailure(decoded) && decoded.failure.length > 0)
    const [most] = known.toSorted((a, b) => weight(b) - weight(a))
    return most === undefined || Result.isSuccess(most.decoded)
      ? refuse("Expected JSON")
      : Result.fail(most.decoded.failure)
  }
  const same = (other: Chosen<A>) => Equal.equals(other.value, first.value)
  if (!best(pool).every(same)) return refuse(several)
  // Consecutive values form one answer, of which this would be a part.
  const beside = fits.filter(
    ({ candidate }, i) =>
      (candidate.follows && fits[i - 1]?.candidate === first.candidate) ||
      (first.candidate.follows && fits[i + 1]?.candidate === first.candidate)
  )
  if (beside.some(({ candidate, decoded }) => Result.isFailure(decoded) && resembles(candidate.tree, root.shape)))
    return refuse(several)
  const later = (other: Candidate) => other.start > first.candidate.start
  // What follows the answer may correct it, even if it does not fit itself.
  if (taken.some((other) => later(other.candidate) && other.outcome.cost === 0 && !same(other))) return refuse(several)
  return fits.some(
    (other) => later(other.candidate) && Result.isFailure(other.decoded) && isAlike(root, other.candidate)
  )
    ? refuse(several)
    : Result.succeed(first)
}

/** The candidates that the surrounding words do not retract: no examples, and none before a correction. */
const counting = <A>(all: ReadonlyArray<Fit<A>>, text: string): ReadonlyArray<Fit<A>> => {
  const kept = all.filter(({ candidate }, i) => {
    const before = all[i - 1]?.candidate.end ?? 0
    return candidate.where === "whole" || !isDenied(text, before, candidate.start)
  })
  let from = 0
  let before: Candidate | undefined
  for (const [i, { candidate, decoded }] of kept.entries()) {
    if (Result.isFailure(decoded)) continue
    if (before !== undefined && isCorrected(text, before.end, candidate.start)) from = i
    before = candidate
  }
  return kept.slice(from)
}

const denied = "The only answer is marked as an example or as wrong: write the answer"
const withdrawn = "The answer is retracted by what follows it: write the answer that counts"

const refuse = (message: string, path: ReadonlyArray<string> = []) => Result.fail([{ path, message }])

/** The candidates with the fewest changes: without any, otherwise without a loss. */
const best = <A>(chosen: ReadonlyArray<Chosen<A>>): ReadonlyArray<Chosen<A>> => {
  const asIs = chosen.filter(({ outcome }) => outcome.cost === 0)
  if (asIs.length > 0) return asIs
  const kept = chosen.filter(({ outcome }) => outcome.cost < loss)
  return kept.length > 0 ? kept : chosen
}

const weight = <A>({ candidate: { end, start, where } }: Fit<A>): number =>
  (where === "whole" ? 2 : where === "prose" ? 0 : 1) * loss * loss + end - start

/** Whether the candidate has all required keys of an answer. */
const isAlike = ({ shape }: Root, { tree }: Candidate): boolean =>
  (shape._tag === "Union" ? shape.members : [shape]).some(
    (wanted) =>
      wanted._tag === "Object" &&
      tree._tag === "Fields" &&
      wanted.required.size > 0 &&
      [...wanted.required].every((name) => tree.entries.some(([key]) => key === name))
  )
