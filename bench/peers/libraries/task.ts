/** The task that every library does: ten yes/no questions on one message, each answered in a structured form. */
import assert from "node:assert/strict"

export const steps = 10
export const message = "I was charged twice for my May invoice! Please refund the second 49.90 EUR today. Jane Doe"
export const instructions = "You sort the mail of a shop. Answer from the message alone."
export const question = (step: number): string => `Does rule ${step + 1} of our list apply to this message?`

export interface Decision {
  readonly decision: boolean
  readonly confidence: number
  readonly reasoning: ReadonlyArray<string>
}

export const answer: Decision = { decision: true, confidence: 0.9, reasoning: ["The message says so."] }

/** What the model writes, whoever asks. */
export const reply = JSON.stringify(answer)

/** A library, ready to run the task. Each `run` is one pipeline of ten steps. */
export interface Prepared {
  readonly run: () => Promise<ReadonlyArray<Decision>>
  /** Ends what runs in the background, and waits for it. */
  readonly close: () => Promise<void>
  /** Calls of the model so far. */
  readonly calls: () => number
}

/** Prepares a library with an empty store. The model answers after `latency` milliseconds, 0 for at once. */
export type Prepare = (latency: number) => Promise<Prepared>

export const check = (answers: ReadonlyArray<Decision>): void => {
  assert.equal(answers.length, steps)
  for (const { confidence, decision, reasoning } of answers) {
    assert.deepEqual({ decision, confidence, reasoning }, answer)
  }
}

/** Counts the calls of a model that answers with promises. */
export const counted = (latency: number) => {
  let calls = 0
  return {
    calls: () => calls,
    call: <A>(value: () => A): Promise<A> => {
      calls++
      return latency === 0
        ? Promise.resolve(value())
        : new Promise((resolve) => setTimeout(() => resolve(value()), latency))
    }
  }
}
