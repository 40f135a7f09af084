/** What is read of answers that are unusual in several ways at once: a slip in the reader changes a line. */
import { isDeepStrictEqual } from "node:util"
import { assert, expect, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import type { Synapse } from "cogito"
import { partialReader } from "../../src/synapse/answer/partial/reader.ts"
import { compile } from "../../src/synapse/form.ts"
import { subjects } from "../corpus/crossed/subjects.ts"
import { formOf } from "../corpus/parse.ts"
import { crossed, type Crossed } from "./crossed.ts"

/** The text on one line, with everything visible that is not, and without the middle of a long one. */
const shown = (text: string): string => {
  const line = JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll(/[\p{Cf}\u00a0]/gu, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`)
  return line.length <= 160 ? line : `${line.slice(0, 100)} […] ${line.slice(-54)}`
}

/** `=` for the value that is written, else `≠` with the value, and what was done; `-` with the first reason why there is none. */
const outcomeOf = ({ means, subject: { schema }, text }: Crossed, parsing: Synapse.Parsing): string => {
  const read = formOf(schema).decode(text, parsing)
  if (Result.isFailure(read)) {
    const [first] = read.failure
    return `- ${first === undefined ? "" : shown([...first.path, first.message].join(": "))}`
  }
  const { coercions, value } = read.success
  const encoded = Schema.encodeUnknownSync(Schema.toCodecJson(schema))(value)
  const done = coercions.map(({ kind, lossy, path }) => [...path, kind].join(".") + (lossy ? "!" : "")).join(" ")
  return `${isDeepStrictEqual(encoded, means) ? "=" : `≠ ${JSON.stringify(encoded)}`} ${done}`.trim()
}

const linesOf = (answer: Crossed): ReadonlyArray<string> => {
  const lenient = outcomeOf(answer, "lenient")
  const lossy = outcomeOf(answer, "lossy")
  return [`${answer.ways}: ${shown(answer.text)}`, `  ${lenient}`, ...(lossy === lenient ? [] : [`  lossy ${lossy}`])]
}

it.each(Object.keys(subjects))("what is read of crossed answers: %s", async (group) => {
  const parts = (subjects[group] ?? []).flatMap((subject) => [
    `## ${subject.name}\n`,
    ...crossed.filter((answer) => answer.subject === subject).flatMap(linesOf),
    ""
  ])
  await expect(parts.join("\n")).toMatchFileSnapshot(`transcripts/crossed/${group}.txt`)
})

/** Where what is written says something else than was meant: marks with a backslash, and keys that are no properties. */
const doubtful: ReadonlyArray<string> = [
  "text: semicolons, curly quotes",
  "text: equals signs, low quotes",
  "optional keys: snake keys, fence of one line",
  "optional keys: snake keys, open fence",
  "properties and others: call, tool call",
  "root text: equals signs, curly quotes",
  "root text: equals signs, low quotes"
]

it("no crossed answer without a slip is read as another value", () => {
  const wrong = crossed.filter((answer) => !answer.isMarred && outcomeOf(answer, "lenient").startsWith("≠"))
  assert.deepStrictEqual(
    wrong.map(({ subject, ways }) => `${subject.name}: ${ways}`),
    doubtful
  )
})

/** A field or the fields of a value: `…` where nothing is there, `~` before a value that is not complete. */
const partialOf = (partial: unknown): string =>
  typeof partial === "object" && partial !== null && "state" in partial
    ? partial.state === "pending"
      ? "…"
      : `${partial.state === "partial" ? "~" : ""}${partialOf("value" in partial ? partial.value : undefined)}`
    : typeof partial === "object" && partial !== null && Object.getPrototypeOf(partial) === Object.prototype
      ? `{${Object.entries(partial)
          .map(([key, inner]) => `${key}: ${partialOf(inner)}`)
          .join(", ")}}`
      : JSON.stringify(partial)

/** Answers that show what no other of those below does: the texts of their numbers were compared for every rule. */
const telling = new Set([
  289, 309, 408, 1379, 1827, 1828, 2807, 2850, 2958, 3166, 3778, 3820, 3904, 4314, 4666, 4843, 4863
])

it("what is shown of crossed answers while they are written", async () => {
  const lines = crossed
    .filter((_, i) => i % Math.floor(crossed.length / 150) === 0 || telling.has(i))
    .flatMap(({ subject, text, ways }) => {
      const form = compile("answer", subject.schema, (value: unknown) => value)
      const reader = partialReader(form.shown.schema, { ...form.shown, wrapped: form.wrapped })()
      const pieces = text.match(/[^]{1,7}/g) ?? []
      const states = pieces.flatMap((piece, i) => {
        const partial = reader.push(piece)
        return partial === undefined ? [] : [`  ${7 * i + piece.length} ${partialOf(partial)}`]
      })
      const read = formOf(subject.schema).decode(text, "lossy")
      const values = [
        ...(Result.isSuccess(read) ? [read.success.value] : []),
        ...subject.values.map((value) => Schema.decodeSync(Schema.toCodecJson(subject.schema))(value))
      ]
      const contradicted = values.map((value) => (reader.contradicts(value) ? "other" : "same"))
      const end = Result.isSuccess(read) ? partialOf(reader.end(read.success.value)) : "no value"
      return [`${subject.name}, ${ways}: ${shown(text)}`, ...states, `  end ${end}, ${contradicted.join(" ")}`]
    })
  await expect(lines.join("\n")).toMatchFileSnapshot("transcripts/crossed/partial.txt")
})
