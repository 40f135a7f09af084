/** Checks numbers that a step or a call is built with. An invalid one throws an error that names it. */
import { quoted } from "../text/legible.ts"

export const wholeFrom = (least: number, step: string, option: string, value: number): number => {
  if (Number.isSafeInteger(value) && value >= least) return value
  throw new Error(`The step ${quoted(step)} needs a whole number from ${least} as ${option}, not ${quoted(value)}.`)
}

/** Throws if `maxTokens` or `temperature` is not a number that a model accepts. */
export const checkSampling = (
  owner: string,
  { maxTokens = 1, temperature = 0 }: { readonly maxTokens?: number; readonly temperature?: number }
): void => {
  if (!Number.isSafeInteger(maxTokens) || maxTokens < 1) {
    throw new Error(`${owner} needs a whole number from 1 as sampling.maxTokens, not ${quoted(maxTokens)}.`)
  }
  if (!Number.isFinite(temperature) || temperature < 0) {
    throw new Error(`${owner} needs a finite number from 0 as sampling.temperature, not ${quoted(temperature)}.`)
  }
}
