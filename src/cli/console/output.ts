/** The output of commands: results on the standard output, everything else on the standard error. */
import * as Effect from "effect/Effect"
import { escapeInvisible, showOnLine, showOnScreen } from "../../text/invisible.ts"

export { counted } from "../../text/legible.ts"

/** Whether the terminal shows a line of progress, which the next output replaces. */
let passing = false

const clear = () => {
  if (passing) process.stderr.write("\r\u001b[2K")
  passing = false
}

const write = (stream: NodeJS.WriteStream, text: string): Effect.Effect<void> =>
  Effect.callback((resume) => {
    clear()
    stream.write(text, (error) => {
      // the program notices a result that cannot be written, and ends
      if (error === undefined || error === null || stream === process.stderr) resume(Effect.void)
    })
  })

/** Writes a line of the result. */
export const print = (text: string): Effect.Effect<void> => printPart(`${text}\n`)

/** Writes a part of the result, which ends no line by itself. */
export const printPart = (text: string): Effect.Effect<void> => write(process.stdout, text)

/** Writes the result for a program as one line of JSON. Invisible characters are escaped even where JSON does not require it. */
export const printJson = (value: unknown): Effect.Effect<void> => print(toJson(value))

/** JSON on one line, with invisible characters escaped. */
export const toJson = (value: unknown): string => escapeInvisible(JSON.stringify(value))

/** Writes a line to the standard error. */
export const say = (text: string): Effect.Effect<void> => write(process.stderr, `${text}\n`)

/** Shows a line of progress on the terminal, in place of the one before. */
export const pass = (text: string): Effect.Effect<void> =>
  Effect.sync(() => {
    clear()
    process.stderr.write(text.slice(0, Math.max(1, (process.stderr.columns || 80) - 1)))
    passing = true
  })

/** Removes the line of progress. */
export const passed: Effect.Effect<void> = Effect.sync(clear)

/** A stored text on one line that is safe to show: nothing in it moves the cursor, changes colours or hides text. */
export const plain = showOnLine

/** Stands before each line of a stored text, so that no line looks like one of the program. */
const margin = "  | "

/** A stored text of several lines, each after a margin. */
export const block = (text: string, width = columns()): string =>
  showOnScreen(text)
    .split("\n")
    .map((line) => `${margin}${folded(line, margin, width)}`)
    .join("\n")

/** A line with stored text in it, folded so that its continuation is indented on a terminal. */
export const fold = (line: string, width = columns()): string => folded(line, "      ", width)

/** Columns of the terminal; infinite for a file or another program. */
const columns = (): number => (process.stdout.isTTY ? Math.max(40, process.stdout.columns || 80) : Infinity)

/** Breaks text that is too wide; each further line begins with the margin. */
const folded = (line: string, margin: string, width: number): string => {
  const room = width - margin.length
  // a code unit takes at most two columns, except for a tab
  if (line.length * 2 <= room && !line.includes("\t")) return line
  let [text, used] = ["", 0]
  for (const sign of line) {
    // a character that may be wide counts as wide
    const size = sign === "\t" ? 8 : (sign.codePointAt(0) ?? 0) < 0x1100 ? 1 : 2
    if (used + size > room && used > 0) {
      text += `\n${margin}`
      used = 0
    }
    text += sign
    used += size
  }
  return text
}

/** A table whose first row holds the heads of the columns. */
export const table = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}
