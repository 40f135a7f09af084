import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { createHash } from "node:crypto"
import { scope } from "arktype"
import { z } from "zod"
import { Note, Pipeline, Primitive, Step } from "cogito"
import { Agent } from "cogito/agent"
import { makeStep } from "../../src/step/runtime/make.ts"
import { Process } from "../durable/process.ts"
import { connectors } from "../durable/scenarios/connectors.ts"
import type { Inside } from "../durable/scenarios/parts.ts"
import { World } from "../durable/world.ts"
import { triage } from "./triage.ts"

const ask = (options: Primitive.Options & { readonly question?: string } = {}) =>
  Primitive.decide("go", { question: "Go on?", ...options })

const node: Step.Node = { name: "a", kind: "k", reads: ["r"], writes: ["w"], surely: ["w"], children: [] }
const of = (given: Partial<Step.Node>) => Pipeline.fingerprint(makeStep({ ...node, ...given }, Effect.succeed))

describe("a fingerprint", () => {
  it.effect("is the SHA-256 of the outline as JSON with sorted keys, the same in every process", () =>
    Effect.gen(function* () {
      const canonical =
        '{"asks":"Go on?","children":[],"introspects":"default","kind":"decide","name":"go","reads":[],' +
        '"settings":{"repairs":0,"sampling.seed":1},"surely":["go"],"writes":["go"]}'
      const hash = createHash("sha256").update(canonical).digest("hex")
      assert.strictEqual(yield* Pipeline.fingerprint(ask({ repairs: 0, sampling: { seed: 1 } })), hash)
      assert.match(yield* Pipeline.fingerprint(triage), /^[0-9a-f]{64}$/)
    })
  )

  it.effect("does not change with the order of options or fields, nor with options equal to their defaults", () =>
    Effect.gen(function* () {
      const one = yield* Pipeline.fingerprint(ask({ repairs: 0, via: "text" }))
      assert.strictEqual(yield* Pipeline.fingerprint(ask({ via: "text", repairs: 0, reasons: false })), one)
      const { children, kind, name, reads, surely, writes } = node
      const turned = makeStep({ writes, surely, reads, name, kind, children }, Effect.succeed)
      assert.strictEqual(yield* Pipeline.fingerprint(turned), yield* of({}))
      assert.strictEqual(yield* of({ settings: { a: 1, b: 2 } }), yield* of({ settings: { b: 2, a: 1 } }))
    })
  )

  it.effect("changes with the schema that a step was given, and not with an equal one", () =>
    Effect.gen(function* () {
      const id = () => Schema.Struct({ id: Schema.String })
      const number = Schema.Struct({ number: Schema.Finite })
      const makers: ReadonlyArray<(schema: Note.AnySchema<any>) => Step.Any> = [
        (schema) => Primitive.analyze("a", { schema, prompt: "Extract it" }),
        (schema) => Primitive.make("a", { kind: "own", schema, instructions: "Answer.", question: "Which?" }),
        (schema) => Step.make("a", { schema, run: () => ({}) }),
        (schema) => Pipeline.waitFor("a", { schema, prompt: "Which?" }),
        (output) => Agent.make("a", { instructions: "You look.", toolkit: Toolkit.empty, output })
      ]
      for (const make of makers) {
        const [one, same, other, zod] = yield* Effect.forEach(
          [id(), id(), number, z.object({ number: z.number() })],
          (schema) => Pipeline.fingerprint(make(schema))
        )
        assert.strictEqual(one, same)
        assert.notStrictEqual(one, other)
        assert.notStrictEqual(one, zod)
      }
    })
  )

  it.effect("is equal for equal recursive schemas of each library", () =>
    Effect.gen(function* () {
      const ark = () =>
        scope({ node: { name: "string", parts: "node[]" }, other: { of: "node", "next?": "other" } }).export().other
      const zod = () => {
        const Node = z.object({
          name: z.string(),
          get parts(): z.ZodArray<z.ZodType> {
            return z.array(Node as z.ZodType)
          }
        })
        return Node
      }
      const makers: ReadonlyArray<() => Note.AnySchema<any>> = [ark, zod]
      for (const make of makers) {
        const [one, same] = yield* Effect.forEach([make(), make()], (schema) =>
          Pipeline.fingerprint(Primitive.analyze("a", { schema, prompt: "Extract it" }))
        )
        assert.strictEqual(one, same)
      }
    })
  )

  const inside: Inside = { process: new Process("none"), world: new World(), name: "it" }
  const around: Readonly<Record<string, (step: Step.Any) => Step.Any>> = {
    ...Object.fromEntries(
      Object.entries(connectors).flatMap(([name, connect]) => [
        [name, (step: Step.Any) => connect(step, inside)],
        [`${name} twice`, (step: Step.Any) => connect(connect(step, inside), { ...inside, name: "outer" })]
      ])
    ),
    "concurrent with names of branches": (step) =>
      Pipeline.concurrent("it", { one: step, other: ask() }, { conflicts: "namespace" }),
    "the first of a fallback": (step) => Pipeline.fallback("it", [step, ask()]),
    "a fallback that judges": (step) => Pipeline.fallback("it", [step, ask()], { accept: () => true }),
    "a step of an introspected one": (step) => Pipeline.introspect(Pipeline.sequence("it", [step, ask()])),
    "an agent's tool": (step) => {
      const looking = Pipeline.sequence("looking", [step])
      const answer = Note.handle("inner", Schema.String)
      const { tool } = Agent.asTool("look", looking as Step.Step<{}, { readonly inner: string }>, {
        description: "Looks.",
        parameters: Schema.Struct({}),
        answer
      })
      return Agent.make("it", { instructions: "You look.", toolkit: Toolkit.make(tool) })
    }
  }

  it.effect.each(Object.keys(around))("changes with the schema of a step within %s", (name) =>
    Effect.gen(function* () {
      const of = (schema: Note.AnySchema<any>) =>
        Pipeline.fingerprint(around[name]!(Primitive.analyze("inner", { schema, prompt: "Extract it" })))
      assert.notStrictEqual(
        yield* of(Schema.Struct({ id: Schema.String })),
        yield* of(Schema.Struct({ id: Schema.Int }))
      )
    })
  )

  it.effect("does not see functions or readers", () =>
    Effect.gen(function* () {
      const made = (run: (text: string) => number) =>
        Step.make("n", { schema: Schema.Finite, run: Note.from(Note.handle("m", Schema.String), run) })
      const [one, two] = yield* Effect.all([
        Pipeline.fingerprint(made((text) => text.length)),
        Pipeline.fingerprint(made(() => 0))
      ])
      assert.strictEqual(one, two)
    })
  )

  const child = { ...node, name: "child" }
  const changes: ReadonlyArray<readonly [string, Partial<Step.Node>]> = [
    ["name", { name: "b" }],
    ["kind", { kind: "l" }],
    ["what is read", { reads: ["r", "s"] }],
    ["what is written", { writes: ["w", "v"] }],
    ["what is surely written", { surely: [] }],
    ["what is updated", { updates: ["w"] }],
    ["a setting", { settings: { times: 2 } }],
    ["the value of a setting", { settings: { times: 3 } }],
    ["the type of a setting", { settings: { times: "3" } }],
    ["a number that JSON does not have", { settings: { times: Infinity } }],
    ["another number that JSON does not have", { settings: { times: NaN } }],
    ["the question", { asks: "?" }],
    ["looking back", { introspects: "default" }],
    ["a child", { children: [child] }],
    ["two children", { children: [child, { ...child, name: "other" }] }],
    ["the order of children", { children: [{ ...child, name: "other" }, child] }],
    ["a child of the child", { children: [{ ...child, children: [{ ...child, name: "other" }] }] }]
  ]
  it.effect("changes with everything else", () =>
    Effect.gen(function* () {
      const hashes = yield* Effect.forEach([{}, ...changes.map(([, given]) => given)], of)
      const clash = hashes.findIndex((hash, i) => hashes.indexOf(hash) !== i)
      assert.strictEqual(clash, -1, clash === -1 ? "" : changes[clash - 1]?.[0])
    })
  )

  it.effect("has no limit of depth or width", () =>
    Effect.gen(function* () {
      const wide = Array.from({ length: 10_000 }, (_, i) => Step.make(`step ${i}`, { run: () => 1 }))
      let step: Step.Any = Pipeline.sequence("all", wide)
      for (let i = 0; i < 5_000; i++)
        step = makeStep({ ...node, name: `level ${i}`, children: [step.node] }, Effect.succeed)
      assert.match(yield* Pipeline.fingerprint(step), /^[0-9a-f]{64}$/)
    })
  )
})
