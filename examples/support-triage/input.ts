/**
 * Tickets from a file or standard input, read as they are needed.
 */
import { Data, Effect, Option, Result, Schema, type Scope, Sink, Stream } from "effect"
import { Csv } from "effect/encoding"
import { createReadStream } from "node:fs"
import { extname } from "node:path"
import type { Format } from "./options.ts"

export class InputError extends Data.TaggedError("InputError")<{ readonly message: string }> {}

export type Texts = Stream.Stream<string, InputError>

/**
 * The tickets of a file, in order; `-` is standard input.
 *
 * Fails at once when the file cannot be read, is not of its format, or holds no ticket; a mistake further down ends the
 * stream with an error that names the line.
 */
export const open = (path: string, format: Format | undefined): Effect.Effect<Texts, InputError, Scope.Scope> =>
  Effect.gen(function* () {
    const name = path === "-" ? "standard input" : path
    const [head, rest] = yield* Stream.peel(content(path, name), firstLine)
    const text = Stream.concat(Stream.make(head), rest)
    const tickets = readers[format ?? formatOf(path) ?? formatLike(head)](text, name)
    const [first, others] = yield* Stream.peel(tickets, Sink.head())
    if (Option.isNone(first)) return yield* new InputError({ message: `${name} holds no ticket: give it one at least` })
    return Stream.concat(Stream.make(first.value), others)
  })

const content = (path: string, name: string): Texts =>
  Stream.suspend(() =>
    Stream.fromAsyncIterable<Uint8Array, InputError>(
      path === "-" ? process.stdin : createReadStream(path),
      (error) => new InputError({ message: `${name} cannot be read: ${reasonOf(error)}` })
    )
  ).pipe(Stream.decodeText)

const reasonOf = (error: unknown): string => {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error"
  const known: Readonly<Record<string, string>> = {
    ENOENT: "there is no such file; check the path",
    EACCES: "it may not be read; check its rights",
    EISDIR: "it is a folder; name a file in it"
  }
  return known[code] ?? code
}

// ---------------------------------------------------------------------------------------------------------- formats

const byEnding: Readonly<Record<string, Format>> = {
  ".jsonl": "jsonl",
  ".ndjson": "jsonl",
  ".csv": "csv",
  ".txt": "text"
}

const formatOf = (path: string): Format | undefined => byEnding[extname(path).toLowerCase()]

/** As much of the beginning as holds a whole line with something in it. */
const firstLine = Sink.fold(
  () => "",
  (seen) => !seen.trimStart().includes("\n"),
  (seen, next: string) => Effect.succeed(seen + next)
)

const formatLike = (head: string): Format => {
  const line = head.trim().split(/\r?\n/, 1)[0] ?? ""
  if (Result.isSuccess(decodeLine(line))) return "jsonl"
  return line.split(",").some((cell) => isTextColumn(cell.replaceAll('"', ""))) ? "csv" : "text"
}

const isTextColumn = (name: string): boolean => name.trim().toLowerCase() === "text"

/** One line of JSON lines: a string, or an object with a text. */
const Line = Schema.fromJsonString(Schema.Union([Schema.String, Schema.Struct({ text: Schema.String })]))
const decodeLine = Schema.decodeUnknownResult(Line)

/** Lines that hold something, with their numbers from 1. */
const lines = (text: Texts) =>
  text.pipe(
    Stream.splitLines,
    Stream.zipWithIndex,
    Stream.map(([line, index]) => ({ line: index === 0 ? line.replace(/^\uFEFF/, "") : line, number: index + 1 })),
    Stream.filter(({ line }) => line.trim() !== "")
  )

const readers: Readonly<Record<Format, (text: Texts, name: string) => Texts>> = {
  text: (text) => Stream.map(lines(text), ({ line }) => line),

  jsonl: (text, name) =>
    Stream.mapEffect(lines(text), ({ line, number }) => {
      const decoded = decodeLine(line)
      if (Result.isFailure(decoded)) {
        const message = `${name} line ${number} is not a JSON string or an object with a string "text": correct the line`
        return Effect.fail(new InputError({ message }))
      }
      return Effect.succeed(typeof decoded.success === "string" ? decoded.success : decoded.success.text)
    }),

  csv: (text, name) =>
    text.pipe(
      Stream.pipeThroughChannel(Csv.decodeString<InputError>({ headers: true, ignoreEmptyLines: true })),
      Stream.mapEffect((row) => {
        const column = Object.keys(row).find(isTextColumn)
        return column === undefined
          ? Effect.fail(new InputError({ message: `${name} has no column "text": name one so in its first line` }))
          : Effect.succeed(row[column] ?? "")
      }),
      Stream.mapError((error) =>
        error._tag === "InputError"
          ? error
          : new InputError({ message: `${name} line ${error.line} is not CSV: ${error.message}` })
      )
    )
}
