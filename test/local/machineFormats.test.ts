import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { formattedOf } from "../../src/local/fields/formatted.ts"
import { fill } from "../../src/local/fill.ts"
import { mindOf } from "./mind.ts"

// Formats of texts that machines write, in which many a plain word could be written, too.

const field = { path: "value", words: "value" }
const passageOf = (text: string) => ({ text, sentences: [text] })
const plain =
  "Hello, this customer was charged 49.90 EUR twice at a facade cafe in 2026, as added by dad. #1 Self-service_99"

const rows: ReadonlyArray<readonly [format: string, text: string, found: ReadonlyArray<string>]> = [
  ["base64", "The data is aGVsbG8=, not ab=.", ["aGVsbG8="]],
  ["base64", "The key (aGVsbG8tV29ybGQ1) is new.", ["aGVsbG8tV29ybGQ1"]],
  ["base64url", "The key aGVsbG8tV29y_GQ1 is new.", ["aGVsbG8tV29y_GQ1"]],
  ["jwt", "Use eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-1.", ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-1"]],
  ["cuid", "The row cjld2cjxh0000qzrmn831i7rn is gone.", ["cjld2cjxh0000qzrmn831i7rn"]],
  ["cuid2", "The row tz4a98xxat96iws9zmbrgj3a is gone.", ["tz4a98xxat96iws9zmbrgj3a"]],
  ["nanoid", "The row V1StGXR8_Z5jdHi6B-myT is gone.", ["V1StGXR8_Z5jdHi6B-myT"]],
  ["ulid", "The row 01ARZ3NDEKTSV4RRFFQ69G5FAV is gone.", ["01ARZ3NDEKTSV4RRFFQ69G5FAV"]],
  ["xid", "The row 9m4e2mr0ui3e8a215n4g is gone.", ["9m4e2mr0ui3e8a215n4g"]],
  ["ksuid", "The row 0ujtsYcgvSTl8PAuAdqWYSMnLOv is gone.", ["0ujtsYcgvSTl8PAuAdqWYSMnLOv"]],
  ["hex", "The commit deadbeef01 is bad.", ["deadbeef01"]],
  ["ipv4", "Ping 10.0.0.7.", ["10.0.0.7"]],
  ["ipv6", "Ping 2001:db8::1 at 10:30.", ["2001:db8::1"]],
  ["cidrv4", "In 10.0.0.0/8 it works.", ["10.0.0.0/8"]],
  ["cidrv6", "In 2001:db8::/32 it works.", ["2001:db8::/32"]],
  ["mac", "The card 00:1A:2B:3C:4D:5E is off.", ["00:1A:2B:3C:4D:5E"]],
  ["emoji", "Great 🎉! 20 of them.", ["🎉"]],
  ["hostname", "Ping db-1.example.com now.", ["db-1.example.com"]],
  ["e164", "Call +442079460958.", ["+442079460958"]],
  ["e164", "Call +44 20 7946 0958 or 555-1234.", ["+442079460958"]]
]

describe("a text of a format that machines write", () => {
  it.effect.each(rows)("is found by its form: %s, %s", ([format, text, expected]) =>
    Effect.gen(function* () {
      const found = yield* formattedOf(mindOf(), field, passageOf(text), format, "passage")
      assert.deepStrictEqual(
        found?.flatMap(({ spellings }) => spellings),
        [...expected]
      )
      for (const one of found ?? []) assert.strictEqual(text.slice(one.start, one.start + one.text.length), one.text)
    })
  )

  it.effect.each([...new Set(rows.map(([format]) => format))])("is no plain word: %s", (format) =>
    Effect.gen(function* () {
      const filled = (value: object, required: ReadonlyArray<string> = ["value"]) =>
        fill({
          mind: mindOf(),
          root: { type: "object", properties: { value }, required },
          instruction: "Take it.",
          passage: passageOf(plain),
          known: () => Option.none()
        })
      assert.deepStrictEqual(yield* filled({ type: ["string", "null"], format }), { value: null })
      assert.deepStrictEqual(yield* filled({ type: "string", format }, []), {})
      assert.deepStrictEqual(yield* filled({ type: "array", items: { type: "string", format } }), { value: [] })
      assert.strictEqual((yield* Effect.flip(filled({ type: "string", format }))).path, "value")
    })
  )
})
