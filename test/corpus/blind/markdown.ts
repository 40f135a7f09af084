/** Markdown tables and lists where an object or an array was asked for. */
import { Schema } from "effect"
import { type Case, gives, givesLossily, rejects } from "../malformed/case.ts"
import { Counts, Finding, Glossary, Ingredient, Invoice, Person, Texts, Ticket } from "./schemas.ts"

export const markdown: ReadonlyArray<Case> = [
  gives(
    "a table with a row for each item",
    Schema.Array(Ingredient),
    `Here are the ingredients:

| item | amount | unit |
|------|-------:|------|
| flour | 500 | g |
| water | 0.35 | l |`,
    [
      { item: "flour", amount: 500, unit: "g" },
      { item: "water", amount: 0.35, unit: "l" }
    ]
  ),
  gives(
    "a table with capitals in its head",
    Schema.Array(Finding),
    `| File | Line | Severity | Message |
| --- | --- | --- | --- |
| src/a.ts | 12 | error | Null is not checked |
| src/b.ts | 3 | info | Unused import |`,
    [
      { file: "src/a.ts", line: 12, severity: "error", message: "Null is not checked" },
      { file: "src/b.ts", line: 3, severity: "info", message: "Unused import" }
    ]
  ),
  gives(
    "a table of fields and values",
    Invoice,
    `| Field | Value |
| --- | --- |
| number | R-2025-11 |
| total | 240.5 |
| currency | EUR |
| paid | false |`,
    { number: "R-2025-11", total: 240.5, currency: "EUR", paid: false }
  ),
  gives("a table of one row for one object", Person, `| name | age | city |\n|---|---|---|\n| Ada | 36 | London |`, {
    name: "Ada",
    age: 36,
    city: "London"
  }),
  gives("bullets with bold keys", Person, `- **name:** Ada\n- **age:** 36\n- **city:** London`, {
    name: "Ada",
    age: 36,
    city: "London"
  }),
  gives(
    "bullets with bold keys and the colon outside",
    Ticket,
    `* **Title**: Login fails\n* **Priority**: high\n* **Tags**: ["auth", "safari"]`,
    {
      title: "Login fails",
      priority: "high",
      tags: ["auth", "safari"]
    }
  ),
  gives("a bulleted list for a list of texts", Texts, `- Check the fuse\n- Press the red button\n- Call the service`, [
    "Check the fuse",
    "Press the red button",
    "Call the service"
  ]),
  gives(
    "a numbered list after a sentence",
    Texts,
    `These are the steps:\n\n1. Boil the water\n2. Add the pasta\n3. Wait nine minutes`,
    ["Boil the water", "Add the pasta", "Wait nine minutes"]
  ),
  gives("a numbered list of numbers", Schema.Array(Schema.Int), `1. 40\n2. 35\n3. 52`, [40, 35, 52]),
  gives("bullets with a key and a number for a record", Counts, `- apples: 3\n- pears: 4\n- plums: 12`, {
    apples: 3,
    pears: 4,
    plums: 12
  }),
  gives("keys in code marks", Person, "- `name`: Ada\n- `age`: 36\n- `city`: `London`", {
    name: "Ada",
    age: 36,
    city: "London"
  }),
  gives(
    "a definition table for a record",
    Glossary,
    `| term | meaning |\n|---|---|\n| API | application programming interface |\n| CLI | command line interface |`,
    {
      API: "application programming interface",
      CLI: "command line interface"
    }
  ),
  gives(
    "a nested list under its key",
    Ticket,
    `- **title:** Printer is on fire\n- **priority:** urgent\n- **tags:**\n  - hardware\n  - office`,
    { title: "Printer is on fire", priority: "urgent", tags: ["hardware", "office"] }
  ),
  gives("a quoted block with JSON", Person, `> {\n>   "name": "Ada",\n>   "age": 36,\n>   "city": null\n> }`, {
    name: "Ada",
    age: 36,
    city: null
  }),
  gives("JSON in one pair of code marks", Person, 'The result is `{"name": "Ada", "age": 36, "city": null}`.', {
    name: "Ada",
    age: 36,
    city: null
  }),
  givesLossily(
    "a table with a currency sign and thousands",
    Schema.Array(Schema.Struct({ item: Schema.String, price: Schema.Finite })),
    `| item | price |\n|---|---|\n| Laptop | $1,299.00 |\n| Mouse | $25.00 |`,
    [
      { item: "Laptop", price: 1299 },
      { item: "Mouse", price: 25 }
    ]
  ),
  givesLossily(
    "a table with yes and no",
    Schema.Array(Schema.Struct({ clause: Schema.String, binding: Schema.Boolean })),
    `| clause | binding |\n|---|---|\n| 4.1 | yes |\n| 4.2 | no |`,
    [
      { clause: "4.1", binding: true },
      { clause: "4.2", binding: false }
    ]
  ),
  rejects(
    "a table without a required column",
    Schema.Array(Ingredient),
    `| item | amount |\n|---|---|\n| flour | 500 |\n| water | 350 |`
  ),
  rejects(
    "a table with dots for the other rows",
    Schema.Array(Ingredient),
    `| item | amount | unit |\n|---|---|---|\n| flour | 500 | g |\n| ... | ... | ... |`
  ),
  rejects(
    "a table of two people for one",
    Person,
    `| name | age | city |\n|---|---|---|\n| Ada | 36 | London |\n| Bob | 41 | Leeds |`
  ),
  rejects(
    "bullets that praise and blame instead of the fields",
    Ticket,
    `- The report is clear\n- It names the browser\n- It says nothing of the version`
  ),
  rejects(
    "two tables that differ",
    Person,
    `| name | age | city |\n|---|---|---|\n| Ada | 36 | London |\n\nor, by the other source:\n\n| name | age | city |\n|---|---|---|\n| Ada | 37 | London |`
  ),
  rejects("a table with its head only", Invoice, `| number | total | currency | paid |\n|---|---|---|---|`)
]
