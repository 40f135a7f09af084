/** One answer among words that say which it is: thoughts, drafts, examples and echoes before it. */
import { type Case, gives, givesLossily, rejects } from "../malformed/case.ts"
import { Flight, Invoice, Opinion, Person, Sentiment, Texts, Ticket, Triage } from "./schemas.ts"

export const amongWords: ReadonlyArray<Case> = [
  gives(
    "thinking aloud, then a final answer",
    Triage,
    `The patient is 58 and has had pain in the chest for an hour. That could be level 3 {if the ECG is clean}, but he sweats, so level 2.

Final answer: {"level": 2, "complaint": "chest pain", "redFlags": ["sweating"], "ambulance": true}`,
    { level: 2, complaint: "chest pain", redFlags: ["sweating"], ambulance: true }
  ),
  gives(
    "a draft and its correction",
    Invoice,
    `{"number": "R-7", "total": 119, "currency": "EUR", "paid": false}

Correction: the total is printed without tax, so:

{"number": "R-7", "total": 100, "currency": "EUR", "paid": false}`,
    { number: "R-7", total: 100, currency: "EUR", paid: false }
  ),
  gives(
    "wait, after a first answer in a fence",
    Flight,
    'Here you go:\n```json\n{"from": "VIE", "to": "LHR", "passengers": 2}\n```\nWait, the child travels too. Corrected version:\n```json\n{"from": "VIE", "to": "LHR", "passengers": 3}\n```',
    { from: "VIE", to: "LHR", passengers: 3 }
  ),
  gives(
    "first draft and final version by name",
    Opinion,
    `First draft: {"sentiment": "neutral", "confidence": 0.5}\nAfter reading it again, the last paragraph is a complaint.\nFinal version: {"sentiment": "negative", "confidence": 0.7}`,
    { sentiment: "negative", confidence: 0.7 }
  ),
  gives(
    "an example of the form and then the answer",
    Person,
    `The form is, for example, {"name": "John Doe", "age": 30, "city": "New York"}.

For the text you gave me the answer is:
{"name": "Jonas Weber", "age": 51, "city": "Graz"}`,
    { name: "Jonas Weber", age: 51, city: "Graz" }
  ),
  gives(
    "the schema repeated before the answer",
    Person,
    `The schema is {"type": "object", "properties": {"name": {"type": "string"}, "age": {"type": "integer"}, "city": {"type": ["string", "null"]}}, "required": ["name", "age", "city"]}.

{"name": "Jonas Weber", "age": 51, "city": null}`,
    { name: "Jonas Weber", age: 51, city: null }
  ),
  gives(
    "the prompt's input repeated before the answer",
    Ticket,
    `Input: {"mail": "I cannot log in since Monday!", "from": "kim@example.com"}
Output: {"title": "Cannot log in", "priority": "high", "tags": ["auth"]}`,
    { title: "Cannot log in", priority: "high", tags: ["auth"] }
  ),
  gives(
    "a draft within thoughts",
    Opinion,
    `<think>\nMaybe {"sentiment": "positive", "confidence": 0.6}? No, the tone is ironic.\n</think>\n\n{"sentiment": "negative", "confidence": 0.85}`,
    { sentiment: "negative", confidence: 0.85 }
  ),
  gives(
    "only the end of the thoughts is there",
    Opinion,
    `so {"sentiment": "mixed", "confidence": 0.5} would be too careful.\n</think>\n{"sentiment": "positive", "confidence": 0.75}`,
    { sentiment: "positive", confidence: 0.75 }
  ),
  gives(
    "brackets in the words around the list",
    Texts,
    `I found [as asked] three colours (see {page 2}): ["red", "green", "blue"]. [1] Page 2.`,
    ["red", "green", "blue"]
  ),
  gives(
    "the same answer twice, in words and in a fence",
    Person,
    'In short: {"name":"Ada","age":36,"city":null}\n\n```json\n{\n  "name": "Ada",\n  "age": 36,\n  "city": null\n}\n```',
    { name: "Ada", age: 36, city: null }
  ),
  gives(
    "actually, and a second answer",
    Flight,
    `{"from": "BER", "to": "CDG", "passengers": 1, "cabin": "economy"}\n\nActually, the traveller asked for business class:\n\n{"from": "BER", "to": "CDG", "passengers": 1, "cabin": "business"}`,
    { from: "BER", to: "CDG", passengers: 1, cabin: "business" }
  ),
  gives(
    "a wrong example that is named as such, then the right one",
    Invoice,
    `Not like this: {"number": "R-7", "total": 0, "currency": "EUR", "paid": true}\nBut like this: {"number": "R-7", "total": 55, "currency": "EUR", "paid": true}`,
    { number: "R-7", total: 55, currency: "EUR", paid: true }
  ),
  gives(
    "a self-check behind the answer",
    Person,
    `{"name": "Ada", "age": 36, "city": "London"}\n\nCheck: "age" is an integer {ok}, "city" is a string {ok}, no other keys {ok}.`,
    { name: "Ada", age: 36, city: "London" }
  ),
  gives(
    "a German correction",
    Invoice,
    `{"number": "R-8", "total": 20, "currency": "EUR", "paid": true}\n\nKorrektur: Die Rechnung ist noch offen.\n\n{"number": "R-8", "total": 20, "currency": "EUR", "paid": false}`,
    { number: "R-8", total: 20, currency: "EUR", paid: false }
  ),
  givesLossily(
    "a word after thinking aloud",
    Sentiment,
    `The reviewer likes the room. The breakfast gets praise too.\n\nFinal answer: positive`,
    "positive"
  ),
  rejects(
    "two options to choose from",
    Flight,
    `Option A: {"from": "VIE", "to": "LHR", "passengers": 1}\nOption B: {"from": "VIE", "to": "LGW", "passengers": 1}`
  ),
  rejects(
    "either the one or the other",
    Opinion,
    `Either {"sentiment": "mixed", "confidence": 0.5} or {"sentiment": "neutral", "confidence": 0.5}, hard to say.`
  ),
  rejects(
    "two answers one after the other without a word",
    Person,
    `{"name": "Ada", "age": 36, "city": null}\n\n{"name": "Grace", "age": 45, "city": null}`
  ),
  rejects(
    "an example only",
    Person,
    `Please send me the letter. I would then answer, for example, {"name": "John Doe", "age": 30, "city": "New York"}.`
  ),
  rejects(
    "what the answer should not be",
    Ticket,
    `It should not be {"title": "Crash", "priority": "low", "tags": []}, as the system is down.`
  ),
  rejects(
    "a draft that is withdrawn and nothing after it",
    Opinion,
    `{"sentiment": "positive", "confidence": 0.9}\n\nWait, that is wrong. The review is ironic, I need to start again.`
  ),
  rejects(
    "thoughts that never end",
    Opinion,
    `<think>\nPerhaps {"sentiment": "positive", "confidence": 0.6}, or rather something else; let me read`
  ),
  rejects(
    "the echo of the schema alone",
    Person,
    `{"type": "object", "properties": {"name": {"type": "string"}, "age": {"type": "integer"}, "city": {"type": ["string", "null"]}}}`
  )
]
