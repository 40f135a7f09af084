import { layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Local } from "cogito/local"
import { transcribe } from "../transcript.ts"
import { output, texts, written } from "./asked.ts"

const Unit = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

/** Fields of every kind that is looked for in a way of its own. */
const Fields = Schema.Struct({
  customer: Schema.String,
  company: Schema.NullOr(Schema.String),
  city: Schema.optionalKey(Schema.String),
  product: Schema.String,
  issue: Schema.String,
  request: Schema.String,
  summary: Schema.String,
  amount: Schema.NullOr(Schema.Finite),
  quantity: Schema.NullOr(Schema.Int),
  percentage: Schema.String,
  email: Schema.String,
  phoneNumber: Schema.String,
  link: Schema.NullOr(Schema.String),
  order_number: Schema.String,
  date: Schema.String,
  reason: Schema.String.annotate({ description: "why the customer writes" }),
  isUrgent: Schema.Boolean,
  anger: Unit,
  severity: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 })),
  mood: Schema.Literals(["positive", "negative", "neutral"]),
  confidence: Unit
})
const Lists = Schema.Struct({
  people: Schema.Array(Schema.String),
  places: Schema.Array(Schema.String),
  products: Schema.Array(Schema.String),
  problems: Schema.Array(Schema.String),
  requests: Schema.Array(Schema.String),
  signs: Schema.Array(Schema.String.annotate({ description: "words that show urgency or anger" })),
  keyPoints: Schema.Array(Schema.String),
  emails: Schema.Array(Schema.String),
  amounts: Schema.Array(Schema.Finite),
  tags: Schema.Array(Schema.Literals(["billing", "outage", "praise"])),
  dates: Schema.Array(Schema.String),
  issues: Schema.Array(Schema.Struct({ problem: Schema.String, when: Schema.NullOr(Schema.String) })).check(
    Schema.isMaxLength(2)
  )
})

const extracted = (schema: Schema.Codec<any, any>, input: string, more: object = {}) =>
  written({
    kind: "extract",
    instruction: "Extract the customer, the issue, every sign of urgency and the rest.",
    input,
    output: output(schema),
    ...more
  })

const raw = (jsonSchema: Readonly<Record<string, unknown>>, input: string) =>
  written({ kind: "extract", instruction: "Extract it", input, output: { name: "it", instructions: "", jsonSchema } })
const object = (
  properties: Readonly<Record<string, object>>,
  required: ReadonlyArray<string> = Object.keys(properties)
) => ({
  type: "object",
  properties,
  required
})

/** Enough of them: a form of many fields takes its time. */
const some = Object.entries(texts).slice(0, 6)

const angry = texts["an angry customer"] ?? ""
const fact = texts["a fact"] ?? ""
const outage = texts["an outage"] ?? ""

