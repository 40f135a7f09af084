/** Recursive forms, unions, records, optional keys, defaults, nullable values, nested lists, and literals. */
import { Effect, Schema } from "effect"
import { type Case, gives, givesLossily, rejects } from "../malformed/case.ts"
import { Clause, Counts, Flight, Person, Tree } from "./schemas.ts"

const Payment = Schema.Union([
  Schema.TaggedStruct("Card", { last4: Schema.String, amount: Schema.Finite }),
  Schema.TaggedStruct("Transfer", { iban: Schema.String, amount: Schema.Finite }),
  Schema.TaggedStruct("Cash", { amount: Schema.Finite })
])
const Action = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("reply"), text: Schema.String }),
  Schema.Struct({ kind: Schema.Literal("escalate"), team: Schema.String, urgent: Schema.Boolean })
])
const Shape = Schema.Union([
  Schema.Struct({ radius: Schema.Finite }),
  Schema.Struct({ width: Schema.Finite, height: Schema.Finite })
])
const Settings = Schema.Struct({
  language: Schema.String.pipe(Schema.withDecodingDefaultKey(Effect.succeed("en"))),
  retries: Schema.Int.pipe(Schema.withDecodingDefaultKey(Effect.succeed(3))),
  dark: Schema.Boolean
})
const Grid = Schema.Array(Schema.Array(Schema.Int))
const Stars = Schema.Struct({ stars: Schema.Literals([1, 2, 3, 4, 5]), comment: Schema.NullOr(Schema.String) })

export const shapes: ReadonlyArray<Case> = [
  gives(
    "a tree in Python's quotes",
    Tree,
    `{'name': 'root', 'children': [{'name': 'left', 'children': []}, {'name': 'right', 'children': [{'name': 'leaf', 'children': []}]}]}`,
    {
      name: "root",
      children: [
        { name: "left", children: [] },
        { name: "right", children: [{ name: "leaf", children: [] }] }
      ]
    }
  ),
  gives(
    "a tree with commas behind all members",
    Tree,
    `{name: "a", children: [{name: "b", children: [{name: "c", children: [],},],},],}`,
    {
      name: "a",
      children: [{ name: "b", children: [{ name: "c", children: [] }] }]
    }
  ),
  gives(
    "a tagged member with a number as a text",
    Payment,
    `{"_tag": "Transfer", "iban": "AT61 1904", "amount": "80.5"}`,
    {
      _tag: "Transfer",
      iban: "AT61 1904",
      amount: 80.5
    }
  ),
  gives("a tag in small letters", Payment, `{"_tag": "card", "last4": "4242", "amount": 12}`, {
    _tag: "Card",
    last4: "4242",
    amount: 12
  }),
  gives("digits that the tagged member wants as a text", Payment, `{_tag: "Card", last4: 4242, amount: 12}`, {
    _tag: "Card",
    last4: "4242",
    amount: 12
  }),
  gives(
    "a member of a union told by its kind",
    Action,
    `Decision:\n{kind: 'escalate', team: 'billing', urgent: True}`,
    {
      kind: "escalate",
      team: "billing",
      urgent: true
    }
  ),
  gives("a member without a tag, told by its keys", Shape, `{width: "3", height: 4.5,}`, { width: 3, height: 4.5 }),
  gives("defaults for what is left out", Settings, `{dark: true}`, { language: "en", retries: 3, dark: true }),
  gives("a default beside a number as a text", Settings, `{"retries": "5", "dark": "false"}`, {
    language: "en",
    retries: 5,
    dark: false
  }),
  gives("null for an optional key", Flight, `{"from": "VIE", "to": "LHR", "passengers": 1, "cabin": null}`, {
    from: "VIE",
    to: "LHR",
    passengers: 1
  }),
  gives("a number as a text beside a real null", Person, `{"name": "Ada", "age": "36", "city": null,}`, {
    name: "Ada",
    age: 36,
    city: null
  }),
  gives("a list of lists without commas between the rows", Grid, `[[1, 0, 0]\n [0, 1, 0]\n [0, 0, 1]]`, [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1]
  ]),
  gives("a number of the literals as a text", Stars, `{"stars": "4", "comment": None}`, { stars: 4, comment: null }),
  gives("a nested list as a text", Schema.Struct({ grid: Grid }), `{"grid": "[[1, 2], [3, 4]]"}`, {
    grid: [
      [1, 2],
      [3, 4]
    ]
  }),
  gives(
    "one object for a list of them",
    Schema.Array(Clause),
    `{"section": "1", "summary": "Terms", "binding": true}`,
    [{ section: "1", summary: "Terms", binding: true }]
  ),
  gives(
    "objects one a line for a list",
    Schema.Array(Shape),
    `{"radius": 2}\n{"width": 1, "height": 1}\n{"radius": 0.5}`,
    [{ radius: 2 }, { width: 1, height: 1 }, { radius: 0.5 }]
  ),
  gives("a boolean alone in a fence", Schema.Boolean, "```\ntrue\n```", true),
  gives(
    "a text for a text or a number stays a text",
    Schema.Struct({ id: Schema.Union([Schema.Finite, Schema.String]) }),
    `{id: "007"}`,
    { id: "007" }
  ),
  givesLossily("yes for a boolean in a union", Action, `{"kind": "escalate", "team": "billing", "urgent": "yes"}`, {
    kind: "escalate",
    team: "billing",
    urgent: true
  }),
  givesLossily("a fraction for a whole number", Counts, `{"visitors": 120.4}`, { visitors: 120 }),
  rejects("a tag that no member has", Payment, `{"_tag": "Voucher", "amount": 10}`),
  rejects("no tag, and an amount, which every member has", Payment, `{"amount": 10, "currency": "EUR"}`),
  rejects("a number beyond its range", Flight, `{"from": "VIE", "to": "LHR", "passengers": 14}`),
  rejects("a text for a literal number that is none of them", Stars, `{"stars": "4.5/5 or so", "comment": null}`),
  rejects(
    "two objects for one",
    Clause,
    `[{"section": "1", "summary": "Terms", "binding": true}, {"section": "2", "summary": "Price", "binding": true}]`
  ),
  rejects(
    "a tree whose leaf has no list",
    Tree,
    `{"name": "a", "children": [{"name": "b", "children": [{"name": "c"}]}]}`
  ),
  rejects("a number too long to keep", Counts, `{"id": 90071992547409931}`),
  rejects(
    "texts in one string for a list",
    Schema.Struct({ colours: Schema.Array(Schema.String) }),
    `{"colours": "red, green"}`
  )
]
