/** Schemas and values of them, drawn by chance, with names and texts that a parser of answers may stumble over. */
import { Arbitrary, Effect, Schema } from "effect"

/** Draws by a seed (mulberry32): numbers from 0 to below 1, and elements of what is given. */
export interface Chance {
  readonly next: () => number
  readonly below: (limit: number) => number
  readonly one: <A>(all: ReadonlyArray<A>) => A
}

export const chance = (seed: number): Chance => {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  const one = <A>(all: ReadonlyArray<A>): A => {
    if (all.length === 0) throw new Error("There is nothing to draw from")
    return all[below(all.length)] as A
  }
  return { next, below, one }
}

/** Texts that look like what a parser repairs, and are what they are. */
export const traps = [
  "```json\n{}\n```",
  "```",
  "<think>",
  "</think>",
  "&quot;a&quot;",
  "True",
  "None",
  "NaN",
  "yes",
  "42",
  "1,234",
  "“a”",
  "{'a': 1}",
  '{"a": 1}',
  '"quoted"',
  "it's",
  "// no comment",
  "/* none */",
  "# heading",
  "- item",
  "key: value",
  "a, b, c",
  "[1, 2",
  "}}",
  "\\",
  "\\n",
  "\u200b",
  "\ufeffx",
  " spaces ",
  "...",
  "__proto__"
]

const keyNames = [
  ["title", "tags", "notes"],
  ["result", "value", "answer"],
  ["first_name", "firstName", "First Name"],
  ["name", "arguments", "type"],
  ["constructor", "toString", "hasOwnProperty"],
  ["data", "items", "error"],
  ["a", "A", "ä"]
]

type Any = Schema.Codec<any, any>

const leaf = ({ one }: Chance): Any =>
  one<() => Any>([
    () => Schema.String,
    () => Schema.Literals(traps),
    () => Schema.Finite,
    () => Schema.Int,
    () => Schema.Boolean,
    () => Schema.NullOr(Schema.String),
    () => Schema.Literals(["low", "high", "HIGH"]),
    () => Schema.DateTimeUtcFromString,
    () => Schema.Union([Schema.String, Schema.Finite, Schema.Boolean])
  ])()

const struct = (chance: Chance, depth: number): Any =>
  Schema.Struct(
    Object.fromEntries(
      chance.one(keyNames).map((key) => {
        const field = drawn(chance, depth - 1)
        // Effect takes what every object inherits for an optional key that is there.
        return [key, chance.below(4) === 0 && !(key in {}) ? Schema.optionalKey(field) : field]
      })
    )
  )

const tagged = (chance: Chance, depth: number): Any =>
  Schema.Union(
    ["first", "second"].map((type) =>
      Schema.Struct({ type: Schema.Literal(type), value: drawn(chance, depth - 1), note: Schema.String })
    )
  )

const drawn = (chance: Chance, depth: number): Any =>
  depth === 0
    ? leaf(chance)
    : chance.one<() => Any>([
        () => leaf(chance),
        () => Schema.Array(drawn(chance, depth - 1)),
        () => struct(chance, depth),
        () => struct(chance, depth),
        () => tagged(chance, depth),
        () => Schema.Record(Schema.String, drawn(chance, depth - 1)),
        () => Schema.Tuple([drawn(chance, depth - 1), leaf(chance)])
      ])()

/** A schema of any kind; of an object or a list only where that is asked for. */
export const drawSchema = (chance: Chance, { composite = false } = {}): Any =>
  composite
    ? chance.one([struct, tagged, () => Schema.Array(drawn(chance, 2))])(chance, 3)
    : drawn(chance, chance.below(4))

/**
 * What JSON keeps of a value, which has no zero below zero. JSON.parse could tell, but for a defect of V8 14.6: after
 * `{"a":1,"\\":2}` it reads `{"a":1,"\u0041":3}` with a backslash for its second key.
 */
const kept = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(kept)
  if (typeof value !== "object" || value === null) return value === 0 ? 0 : value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, kept(inner)]))
}

/** Values of a schema, as the JSON that they are written as. */
export const drawValues = (schema: Any, { count, seed }: { readonly count: number; readonly seed: number }) => {
  const values = Effect.runSync(Arbitrary.sampleEffect(Arbitrary.schema(schema), { count, seed }))
  const encode = Schema.encodeUnknownSync(Schema.toCodecJson(schema))
  return values.map((value) => kept(encode(value)))
}
