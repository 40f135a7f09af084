/** Laws of reading answers, over schemas and values drawn by chance. */
import { isDeepStrictEqual } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Exit, Schema } from "effect"
import { chance, drawSchema, drawValues, traps, type Chance } from "../corpus/generated.ts"
import { Ticket } from "../corpus/malformed/schemas.ts"
import { parse } from "../corpus/parse.ts"

const values = Number(process.env["COGITO_PARSE_VALUES"] ?? 800)
const valuesOfASchema = 20

const modes = ["strict", "lenient", "lossy"] as const
type Any = Schema.Codec<any, any>

interface Drawn {
  readonly chance: Chance
  readonly schema: Any
  readonly encoded: unknown
}

/** So many values, each with its schema, the same in every run. */
function* draw(seed: number, total: number, composite: boolean): Generator<Drawn> {
  for (let made = 0; made < total; made += valuesOfASchema) {
    const own = chance(seed + made)
    const schema = drawSchema(own, { composite })
    const all = drawValues(schema, { count: Math.min(valuesOfASchema, total - made), seed: seed + made })
    for (const encoded of all) yield { chance: own, schema, encoded }
  }
}

/** The value of JSON as its schema has it; undefined for what does not fit. */
const decodedFrom = (schema: Any, json: unknown): { readonly value: unknown } | undefined => {
  const exit = Schema.decodeUnknownExit(Schema.toCodecJson(schema))(json)
  return Exit.isSuccess(exit) ? { value: exit.value } : undefined
}

const decoded = (schema: Any, text: string) => decodedFrom(schema, JSON.parse(text))

const written = (schema: Any, value: unknown): unknown => Schema.encodeUnknownSync(Schema.toCodecJson(schema))(value)

// ------------------------------------------------------------------------------------------------------ valid JSON

describe("valid JSON that fits its schema", () => {
  it("is read as JSON.parse and the schema read it, in every mode, and nothing is reported", () => {
    let read = 0
    for (const { chance, encoded, schema } of draw(1, values, false)) {
      // A key that nobody asked for is none of the answer.
      const known = chance.below(4) > 0 || typeof encoded !== "object" || encoded === null || Array.isArray(encoded)
      const whole = known ? encoded : { ...encoded, "not asked for": { title: "x", result: [1] } }
      const json = JSON.stringify(whole, null, chance.one([undefined, 1, 2, "\t"]))
      const text = chance.one(["", " ", "\n", "\r\n\t"]) + json + chance.one(["", " ", "\n\n"])
      const expected = decoded(schema, text)
      if (expected === undefined) continue
      for (const parsing of modes) {
        const reading = parse(schema, text, parsing)
        if (reading?.coercions.length !== 0 || !isDeepStrictEqual(reading.value, expected.value)) {
          assert.deepStrictEqual(reading, { value: expected.value, coercions: [] }, `${parsing}: ${text}`)
        }
      }
      read++
    }
    assert.isAbove(read, values * 0.9)
  })
})

// -------------------------------------------------------------------------------------------------- the same, worse

const python = (value: unknown): string => {
  if (value === null) return "None"
  if (typeof value === "boolean") return value ? "True" : "False"
  if (typeof value === "string") return pythonText(value)
  if (Array.isArray(value)) return `[${value.map(python).join(", ")}]`
  if (typeof value !== "object") return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([key, inner]) => `${pythonText(key)}: ${python(inner)}`)
    .join(", ")}}`
}

const pythonText = (text: string): string => {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"')
  return text.includes("'") && !text.includes('"') ? `"${inner}"` : `'${inner.replaceAll("'", "\\'")}'`
}

const javascript = (value: unknown): string => {
  if (Array.isArray(value)) return value.length === 0 ? "[]" : `[\n${value.map(javascript).join(",\n")},\n]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([key, inner]) => `${/^[A-Za-z]\w*$/.test(key) ? key : JSON.stringify(key)}: ${javascript(inner)}, // ${key.length}`
  )
  return members.length === 0 ? "{}" : `{ /* as agreed */\n${members.join("\n")}\n}`
}

const manners: Readonly<Record<string, (encoded: unknown) => string>> = {
  "in a fence, with prose around": (encoded) =>
    `Here is what you asked for:\n\n\`\`\`json\n${JSON.stringify(encoded, null, 2)}\n\`\`\`\n\nAnything else?`,
  "in prose": (encoded) => `The answer is ${JSON.stringify(encoded)} as far as I can tell.`,
  "after a thought": (encoded) => `<think>\nIs it {"no": 1}?\n</think>\n${JSON.stringify(encoded)}`,
  "as Python prints it": python,
  "as JavaScript writes it, with comments": javascript,
  "in a string": (encoded) => JSON.stringify(JSON.stringify(encoded))
}

