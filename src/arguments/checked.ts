/** Checks values of options. An invalid one throws an error that names its owner and the option. */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import { quoted } from "../text/legible.ts"
import { text, words } from "./kinds.ts"

/** A step as the owner of options. */
export const stepNamed = (name: string): string => `The step ${quoted(name)}`

const refuse = (owner: string, what: string, option: string, value?: number): never => {
  throw new Error(`${owner} needs ${what} as ${option}${value === undefined ? "" : `, not ${quoted(value)}`}.`)
}

/** Returns a whole number of at least `least`, and at most `most` if there is such a limit. */
export const whole = (owner: string, option: string, least: number, value: number, most = Infinity): number =>
  Number.isSafeInteger(value) && value >= least && value <= most
    ? value
    : refuse(owner, `a whole number from ${least}${most === Infinity ? "" : ` to ${most}`}`, option, value)

/** Throws if the options do not name a model. */
export const checkModel = (owner: string, { model }: { readonly model: unknown }): void => {
  if (typeof model !== "string" || model === "") refuse(owner, "the name of a model", "model")
}

/** Returns a number above `than`, which may be infinite. */
export const number = (owner: string, option: string, than: number, value: number): number =>
  typeof value === "number" && value > than ? value : refuse(owner, `a number above ${than}`, option, value)

/** Returns a time in milliseconds, above zero. `endless` allows an infinite one, and `orZero` zero. */
export const time = (
  owner: string,
  option: string,
  input: Duration.Input,
  { endless = false, orZero = false }: { readonly endless?: boolean; readonly orZero?: boolean } = {}
): number => {
  // to Effect, NaN is zero
  const duration = Number.isNaN(input) ? Option.none() : Duration.fromInput(input)
  const millis = Option.match(duration, { onNone: () => NaN, onSome: Duration.toMillis })
  if ((millis > 0 || (orZero && millis === 0)) && (endless || millis < Infinity)) return millis
  const least = orZero ? "from 0" : "above 0"
  return refuse(owner, `a ${endless ? "" : "finite "}time ${least}, such as "5 seconds",`, option)
}

/** Throws if a value is no text, or a blank one. */
export const checkText = (owner: string, option: string, value: unknown): void => {
  if (typeof value !== "string" || value.trim() === "") refuse(owner, "a non-empty string", option)
}

/** Throws if a value is neither a text that is not blank nor a reader of notes. */
export const checkWords = (owner: string, option: string, value: unknown): void => {
  if (text.is(value) ? (value as string).trim() === "" : !words.is(value)) {
    refuse(owner, "a non-empty string or a reader of notes", option)
  }
}

/** Throws if `maxTokens` or `temperature` is not a number that a model accepts. */
export const checkSampling = (
  owner: string,
  { maxTokens = 1, temperature = 0 }: { readonly maxTokens?: number; readonly temperature?: number } = {},
  option = "sampling"
): void => {
  whole(owner, `${option}.maxTokens`, 1, maxTokens)
  if (!Number.isFinite(temperature) || temperature < 0) {
    refuse(owner, "a finite number from 0", `${option}.temperature`, temperature)
  }
}
