/** Fields that a stream shows as done keep their value until the end, or the stream says to forget them. */
import { assert, describe, it } from "@effect/vitest"
import { Pipeline, Primitive, Synapse, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { Effect, Equal, Exit, Layer, Schema, Stream } from "effect"
import { damagedAnswers } from "../corpus/damage.ts"
import { chance, drawSchema, drawValues } from "../corpus/generated.ts"

const values = Number(process.env["COGITO_PARSE_VALUES"] ?? 2000)
type Any = Schema.Codec<any, any>

/** All parts of the streamed answer, a character at a time. */
const partsOf = (schema: Any, text: string, parsing: Synapse.Parsing) =>
  Effect.gen(function* () {
    const extract = Synapse.extract(schema, { prompt: "Extract it", repairs: 0, parsing })
    const model = Testing.scripted([text], { pieceLength: 1 })
    const parts: Array<Synapse.Part<unknown>> = []
    const told = Synapse.stream(extract, "some text").pipe(
      Stream.runForEach((part) => Effect.sync(() => void parts.push(part))),
      Effect.provide(model.layer)
    )
    const exit = yield* Effect.exit(told)
    return { parts, failed: Exit.isFailure(exit) }
  })

const isObject = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The values that are shown as done, by where they are. */
const doneIn = (shown: unknown, path: string, found: Map<string, unknown>): Map<string, unknown> => {
  if (!isObject(shown)) return found
  if (shown["state"] === "done" && "value" in shown) found.set(path, shown["value"])
  else if (shown["state"] === "partial") doneIn(shown["value"], path, found)
  else for (const [key, inner] of Object.entries(shown)) doneIn(inner, `${path}/${key}`, found)
  return found
}

/** What is shown as done and later as another value, or as none. */
const changesIn = (parts: ReadonlyArray<Synapse.Part<unknown>>): ReadonlyArray<string> => {
  const changes: Array<string> = []
  let done = new Map<string, unknown>()
  for (const part of parts) {
    if (part._tag === "Discarded") done = new Map()
    if (part._tag === "Done") {
      for (const [path, value] of done) {
        const last = path
          .split("/")
          .slice(1)
          .reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), part.value)
        if (!Equal.equals(last, value)) changes.push(`${path} in the end`)
      }
    }
    if (part._tag !== "Partial") continue
    const now = doneIn(part.partial, "", new Map())
    for (const [path, value] of done) {
      const isInside = [...now.keys()].some((outer) => path.startsWith(`${outer}/`) || outer === "")
      if (now.has(path) ? !Equal.equals(now.get(path), value) : !isInside) changes.push(path)
    }
    for (const [path, value] of now) done.set(path, value)
  }
  return changes
}

const valid = function* (total: number, seed: number) {
  for (let made = 0; made < total; made += 10) {
    const schema = drawSchema(chance(seed + made), { composite: true })
    for (const encoded of drawValues(schema, { count: Math.min(10, total - made), seed: seed + made })) {
      yield { schema, text: JSON.stringify(encoded) }
    }
  }
}

describe("a field that a stream shows as done", () => {
  const expectSame = (answers: Iterable<{ readonly schema: Any; readonly text: string }>, isValid = false) =>
    Effect.gen(function* () {
      let shown = 0
      for (const { schema, text } of answers) {
        const { parts } = yield* partsOf(schema, text, "lossy")
        if (parts.some((part) => part._tag === "Partial")) shown++
        if (isValid)
          assert.isFalse(
            parts.some((part) => part._tag === "Discarded"),
            text
          )
        assert.deepStrictEqual(changesIn(parts), [], text)
      }
      return shown
    })

  it.effect("has that value in the end, in valid answers", () =>
    Effect.gen(function* () {
      assert.isAbove(yield* expectSame(valid(values / 20, 21_000_000), true), values / 25)
    })
  )

  it.effect("has that value in the end, or is discarded, in answers with wrong marks", () =>
    Effect.gen(function* () {
      assert.isAbove(yield* expectSame(damagedAnswers(values / 20, 1, 22_000_000)), values / 40)
      yield* expectSame(damagedAnswers(values / 20, 2, 23_000_000))
    })
  )

  const Person = Schema.Struct({ name: Schema.String, age: Schema.optionalKey(Schema.Int) })
  const Counts = Schema.Record(Schema.String, Schema.Int)
  const Team = Schema.Struct({ lead: Person, size: Schema.Int })

  it.effect.each([
    ["two answers of which the last counts", Person, '{"name": "Ada"} Correction: {"name": "Bo"}', { name: "Bo" }],
    ["two records of which the last counts", Counts, '{"a": 1} Correction: {"a": 2}', { a: 2 }],
    ["a key twice", Person, '{"name": "Ada", "name": "Bo"}', { name: "Bo" }],
    ["a quote that is missing", Person, '{"name": "Ada, "age": 36}', { name: "Ada", age: 36 }],
    [
      "a key twice inside",
      Team,
      '{"lead": {"name": "Ada", "name": "Bo"}, "size": 2}',
      { lead: { name: "Bo" }, size: 2 }
    ]
  ] as const)("is discarded before another value is shown: %s", ([, schema, text, value]) =>
    Effect.gen(function* () {
      const { parts } = yield* partsOf(schema as Any, text, "lenient")
      assert.deepStrictEqual(
        parts.filter((part) => part._tag !== "Text" && part._tag !== "Partial").map(({ _tag }) => _tag),
        ["Discarded", "Done"]
      )
      assert.deepStrictEqual(parts.at(-1), { _tag: "Done", value })
      assert.deepStrictEqual(changesIn(parts), [])
    })
  )

  it.effect("is discarded before another value is shown in the stream of a pipeline", () =>
    Effect.gen(function* () {
      const model = Testing.scripted(['{"name": "Ada", "name": "Bo"}'], { pieceLength: 1 })
      const step = Primitive.analyze("person", { schema: Person, prompt: "Extract the person" })
      const thought = yield* Thought.make("mail", { message: "…" }).pipe(Effect.provide(Testing.memory))
      const events = yield* Pipeline.stream(step, thought).pipe(
        Stream.runCollect,
        Effect.provide(Layer.merge(model.layer, Testing.memory))
      )
      const shown = events.flatMap((event): ReadonlyArray<unknown> =>
        event._tag === "Discarded" ? ["Discarded"] : event._tag === "Partial" ? [event.partial.name] : []
      )
      assert.deepStrictEqual(shown.slice(-3), [
        { state: "done", value: "Ada" },
        "Discarded",
        { state: "done", value: "Bo" }
      ])
    })
  )

  it.effect("is not discarded where the answer is mended elsewhere", () =>
    Effect.gen(function* () {
      const { parts } = yield* partsOf(Person, '{"name": "Ada", "age": "36",}', "lenient")
      assert.isFalse(parts.some((part) => part._tag === "Discarded"))
      assert.deepStrictEqual(parts.at(-1), { _tag: "Done", value: { name: "Ada", age: 36 } })
    })
  )

  it.effect("is not what stands under `value` behind another key", () =>
    Effect.gen(function* () {
      const { parts } = yield* partsOf(Schema.Array(Schema.String), '{"items": ["x"], "value": ["y"]}', "lenient")
      const shown = parts.flatMap((part) => (part._tag === "Partial" ? [part.partial] : []))
      assert.isFalse(shown.slice(0, -1).some((partial) => JSON.stringify(partial).includes('"y"')))
    })
  )
})
