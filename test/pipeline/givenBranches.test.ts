import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Pipeline, Primitive, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"

// What a caller does with a list or a record of branches after it is given away, and branches that a setting leaves out.

const write = <const K extends string>(key: K) => Step.make(key, { schema: Schema.String, run: () => key })

const keysOf = (step: Step.Any) =>
  Effect.gen(function* () {
    const thought = yield* Thought.make("run")
    const done = yield* Pipeline.run(step as Step.Step<{}, {}>, thought)
    return Thought.notes(done).map(({ key }) => key)
  }).pipe(Effect.provide([Testing.memory, Testing.scripted(() => "synthesis").layer]))

type Given = ReadonlyArray<Step.Any> | Readonly<Record<string, Step.Any>>

const connectors: Readonly<Record<string, (branches: Given) => Step.Any>> = {
  concurrent: (branches) => Pipeline.concurrent("all", branches),
  race: (branches) => Pipeline.race("all", branches),
  contest: (branches) => Pipeline.contest("all", branches, { accept: () => true }),
  converge: (branches) => Primitive.converge("all", { branches, prompt: "Sum up" })
}
const ofLists: Readonly<Record<string, (branches: ReadonlyArray<Step.Any>) => Step.Any>> = {
  ...connectors,
  fallback: (branches) => Pipeline.fallback("all", branches),
  sequence: (branches) => Pipeline.sequence("all", branches)
}

describe("a list of branches that its owner changes later", () => {
  it.effect.each(Object.keys(ofLists))("does not change what %s runs", (name) =>
    Effect.gen(function* () {
      const make = ofLists[name]!
      const list: Array<Step.Any> = [write("a"), write("b")]
      const before = yield* keysOf(make([...list]))
      const step = make(list)
      list.splice(0, 2, write("late"))
      assert.deepStrictEqual(yield* keysOf(step), before)
    })
  )
})

describe("a record of branches that its owner changes later", () => {
  it.effect.each(Object.keys(connectors))("does not change what %s runs", (name) =>
    Effect.gen(function* () {
      const make = connectors[name]!
      const record: Record<string, Step.Any> = { a: write("a"), b: write("b") }
      const before = yield* keysOf(make({ ...record }))
      const step = make(record)
      delete record["a"]
      record["late"] = write("late")
      assert.deepStrictEqual(yield* keysOf(step), before)
    })
  )
})

describe("a branch that a setting leaves out", () => {
  const branches = (more: boolean) => ({ tone: write("tone"), ...(more ? { facts: write("facts") } : {}) })

  it.effect.each([
    { more: true, keys: ["tone", "facts"] },
    { more: false, keys: ["tone"] }
  ])("has its note only with the setting: $more", ({ keys, more }) =>
    Effect.gen(function* () {
      const done = yield* Pipeline.run(Pipeline.concurrent("look", branches(more)), yield* Thought.make("run"))
      assert.deepStrictEqual(
        Thought.notes(done).map(({ key }) => key),
        keys
      )
      const facts: string | undefined = done.get("facts")
      assert.strictEqual(facts, more ? "facts" : undefined)
    }).pipe(Effect.provide(Testing.memory))
  )

  it("is refused by name if its key is there without a step", () => {
    const some: Readonly<Record<string, Step.Any | undefined>> = { tone: write("tone"), facts: undefined }
    for (const make of Object.values(connectors)) {
      assert.throws(() => make(some as Given), /, but its "facts" is undefined\.$/)
    }
  })
})
