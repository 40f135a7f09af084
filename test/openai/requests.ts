/** Requests and forms whose every part differs from every other, so that two that change places are seen. */
import type { Request } from "cogito/Provider"

export const request = (rest: Partial<Request> = {}): Request => ({
  messages: [
    { role: "system", text: "Be brief." },
    { role: "user", text: "First «question»\nof two lines" },
    { role: "assistant", text: "First answer" },
    { role: "system", text: "Be kind." },
    { role: "user", text: "Second question 🌍" }
  ],
  task: { kind: "analyze", instruction: "the instruction", input: "the input", questions: [], context: [] },
  phase: "reason",
  sampling: {},
  wish: { temperature: 0.9, maxTokens: 999 },
  ...rest
})

type Json = Readonly<Record<string, unknown>>

/** A request for an answer of a form. */
export const withForm = (name: string, jsonSchema: Json, rest: Partial<Request> = {}): Request =>
  request({
    messages: [{ role: "user", text: "Fill in the form" }],
    ...rest,
    task: { ...request().task, output: { name, jsonSchema, instructions: `Answer with ${name.slice(0, 9)} as JSON.` } }
  })

const text = { type: "string" }
const object = (properties: Json, required: ReadonlyArray<string> = Object.keys(properties)): Json => ({
  type: "object",
  properties,
  required,
  additionalProperties: false
})

export const forms = {
  small: object({ note: text }),
  every: object({
    title: { type: "string", description: "the title" },
    count: { type: "integer", minimum: 1, maximum: 9 },
    share: { type: "number", exclusiveMinimum: 0 },
    urgent: { type: "boolean" },
    nothing: { type: "null" },
    kind: { enum: ["b", "a", null] },
    tags: { type: "array", items: { type: "string" }, minItems: 1, maxItems: 3 },
    either: { anyOf: [text, { type: "number" }] },
    inner: object({ when: { type: "string", format: "date-time" } })
  }),
  optional: object(
    {
      needed: text,
      maybe: text,
      orNull: { anyOf: [text, { type: "null" }] },
      either: { anyOf: [text, { type: "integer" }] }
    },
    ["needed", "orNull"]
  ),
  limited: object({
    short: { type: "string", description: "A code.", minLength: 2, maxLength: 5 },
    look: { type: "string", pattern: "^(?=a)b" },
    plain: { type: "string", pattern: "^[a-z]+$" },
    odd: { type: "string", format: "phone" },
    both: { type: "number", allOf: [{ minimum: 2 }, { title: "t" }] },
    set: { type: "array", items: text, uniqueItems: true, default: [], examples: [["x"]] }
  }),
  tree: {
    ...object({ root: { $ref: "#/$defs/Node~1a" } }),
    $defs: {
      "Node/a": object({ label: text, children: { type: "array", items: { $ref: "#/$defs/Node~1a" } } }, ["label"])
    }
  },
  reference: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $ref: "#/$defs/Top",
    $defs: { Top: object({ top: text }) }
  },
  record: object({ counts: { type: "object", additionalProperties: { type: "number" } } }),
  tuple: object({ pair: { type: "array", prefixItems: [text, { type: "number" }], minItems: 2, maxItems: 2 } }),
  list: { type: "array", items: text }
} as const
