import { assert, describe, it } from "@effect/vitest"
import { toStandardJsonSchema } from "@valibot/to-json-schema"
import { type } from "arktype"
import { Note, Synapse, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { Effect } from "effect"
import * as v from "valibot"
import { z } from "zod"

// The words of another library name what they received, and its paths have the keys of records: both are text of a note.

const canary = "CANARY-7193"

const even = (value: string): string => `${value} is not in the list`

const Tree = z.object({
  n: z.number(),
  get parts() {
    return z.array(Tree).optional()
  }
})

/** Each with the kind of fault that its library reports with the value, by the name of the fault. */
const schemas: Readonly<Record<string, readonly [schema: Note.AnySchema<any>, content: unknown, path: string]>> = {
  "Zod: a literal": [z.object({ name: z.literal("a") }), { name: canary }, `["name"]`],
  "Zod: a message of one's own": [
    z.object({ name: z.string().refine((name) => name === "a", { error: ({ input }) => even(String(input)) }) }),
    { name: canary },
    `["name"]`
  ],
  "Zod: a key too many": [z.strictObject({ name: z.string() }), { name: "a", [canary]: 1 }, `["note"]`],
  "Zod: a key of a record": [
    z.object({ by: z.record(z.string(), z.number()) }),
    { by: { [canary]: canary } },
    `["by"]["*"]`
  ],
  "Zod: below a key of a record": [
    z.object({ by: z.record(z.string(), z.array(z.object({ n: z.number() }))) }),
    { by: { [canary]: [{ n: 1 }, { n: canary }] } },
    `["by"]["*"][1]["n"]`
  ],
  "Zod: within a tuple and what follows it": [
    z.object({ pair: z.tuple([z.object({ n: z.number() })], z.object({ m: z.number() })) }),
    { pair: [{ n: 1 }, { m: canary }] },
    `["pair"][1]["m"]`
  ],
  "Zod: within a tuple": [
    z.object({ pair: z.tuple([z.object({ n: z.number() })]) }),
    { pair: [{ n: canary }] },
    `["pair"][0]["n"]`
  ],
  "Zod: within a schema that contains itself": [
    Tree,
    { n: 1, parts: [{ n: 2, parts: [{ n: canary }] }] },
    `["parts"][0]["parts"][0]["n"]`
  ],
  "ArkType: a literal": [type({ name: "'a'" }), { name: canary }, `["name"]`],
  "ArkType: a key of a record": [type({ by: { "[string]": "number" } }), { by: { [canary]: canary } }, `["by"]["*"]`],
  "Valibot: a literal": [toStandardJsonSchema(v.object({ name: v.literal("a") })), { name: canary }, `["name"]`],
  "Valibot: a message of one's own": [
    toStandardJsonSchema(v.object({ name: v.picklist(["a"], ({ received }) => even(received)) })),
    { name: canary },
    `["name"]`
  ],
  "Valibot: a key of a record": [
    toStandardJsonSchema(v.object({ by: v.record(v.string(), v.number()) })),
    { by: { [canary]: canary } },
    `["by"]["*"]`
  ]
}

describe("a note that does not fit the schema of another library", () => {
  for (const [name, [schema, content, path]] of Object.entries(schemas)) {
    it.effect(`is reported with its place and without its text: ${name}`, () =>
      Effect.gen(function* () {
        const thought = yield* Thought.make("t", { note: JSON.stringify(content) })
        const error = yield* Effect.flip(Thought.read(thought, Note.handle("note", schema)))
        const shown = `${error.message}\n${JSON.stringify(error)}\n${String(error)}`
        assert.notInclude(shown, canary)
        assert.include(error.message, "Expected a value that the schema accepts")
        assert.include(error.message, path)
      })
    )
  }

  it.effect("is reported at each of its places", () =>
    Effect.gen(function* () {
      const schema = z.object({ name: z.literal("a"), by: z.record(z.string(), z.number()), even: z.number() })
      const content = { name: canary, by: { [canary]: canary }, even: canary }
      const thought = yield* Thought.make("t", { note: JSON.stringify(content) })
      const error = yield* Effect.flip(Thought.read(thought, Note.handle("note", schema)))
      const places = [`["name"]`, `["by"]["*"]`, `["even"]`].map(
        (path) => `Expected a value that the schema accepts\n  at ["note"]${path}`
      )
      assert.include(error.message, places.join("\n"))
      assert.notInclude(`${error.message}\n${JSON.stringify(error)}`, canary)
    })
  )

  it.effect("is reported in the library's words to the model whose answer it is", () =>
    Effect.gen(function* () {
      const schema = z.object({ by: z.record(z.string(), z.number("must be even")) })
      const provider = Testing.scripted([{ by: { x: "y" } }, { by: { x: 2 } }])
      const extract = Synapse.extract(schema, { prompt: "Extract it", parsing: "strict" })
      assert.deepStrictEqual(yield* Effect.provide(extract("text"), provider.layer), { by: { x: 2 } })
      assert.include(JSON.stringify(provider.requests[1]?.messages), "must be even")
    })
  )
})
