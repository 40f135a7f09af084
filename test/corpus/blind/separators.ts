/** A colon or a comma that is missing, or another sign in its place. */
import { Schema } from "effect"
import { type Case, gives, givesLossily, rejects } from "../malformed/case.ts"
import { Counts, Finding, Flight, Glossary, Invoice, Person, Texts, Ticket } from "./schemas.ts"

const ada = { name: "Ada", age: 36, city: "London" }
const Filter = Schema.Struct({ field: Schema.String, value: Schema.Int })

export const separators: ReadonlyArray<Case> = [
  gives("a colon missing once", Person, `{"name" "Ada", "age": 36, "city": "London"}`, ada),
  gives("all colons missing, a member a line", Person, `{\n  "name" "Ada",\n  "age" 36,\n  "city" "London"\n}`, ada),
  gives("a comma missing between members on one line", Person, `{"name": "Ada" "age": 36, "city": "London"}`, ada),
  gives("a comma missing after a number", Person, `{"name": "Ada", "age": 36 "city": "London"}`, ada),
  gives(
    "commas missing at the ends of lines",
    Finding,
    `{\n  "file": "a.ts"\n  "line": 7\n  "severity": "error"\n  "message": "null"\n}`,
    {
      file: "a.ts",
      line: 7,
      severity: "error",
      message: "null"
    }
  ),
  gives("equals signs and semicolons", Person, `{name = "Ada"; age = 36; city = "London";}`, ada),
  gives("equals signs with quoted keys", Counts, `{"apples" = 3, "pears" = 4}`, { apples: 3, pears: 4 }),
  gives("fat arrows", Person, `{"name" => "Ada", "age" => 36, "city" => "London"}`, ada),
  gives("colons with an equals sign", Person, `{name := "Ada", age := 36, city := "London"}`, ada),
  gives("thin arrows", Glossary, `{"cat" -> "Katze", "dog" -> "Hund"}`, { cat: "Katze", dog: "Hund" }),
  gives("a colon twice", Person, `{"name":: "Ada", "age": 36, "city": "London"}`, ada),
  gives("a semicolon for a comma once", Ticket, `{"title": "Crash"; "priority": "high", "tags": ["a"; "b"]}`, {
    title: "Crash",
    priority: "high",
    tags: ["a", "b"]
  }),
  gives("upright strokes between members", Person, `{"name": "Ada" | "age": 36 | "city": "London"}`, ada),
  gives("a full stop for a comma", Ticket, `{"title": "Crash". "priority": "high", "tags": []}`, {
    title: "Crash",
    priority: "high",
    tags: []
  }),
  gives(
    "no commas between the objects of a list",
    Schema.Array(Filter),
    `[{"field": "age", "value": 3} {"field": "size", "value": 4}]`,
    [
      { field: "age", value: 3 },
      { field: "size", value: 4 }
    ]
  ),
  gives("no commas between the texts of a list, one a line", Texts, `[\n  "red"\n  "green"\n  "blue"\n]`, [
    "red",
    "green",
    "blue"
  ]),
  gives("no commas between numbers, one a line", Schema.Array(Schema.Int), `[\n  14\n  15\n  16\n]`, [14, 15, 16]),
  gives("a comma between a key's colon and its value", Person, `{"name":, "Ada", "age": 36, "city": "London"}`, ada),
  gives("commas before the first and between members", Person, `{,"name": "Ada",, "age": 36, "city": "London",}`, ada),
  givesLossily(
    "a decimal comma in a bare number before a key",
    Invoice,
    `{"number": "R-3", "total": 12,50, "currency": "EUR", "paid": true}`,
    { number: "R-3", total: 12.5, currency: "EUR", paid: true }
  ),
  rejects("a value forgotten before the comma", Person, `{"name": , "age": 36, "city": null}`),
  rejects("a value forgotten before the next key", Flight, `{"from" "to": "BER", "passengers": 1}`),
  rejects("two numbers for one value", Person, `{"name": "Ada", "age": 36 41, "city": null}`),
  rejects("a sign that says more than", Filter, `{"field": "age", "value": > 30}`),
  rejects("a sign that says not equal", Filter, `{"field" = "age", "value" != 30}`),
  rejects("a range for a number", Filter, `{"field": "age", "value": 30-40}`),
  rejects("digits with a blank that may be one number or two", Schema.Array(Schema.Int), `[12 500, 3]`),
  rejects("keys and values as one list of texts for a record", Glossary, `{"cat", "Katze", "dog", "Hund", "fish"}`),
  rejects(
    "a comma that may stand for a decimal point or for the next item",
    Schema.Struct({ values: Schema.Array(Schema.Finite) }),
    `{"values": "1,5, 2,5"}`
  )
]
