/** The parsers that are compared, each to the value of the schema. */
import { Exit, Schema } from "effect"
import { jsonrepair } from "jsonrepair"
import { parse as parsePartially } from "partial-json"
import { Ticket } from "../../test/corpus/malformed/schemas.ts"
import { compile } from "../../src/synapse/form.ts"
import { parse } from "../../test/corpus/parse.ts"
import type { Parser } from "../../test/corpus/score.ts"

interface Compared {
  readonly name: string
  readonly parse: Parser
  /** Whether the generous readings of the corpus are what this parser is held to. */
  readonly lossy: boolean
}

/** A parser that knows no schema: what it gives is decoded; what it throws means that it found nothing. */
const withoutSchema =
  (parse: (text: string) => unknown): Parser =>
  ({ schema, text }) => {
    let parsed: unknown
    try {
      parsed = parse(text)
    } catch {
      return undefined
    }
    const decoded = Schema.decodeUnknownExit(Schema.toCodecJson(schema))(parsed)
    return Exit.isSuccess(decoded) ? { value: decoded.value } : undefined
  }

export const parsers: ReadonlyArray<Compared> = [
  { name: "cogito", parse: ({ schema, text }) => parse(schema, text, "lenient"), lossy: false },
  { name: "cogito, lossy", parse: ({ schema, text }) => parse(schema, text, "lossy"), lossy: true },
  { name: "JSON.parse", parse: withoutSchema((text) => JSON.parse(text)), lossy: true },
  { name: "jsonrepair", parse: withoutSchema((text) => JSON.parse(jsonrepair(text))), lossy: true },
  { name: "partial-json", parse: withoutSchema((text) => parsePartially(text)), lossy: true }
]

const Tickets = Schema.Array(Ticket)

/** Reads answers as a synapse does: valid JSON first, everything else by the reader of malformed answers. */
const answers = (schema: Schema.Codec<any, any>) => {
  const form = compile("answer", schema, (value: unknown) => value)
  return (text: string): unknown => form.plain(text, "lossy") ?? parse(schema, text, "lossy")
}

export const readTicket = answers(Ticket)

export const readTickets = answers(Tickets)

/** What a program does that has only valid JSON to read. */
export const decodeStrictly: (text: string) => unknown = Schema.decodeUnknownExit(
  Schema.fromJsonString(Schema.toCodecJson(Tickets))
)
