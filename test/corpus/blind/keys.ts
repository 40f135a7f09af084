/** Keys that nobody quoted, in any script, with their neighbours on the same line. */
import { Schema } from "effect"
import { type Case, gives, rejects } from "../malformed/case.ts"
import { Counts, Flight, Glossary, Invoice, Ticket } from "./schemas.ts"

const Pair = Schema.Struct({ a: Schema.String, b: Schema.String })

export const keys: ReadonlyArray<Case> = [
  gives("a bare key after a quoted one", Pair, `{"a": "one", b: "two"}`, { a: "one", b: "two" }),
  gives("a quoted key after a bare one, no blanks", Pair, `{a:"one","b":"two"}`, { a: "one", b: "two" }),
  gives("numeric keys of a record with single quotes", Glossary, `{1: 'one', 2: 'two', 10: 'ten'}`, {
    "1": "one",
    "2": "two",
    "10": "ten"
  }),
  gives("years as bare keys", Counts, `Visitors by year: {2023: 1840, 2024: 2210, 2025: 1975}`, {
    "2023": 1840,
    "2024": 2210,
    "2025": 1975
  }),
  gives(
    "bare keys of two words each",
    Schema.Struct({ "first name": Schema.String, "last name": Schema.String, age: Schema.Int }),
    `{first name: "Ada", last name: "Lovelace", age: 36}`,
    { "first name": "Ada", "last name": "Lovelace", age: 36 }
  ),
  gives(
    "JSON-LD keys with an at sign",
    Schema.Struct({ "@id": Schema.String, "@type": Schema.String, name: Schema.String }),
    `{@id: "p-1", @type: "Person", "name": "Ada"}`,
    { "@id": "p-1", "@type": "Person", name: "Ada" }
  ),
  gives(
    "Cyrillic keys",
    Schema.Struct({ имя: Schema.String, возраст: Schema.Int, город: Schema.String }),
    `{имя: "Анна", возраст: 34, "город": "Казань"}`,
    { имя: "Анна", возраст: 34, город: "Казань" }
  ),
  gives(
    "Chinese keys on one line",
    Schema.Struct({ 姓名: Schema.String, 年龄: Schema.Int }),
    `好的，结果如下：{姓名: "王伟", 年龄: 34}`,
    { 姓名: "王伟", 年龄: 34 }
  ),
  gives(
    "Arabic keys in a fence",
    Schema.Struct({ المدينة: Schema.String, السكان: Schema.Int }),
    '```json\n{المدينة: "القاهرة", السكان: 10100000}\n```',
    { المدينة: "القاهرة", السكان: 10100000 }
  ),
  gives(
    "keys with umlauts and a sharp s",
    Schema.Struct({ größe: Schema.Int, straße: Schema.String }),
    `{größe: 182, straße: 'Hauptstraße 1'}`,
    { größe: 182, straße: "Hauptstraße 1" }
  ),
  gives(
    "keys with hyphens, as in HTTP headers",
    Glossary,
    `{content-type: "text/html", x-request-id: "77", etag: "W1"}`,
    {
      "content-type": "text/html",
      "x-request-id": "77",
      etag: "W1"
    }
  ),
  gives(
    "keys with dots, as in settings",
    Schema.Struct({ "server.host": Schema.String, "server.port": Schema.Int }),
    `{server.host: "localhost", server.port: 8080}`,
    { "server.host": "localhost", "server.port": 8080 }
  ),
  gives(
    "keys with a dollar and an underscore",
    Schema.Struct({ _id: Schema.String, $ref: Schema.String }),
    `{_id: "u7", $ref: "users/7"}`,
    { _id: "u7", $ref: "users/7" }
  ),
  gives("emoji as keys", Counts, `{👍: 4, 👎: 1, ❤️: 12}`, { "👍": 4, "👎": 1, "❤️": 12 }),
  gives("a text that holds what looks like a bare key", Pair, `{a: "he wrote {b: 'three'}, b: four", b: "two"}`, {
    a: "he wrote {b: 'three'}, b: four",
    b: "two"
  }),
  gives(
    "keys with an apostrophe",
    Schema.Struct({ "driver's name": Schema.String, "driver's age": Schema.Int }),
    `{driver's name: "Bo", driver's age: 31}`,
    { "driver's name": "Bo", "driver's age": 31 }
  ),
  gives(
    "bare keys in a list of objects on one line",
    Schema.Array(Schema.Struct({ id: Schema.Int, label: Schema.String })),
    `[{id: 1, label: "spam"}, {"id": 2, label: "ham"}, {id: 3, "label": "eggs"}]`,
    [
      { id: 1, label: "spam" },
      { id: 2, label: "ham" },
      { id: 3, label: "eggs" }
    ]
  ),
  rejects("a bare key with a sign that says no", Schema.Struct({ approved: Schema.Boolean }), `{!approved: true}`),
  rejects(
    "a bare key that says the opposite of the one asked for",
    Schema.Struct({ urgent: Schema.Boolean, title: Schema.String }),
    `{title: "Printer is on fire", not_urgent: true}`
  ),
  rejects(
    "a key once bare and once quoted, with two amounts",
    Invoice,
    `{number: "A-17", total: 120, "total": 210, currency: "EUR", paid: false}`
  ),
  rejects("a bare key without a value", Flight, `{from, to: "BER", passengers: 2}`),
  rejects(
    "bare keys that are others than those asked for",
    Ticket,
    `{subject: "Login fails", level: "high", labels: ["auth"]}`
  )
]
