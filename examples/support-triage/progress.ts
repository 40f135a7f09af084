/**
 * How far the job is, on standard error: on a terminal the step of right now, on one line that is rewritten; elsewhere, as in
 * a file, a plain line for each ticket that is finished.
 */
import { Console, Duration, Effect } from "effect"
import type { Signal } from "cogito"
import type { Meter } from "./meter.ts"

const rewrites = process.stderr.isTTY && process.env["TERM"] !== "dumb"

// that nobody reads it any more, as in `2> >(head -1)`, is no reason to stop
process.stderr.on("error", () => undefined)

export const show = (text: string): void => {
  if (rewrites) process.stderr.write(`\r\u001b[2K${text}`)
}

export const clear = (): void => show("")

/** Shows each step as it starts. */
export const listener =
  (meter: Meter) =>
  (signal: Signal.Signal): void => {
    if (signal._tag === "StepStarted") show(`ticket ${meter.tickets}: ${signal.path.at(-1)} …`)
  }

/** Says that a ticket is finished, where steps cannot be shown. */
export const finished = (
  number: number,
  outcome: "answered" | "not read" | "failed",
  spent: Duration.Duration
): Effect.Effect<void> =>
  rewrites ? Effect.void : Console.error(`${number}: ${outcome} in ${Duration.toSeconds(spent).toFixed(1)} s`)
