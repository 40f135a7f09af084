/** Checks durations that steps are built with. An invalid one throws an error that names it. */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import { quoted } from "../text/legible.ts"

/**
 * Converts the input to a duration. Throws an error that names the step and the option if it is not above zero, or is
 * infinite without `endless`.
 */
export const longerThanZero = (
  step: string,
  option: string,
  input: Duration.Input,
  { endless = false }: { readonly endless?: boolean } = {}
): Duration.Duration => {
  const duration = Option.getOrUndefined(Duration.fromInput(input))
  if (duration !== undefined && Duration.isGreaterThan(duration, Duration.zero)) {
    if (endless || Duration.isFinite(duration)) return duration
  }
  throw new Error(
    `The step ${quoted(step)} needs a ${endless ? "" : "finite "}duration above zero as \`${option}\`, such as "5 seconds".`
  )
}
