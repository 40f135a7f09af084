import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { Note, Step } from "cogito"
import { Spec } from "cogito/spec"

const registry = Spec.registry({
  steps: { count: Step.make("count", { schema: Schema.Finite, run: () => 1 }) },
  functions: { log: () => Effect.void }
})
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

describe("the summary of a conversation", () => {
  const decide = { type: "decide", key: "spam", question: "Is this spam?" }
  const reading = (note: string, more: object = {}) =>
    document(
      sequence("all", [
        { type: "compact", step: decide, ...more },
        { type: "mutate", name: "log", note, update: { function: "log" } }
      ])
    )

  it.effect("is a note that later steps can name, by the key of compact or the usual one", () =>
    Effect.gen(function* () {
      for (const [note, more, isKnown] of [
        ["conversation_summary", {}, true],
        ["so far", { summaryKey: "so far" }, true],
        ["conversation_summary", { summaryKey: "so far" }, false],
        ["so far", {}, false]
      ] as const) {
        const read = yield* Spec.decode(registry, reading(note, more))
        // it is written only when the conversation is long
        const built = yield* Effect.result(Spec.build(registry, read, { reads: [Note.handle(note, Schema.String)] }))
        assert.strictEqual(Result.isSuccess(built), isKnown, note)
        if (Result.isFailure(built))
          assert.include(built.failure.message, `No step of the document writes a note "${note}"`)
      }
    })
  )
})
