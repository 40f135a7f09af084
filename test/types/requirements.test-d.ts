/** What a program lacks is said by the compiler, before anything runs: a provider, a memory, the memory's embedder. */
// @effect-diagnostics missingEffectContext:off -- missing services are what is tested
import { Effect, Layer } from "effect"
import { Memory, Pipeline, Primitive, type Thought } from "cogito"
import { Testing } from "cogito/testing"

const go = Primitive.decide("go", { question: "Go on?" })
const before = Primitive.seek("before", { query: "something like it" })
declare const thought: Thought.Thought
declare const model: Testing.Scripted

// @ts-expect-error 'Provider' is not assignable to type 'never'
void Effect.runPromise(Pipeline.run(go, thought).pipe(Effect.provide(Testing.memory)))

// @ts-expect-error 'Memory' is not assignable to type 'never'
void Effect.runPromise(Pipeline.run(go, thought).pipe(Effect.provide(model.layer)))

// @ts-expect-error 'Embedder' is not assignable to type 'never'
void Effect.runPromise(Pipeline.run(before, thought).pipe(Effect.provide(Memory.layerInMemory())))

const embedded = Memory.layerInMemory().pipe(Layer.provide(Testing.embedder))
void Effect.runPromise(Pipeline.run(before, thought).pipe(Effect.provide(embedded)))
