/** Long comments, deep indents, and long runs of white space inside an answer. */
import { Schema } from "effect"
import { type Case, gives, rejects } from "../malformed/case.ts"
import { Clause, Finding, Flight, Invoice, Person, Texts, Ticket } from "./schemas.ts"

const remark = "the amount is printed twice on the page, once with and once without tax, ".repeat(12)
const deep = " ".repeat(420)

export const gaps: ReadonlyArray<Case> = [
  gives(
    "a comment of 900 characters between two members",
    Invoice,
    `{"number": "R-1", /* ${remark} */ "total": 80, "currency": "EUR", "paid": true}`,
    { number: "R-1", total: 80, currency: "EUR", paid: true }
  ),
  gives(
    "a comment of 900 characters between a key and its value",
    Invoice,
    `{"number": "R-2", "total": /* ${remark} */ 80, "currency": "EUR", "paid": true}`,
    { number: "R-2", total: 80, currency: "EUR", paid: true }
  ),
  gives(
    "a long comment before a bare key",
    Person,
    `{name: "Ada", // ${remark}\n age: 36, // ${remark}\n city: null}`,
    { name: "Ada", age: 36, city: null }
  ),
  gives(
    "a comment that holds a draft of the member with quotes and brackets",
    Invoice,
    `{
  "number": "R-3",
  // "total": 99 }, this was the sum before the discount (see "Rabatt")
  "total": 89,
  "currency": "EUR",
  "paid": false
}`,
    { number: "R-3", total: 89, currency: "EUR", paid: false }
  ),
  gives(
    "an indent of 420 blanks before bare keys",
    Flight,
    `{\n${deep}from: "TXL",\n${deep}to: "JFK",\n${deep}passengers: 2\n}`,
    { from: "TXL", to: "JFK", passengers: 2 }
  ),
  gives(
    "420 blanks between a bare key and its colon",
    Person,
    `{name${deep}: "Ada", age${deep}: 36, city: "London",}`,
    {
      name: "Ada",
      age: 36,
      city: "London"
    }
  ),
  gives("2000 empty lines before the answer", Texts, `${"\n".repeat(2000)}['a', 'b']`, ["a", "b"]),
  gives("600 blanks between the texts of a list", Texts, `['left',${" ".repeat(600)}'right',${"\t".repeat(600)}]`, [
    "left",
    "right"
  ]),
  gives(
    "a bare value and then a long comment",
    Ticket,
    `{title: "Slow search", priority: high, # ${remark}\ntags: ["search"]}`,
    { title: "Slow search", priority: "high", tags: ["search"] }
  ),
  gives(
    "non-breaking blanks as an indent",
    Finding,
    `{\n${"\u00a0".repeat(300)}"file": "a.ts",\n${"\u00a0".repeat(300)}"line": 3, "severity": "info", "message": "unused"}`,
    { file: "a.ts", line: 3, severity: "info", message: "unused" }
  ),
  gives(
    "many short comments, one a line",
    Texts,
    `[\n${'// skipped: "nothing to see"\n'.repeat(60)}"kept"\n${"// end ]\n".repeat(40)}]`,
    ["kept"]
  ),
  gives(
    "blanks inside a text are kept, those around it not",
    Clause,
    `{section: "4.2",${deep}summary: "left${" ".repeat(300)}right", binding: true}`,
    { section: "4.2", summary: `left${" ".repeat(300)}right`, binding: true }
  ),
  gives(
    "an address with two slashes is no comment",
    Schema.Struct({ url: Schema.String, status: Schema.Int }),
    `{url: "https://example.com/a//b", /* checked */ status: 200,}`,
    { url: "https://example.com/a//b", status: 200 }
  ),
  gives(
    "a model that went on with empty lines and lost the last bracket",
    Ticket,
    `{"title": "Login fails", "priority": "high", "tags": ["auth"]${"\n".repeat(1500)}`,
    { title: "Login fails", priority: "high", tags: ["auth"] }
  ),
  gives("a long comment behind the answer", Person, `{"name": "Ada", "age": 36, "city": null} /* ${remark} */`, {
    name: "Ada",
    age: 36,
    city: null
  }),
  rejects(
    "a model that went on with blanks before a required key",
    Ticket,
    `{"title": "Login fails", "priority": "high",${" \n".repeat(900)}`
  ),
  rejects(
    "a comment that never ends, with a required key behind it",
    Person,
    `{"name": "Ada", "age": 36, /* ${remark}"city": null}`
  ),
  rejects(
    "a required member that is commented out",
    Invoice,
    `{"number": "R-4", /* "total": 80, not legible */ "currency": "EUR", "paid": true}`
  ),
  rejects(
    "two amounts, a long comment apart",
    Invoice,
    `{number: "R-5", total: 80, /* ${remark} */ total: 95, currency: "EUR", paid: true}`
  ),
  rejects("nothing but white space", Texts, ` \n\t`.repeat(500)),
  rejects("nothing but comments", Person, `// The letter names nobody, see {page 2}\n`.repeat(30))
]
