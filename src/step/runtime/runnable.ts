/** Readers, functions of a thought and effects, which steps take alike. */
import * as Effect from "effect/Effect"
import * as Note from "../../thought/Note.ts"
import type { Runnable } from "./model.ts"
import { gatherAside, gathered } from "../../thought/gathered.ts"
import type { Thought } from "../../thought/model.ts"
import { kindOf } from "../../arguments/kinds.ts"
import { foreign, recorded } from "../../run/run.ts"
import { type Interruptible, settled } from "../../thought/settled.ts"
import { quoted } from "../../text/legible.ts"

/** Throws when an option is nothing that can be run. */
export const checkRunnable = (step: string, option: string, run: unknown): void => {
  if (typeof run === "function" || Effect.isEffect(run) || Note.isReader(run)) return
  throw new Error(`The step ${quoted(step)} needs a function, an effect or a reader as \`${option}\`.`)
}

/** Keys that it reads, as far as they are known before it runs. */
export const readsOf = (run: Runnable): ReadonlyArray<string> => (Note.isReader(run) ? run.keys : [])

/** What it gives for a thought. How it fails and what it needs is known to the caller, by its type. */
export const valueOf = <A, E, R>(run: Runnable<A>, thought: Thought<any>): Effect.Effect<A, E, R> =>
  foreign(given(run, thought) as Effect.Effect<A, E, R>)

/**
 * What it gives for a thought, decided once in a durable run. Only where one step decides one thing after the other. The pipeline's
 * own words, by default true and false, are recorded by their places, which a redaction leaves.
 */
export const decided = <A, E, R>(
  run: Runnable<A>,
  thought: Thought<any>,
  words: ReadonlyArray<unknown> = [false, true]
): Effect.Effect<A, E, R> =>
  gatherAside((got) =>
    recorded<A, E, R>(
      () => ({
        kind: "decision",
        request: Effect.map(gathered(thought), (shows) => ({ hash: "", parts: {}, shows })),
        got,
        value: {
          encode: (value) => (words.includes(value) ? words.indexOf(value) : { value }),
          decode: (json) => (typeof json === "number" ? words[json] : (json as { readonly value: unknown }).value) as A
        }
      }),
      Effect.suspend(() => valueOf<A, E, R>(run, thought))
    )
  )

/** Whether a condition holds. A text such as "no" is truthy, and so is refused: what is not true or false is a defect. */
export const holds = <E, R>(
  name: string,
  option: string,
  run: Runnable<boolean>,
  thought: Thought<any>,
  value: (run: Runnable, thought: Thought<any>) => Effect.Effect<unknown, E, R> = decided
): Effect.Effect<boolean, E, R> =>
  Effect.filterOrElse(
    value(run, thought),
    (value) => typeof value === "boolean",
    (value) =>
      Effect.die(
        new Error(`The step ${quoted(name)} needs true or false from \`${option}\`, but got ${kindOf(value)}.`)
      )
  )

const given = (run: Runnable, thought: Thought<any>): Effect.Effect<unknown, unknown, unknown> => {
  // what a reader reads is checked where the step joins a pipeline
  if (Note.isReader(run)) return run.read(thought as never)
  if (Effect.isEffect(run)) return run
  return settled((interruptible) =>
    (run as (thought: Thought<any>, given: Interruptible) => unknown)(thought, interruptible)
  )
}

/**
 * Any type but a promise: the value that a promise resolves to. A type parameter bounded by it keeps the `"on"` that a
 * function returns from widening to string.
 *
 * @category types
 */
export type NoPromise =
  | string
  | number
  | bigint
  | boolean
  | symbol
  | (object & { readonly then?: never })
  | null
  | undefined
  | void

/**
 * Any type, even an unknown one. A type parameter bounded by it keeps literals as `NoPromise` does.
 *
 * @category types
 */
export type Anything = string | number | bigint | boolean | symbol | {} | null | undefined | void
