/** Checks options when steps are built. Invalid options throw an error that names the step. */
import { isReader } from "../../thought/Note.ts"
import type { Sampling } from "../../provider/request.ts"
import { quoted } from "../../text/legible.ts"

/** Throws an error that names the step. */
const refuse = (step: string, why: string): never => {
  throw new Error(`The step ${quoted(step)} ${why}.`)
}

/** Checks a text option: it must be a reader of notes, or a text that is not empty. */
export const checkText = (step: string, option: string, text: unknown): void => {
  if (typeof text === "string" ? text.trim() === "" : !isReader(text)) {
    refuse(step, `needs its ${option} as a non-empty string or a reader of notes`)
  }
}

/** Checks a text that cannot be a reader. */
export const checkFixed = (step: string, option: string, text: unknown): void => {
  if (typeof text !== "string" || text.trim() === "") refuse(step, `needs its ${option} as a non-empty string`)
}

/** Checks sampling wishes, if there are any. */
export const checkSampling = (step: string, { maxTokens = 1, temperature = 0 }: Sampling = {}, of = ""): void => {
  if (!(Number.isFinite(temperature) && temperature >= 0))
    refuse(step, `has a temperature${of} that is not a number from 0`)
  if (!(Number.isSafeInteger(maxTokens) && maxTokens >= 1)) {
    refuse(step, `has a maxTokens${of} that is not a whole number from 1`)
  }
}

/** Checks the limit of a search, if there is one. */
export const checkLimit = (step: string, most: number, limit = 1): void => {
  if (!(Number.isSafeInteger(limit) && limit >= 1 && limit <= most)) {
    refuse(step, `needs a whole number from 1 to ${most} as limit`)
  }
}
