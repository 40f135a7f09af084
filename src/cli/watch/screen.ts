/** A part of the terminal that is drawn again and again. */
import * as Effect from "effect/Effect"
import { printPart } from "../console/output.ts"
import { cutTo } from "./lines.ts"

const hideCursor = "\u001b[?25l"
const showCursor = "\u001b[?25h"

/** Draws lines over those drawn before. No line is wrapped, and no more are drawn than fit. */
export const makeScreen = Effect.gen(function* () {
  let drawn = 0
  yield* Effect.acquireRelease(printPart(hideCursor), () => printPart(showCursor))
  return (lines: ReadonlyArray<string>): Effect.Effect<void> =>
    Effect.suspend(() => {
      const rows = Math.max(3, (process.stdout.rows || 24) - 1)
      const width = Math.max(20, (process.stdout.columns || 80) - 1)
      const hidden = lines.length - rows
      const shown = hidden > 0 ? [...lines.slice(0, rows - 1), `… ${hidden + 1} more`] : lines
      const up = drawn === 0 ? "" : `\u001b[${drawn}A\r`
      drawn = shown.length
      return printPart(`${up}\u001b[J${shown.map((line) => `${cutTo(width, line)}\n`).join("")}`)
    })
})