describe("an object or a list of any schema", () => {
  for (const [i, [manner, write]] of Object.entries(manners).entries()) {
    it(`is the same value when it is written ${manner}`, () => {
      for (const { encoded, schema } of draw(1_000_000 * (i + 2), Math.ceil(values / 10), true)) {
        const expected = decodedFrom(schema, encoded)
        const text = write(encoded)
        const reading = parse(schema, text, "lenient")
        assert.deepStrictEqual(
          reading && written(schema, reading.value),
          expected && written(schema, expected.value),
          text
        )
      }
    })
  }

  it("is nothing when it is cut anywhere, in a fence or not, but for a loss or one bracket", () => {
    for (const { chance, encoded, schema } of draw(10_000_000, Math.ceil(values / 4), true)) {
      const whole = chance.one([JSON.stringify, python, javascript])(encoded)
      const cut = chance.one(["", "Sure.\n", "```json\n"]) + whole.slice(0, chance.below(whole.length))
      for (const parsing of modes) {
        const reading = parse(schema, cut, parsing)
        if (reading === undefined) continue
        const isLoss = parsing === "lossy" && reading.coercions.some(({ kind, lossy }) => kind === "cut-off" && lossy)
        if (isLoss) continue
        const kinds = reading.coercions.map(({ kind }) => kind)
        assert.include(kinds, "missing-bracket", `${parsing}: ${cut}`)
        assert.deepStrictEqual(
          written(schema, reading.value),
          written(schema, decodedFrom(schema, encoded)?.value),
          cut
        )
      }
    }
  })
})

// ------------------------------------------------------------------------------------------------------- any text

const pieces = [
  ...traps,
  "{",
  "}",
  "[",
  "]",
  ":",
  ",",
  '"',
  "'",
  "`",
  "“",
  "”",
  "(",
  ")",
  "\n",
  "\\u12",
  "\ud800",
  '"""'
]

const soup = ({ below, one }: Chance): string =>
  Array.from({ length: below(40) }, () =>
    below(5) === 0 ? String.fromCharCode(below(0x10000)) : one([...pieces, '"title": ', '"a"', "true", "1e9", "-"])
  ).join("")

const mutated = (text: string, { below, one }: Chance): string => {
  let changed = text
  for (let change = below(4); change >= 0; change--) {
    const at = below(changed.length + 1)
    const without = below(3) === 0 ? below(8) : 0
    changed = changed.slice(0, at) + (below(3) === 0 ? "" : one(pieces)) + changed.slice(at + without)
  }
  return changed
}

describe("any text", () => {
  const assertHonest = (schema: Any, text: string): void => {
    for (const parsing of modes) {
      const reading = parse(schema, text, parsing)
      if (reading === undefined) continue
      assert.isTrue(Schema.is(schema)(reading.value), `${parsing}: ${text}`)
      assert.isTrue(parsing === "lossy" || reading.coercions.every(({ lossy }) => !lossy), `${parsing}: ${text}`)
      if (parsing === "strict") {
        assert.deepStrictEqual<unknown>(reading, { ...decoded(schema, text), coercions: [] }, text)
      }
    }
  }

  it("results in a valid value or none, and never throws, if it is noise", () => {
    for (const { chance, schema } of draw(11_000_000, Math.ceil(values / 4), false)) assertHonest(schema, soup(chance))
  })

  it("results in a valid value or none, and never throws, if it is malformed JSON", () => {
    for (const { chance, encoded, schema } of draw(12_000_000, Math.ceil(values / 2), false)) {
      assertHonest(schema, mutated(JSON.stringify(encoded), chance))
    }
  })

  it("is read in the same way every time", () => {
    for (const { chance, encoded, schema } of draw(13_000_000, Math.ceil(values / 8), false)) {
      const text = mutated(JSON.stringify(encoded), chance)
      assert.deepStrictEqual(parse(schema, text, "lossy"), parse(schema, text, "lossy"), text)
    }
  })
})

// -------------------------------------------------------------------------------------------------------- prototype

describe("keys that mean something to JavaScript", () => {
  const poisons = [
    `{'__proto__': {'polluted': true}, 'title': 'a', 'priority': 'low', 'urgent': false}`,
    `{__proto__: {polluted: true, urgent: true}, title: 'a', priority: 'low', urgent: false}`,
    `{"title": "a", "priority": "low", "urgent": false, "__proto__": {"polluted": true}}`,
    `{constructor: {prototype: {polluted: true}}, title: 'a', priority: 'low', urgent: false}`,
    `{"result": {"__proto__": {"polluted": true}, "title": "a", "priority": "low", "urgent": "false"}}`,
    `{"__PROTO__": {"polluted": true}, " __proto__ ": {"polluted": true}, title: 'a', priority: 'low', urgent: false}`
  ]

  it("change no prototype, neither that of all objects nor that of the value", () => {
    const before = Reflect.ownKeys(Object.prototype)
    for (const text of poisons) {
      for (const parsing of modes) {
        const reading = parse(Ticket, text, parsing)
        if (reading === undefined) continue
        assert.deepStrictEqual(reading.value, { title: "a", priority: "low", urgent: false }, text)
        assert.strictEqual(Object.getPrototypeOf(reading.value), Object.prototype, text)
        assert.isUndefined((reading.value as { readonly polluted?: unknown }).polluted, text)
      }
    }
    assert.deepStrictEqual(Reflect.ownKeys(Object.prototype), before)
    assert.isUndefined(({} as { readonly polluted?: unknown }).polluted)
  })

  it("change no prototype of a record that takes every key", () => {
    const Counts = Schema.Record(Schema.String, Schema.Unknown)
    for (const text of poisons) {
      const reading = parse(Counts, text, "lenient")
      if (reading === undefined) continue
      assert.include([Object.prototype, null], Object.getPrototypeOf(reading.value), text)
      assert.isUndefined((reading.value as { readonly polluted?: unknown }).polluted, text)
    }
  })
})
