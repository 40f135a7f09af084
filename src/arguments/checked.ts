/** Checks options of layers. If one is out of range, building the layer fails with a message that names the option. */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import { quoted } from "../text/legible.ts"

const refuse = (owner: string, what: string, option: string, value?: number): never => {
  throw new Error(`${owner} needs ${what} as ${option}${value === undefined ? "" : `, not ${quoted(value)}`}.`)
}

/** Returns a whole number of at least `least`. */
export const whole = (owner: string, option: string, least: number, value: number): number =>
  Number.isSafeInteger(value) && value >= least ? value : refuse(owner, `a whole number from ${least}`, option, value)

/** Throws if the options do not name a model. */
export const checkModel = (owner: string, { model }: { readonly model: unknown }): void => {
  if (typeof model !== "string" || model === "") refuse(owner, "the name of a model", "model")
}

/** Returns a number above `than`, which may be infinite. */
export const number = (owner: string, option: string, than: number, value: number): number =>
  typeof value === "number" && value > than ? value : refuse(owner, `a number above ${than}`, option, value)

/** Returns a time in milliseconds, above zero. `endless` allows an infinite one. */
export const time = (
  owner: string,
  option: string,
  input: Duration.Input,
  { endless = false }: { readonly endless?: boolean } = {}
): number => {
  const millis = Option.match(Duration.fromInput(input), { onNone: () => NaN, onSome: Duration.toMillis })
  if (millis > 0 && (endless || millis < Infinity)) return millis
  return refuse(owner, `a ${endless ? "" : "finite "}time above 0, such as "5 seconds",`, option)
}
