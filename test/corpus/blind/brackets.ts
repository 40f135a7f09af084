/** Brackets too few, too many, or of the wrong kind. */
import { Schema } from "effect"
import { type Case, gives, rejects } from "../malformed/case.ts"
import { Counts, Finding, Ingredient, Invoice, Person, Plan, Review, Texts, Ticket, Tree } from "./schemas.ts"

const Point = Schema.Struct({ x: Schema.Int, y: Schema.optionalKey(Schema.Int) })

export const brackets: ReadonlyArray<Case> = [
  gives(
    "a list that is not closed before the next key",
    Ticket,
    `{"title": "Crash", "tags": ["ios", "login", "priority": "high"}`,
    {
      title: "Crash",
      tags: ["ios", "login"],
      priority: "high"
    }
  ),
  gives("a list closed with a brace", Ticket, `{"title": "Crash", "tags": ["ios", "login"}, "priority": "high"}`, {
    title: "Crash",
    tags: ["ios", "login"],
    priority: "high"
  }),
  gives("an object closed with a square bracket", Person, `{"name": "Ada", "age": 36, "city": null]`, {
    name: "Ada",
    age: 36,
    city: null
  }),
  gives("a brace too many at the end", Person, `{"name": "Ada", "age": 36, "city": null}}`, {
    name: "Ada",
    age: 36,
    city: null
  }),
  gives("brackets of an outer list at the end only", Ticket, `{"title": "Crash", "priority": "low", "tags": ["a"]}]}`, {
    title: "Crash",
    priority: "low",
    tags: ["a"]
  }),
  gives("a list of texts in braces", Texts, `{"red", "green", "blue"}`, ["red", "green", "blue"]),
  gives("members in square brackets", Person, `["name": "Ada", "age": 36, "city": "London"]`, {
    name: "Ada",
    age: 36,
    city: "London"
  }),
  gives("members in round brackets", Counts, `("apples": 3, "pears": 4)`, { apples: 3, pears: 4 }),
  gives("double braces, as in a template", Person, `{{"name": "Ada", "age": 36, "city": null}}`, {
    name: "Ada",
    age: 36,
    city: null
  }),
  gives(
    "an object of a list that is not closed before the next",
    Schema.Array(Ingredient),
    `[{"item": "flour", "amount": 500, "unit": "g", {"item": "salt", "amount": 5, "unit": "g"}]`,
    [
      { item: "flour", amount: 500, unit: "g" },
      { item: "salt", amount: 5, unit: "g" }
    ]
  ),
  gives(
    "an object of a list that is not opened",
    Schema.Array(Ingredient),
    `[{"item": "flour", "amount": 500, "unit": "g"}, "item": "salt", "amount": 5, "unit": "g"}]`,
    [
      { item: "flour", amount: 500, unit: "g" },
      { item: "salt", amount: 5, unit: "g" }
    ]
  ),
  gives("the first brace missing", Person, `"name": "Ada", "age": 36, "city": null}`, {
    name: "Ada",
    age: 36,
    city: null
  }),
  gives("the first square bracket missing", Texts, `"red", "green", "blue"]`, ["red", "green", "blue"]),
  gives(
    "a nested object and its list not closed at the end",
    Plan,
    `{\n  "goal": "Bake bread",\n  "steps": [\n    {"action": "Knead", "minutes": 10},\n    {"action": "Bake", "minutes": 40}\n}`,
    {
      goal: "Bake bread",
      steps: [
        { action: "Knead", minutes: 10 },
        { action: "Bake", minutes: 40 }
      ]
    }
  ),
  gives("the object closed before its last member", Person, `{"name": "Ada", "age": 36}, "city": "London"}`, {
    name: "Ada",
    age: 36,
    city: "London"
  }),
  gives(
    "a finding that is not closed before its list is",
    Review,
    `{"verdict": "comment", "findings": [{"file": "a.ts", "line": 4, "severity": "info", "message": "long"]}`,
    { verdict: "comment", findings: [{ file: "a.ts", line: 4, severity: "info", message: "long" }] }
  ),
  gives("the list of an object opened twice", Ticket, `{"title": "Crash", "priority": "low", "tags": [["a", "b"]}`, {
    title: "Crash",
    priority: "low",
    tags: ["a", "b"]
  }),
  gives(
    "a branch that is not closed before its neighbour",
    Tree,
    `{"name": "a", "children": [{"name": "b", "children": [], {"name": "c", "children": []}]}`,
    {
      name: "a",
      children: [
        { name: "b", children: [] },
        { name: "c", children: [] }
      ]
    }
  ),
  rejects(
    "two people run into each other where one was asked for",
    Person,
    `{"name": "Ada", "age": 36, "city": null{"name": "Bob", "age": 41, "city": null}`
  ),
  rejects(
    "a brace too many, with a key behind it that fits inside and outside",
    Schema.Struct({ start: Point, y: Schema.optionalKey(Schema.Int), end: Point }),
    `{"start": {"x": 1}, "y": 2}, "end": {"x": 3}}`
  ),
  rejects(
    "a branch behind the root that may belong to any of three",
    Tree,
    `{"name": "a", "children": [{"name": "b", "children": []}]}, {"name": "c", "children": []}]}]}`
  ),
  rejects("closing brackets only", Texts, `]}]}`),
  rejects("opening brackets only", Texts, `[[[{{`),
  rejects(
    "a member lost between wrong brackets",
    Invoice,
    `{"number": "R-1", "total": [}, "currency": "EUR", "paid": true}`
  ),
  rejects(
    "rows of numbers, of which the brackets of one or of two are lost",
    Schema.Array(Schema.Array(Schema.Int)),
    `[[1, 2, 3], 4, 5]`
  ),
  rejects(
    "a finding in pieces, of which the message is missing",
    Finding,
    `{"file": "a.ts"} {"line": 4} {"severity": "info"}`
  )
]
