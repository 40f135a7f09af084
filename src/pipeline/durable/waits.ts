/** Questions that a run waits for. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { WaitRow } from "../../memory/model/Ledger.ts"
import type { LedgerShape } from "../../memory/model/LedgerShape.ts"
import { CommitFailed, Halt, suspended } from "../../run/failure.ts"
import type { Journal, Reply } from "../../run/journal.ts"
import { emit } from "../../run/run.ts"
import { ReplayMismatch } from "./errors.ts"
import type { Parts } from "./parts.ts"

/** An answer in the ledger: a value, or a timeout. */
export type Answer = { readonly value: unknown } | { readonly late: true }

export type Open = Pick<WaitRow, "frame" | "key" | "prompt" | "dueMillis">

const replied = ({ answer, answeredBy }: WaitRow): Reply => {
  const given = JSON.parse(answer ?? "null") as Answer
  return "late" in given ? { _tag: "Late" } : { _tag: "Answered", json: given.value, by: answeredBy }
}

/** Collects the questions that the run waits for in `open`. */
export const makeWaits = (
  { earlier, id: runId, reuse, writer }: Parts,
  ledger: Pick<LedgerShape, "answer">,
  thoughtId: () => string,
  open: Array<Open>
): Journal["ask"] =>
  Effect.fnUntraced(function* (frame, { limitMillis, ...question }) {
    const now = yield* Clock.currentTimeMillis
    const known = earlier.wait(frame.key)
    // a redaction has taken the text of the question
    const isEmptied = known?.prompt === "" && question.prompt !== ""
    if (known !== undefined && (known.key !== question.key || (known.prompt !== question.prompt && !isEmptied))) {
      const about = { runId, frame: frame.key, differs: ["question"], before: "a question", now: "a question" }
      return yield* Effect.die(new Halt(new ReplayMismatch(about)))
    }
    if (known?.answer !== undefined) return replied(known)
    const before = known === undefined ? reuse?.wait(question) : undefined
    if (before !== undefined) return replied(before)
    if (known?.dueMillis !== undefined && known.dueMillis <= now) {
      // the first of a concurrent answer and this timeout wins
      const late: Answer = { late: true }
      const outcome = yield* Effect.catch(
        ledger.answer({ runId, frame: frame.key }, { json: JSON.stringify(late), by: undefined, millis: now }),
        (error) => Effect.die(new CommitFailed(error))
      )
      return outcome === undefined ? { _tag: "Late" as const } : replied(outcome.wait)
    }
    const dueMillis = known === undefined ? limitMillis && now + limitMillis : known.dueMillis
    if (known === undefined || isEmptied) {
      const row = { runId, thoughtId: thoughtId(), frame: frame.key, ...question, createdMillis: now, dueMillis }
      yield* writer.flush({ waits: [row], urgent: true })
    }
    const { key, prompt } = question
    open.push({ frame: frame.key, key, prompt, dueMillis })
    yield* emit(undefined, { _tag: "Waiting", key })
    return yield* suspended
  })
