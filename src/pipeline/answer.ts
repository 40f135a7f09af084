import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as kinds from "../arguments/kinds.ts"
import { maybe, notEmpty } from "../arguments/forms.ts"
import { needed } from "../arguments/needed.ts"
import { taking } from "../arguments/taking.ts"
import { Memory } from "../memory/Memory.ts"
import { MemoryError } from "../memory/model/error.ts"
import type { WaitRow } from "../memory/model/Ledger.ts"
import { readJson } from "../schema/fromJsonSchema.ts"
import { quoted } from "../text/legible.ts"
import { AlreadyAnswered, AnswerTooLate } from "./durable/errors.ts"
import { loaded } from "./durable/earlier.ts"
import { type Answer, nameOf, replied } from "./durable/waits.ts"

/** Most questions of one run. */
const most = 10_000

const notFound = (message: string) => new MemoryError({ reason: { _tag: "NotFound", message } })

/**
 * Answers a question that a durable run waits for. The run goes on when it is resumed.
 *
 * **Details**
 *
 * `key` is that of the step that waits, or its frame, as `Suspended.waits` and `Pipeline.waiting` have them, if several questions
 * of the run have the same key. `value` is the answer as JSON; for a `waitFor` it must fit the schema of the step, for an `approve` it
 * is `{ approved, reason }`. `by` says who answers.
 *
 * The first answer counts: later ones fail with `AlreadyAnswered`, however many come at once. Fails with `AnswerTooLate` after the
 * timeout of the step, with a `SchemaError` if the value does not fit, and with a `MemoryError` (`NotFound`) if there is no such
 * question or a redaction has removed its text.
 *
 * The value is checked with the JSON Schema of the question. What only the code of the step checks, such as a pattern, a filter or whether a
 * text is a date, is checked when the run is resumed: if the answer does not fit, the run asks again and says why.
 *
 * See `waitFor` for an example.
 *
 * @category durable runs
 */
export const answer = taking("Pipeline.answer", {
  args: [kinds.text, kinds.text],
  options: 3,
  optional: true,
  known: { by: maybe("Who answers.", notEmpty) }
})(
  (
    runId: string,
    key: string,
    value: unknown,
    options: { readonly by?: string } = {}
  ): Effect.Effect<void, AlreadyAnswered | AnswerTooLate | MemoryError | Schema.SchemaError, Memory> =>
    Effect.gen(function* () {
      const { ledger } = yield* needed(Memory)
      const open = yield* ledger.waits({ runId, limit: most })
      const named = open.filter((wait) => wait.frame === key || wait.key === key)
      const exact = named.find((wait) => wait.frame === key)
      const [first, ...others] = exact === undefined ? named : [exact]
      if (first === undefined) return yield* none(runId, key)
      if (others.length > 0) {
        const frames = named.map(({ frame }) => quoted(frame)).join(", ")
        return yield* notFound(
          `The run ${quoted(runId)} has several questions ${quoted(key)}: answer one of ${frames}.`
        )
      }
      const millis = yield* Clock.currentTimeMillis
      const { dueMillis } = first
      if (dueMillis !== undefined && dueMillis <= millis) {
        return yield* new AnswerTooLate({ runId, key: first.key, dueMillis })
      }
      if (first.prompt === "") return yield* notFound(emptied(runId, first.key))
      yield* Effect.fromResult(Result.map(readJson(first.schema, value), () => {}))
      const given: Answer = { value }
      const outcome = yield* ledger.answer(first, { json: JSON.stringify(given), by: options.by, millis })
      if (outcome === undefined) return yield* none(runId, key)
      return outcome.first ? undefined : yield* closed(outcome.wait)
    })
)

const emptied = (runId: string, key: string): string =>
  `A redaction has removed the text of the question ${quoted(key)}: resume the run ${quoted(runId)}, which asks it again.`

/** Why a question takes no answer any more: it has one, or the run has gone on without. */
const closed = (wait: WaitRow): AlreadyAnswered | AnswerTooLate => {
  const { answeredBy, answeredMillis = 0, dueMillis = answeredMillis, key, runId } = wait
  if (replied(wait)._tag === "Late") return new AnswerTooLate({ runId, key, dueMillis })
  const by = answeredBy === undefined ? {} : { by: answeredBy }
  return new AlreadyAnswered({ runId, key, atMillis: answeredMillis, ...by })
}

/** Why there is no such question: it is closed, or nobody has asked it. */
const none = Effect.fnUntraced(function* (
  runId: string,
  key: string
): Effect.fn.Return<never, AlreadyAnswered | AnswerTooLate | MemoryError, Memory> {
  const { ledger } = yield* needed(Memory)
  const stored = yield* loaded(ledger, runId)
  // a question may have been asked again
  const before = stored.waits.findLast((wait) => wait.frame === key || wait.key === key)
  if (before?.answer !== undefined) return yield* closed(before)
  if (before !== undefined)
    return yield* notFound(`The run ${quoted(runId)} does not wait for ${quoted(key)} any more.`)
  const open = stored.waits.filter(({ answer }) => answer === undefined)
  const all =
    open.length === 0
      ? "it has no open question"
      : `it asks ${open.map((wait) => quoted(nameOf(wait, stored.waits))).join(", ")}`
  return yield* notFound(`The run ${quoted(runId)} does not ask ${quoted(key)}: ${all}.`)
})
