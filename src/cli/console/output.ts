/** What commands write: results on the standard output, all else on the standard error. */
import * as Effect from "effect/Effect"
import { escapeInvisible, showOnLine, showOnScreen } from "../../text/invisible.ts"

/** Whether a terminal shows how far the work is, in a line that gives way to whatever comes next. */
let passing = false

const clear = () => {
  if (passing) process.stderr.write("\r\u001b[2K")
  passing = false
}

const write = (stream: NodeJS.WriteStream, text: string): Effect.Effect<void> =>
  // a reader that has gone away is seen by the program, which ends then
  Effect.callback((resume) => {
    clear()
    stream.write(`${text}\n`, () => resume(Effect.void))
  })

/** A line of the result. */
export const print = (text: string): Effect.Effect<void> => write(process.stdout, text)

/** The result for a program, on one line: whatever cannot be seen is escaped, also where JSON need not. */
export const printJson = (value: unknown): Effect.Effect<void> => print(toJson(value))

/** JSON on one line, in ASCII but for what can be seen. */
export const toJson = (value: unknown): string => escapeInvisible(JSON.stringify(value))

/** A line for who waits, or for who should know. */
export const say = (text: string): Effect.Effect<void> => write(process.stderr, text)

/** A line that takes the place of the one before, on a terminal. */
export const pass = (text: string): Effect.Effect<void> =>
  Effect.sync(() => {
    clear()
    process.stderr.write(text.slice(0, Math.max(1, (process.stderr.columns || 80) - 1)))
    passing = true
  })

/** Takes such a line away. */
export const passed: Effect.Effect<void> = Effect.sync(clear)

/** A stored text on one line, as a terminal may show it: nothing in it moves the cursor, changes colours or hides text. */
export const plain = showOnLine

/** Before each line of a stored text, so that none can pass for a line of ours. */
const margin = "  | "

/** A stored text of several lines, each after a margin. */
export const block = (text: string, width = columns()): string =>
  showOnScreen(text)
    .split("\n")
    .map((line) => `${margin}${folded(line, margin, width)}`)
    .join("\n")

/** A line of ours with stored text in it, which does not go on at the beginning of the next line of a terminal. */
export const fold = (line: string, width = columns()): string => folded(line, "      ", width)

/** Columns of the terminal; a file or another program has no end of the line. */
const columns = (): number => (process.stdout.isTTY ? Math.max(40, process.stdout.columns || 80) : Infinity)

/** Text that would be wider is broken, and goes on after a margin. */
const folded = (line: string, margin: string, width: number): string => {
  const room = width - margin.length
  // one unit takes two columns at most, but for a tab
  if (line.length * 2 <= room && !line.includes("\t")) return line
  let [text, used] = ["", 0]
  for (const sign of line) {
    // what may be wide counts as if it were
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

/** A count with its noun. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

/** Rows in columns, the first row as their heads. */
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
