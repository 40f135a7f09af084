/** What chats, templates, streams, and markup leave around and within an answer. */
import { Schema } from "effect"
import { type Case, gives, givesLossily, rejects } from "../malformed/case.ts"
import { Flight, Invoice, Opinion, Person, Texts, Ticket } from "./schemas.ts"

const ada = { name: "Ada", age: 36, city: "London" }
const mood = { sentiment: "positive" as const, confidence: 0.9 }

export const residue: ReadonlyArray<Case> = [
  gives(
    "a final channel after an analysis",
    Opinion,
    `<|channel|>analysis<|message|>The tone is friendly.<|end|><|start|>assistant<|channel|>final<|message|>{"sentiment": "positive", "confidence": 0.9}<|return|>`,
    mood
  ),
  gives(
    "a draft in the analysis channel",
    Opinion,
    `<|channel|>analysis<|message|>Perhaps {"sentiment": "mixed", "confidence": 0.4}, but no.<|end|><|start|>assistant<|channel|>final<|message|>{"sentiment": "positive", "confidence": 0.9}`,
    mood
  ),
  gives("the mark at the end of a turn", Person, `{"name": "Ada", "age": 36, "city": "London"}<|im_end|>`, ada),
  gives(
    "the role before the answer",
    Person,
    `assistant\n\n{"name": "Ada", "age": 36, "city": "London"}<|eot_id|>`,
    ada
  ),
  gives(
    "XML with a tag for each key",
    Person,
    `<person>\n  <name>Ada</name>\n  <age>36</age>\n  <city>London</city>\n</person>`,
    ada
  ),
  gives(
    "XML with a declaration in a fence",
    Invoice,
    '```xml\n<?xml version="1.0"?>\n<invoice>\n  <number>R-1</number>\n  <total>12.5</total>\n  <currency>EUR</currency>\n  <paid>true</paid>\n</invoice>\n```',
    {
      number: "R-1",
      total: 12.5,
      currency: "EUR",
      paid: true
    }
  ),
  gives("a box of LaTeX around a number", Schema.Int, String.raw`\boxed{42}`, 42),
  gives(
    "the whole answer as one JSON text",
    Person,
    String.raw`"{\"name\": \"Ada\", \"age\": 36, \"city\": \"London\"}"`,
    ada
  ),
  gives(
    "an artifact tag with attributes",
    Texts,
    `<artifact type="application/json" title="colours">\n["red", "green"]\n</artifact>`,
    ["red", "green"]
  ),
  gives(
    "a heading and a fence of four marks",
    Person,
    '## Result\n\n````json\n{"name": "Ada", "age": 36, "city": "London"}\n````',
    ada
  ),
  gives(
    "a fence with a file's name",
    Person,
    '```json title="person.json"\n{"name": "Ada", "age": 36, "city": "London"}\n```',
    ada
  ),
  gives("a fence of waves", Person, '~~~\n{"name": "Ada", "age": 36, "city": "London"}\n~~~', ada),
  gives(
    "CDATA within an answer tag",
    Person,
    `<answer><![CDATA[{"name": "Ada", "age": 36, "city": "London"}]]></answer>`,
    ada
  ),
  gives(
    "reasoning as a key of its own beside the values",
    Opinion,
    `{"reasoning": "The guest praises the \\"view\\", and says {sic} nothing bad.", "sentiment": "positive", "confidence": 0.9,}`,
    mood
  ),
  gives(
    "a wrapper with thoughts beside the answer",
    Opinion,
    `{"thinking": "The tone is friendly.", "answer": {"sentiment": "positive", "confidence": 0.9}}`,
    mood
  ),
  gives(
    "footnotes behind the list",
    Texts,
    `["Graz has 300,000 inhabitants", "Linz lies on the Danube"]\n\n[1]: https://example.com/graz\n[2]: https://example.com/linz`,
    ["Graz has 300,000 inhabitants", "Linz lies on the Danube"]
  ),
  gives(
    "lines of added text in a diff",
    Person,
    '```diff\n+ {\n+   "name": "Ada",\n+   "age": 36,\n+   "city": "London"\n+ }\n```',
    ada
  ),
  gives("a stray word before the brace", Person, `json{"name": "Ada", "age": 36, "city": "London"}`, ada),
  givesLossily(
    "quotes as entities of HTML",
    Person,
    `{&quot;name&quot;: &quot;Ada&quot;, &quot;age&quot;: 36, &quot;city&quot;: &quot;London&quot;}`,
    ada
  ),
  givesLossily(
    "the amount with the code of its currency",
    Invoice,
    `{"number": "R-1", "total": "EUR 12.50", "currency": "EUR", "paid": true}`,
    {
      number: "R-1",
      total: 12.5,
      currency: "EUR",
      paid: true
    }
  ),
  rejects(
    "places that were never filled in",
    Flight,
    `{"from": <origin>, "to": <destination>, "passengers": <number>}`
  ),
  rejects("types as values", Person, `{"name": string, "age": integer, "city": string | null}`),
  rejects(
    "a link to a file instead of the answer",
    Ticket,
    `I saved the ticket to [ticket.json](sandbox:/mnt/data/ticket.json).`
  ),
  rejects(
    "two columns of a comparison",
    Opinion,
    `<response_1>{"sentiment": "positive", "confidence": 0.9}</response_1>\n<response_2>{"sentiment": "negative", "confidence": 0.6}</response_2>`
  ),
  rejects(
    "a diff of one line, without a required key on either side",
    Person,
    '```diff\n-{"name": "Ada", "age": 35}\n+{"name": "Ada", "age": 36}\n```'
  ),
  rejects(
    "a promise to answer later",
    Ticket,
    `Let me look at the mail first. I will then send the ticket as JSON with the keys {title, priority, tags}.`
  ),
  rejects("a text that repeats itself until it is cut off", Ticket, `{"title": "Login ${"fails and ".repeat(200)}`)
]
