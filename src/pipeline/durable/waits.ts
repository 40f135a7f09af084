/** Questions that a run waits for. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { StepRow, WaitRow } from "../../memory/model/Ledger.ts"
import type { LedgerShape } from "../../memory/model/LedgerShape.ts"
import { commitFailed, Halt, suspended } from "../../run/failure.ts"
import type { Frame, Journal, Reply } from "../../run/journal.ts"
import { emit } from "../../run/run.ts"
import { endedRow } from "./commits.ts"
import { ReplayMismatch } from "./errors.ts"
import { asFirst, isWithin } from "./frame.ts"
import { makeAgain, type Parts } from "./parts.ts"

/** An answer in the ledger: a value, or a timeout. */
export type Answer = { readonly value: unknown } | { readonly late: true }

export type Open = Pick<WaitRow, "frame" | "key" | "prompt" | "dueMillis">

/** How a question is named to answer it: by its key, unless another one of the run has it too. */
export const nameOf = (wait: WaitRow, waits: ReadonlyArray<WaitRow>): string =>
  waits.some(({ frame, key }) => key === wait.key && frame !== wait.frame) ? wait.frame : wait.key

/** The questions that an execution comes to. */
export class Questions {
  readonly #reached = new Set<string>()
  readonly #open = new Map<Open, Frame>()
  readonly #discarded = new Map<string, Frame>()

  reach({ key }: Frame): void {
    this.#reached.add(key)
  }

  add(question: Open, around: Frame): void {
    this.#open.set(question, around)
  }

  /** Called when a step has ended: nothing waits any more for the questions within it. */
  discard(frame: string): void {
    for (const [question, around] of this.#open) {
      if (!isWithin(frame, around.key)) continue
      this.#open.delete(question)
      this.#discarded.set(around.key, around)
    }
  }

  get open(): ReadonlyArray<Open> {
    return [...this.#open.keys()]
  }

  /**
   * The ends of the steps whose questions nobody needs to answer, once the run waits or has failed. A failed run comes to the
   * questions of the first attempts of its steps again when it is resumed.
   */
  left({ earlier, epoch }: Parts, status: "waiting" | "failed", endedMillis: number): ReadonlyArray<StepRow> {
    const outcome = "interrupted"
    const attempts = new Set<string>()
    const isRepeated = ({ key }: Frame): boolean => attempts.size === attempts.add(asFirst(key)).size
    const all = [...this.#discarded.values()]
    const discarded = status === "failed" ? all.filter(isRepeated) : all
    const passed = earlier.unanswered.flatMap(({ frame, prompt }) => {
      const step = earlier.step(stepOf(frame))
      const isLeft = step !== undefined && !this.#reached.has(step.frame) && (status === "waiting" || prompt === "")
      return isLeft ? [{ ...step, outcome, epoch, endedMillis } as const] : []
    })
    const end = { outcome, position: undefined, error: undefined, endedMillis } as const
    return [...passed, ...discarded.map((around) => endedRow({ epoch }, around, end))]
  }
}

/**
 * What the run takes from a question with an answer. An answer given when the run goes on without one comes too late, whether the
 * run has gone on or not.
 */
export const replied = ({ answer, answeredBy, answeredMillis = 0, dueMillis = Infinity }: WaitRow): Reply => {
  const given = JSON.parse(answer ?? "null") as Answer
  return "late" in given || answeredMillis >= dueMillis
    ? { _tag: "Late" }
    : { _tag: "Answered", json: given.value, by: answeredBy }
}

/** A question that is asked again has the frame of the one before and this. */
const again = "^"

/** The frame of the step of a question. */
const stepOf = (frame: string): string => frame.replace(/\^+$/, "")

const longestReason = 1000

/** The question as it is asked after an answer that does not fit. */
const promptAfter = (prompt: string, misfit: string | undefined): string =>
  misfit === undefined ? prompt : `${prompt}\n\nThe answer before does not fit: ${misfit.slice(0, longestReason)}`

/** Collects the questions that the run waits for. */
export const makeWaits = (
  parts: Parts,
  ledger: Pick<LedgerShape, "answer">,
  thoughtId: () => string,
  questions: Questions
): Journal["ask"] => {
  const { earlier, id: runId, reuse, writer } = parts
  return Effect.fnUntraced(function* (around, { limitMillis, misfit, ...question }) {
    const now = yield* Clock.currentTimeMillis
    questions.reach(around)
    let frame = around.key
    let known = earlier.wait(frame)
    let reason: string | undefined
    let dueMillis = limitMillis && now + limitMillis
    for (;;) {
      // a redaction has taken the text of a question
      if (known?.prompt === "") makeAgain(parts, around.key)
      else if (known !== undefined && earlier.hasAgain && !isSame(known, question, reason)) {
        // what was made again leads to another question
        frame += again
        known = earlier.wait(frame)
        continue
      } else if (known !== undefined && !isSame(known, question, reason)) {
        const about = { runId, frame, differs: ["question"], before: "a question", now: "a question" }
        return yield* Effect.die(new Halt(new ReplayMismatch(about)))
      }
      dueMillis = known === undefined ? dueMillis : known.dueMillis
      const next = earlier.wait(frame + again)
      if (known?.answer !== undefined) {
        const reply = replied(known)
        reason = reply._tag === "Answered" ? misfit(reply.json) : undefined
        if (reason === undefined) return reply
      } else if (next === undefined) break
      frame += again
      known = next
    }
    const before = known === undefined && reason === undefined ? reuse?.wait(question) : undefined
    const reused = before && replied(before)
    if (reused !== undefined && (reused._tag === "Late" || misfit(reused.json) === undefined)) {
      const { answer = "null", answeredBy: by, answeredMillis: millis = now, dueMillis } = before ?? {}
      // the rerun has it too, for a rerun of this one
      const row = { runId, thoughtId: thoughtId(), frame, ...question, createdMillis: now, dueMillis }
      yield* writer.flush({ waits: [row] })
      yield* Effect.catch(ledger.answer({ runId, frame }, { json: answer, by, millis }), commitFailed)
      return reused
    }
    const { key } = question
    const prompt = promptAfter(question.prompt, reason)
    if (known === undefined || known.prompt === "") {
      const row = { runId, thoughtId: thoughtId(), frame, ...question, prompt, createdMillis: now, dueMillis }
      yield* writer.flush({ waits: [row], urgent: true })
    }
    if (dueMillis !== undefined && dueMillis <= now) {
      // the first of a concurrent answer and this timeout wins
      const late: Answer = { late: true }
      const outcome = yield* Effect.catch(
        ledger.answer({ runId, frame }, { json: JSON.stringify(late), by: undefined, millis: now }),
        commitFailed
      )
      return outcome === undefined ? { _tag: "Late" as const } : replied(outcome.wait)
    }
    questions.add({ frame, key, prompt, dueMillis }, around)
    yield* emit(undefined, { _tag: "Waiting", key })
    return yield* suspended
  })
}

const isSame = (known: WaitRow, { key, prompt }: Pick<WaitRow, "key" | "prompt">, reason: string | undefined) =>
  // the wording of the reason may change with a version
  known.key === key && (reason === undefined ? known.prompt === prompt : known.prompt.startsWith(prompt))
