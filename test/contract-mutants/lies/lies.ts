/** The lies that a store can tell about one call. */
import { isDeepStrictEqual } from "node:util"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { MemoryError } from "../../../src/Memory.ts"
import type { Operation } from "./calls.ts"
import { type Falsehood, falsehoods, withField } from "./falsehoods.ts"

/**
 * What a lie is about.
 *
 * - `about`: the arguments of the call, its result, its failure, or the call as a whole
 * - `path`, `kind`: the place in it, and what is wrong there
 */
interface Subject {
  readonly about: "arguments" | "result" | "failure" | "call"
  readonly path: string
  readonly kind: string
}

export type Outcome = Exit.Exit<unknown, MemoryError>

/** What a store is given in a call, and how it ended the call before of the same method. */
export interface Circumstances {
  readonly given: ReadonlyArray<unknown>
  readonly before: Outcome | undefined
}

/** A lie, and what the store does in the place of the call. */
export interface Lie extends Subject {
  readonly tell: (make: Operation, circumstances: Circumstances) => Effect.Effect<unknown, MemoryError>
}

const isPlain = (value: unknown) => value === undefined || typeof value === "number" || typeof value === "boolean"

/** The wrong value of this place and kind. */
const wrong = (all: Iterable<Falsehood>, { kind, path }: Falsehood): unknown => {
  for (const one of all) if (one.kind === kind && one.path === path) return one.make()
  throw new Error(`the test is not the same as before: there is no ${path} to be ${kind}`)
}

function* ofArguments(given: ReadonlyArray<unknown>): Generator<Falsehood> {
  for (const [place, value] of given.entries()) {
    for (const one of falsehoods(value)) {
      // operations need not accept what has another type
      if (one.kind === "there" || one.kind === "not empty") continue
      yield { ...one, path: `[${place}]${one.path}`, make: () => given.with(place, one.make()) }
    }
  }
}

function* ofFailure(error: MemoryError): Generator<Falsehood> {
  for (const one of falsehoods(error.reason)) {
    if (one.path !== ".message") yield { ...one, make: () => withField(error, "reason", one.make()) }
  }
}

function* ofResult(value: unknown): Generator<Falsehood> {
  if (value !== undefined) yield { path: "", kind: "undefined", make: () => undefined }
  yield* falsehoods(value)
}

/** The lies about a call as a whole. */
function* ofCall(outcome: Outcome, before: Outcome | undefined): Generator<Lie> {
  const whole = { about: "call", path: "" } as const
  if (Exit.isFailure(outcome)) {
    const tell: Lie["tell"] = (make, { given }) => Effect.catch(make(...given), () => Effect.undefined)
    yield { ...whole, kind: "succeeds", tell }
  } else if (isPlain(outcome.value)) {
    yield { ...whole, kind: "not made", tell: () => Effect.succeed(outcome.value) }
  }
  if (before !== undefined && !isDeepStrictEqual(before, outcome)) {
    const tell: Lie["tell"] = (make, { before, given }) =>
      Effect.andThen(Effect.exit(make(...given)), before ?? Effect.undefined)
    yield { ...whole, kind: "ends as the one before", tell }
  }
}

/** All lies about a call that has this outcome. */
export function* liesAbout({ before, given }: Circumstances, outcome: Outcome): Generator<Lie> {
  yield* ofCall(outcome, before)
  if (Exit.isSuccess(outcome)) {
    for (const one of ofResult(outcome.value)) {
      const tell: Lie["tell"] = (make, { given }) => Effect.map(make(...given), (value) => wrong(ofResult(value), one))
      yield { ...one, about: "result", tell }
    }
  } else {
    for (const error of Option.toArray(Cause.findErrorOption(outcome.cause))) {
      for (const one of ofFailure(error)) {
        const tell: Lie["tell"] = (make, { given }) =>
          Effect.mapError(make(...given), (error) => wrong(ofFailure(error), one) as MemoryError)
        yield { ...one, about: "failure", tell }
      }
    }
  }
  for (const one of ofArguments(given)) {
    const tell: Lie["tell"] = (make, { given }) => make(...(wrong(ofArguments(given), one) as ReadonlyArray<unknown>))
    yield { ...one, about: "arguments", tell }
  }
}
