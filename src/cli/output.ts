/** What commands write: results on the standard output, all else on the standard error. */
import * as Effect from "effect/Effect"

const write = (stream: NodeJS.WriteStream, text: string): Effect.Effect<void> =>
  // a reader that has gone away is seen by the program, which ends then
  Effect.callback((resume) => {
    stream.write(`${text}\n`, () => resume(Effect.void))
  })

/** A line of the result. */
export const print = (text: string): Effect.Effect<void> => write(process.stdout, text)

/** The result for a program. */
export const printJson = (value: unknown): Effect.Effect<void> => print(JSON.stringify(value, undefined, 2))

/** A line for who waits, or for who should know. */
export const say = (text: string): Effect.Effect<void> => write(process.stderr, text)

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
