import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Spec } from "cogito/spec"
import { randomDocument, rewritten } from "./random.ts"
import { every, list, message, registry } from "./types.ts"
import { validate } from "./validate.ts"

const seeds = Array.from({ length: Number(process.env["COGITO_PIPELINE_RUNS"] ?? 100) }, (_, i) => i + 1)
const options = { reads: [message, list] }

/** Checks all seeds; what fails says which seed it was. */
const forAll = (check: (seed: number) => Effect.Effect<void, Spec.SpecError>) =>
  Effect.forEach(
    seeds,
    (seed) => Effect.catch(check(seed), (error) => Effect.die(new Error(`seed ${seed}: ${error.message}`))),
    { discard: true }
  )

describe("any document", () => {
  it.effect("comes back from its pipeline in canonical form, and builds the same again [C696] [C743]", () =>
    forAll((seed) =>
      Effect.gen(function* () {
        const { document, random } = randomDocument(seed)
        const read = yield* Spec.decode(registry, document)
        const step = yield* Spec.build(registry, read, options)
        assert.deepStrictEqual(Spec.encode(step), read, `seed ${seed}`)

        const again = yield* Spec.build(registry, yield* Spec.decode(registry, JSON.stringify(read)), options)
        assert.deepStrictEqual(again.node, step.node, `seed ${seed}`)

        const other = yield* Spec.decode(registry, rewritten(document, random))
        assert.strictEqual(JSON.stringify(other), JSON.stringify(read), `seed ${seed}`)
        assert.deepStrictEqual((yield* Spec.build(registry, other, options)).node, step.node, `seed ${seed}`)
      })
    )
  )

  it.effect("is the same in YAML [C775]", () =>
    forAll((seed) =>
      Effect.gen(function* () {
        const { document } = randomDocument(seed)
        const read = yield* Spec.decode(registry, document)
        assert.deepStrictEqual(yield* Spec.decode(registry, yamlOf(document), { format: "yaml" }), read, `seed ${seed}`)
      })
    )
  )

  it.effect("fits the JSON Schema, as it is written and in canonical form", () => {
    const schemas = [Spec.jsonSchema(), Spec.jsonSchema(registry)]
    return forAll((seed) =>
      Effect.gen(function* () {
        const { document, random } = randomDocument(seed)
        const read = yield* Spec.decode(registry, document)
        for (const schema of schemas) {
          for (const one of [document, read, rewritten(document, random)]) {
            assert.deepStrictEqual(validate(schema, one), [], `seed ${seed}`)
          }
        }
      })
    )
  })
})

describe("Spec.jsonSchema", () => {
  const schema = Spec.jsonSchema(registry)
  const document = (step: unknown, others: object = {}) => ({ cogito: 1, name: "x", step, ...others })

  it("takes every type of node [C692] [C693] [C694]", () => {
    for (const [type, { spec }] of Object.entries(every)) {
      assert.deepStrictEqual(validate(schema, document(spec)), [], type)
      assert.deepStrictEqual(validate(Spec.jsonSchema(), document(spec)), [], type)
    }
  })

  it("refuses what decoding refuses, as far as the form goes", () => {
    const decide = { type: "decide", key: "k", question: "?" }
    const wrong: ReadonlyArray<unknown> = [
      {},
      { ...document(decide), cogito: 2 },
      document(decide, { extra: 1 }),
      document({ ...decide, qestion: "?" }),
      document({ type: "decide", key: "k" }),
      document({ ...decide, type: "decid" }),
      document({ ...decide, repairs: -1 }),
      document({ ...decide, question: { reader: "nobody" } }),
      document({ ...decide, provider: "nobody" }),
      document({ type: "race", name: "r", branches: [] }),
      document({ type: "timeout", name: "t", step: decide, duration: "soon" }),
      document({ type: "retry", name: "r", step: { type: "decide", key: "k" } }),
      document(decide, { definitions: { a: 3 } })
    ]
    for (const one of wrong) assert.isNotEmpty(validate(schema, one), JSON.stringify(one))
  })

  it.effect("refuses, as decoding does, blank texts, durations of nothing, and moments without a zone", () =>
    Effect.gen(function* () {
      const decide = { type: "decide", key: "k", question: "?" }
      const seek = { type: "seek", key: "k", query: "?" }
      const steps = [
        { ...decide, question: "  " },
        { ...decide, key: " " },
        { type: "timeout", name: "t", step: decide, duration: "0 seconds" },
        { type: "timeout", name: "t", step: decide, duration: "0.0 seconds" },
        ...["Jan 5 2026 12:00", "5", "2026-01-31", "2026-01-31T12:00:00"].map((since) => ({ ...seek, since }))
      ]
      for (const step of steps) {
        yield* Effect.flip(Spec.decode(registry, document(step)))
        assert.isNotEmpty(validate(schema, document(step)), JSON.stringify(step))
      }
      const whole = document({ ...seek, since: "2026-01-31T12:00:00.5+02:00" })
      assert.isEmpty(validate(schema, yield* Spec.decode(registry, whole)))
    })
  )

  it("describes every type and every option, with defaults, and names what is registered [C691] [C695]", () => {
    const { $defs } = schema as unknown as {
      readonly $defs: Readonly<
        Record<string, { readonly description?: string; readonly properties?: Readonly<Record<string, any>> }>
      >
    }
    for (const [type, { description, properties = {} }] of Object.entries($defs)) {
      if (type === "step") continue
      assert.isNotEmpty(description ?? "", type)
      for (const [name, option] of Object.entries(properties)) {
        if (name === "type") continue
        const { $ref, description } = option as { readonly $ref?: string; readonly description?: string }
        assert.isNotEmpty(description ?? "", `${type}.${name} ${$ref ?? ""}`)
      }
    }
    assert.strictEqual($defs["retry"]?.properties?.["times"].default, 2)
    assert.include(JSON.stringify($defs["filter"]), '"thoughtId"')
    assert.strictEqual(JSON.stringify(Spec.jsonSchema(registry)), JSON.stringify(schema))
    assert.notInclude(JSON.stringify(Spec.jsonSchema()), '"thoughtId"')
  })
})

/** Plain YAML in block style. */
const yamlOf = (value: unknown, indent = ""): string => {
  if (Array.isArray(value)) {
    if (value.length === 0) return " []\n"
    return `\n${value.map((inner) => `${indent}-${yamlOf(inner, `${indent}  `)}`).join("")}`
  }
  if (typeof value !== "object" || value === null) return ` ${JSON.stringify(value)}\n`
  const entries = Object.entries(value)
  if (entries.length === 0) return " {}\n"
  return `\n${entries.map(([name, inner]) => `${indent}${JSON.stringify(name)}:${yamlOf(inner, `${indent}  `)}`).join("")}`
}
