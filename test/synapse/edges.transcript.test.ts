/** What is read of answers at the edges of rules: a changed condition of the reader changes a line. */
import { expect, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { edges } from "../corpus/edges.ts"
import { formOf } from "../corpus/parse.ts"

/** The text on one line, with everything visible that is not. */
const shown = (text: string): string =>
  JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll(
      /[\p{Cf}\p{Zl}\p{Zp}\u00a0]|\ufe0f/gu,
      (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`
    )

it.each(edges)("what is read of answers at the edges of rules: $name", async ({ answers, name, schema }) => {
  const encode = Schema.encodeUnknownSync(Schema.toCodecJson(schema))
  const lines = answers.flatMap(({ parsing, text }) => {
    const read = formOf(schema).decode(text, parsing)
    const outcome = Result.isSuccess(read)
      ? [
          JSON.stringify(encode(read.success.value)),
          ...read.success.coercions.map(({ kind, lossy, path }) => [...path, kind].join(".") + (lossy ? "!" : ""))
        ].join(" ")
      : `- ${read.failure.map(({ message, path }) => [...path, message].join(": ")).join("; ")}`
    return [`${parsing}: ${shown(text)}`, `  ${shown(outcome)}`]
  })
  await expect(lines.join("\n")).toMatchFileSnapshot(`transcripts/edges/${name.replaceAll(/\W+/g, "-")}.txt`)
})
