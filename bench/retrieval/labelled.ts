/** Queries with a label each, as a measurement of retrieval: those of the same label answer each other. */
import { Effect, Schema } from "effect"
import { BadData, type Data, json as parseJson } from "./data.ts"
import { numbers } from "./statistics.ts"

export interface Labelled {
  readonly text: string
  readonly label: string
}

/** The fields of a CSV file by line; fields may be quoted, with doubled quotes, commas and line breaks in them. */
const parseCsv = (text: string): ReadonlyArray<ReadonlyArray<string>> => {
  const lines: Array<Array<string>> = [[]]
  for (const [, quoted, plain = "", end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    const line = lines.at(-1)!
    line.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (end !== ",") lines.push([])
  }
  return lines.filter((line) => line.some((field) => field !== ""))
}

const fields = ["label", "category", "intent"] as const

const Rows = Schema.Array(Schema.Record(Schema.String, Schema.Unknown))

/** Reads `text` and `label` (or `category`, or `intent`) of every row: of a JSON list, or of a CSV file with a header. */
export const parse = Effect.fnUntraced(function* (text: string, json: boolean) {
  const [header = [], ...lines] = json ? [] : parseCsv(text)
  const rows: ReadonlyArray<Readonly<Record<string, unknown>>> = json
    ? yield* Schema.decodeUnknownEffect(Rows)(yield* parseJson(text))
    : lines.map((line) => Object.fromEntries(header.map((name, i) => [name.trim(), line[i]])))
  const labelled: Array<Labelled> = []
  for (const [i, row] of rows.entries()) {
    const label = fields.map((name) => row[name]).find((value) => value !== undefined)
    if (typeof row["text"] !== "string" || typeof label !== "string") {
      return yield* new BadData({ message: `Row ${i + 1} has no text, or no label (label, category or intent).` })
    }
    labelled.push({ text: row["text"], label })
  }
  return labelled
})

/**
 * Takes some queries out as questions, chosen by the seed, and leaves the others, or some, as notes, each a thought of
 * its own in the task of its label. A text that comes again is left out, and so is a question that no note answers.
 */
export const toData = (
  rows: ReadonlyArray<Labelled>,
  count: { readonly questions: number; readonly notes?: number },
  seed = 1
): Data => {
  const texts = [...new Map(rows.map((row) => [row.text.trim(), row])).values()].filter(
    ({ text }) => text.trim() !== ""
  )
  const next = numbers(seed)
  const order = texts.map((row, i) => ({ row, i, key: next() })).toSorted((a, b) => a.key - b.key)
  const notes = order.slice(count.questions, count.questions + (count.notes ?? Infinity)).toSorted((a, b) => a.i - b.i)
  const byLabel = Map.groupBy(notes, ({ row }) => row.label)
  return {
    notes: notes.map(({ i, row }) => ({ id: `n${i}`, text: row.text, thought: `n${i}`, task: row.label })),
    questions: order
      .slice(0, count.questions)
      .map(({ i, row }) => ({
        id: `q${i}`,
        text: row.text,
        relevant: (byLabel.get(row.label) ?? []).map(({ i }) => `n${i}`)
      }))
      .filter(({ relevant }) => relevant.length > 0)
  }
}
