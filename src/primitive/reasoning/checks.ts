/** What steps check of their options when they are built: it throws, naming the step, when one cannot be meant. */
import { isReader } from "../../thought/Note.ts"
import type { Sampling } from "../../provider/request.ts"
import { quoted } from "../../text/legible.ts"

/** Refuses the options of a step, with a message that names it. */
const refuse = (step: string, why: string): never => {
  throw new Error(`The step ${quoted(step)} ${why}.`)
}

/** A text that a step is built with: not empty, or a reader of notes. */
export const checkText = (step: string, option: string, text: unknown): void => {
  if (typeof text === "string" ? text.trim() === "" : !isReader(text)) {
    refuse(step, `needs its ${option} as text that is not empty, or as a reader of notes`)
  }
}

/** A text that no note can stand for. */
export const checkFixed = (step: string, option: string, text: unknown): void => {
  if (typeof text !== "string" || text.trim() === "") refuse(step, `needs its ${option} as text that is not empty`)
}

/** Sampling wishes, where there are any. */
export const checkSampling = (step: string, { maxTokens = 1, temperature = 0 }: Sampling = {}, of = ""): void => {
  if (!(Number.isFinite(temperature) && temperature >= 0))
    refuse(step, `has a temperature${of} that is no number from 0`)
  if (!(Number.isSafeInteger(maxTokens) && maxTokens >= 1)) {
    refuse(step, `has a maxTokens${of} that is no whole number from 1`)
  }
}

/** The most that a search may return, where it is said. */
export const checkLimit = (step: string, most: number, limit = 1): void => {
  if (!(Number.isSafeInteger(limit) && limit >= 1 && limit <= most)) {
    refuse(step, `needs a whole number from 1 to ${most} as limit`)
  }
}
