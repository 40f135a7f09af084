/** Carries out a call of a tool: at most once in a durable run, unless the tool may be repeated. */
import * as Effect from "effect/Effect"
import { foreign, nextRecorded, recorded } from "../../run/run.ts"
import { canonicalJson } from "../../schema/canonicalJson.ts"
import { hash128 } from "../../text/hash.ts"
import { nestedIn } from "../model/nested.ts"
import { isReadonly, isRepeatable } from "../model/verdict.ts"
import { handled } from "./handled.ts"
import { failed, type Outcome, type Readable } from "./toolCall.ts"

const unknown = (): Outcome =>
  failed("It is not known whether this was carried out: it was interrupted. Find out before you call the tool again.")

const removed: Outcome = failed(
  "It was not carried out: the run has carried out a call of this tool in this place before, and a redaction has removed what " +
    "that call was and what came of it. Find out whether it is still needed before you call the tool again."
)

const notInRerun = (): Outcome => failed("It was not carried out: this run only tries what would have happened.")

/** Carries out a call: in a durable run at most once, unless the tool may be repeated, and in a rerun only if it reads. */
export const carriedOut = (readable: Readable): Effect.Effect<Outcome, never, any> => {
  const { call, json, tool } = readable
  const request = () => {
    const hash = hash128(canonicalJson([tool.name, json]))
    return Effect.succeed({ hash, parts: { parameters: hash } })
  }
  const entry = () => ({
    kind: "effect" as const,
    value: {
      encode: (outcome: Outcome) => ({ ...outcome, call: call.id }),
      // the ledger has what `encode` gave
      decode: (outcome: unknown) => outcome as Outcome
    },
    request: request()
  })
  if (nestedIn(tool) !== undefined) {
    // a step records what it does, but not that a defect ended it. That is recorded here, so that it does not run again
    const once = (live: Effect.Effect<Outcome, never, any>) =>
      recorded<Outcome, never, any>(() => ({ ...entry(), emptied: () => removed }), live)
    const running = Effect.flatMap(nextRecorded, (kind) =>
      kind === undefined ? handled(readable, (outcome) => once(Effect.succeed(outcome))) : once(handled(readable))
    )
    if (isReadonly(tool)) return running
    // a rerun takes what the step has done only for the same call
    const isSame = recorded<boolean, never, never>(
      () => ({ kind: "effect", request: request(), inRerun: () => false }),
      Effect.succeed(true)
    )
    return Effect.flatMap(isSame, (same) => (same ? running : Effect.sync(notInRerun)))
  }
  return recorded<Outcome, never, any>(
    () => ({
      ...entry(),
      acts: isReadonly(tool) ? ("call" as const) : ("effect" as const),
      ...(isRepeatable(tool) ? {} : { lost: unknown, emptied: () => removed }),
      ...(isReadonly(tool) ? {} : { inRerun: notInRerun })
    }),
    foreign(handled(readable))
  )
}
