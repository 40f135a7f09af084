import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Step } from "cogito"
import { Spec } from "cogito/spec"

const registry = Spec.registry({ steps: { count: Step.make("count", { schema: Schema.Finite, run: () => 1 }) } })
const document = (step: unknown, others: object = {}) => ({ cogito: 1, name: "large", step, ...others })
const sequence = (name: string, steps: ReadonlyArray<unknown>) => ({ type: "sequence", name, overwrite: true, steps })

const uses = (name: string, times: number) => Array.from({ length: times }, () => ({ use: name }))

const problems = (input: unknown) =>
  Effect.map(Effect.flip(Spec.decode(registry, input)), ({ problems }) =>
    problems.map(({ message, path }) => `${path}: ${message}`)
  )

describe("the largest document", () => {
  it.effect("has ten thousand steps, those of definitions once for each use", () =>
    Effect.gen(function* () {
      const definitions = { hundred: sequence("hundred", uses("count", 100)) }
      const all = uses("hundred", 99)
      yield* Spec.decode(registry, document(sequence("all", all), { definitions }))
      assert.deepStrictEqual(yield* problems(document(sequence("all", [...all, { use: "count" }]), { definitions })), [
        "step: This is a pipeline of more than 10000 steps. Use definitions less often."
      ])
    })
  )

  it.effect("has a thousand definitions, and steps a thousand deep", () =>
    Effect.gen(function* () {
      // each before what it uses
      const chain = (length: number, own: (use: object, i: number) => object) =>
        Object.fromEntries(
          Array.from({ length }, (_, i) => [
            `d${i}`,
            own(i === 0 ? { use: "count" } : { use: `d${i - 1}` }, i)
          ]).toReversed()
        )
      const enrich = (step: object, i: number) => ({ type: "enrich", name: `e${i}`, step })
      const flat = (length: number) => document({ use: "d0" }, { definitions: chain(length, () => ({ use: "count" })) })
      yield* Spec.decode(registry, flat(1_000))
      assert.deepStrictEqual(yield* problems(flat(1_001)), [
        "definitions: There are more than 1000 definitions. Split the document."
      ])
      const definitions = chain(999, enrich)
      yield* Spec.decode(registry, document({ use: "d998" }, { definitions }))
      assert.deepStrictEqual(yield* problems(document(enrich({ use: "d998" }, 999), { definitions })), [
        "step: Steps are nested more than 1000 deep here. Make it flatter."
      ])
    })
  )
})
