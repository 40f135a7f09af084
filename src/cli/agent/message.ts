/** What a person says: a message of one or more lines, or a command to the program. */
import * as Effect from "effect/Effect"
import type { Lines, Read } from "./lines.ts"

/**
 * - `Message`: a text for the agent
 * - `Command`: one of `commands`, or `unknown`
 * - `Interrupted`: Ctrl-C; `dropped` says whether that dropped lines of a message
 * - `End`: no more input; `open` says what it ended within
 */
export type Input =
  | { readonly _tag: "Message"; readonly text: string }
  | { readonly _tag: "Command"; readonly name: string }
  | { readonly _tag: "Interrupted"; readonly dropped: boolean }
  | { readonly _tag: "End"; readonly open: "paste" | "line" | undefined }

/** What can be typed instead of a message. */
export const commands: ReadonlyArray<readonly [name: string, meaning: string]> = [
  ["\\ at the end of a line", "the message goes on in the next line"],
  ["/paste", "takes the following lines as they are, up to a line /submit"],
  ["/continue", "goes on with a message that was cancelled, has failed, or waits for an approval"],
  ["/undo", "goes back to before the last message"],
  ["/help", "shows this"],
  ["exit, quit, Ctrl-D", "ends the program, also at a question; the session stays stored"],
  ["Ctrl-C", "cancels the message that is being answered; at the prompt, twice ends the program"]
]

const leaving = new Set(["exit", "quit", "/exit", "/quit"])

/** Whether a line ends the program. */
export const isLeaving = (line: string): boolean => leaving.has(line.trim())

/** A line that looks like a command and not like a path or a sentence. */
const command = /^\/([a-z]+)$/

const overIn = (open: "paste" | "line", read: Exclude<Read, { readonly _tag: "Line" }>): Input =>
  read._tag === "End" ? { _tag: "End", open } : { _tag: "Interrupted", dropped: true }

/** Reads until a message or a command is complete. Empty lines are passed over. */
export const readInput = Effect.fnUntraced(function* (lines: Lines): Effect.fn.Return<Input> {
  while (true) {
    const first = yield* lines.next("> ")
    if (first._tag === "End") return { _tag: "End", open: undefined }
    if (first._tag === "Interrupted") return { _tag: "Interrupted", dropped: false }
    const word = first.text.trim()
    if (word === "") continue
    if (isLeaving(word)) return { _tag: "End", open: undefined }
    const input = word === "/paste" ? yield* pasted(lines) : yield* written(lines, first.text)
    if (input._tag !== "Message" || input.text.trim() !== "") return input
  }
})

const written = Effect.fnUntraced(function* (lines: Lines, first: string): Effect.fn.Return<Input> {
  const name = command.exec(first.trim())?.[1]
  if (name !== undefined) return { _tag: "Command", name }
  const parts: Array<string> = []
  let text = first
  while (text.endsWith("\\")) {
    parts.push(text.slice(0, -1))
    const read = yield* lines.next("… ")
    if (read._tag !== "Line") return overIn("line", read)
    text = read.text
  }
  return { _tag: "Message", text: [...parts, text].join("\n") }
})

const pasted = Effect.fnUntraced(function* (lines: Lines): Effect.fn.Return<Input> {
  const parts: Array<string> = []
  while (true) {
    const read = yield* lines.next("| ")
    if (read._tag !== "Line") return overIn("paste", read)
    if (read.text === "/submit") return { _tag: "Message", text: parts.join("\n") }
    parts.push(read.text)
  }
})
