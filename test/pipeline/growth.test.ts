import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Memory, Pipeline, Primitive, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { addNote, empty, stateOf, ThoughtImpl } from "../../src/thought/state.ts"

const model = Testing.scripted(() => ({ decision: true, confidence: 0.9, reasoning: ["because"] }))

/** A thought with many notes that count how often they are looked at. */
const counted = (thoughts: number, notes: number) =>
  Effect.gen(function* () {
    let looks = 0
    const all: Array<Thought.Thought> = []
    for (let i = 0; i < thoughts; i++) {
      const texts = Object.fromEntries(Array.from({ length: notes }, (_, n) => [`note${n}`, `text ${i} ${n}`]))
      const made = stateOf(yield* Thought.make("grow", texts))
      let state = empty(made.identity)
      for (const note of made.log) {
        const watched = new Proxy(note, {
          get: (target, name) => {
            looks++
            return Reflect.get(target, name)
          }
        })
        state = addNote(state, watched)
      }
      all.push(new ThoughtImpl(state))
    }
    return {
      thoughts: all,
      /** How often the effect looks at one of the notes. */
      looksOf: <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        Effect.suspend(() => {
          looks = 0
          return Effect.map(effect, (value) => ({ value, looks }))
        })
    }
  })

const decide = (key: string) => Primitive.decide(key, { question: "Is it so?", view: { recent: 2 } })

/** How often the notes of a thought are looked at by a step and the embedding of its note, after a few other steps. */
const looksAt = (notes: number) =>
  Effect.gen(function* () {
    const { looksOf, thoughts } = yield* counted(1, notes)
    const [thought = yield* Thought.make("none")] = thoughts
    const steps = Pipeline.sequence("begin", [decide("a"), decide("b"), decide("c")])
    const begun = yield* Pipeline.run(steps, thought)
    yield* Memory.flush
    const { looks } = yield* looksOf(Effect.andThen(Pipeline.run(decide("d"), begun), Memory.flush))
    return looks
  }).pipe(Effect.provide(Layer.merge(model.layer, Testing.memory)))

describe("the cost of a step", () => {
  it.effect("does not grow with the thought", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* looksAt(20), 0)
      assert.strictEqual(yield* looksAt(500), 0)
    })
  )

  it.effect("does not grow with what else the memory has", () =>
    Effect.gen(function* () {
      const { looksOf, thoughts } = yield* counted(50, 3)
      for (const thought of thoughts) yield* Memory.commit(thought)
      yield* Memory.flush
      const start = yield* Thought.make("begin", { message: "Hello" })
      const { looks } = yield* looksOf(Effect.andThen(Pipeline.run(decide("a"), start), Memory.flush))
      assert.strictEqual(looks, 0)
    }).pipe(Effect.provide(Layer.merge(model.layer, Testing.memory)))
  )
})
