import { assert, describe, it } from "@effect/vitest"
import { OpenAi } from "cogito/openai"
import { Effect } from "effect"
import { completion } from "./server.ts"

type Part = Readonly<Record<string, unknown>>

/** Whether a schema is sent in the strict form. */
const isStrict = Effect.fnUntraced(function* (jsonSchema: Part) {
  const sent: Array<any> = []
  const fetch = ((_: unknown, init: { readonly body: string }) => {
    sent.push(JSON.parse(init.body))
    return Promise.resolve(Response.json(completion("{}")))
  }) as unknown as typeof globalThis.fetch
  const provider = yield* OpenAi.make({ model: "gpt-4o", baseUrl: "http://model.invalid/v1", fetch })
  const output = { name: "x", jsonSchema, instructions: "" }
  yield* provider.complete({
    messages: [{ role: "user", text: "x" }],
    task: { kind: "x", instruction: "x", questions: [], context: [], output },
    phase: "reason",
    sampling: {}
  })
  return sent[0].response_format.json_schema.strict as boolean
})

const text = { type: "string" }
const object = (properties: Part): Part => ({ type: "object", properties, required: Object.keys(properties) })
const list = (items: Part): Part => ({ type: "array", items })
const either = (...anyOf: ReadonlyArray<Part>): Part => ({ anyOf })

/** An object with so many properties, whose names have 4 characters. */
const wide = (count: number): Part =>
  object(Object.fromEntries(Array.from({ length: count }, (_, i) => [String(1000 + i), text])))

/** So many values with 6 characters each, or of the one length that is given. */
const values = (count: number, length = 6): Part => ({
  ...text,
  enum: Array.from({ length: count }, (_, i) => String(i).padStart(length, "v"))
})

const nested = (levels: number, inner: (level: Part) => Part = (level) => level): Part => {
  let level = object({ end: text })
  for (let i = 1; i < levels; i++) level = object({ a: inner(level) })
  return level
}

const one = (part: Part) => object({ a: part })

// The most that OpenAI accepts, and a little more.
const cases: ReadonlyArray<readonly [what: string, most: Part, more: Part]> = [
  ["properties", wide(5000), wide(5001)],
  [
    "properties, wherever they stand",
    { ...object({ a: either(wide(1000), text), b: list(wide(1000)), c: wide(1996) }), $defs: { d: wide(1001) } },
    { ...object({ a: either(wide(1000), text), b: list(wide(1000)), c: wide(1996) }), $defs: { d: wide(1002) } }
  ],
  ["levels", nested(10), nested(11)],
  ["levels of lists", nested(10, list), nested(11, list)],
  ["levels of choices", nested(10, (level) => either(level, text)), nested(11, (level) => either(text, level))],
  ["levels of a definition", { ...one(text), $defs: { d: nested(10) } }, { ...one(text), $defs: { d: nested(11) } }],
  ["values", one(values(1000)), one(values(1001))],
  [
    "values, wherever they stand",
    object({ a: values(400), b: list(values(400)), c: either(values(200), object({ d: text })) }),
    object({ a: values(400), b: list(values(400)), c: either(values(201), object({ d: text })) })
  ],
  ["characters of a long list", one(values(300, 50)), one(values(300, 51))],
  [
    "characters of each of two long lists",
    object({ a: values(300, 50), b: values(300, 50) }),
    object({ a: values(300, 50), b: values(300, 51) })
  ],
  ["values of a list with many characters", one(values(250, 70)), one(values(251, 70))],
  ["characters of names", object({ ["n".repeat(120_000)]: text }), object({ ["n".repeat(120_001)]: text })],
  [
    "characters of names, values and definitions",
    { ...object({ abc: values(100, 1197) }), $defs: { ["d".repeat(297)]: text } },
    { ...object({ abc: values(100, 1197) }), $defs: { ["d".repeat(298)]: text } }
  ]
]

describe("a schema", () => {
  it.effect.each(cases)("is strict up to the most that is accepted: %s", ([what, most, more]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual([yield* isStrict(most), yield* isStrict(more)], [true, false], what)
    })
  )
})
