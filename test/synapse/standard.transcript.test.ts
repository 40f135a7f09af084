import { it } from "@effect/vitest"
import { toStandardJsonSchema } from "@valibot/to-json-schema"
import { type } from "arktype"
import { Effect } from "effect"
import * as v from "valibot"
import { z } from "zod"
import { transcribe } from "../transcript.ts"
import { form } from "./form.ts"

interface Tree {
  readonly name: string
  readonly parts: ReadonlyArray<Tree>
}
const ZodTree = z.object({
  name: z.string(),
  get parts(): z.ZodArray<z.ZodType<Tree>> {
    return z.array(ZodTree as z.ZodType<Tree>)
  }
})

const standard =
  (more: object, validate: (value: unknown) => unknown = (value) => ({ value })) =>
  () =>
    ({
      "~standard": {
        version: 1,
        vendor: "own",
        validate,
        jsonSchema: { input: () => ({ type: "object", ...more }), output: () => ({ type: "object", ...more }) }
      }
    }) as never

it.effect("the schemas of other libraries that models receive, and the results of their answers", () =>
  transcribe("standard", {
    "A schema of Zod": form(
      () =>
        z.object({
          name: z.string().min(3).describe("Full name"),
          age: z.int().max(150).optional(),
          role: z.enum(["admin", "guest"]).default("guest"),
          since: z.iso.date().transform((text) => new Date(text)),
          mail: z.email(),
          code: z.string().regex(/^\d+$/),
          either: z.union([z.string(), z.number()]),
          none: z.null().or(z.boolean()),
          open: z.record(z.string(), z.int()),
          pair: z.tuple([z.string(), z.int()])
        }),
      {
        name: "Adam",
        since: "2026-01-02",
        mail: "a@b.de",
        code: "12",
        either: 4,
        none: null,
        open: { b: 1 },
        pair: ["p", 2]
      },
      {
        name: "Al",
        age: 151,
        role: "boss",
        since: "now",
        mail: "x",
        code: "y",
        either: true,
        open: { b: "c" },
        pair: [1]
      }
    ),
    "A tree, a plain value and a refined object of Zod": Effect.all([
      form(() => ZodTree, { name: "a", parts: [{ name: "b", parts: [] }] }, { name: "a", parts: [{}] }),
      form(() => z.string().min(2), { value: "ab" }, { value: "a" }),
      form(() => z.string().transform(Number), { value: "12" }),
      form(
        () => z.object({ a: z.int(), b: z.int() }).refine(({ a, b }) => a < b, { message: "a before b", path: ["b"] }),
        { a: 1, b: 2 },
        { a: 2, b: 1 }
      ),
      form(() => z.looseObject({ a: z.int() }), { a: 1, more: 2 }),
      form(() => z.object({ a: z.int() }).and(z.object({ b: z.string() })), { a: 1, b: "x" })
    ]),
    "What Zod has no form for, and what it validates later": Effect.all([
      form(() => z.object({ a: z.bigint() })),
      form(() => z.string().refine(async () => true)),
      form(() => z.object({ a: z.string().refine(async () => true) }), { a: "x" }),
      form(
        () =>
          z.string().refine(() => {
            throw new Error("secret")
          }),
        { value: "x" }
      )
    ]),
    "A schema of ArkType": form(
      () => type({ name: "string > 2", "age?": "number.integer < 150", kind: "'a' | 'b'", list: "string[]" }),
      { name: "Ada", kind: "b", list: ["z", "y"] },
      { name: "A", age: 151, kind: "c", list: [1] }
    ),
    "A schema of Valibot": Effect.all([
      form(
        () =>
          toStandardJsonSchema(
            v.object({
              name: v.pipe(v.string(), v.minLength(2)),
              size: v.optional(v.number()),
              kind: v.picklist(["x", "y"])
            })
          ),
        { name: "Ada", kind: "y" },
        { name: "A", size: "2", kind: "z" }
      ),
      form(() => v.object({ name: v.string() }) as never)
    ]),
    "Schemas of a library of one's own": Effect.all([
      form(standard({ properties: { a: { type: "string" } } }), { a: "x" }),
      form(standard({ properties: { a: { $ref: "#" }, b: { oneOf: [{ type: "string" }, { type: "integer" }] } } }), {
        a: { b: "c" }
      }),
      form(standard({ properties: { a: { type: "string", pattern: "(?<x" } } }), { a: "x" }),
      form(standard({ properties: { a: {} }, additionalProperties: true }), { a: 1, b: 2 }),
      form(
        standard({ properties: { a: {} } }, () => ({
          issues: [{ message: "wrong", path: [{ key: "a" }, 1] }, { message: "also" }]
        })),
        { a: 1 }
      ),
      form(
        standard({ properties: { a: {} } }, () => ({ issues: [] })),
        { a: 1 }
      ),
      form(
        standard({ properties: { a: {} } }, () => {
          throw new Error("a secret")
        }),
        { a: 1 }
      ),
      form(
        standard({ properties: { a: {} } }, () => Promise.resolve({ value: 1 })),
        { a: 1 }
      )
    ]),
    "What is no schema": Effect.forEach(
      [undefined, null, 3, "text", [], {}, () => 1, { "~standard": { validate: () => ({}), vendor: "some" } }],
      (schema) => form(() => schema as never)
    )
  })
)
