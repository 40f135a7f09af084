import * as Effect from "effect/Effect"
import { makeStep } from "../internal/step.ts"
import type { All, Either, Merge, Missing, Simplify } from "../internal/types.ts"
import * as Step from "../Step.ts"

type Sequenced<T extends ReadonlyArray<Step.Any>, In = {}, Out = {}> = T extends readonly [
  infer Head,
  ...infer Rest extends ReadonlyArray<Step.Any>
]
  ? Sequenced<
      Rest,
      [keyof Step.In<Head>] extends [never] ? In : In & Missing<Step.In<Head>, Out>,
      Merge<Out, Step.Out<Head>>
    >
  : number extends T["length"]
    ? {
        readonly in: In & All<Step.In<T[number]>>
        readonly out: Merge<Out, Partial<Either<Step.Out<T[number]>>>>
      }
    : { readonly in: In; readonly out: Out }

/**
 * Runs steps one after the other, each on the thought that the one before gave.
 *
 * A step may read what the steps before it surely write; what none of them writes is demanded of the thought. The first
 * failure ends the sequence; what was committed before it stays. Throws at construction when two steps have the same
 * name, and when two write the same key, unless `overwrite` allows both. An empty sequence gives its thought back.
 *
 * **Example** (A pipeline of two steps)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Schema } from "effect"
 * import { Note, Pipeline, Step, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const length = Step.make("length", {
 *   schema: Schema.Number,
 *   run: Note.from(Note.handle("message", Schema.String), (text) => text.length)
 * })
 * const long = Step.make("long", { schema: Schema.Boolean, run: Note.from(length, (n) => n > 10) })
 *
 * const program = Effect.gen(function*() {
 *   const thought = yield* Thought.make("measure", { message: "Hello" })
 *   const done = yield* Pipeline.run(Pipeline.sequence("measure", [length, long]), thought)
 *   assert.equal(done.get("long"), false)
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category connectors
 */
export const sequence = <const T extends ReadonlyArray<Step.Any>>(
  name: string,
  steps: T,
  options: { readonly overwrite?: boolean } = {}
): Step.Step<Simplify<Sequenced<T>["in"]>, Simplify<Sequenced<T>["out"]>, Step.Err<T[number]>, Step.Req<T[number]>> => {
  if (options.overwrite !== true) {
    refuseTwice(
      name,
      "steps named",
      steps.map((step) => step.name)
    )
    refuseTwice(
      name,
      "steps that write",
      steps.flatMap((step) => step.node.writes)
    )
  }
  const written = new Set<string>()
  const reads = new Set<string>()
  for (const { node } of steps) {
    for (const key of node.reads) if (!written.has(key)) reads.add(key)
    for (const key of node.writes) written.add(key)
  }
  const node: Step.Node = {
    name,
    kind: "sequence",
    reads: [...reads],
    writes: [...written],
    children: steps.map((step) => step.node)
  }
  return makeStep(node, (thought) =>
    Effect.gen(function* () {
      let current = thought
      for (const step of steps) current = yield* step[Step.TypeId].run(current)
      return current
    })
  )
}

const refuseTwice = (sequence: string, what: string, names: ReadonlyArray<string>): void => {
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice === undefined) return
  throw new Error(
    `The sequence ${JSON.stringify(sequence)} has two ${what} ${JSON.stringify(twice)}. ` +
      `Rename one, or pass { overwrite: true } if the later one is meant to win.`
  )
}
