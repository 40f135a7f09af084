/**
 * What is being done right now, on one line of the terminal that is rewritten; nothing when errors go to a file.
 */
import type { Signal } from "cogito"
import type { Meter } from "./meter.ts"

const shown = process.stderr.isTTY && process.env["TERM"] !== "dumb"

export const show = (text: string): void => {
  if (shown) process.stderr.write(`\r\u001b[2K${text}`)
}

export const clear = (): void => show("")

/** Shows each step as it starts. */
export const listener =
  (meter: Meter) =>
  (signal: Signal.Signal): void => {
    if (signal._tag === "StepStarted") show(`ticket ${meter.tickets}: ${signal.path.at(-1)} …`)
  }
