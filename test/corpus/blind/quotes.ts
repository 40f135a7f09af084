/** Quotes forgotten at one side, doubled, of another script, or inside a text without a backslash. */
import { Schema } from "effect"
import { type Case, gives, rejects } from "../malformed/case.ts"
import { Clause, Finding, Glossary, Invoice, Person, Texts, Ticket } from "./schemas.ts"

const ada = { name: "Ada", age: 36, city: "London" }

export const quotes: ReadonlyArray<Case> = [
  gives(
    "the closing quote forgotten at the end of a line",
    Person,
    `{\n  "name": "Ada,\n  "age": 36,\n  "city": "London"\n}`,
    ada
  ),
  gives("the closing quote forgotten before a quoted key", Person, `{"name": "Ada, "age": 36, "city": "London"}`, ada),
  gives("the opening quote forgotten at a value", Person, `{"name": Ada", "age": 36, "city": "London"}`, ada),
  gives("the opening quote forgotten at a key", Person, `{"name": "Ada", age": 36, "city": "London"}`, ada),
  gives("the closing quote forgotten at a key", Person, `{"name": "Ada", "age: 36, "city": "London"}`, ada),
  gives("all quotes doubled, as in CSV", Person, `{""name"": ""Ada"", ""age"": 36, ""city"": ""London""}`, ada),
  gives("curly quotes", Person, `{“name”: “Ada”, “age”: 36, “city”: “London”}`, ada),
  gives("German quotes around values", Person, `{"name": „Ada“, "age": 36, "city": „London“}`, ada),
  gives("French quotes around keys and values", Person, `{«name»: «Ada», «age»: 36, «city»: «London»}`, ada),
  gives("corner brackets as quotes", Glossary, `{「東京」: 「とうきょう」, 「京都」: 「きょうと」}`, {
    東京: "とうきょう",
    京都: "きょうと"
  }),
  gives("a straight quote opens and a curly one closes", Person, `{"name”: "Ada”, "age”: 36, "city”: "London”}`, ada),
  gives("backticks as quotes", Person, "{`name`: `Ada`, `age`: 36, `city`: `London`}", ada),
  gives(
    "quoted words inside a message",
    Finding,
    `{"file": "src/a.ts", "line": 12, "severity": "warning", "message": "Use "const" instead of "let" here"}`,
    { file: "src/a.ts", line: 12, severity: "warning", message: 'Use "const" instead of "let" here' }
  ),
  gives(
    "a quoted word with a comma behind it inside a summary",
    Clause,
    `{"section": "9", "summary": "She said "yes", then left the room", "binding": false}`,
    { section: "9", summary: 'She said "yes", then left the room', binding: false }
  ),
  gives("a sign for inches", Ticket, `{"title": "27" monitor flickers", "priority": "low", "tags": ["hardware"]}`, {
    title: '27" monitor flickers',
    priority: "low",
    tags: ["hardware"]
  }),
  gives(
    "a text that ends with a quoted word",
    Clause,
    `{"section": "1.1", "summary": "Defines the "Buyer"", "binding": true}`,
    {
      section: "1.1",
      summary: 'Defines the "Buyer"',
      binding: true
    }
  ),
  gives(
    "an apostrophe in a text with single quotes",
    Clause,
    `{'section': '3', 'summary': 'It is the tenant's duty', 'binding': true}`,
    {
      section: "3",
      summary: "It is the tenant's duty",
      binding: true
    }
  ),
  gives("all quotes with a backslash", Person, String.raw`{\"name\": \"Ada\", \"age\": 36, \"city\": \"London\"}`, ada),
  gives(
    "French quotes that belong to the text",
    Clause,
    `{“section”: “2”, “summary”: “Le mot «oui» suffit”, “binding”: true}`,
    {
      section: "2",
      summary: "Le mot «oui» suffit",
      binding: true
    }
  ),
  gives(
    "a number with a quote behind it only",
    Invoice,
    `{"number": "R-1", "total": 12.5", "currency": "EUR", "paid": true}`,
    {
      number: "R-1",
      total: 12.5,
      currency: "EUR",
      paid: true
    }
  ),
  gives(
    "a number with a quote before it only",
    Invoice,
    `{"number": "R-1", "total": "12.5, "currency": "EUR", "paid": true}`,
    {
      number: "R-1",
      total: 12.5,
      currency: "EUR",
      paid: true
    }
  ),
  gives(
    "three quotes around a text of two lines",
    Clause,
    `{"section": "5", "summary": """First line\nsecond line""", "binding": true}`,
    {
      section: "5",
      summary: "First line\nsecond line",
      binding: true
    }
  ),
  gives("the closing quote forgotten at the end of a list", Texts, `["red", "green", "blue]`, ["red", "green", "blue"]),
  rejects("a text that may be one with quotes inside or two of a list", Texts, `["a", "b", c", "d"]`),
  rejects("two texts for one value", Person, `{"name": "Ada" "Bob", "age": 36, "city": null}`),
  rejects(
    "a quote that opens and takes the required rest with it",
    Schema.Struct({ name: Schema.String, approved: Schema.Boolean }),
    `{"name": "Ada`
  ),
  rejects(
    "a path whose backslashes may be escapes",
    Schema.Struct({ path: Schema.String, size: Schema.Int }),
    String.raw`{'path': "C:\Users\new\table", 'size': 3,}`
  ),
  rejects("nothing but quotes", Person, `""""`),
  rejects(
    "a record whose texts hold what may be members",
    Glossary,
    `{"a": "one", b": "two", "c": "three" d", "e": "five"}`
  )
]
