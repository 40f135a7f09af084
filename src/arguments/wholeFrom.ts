/** Counts that a step is built with: whole numbers, or building it fails with a message that names the step. */
import { quoted } from "../text/legible.ts"

export const wholeFrom = (least: number, step: string, option: string, value: number): number => {
  if (Number.isSafeInteger(value) && value >= least) return value
  throw new Error(`The step ${quoted(step)} needs a whole number from ${least} as ${option}, not ${value}.`)
}
