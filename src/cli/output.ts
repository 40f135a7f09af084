/** What commands write: results on the standard output, all else on the standard error. */
import * as Effect from "effect/Effect"

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

/** The result for a program. */
export const printJson = (value: unknown): Effect.Effect<void> => print(JSON.stringify(value, undefined, 2))

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

const control = /[^\P{Cc}\n\t]|\p{Cf}/gu

/** A stored text as a terminal may show it: nothing in it moves the cursor, changes colours or hides text. */
export const plain = (text: string): string => text.replaceAll(control, "\u{FFFD}")

/** Several lines, each after a margin. */
export const indent = (text: string): string =>
  text
    .split("\n")
    .map((line) => `    ${line}`)
    .join("\n")

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