layer(Local.extractive)("the offline provider", (it) => {
  it.effect("what it extracts", () =>
    transcribe("extraction", {
      ...Object.fromEntries(some.map(([name, input]) => [`Fields of ${name}`, extracted(Fields, input)])),
      ...Object.fromEntries(some.map(([name, input]) => [`Lists of ${name}`, extracted(Lists, input)])),
      "Texts with a format": raw(
        object({
          day: { type: "string", format: "date" },
          moment: { type: "string", format: "date-time" },
          mail: { type: "string", format: "email" },
          days: { type: "array", items: { type: "string", format: "date" } },
          moments: { type: "array", items: { type: "string", format: "date-time", pattern: "[+-]\\d{2}:\\d{2}$" } },
          code: { type: "string", pattern: "^[A-Z]-\\d+$" }
        }),
        angry.replace("#A-1047", "A-1047")
      ),
      "Texts with other formats": Effect.all([
        raw(object({ link: { type: "string", format: "uri" } }), outage),
        raw(object({ at: { type: "string", format: "time" } }), "It began at 14:30:00Z and ended."),
        raw(object({ lasts: { type: "string", format: "duration" } }), "It lasts P3DT4H in all."),
        raw(
          object({ id: { type: "string", format: "uuid" } }),
          "The id 0190a3b4-1c2d-7e3f-8a4b-5c6d7e8f9a0b is known."
        ),
        raw(
          object({ at: { type: "string", format: "date-time" } }),
          "At 2026-01-02T03:04:05+01:00 it began, at 2026-01-02T04:05 it ended."
        ),
        raw(
          object({ at: { type: "string", format: "date" } }),
          "On the 5th of May 2026, on May 6, 2026, on 31 February 2026."
        ),
        raw(object({ x: { type: "string", format: "email" } }), fact)
      ]),
      "Values of every kind": Effect.forEach(
        [
          "$5",
          "5k EUR and 2 million dollars",
          "€ 1,200.50",
          "three of 12",
          "45 percent",
          "-3 to 1'000",
          "1 200 yen",
          "usd 7"
        ],
        (amount) => raw(object({ amounts: { type: "array", items: { type: "number" } } }), `They said ${amount} today.`)
      ),
      "Limits of numbers and texts": Effect.forEach(
        [
          { type: "integer", minimum: 10 },
          { type: "number", exclusiveMaximum: 9 },
          { type: "number", multipleOf: 5 },
          { type: "number", exclusiveMinimum: 12 },
          { type: "string", minLength: 60 },
          { type: "string", maxLength: 3 },
          { type: "number", minimum: 0, maximum: 10 },
          { type: "integer", minimum: 0, maximum: 1 },
          { enum: [1, 2, 3] },
          { enum: ["cheap", "dear", null] },
          { const: "fixed" },
          { type: ["string", "null"], pattern: "^never$" },
          { type: "array", items: { type: "number" }, minItems: 3 },
          { type: "array", items: { type: "number" }, minItems: 9 },
          { type: "array", items: { type: "string" }, maxItems: 1 },
          { type: "array", prefixItems: [{ type: "number" }, { type: "boolean" }] },
          { anyOf: [{ type: "string", pattern: "^\\d{7}$" }, { type: "number" }] },
          { oneOf: [{ const: "a" }, { enum: ["b", "c"] }] },
          { allOf: [{ type: "string", pattern: "e" }, { pattern: "^T" }] },
          { $ref: "#/properties/price" },
          {},
          { type: "null" }
        ],
        (schema) =>
          raw(
            {
              ...object({ price: schema.$ref === undefined ? schema : { type: "number" }, other: schema }),
              title: "t"
            },
            fact
          )
      ),
      "What is not there: empty, null, left out, or impossible": Effect.all(
        [
          { type: "string" },
          { type: ["string", "null"] },
          { type: "string", minLength: 2 },
          { type: "number" }
        ].flatMap((schema) => [
          raw(object({ email: { ...schema, description: "e-mail address" } }), "Nothing here."),
          raw(object({ email: schema }, []), "Nothing here.")
        ])
      )
    })
  )

  it.effect("what it sums up, and what it does not write", () =>
    transcribe("summaries", {
      ...Object.fromEntries(
        Object.entries(texts).map(([name, input]) => [
          `A summary of ${name}`,
          Effect.all([
            written({ kind: "reflect", wants: "summary", instruction: "", input }),
            written({ kind: "recall", wants: "summary", instruction: "What about the invoice and the money?", input })
          ])
        ])
      ),
      "A task that wants a summary": written({
        kind: "gist",
        wants: "summary",
        instruction: "Write a poem.",
        input: fact
      }),
      "Tasks that want other text, and the phase of looking back": Effect.all([
        written({ kind: "poem", wants: "text", instruction: "Write a poem.", input: fact }),
        written({ kind: "decide", instruction: "Write a poem.", input: fact }),
        written({ kind: "decide", instruction: "Write a poem.", input: fact }, "introspect")
      ]),
      "Instructions that ask for a summary, and others": Effect.forEach(
        [
          "Summarize the text.",
          "What are the key points?",
          "Translate into French.",
          "Write a reply.",
          "Shorten it to three words",
          "Make it formal"
        ],
        (instruction) => written({ kind: "transform", instruction, input: fact })
      ),
      "A summary in the form of a new text, and of an analysis": Effect.all([
        written({
          kind: "transform",
          wants: "text",
          instruction: "Summarize the text.",
          input: fact,
          output: output(
            Schema.Struct({
              output: Schema.String,
              confidence: Unit,
              changes: Schema.Array(Schema.String),
              other: Schema.String
            })
          )
        }),
        written({
          kind: "analysis",
          wants: "text",
          instruction: "Give the key points.",
          input: angry,
          output: output(
            Schema.Struct({
              analysis: Schema.NonEmptyString,
              confidence: Unit,
              count: Schema.NullOr(Schema.Finite),
              findings: Schema.Array(Schema.String)
            })
          )
        })
      ]),
      "Nothing to work on": Effect.all([
        written({ kind: "reflect", wants: "summary" }),
        written({ kind: "extract", input: " ", output: output(Schema.Struct({ a: Schema.String })) }),
        written({ kind: "decide", questions: [{ _tag: "Predicate", name: "a", question: "?" }] })
      ]),
      "What the provider says of itself": Effect.sync(() => Local.extractiveDescription)
    })
  )
})
