import { Context, Effect, Layer, ManagedRuntime, Schema } from "effect"
import { Memory, Note, Pipeline, Primitive, type Provider, Step, type Synapse, Thought } from "cogito"
import { same } from "./same.ts"

declare const memory: Layer.Layer<Memory.Memory, Memory.MemoryError>
declare const provider: Layer.Layer<Provider.Provider>

class Clinic extends Context.Service<Clinic, { readonly name: string }>()("test/Clinic") {}
declare const clinic: Layer.Layer<Clinic>

const message = Note.handle("message", Schema.String)
const urgent = Primitive.decide("urgent", { question: Note.from(message, (text) => `Is this urgent? ${text}`) })
const free = Primitive.decide("free", { question: "Is this urgent?" })

// What comes back has the notes of the start and those of the step.
const done = Pipeline.runPromise(
  urgent,
  { intent: "triage", notes: { message: "Help!", channel: { content: "e-mail", trust: "trusted" } } },
  { layer: Layer.merge(memory, provider) }
)
same<
  typeof done,
  Promise<Thought.Thought<{ readonly message: string; readonly channel: string; readonly urgent: Synapse.Decision }>>
>(true)

const withoutNotes = Pipeline.runPromise(free, { intent: "triage" }, { layer: Layer.merge(memory, provider) })
same<typeof withoutNotes, Promise<Thought.Thought<{ readonly urgent: Synapse.Decision }>>>(false)
same<typeof withoutNotes, Promise<Thought.Thought<{ readonly free: Synapse.Decision }>>>(true)

// A step that reads a note which the start lacks.
const layer = Layer.merge(memory, provider)
// @ts-expect-error "message"
void Pipeline.runPromise(urgent, { intent: "triage" }, { layer })
// @ts-expect-error "message"
void Pipeline.runPromise(urgent, { intent: "triage", notes: { text: "Help!" } }, { layer })
const counted = Step.make("counted", {
  schema: Schema.Finite,
  run: Note.from(Note.handle("score", Schema.Finite), (n) => n + 1)
})
// @ts-expect-error "score"
void Pipeline.runPromise(counted, { intent: "count", notes: { score: "1" } }, { layer: memory })

// The layer provides what the step needs, and the memory.
// @ts-expect-error required in type '{ readonly "the layer lacks": Provider; }'
void Pipeline.runPromise(free, { intent: "triage" }, { layer: memory })
// @ts-expect-error required in type '{ readonly "the layer lacks": Memory; }'
void Pipeline.runPromise(free, { intent: "triage" }, { layer: provider })
// @ts-expect-error required in type '{ readonly "the layer lacks": Memory | Provider; }'
void Pipeline.runPromise(free, { intent: "triage" }, { layer: Layer.empty })
// @ts-expect-error required in type '{ readonly "the layer needs what it does not provide itself": Embedder; }'
void Pipeline.runPromise(free, { intent: "triage" }, { layer: Layer.merge(Memory.layerInMemory(), provider) })
const greet = Step.make("greet", { schema: Schema.String, run: Effect.map(Clinic, (it) => it.name) })
void Pipeline.runPromise(greet, { intent: "greet" }, { layer: Layer.merge(memory, clinic) })
// @ts-expect-error required in type '{ readonly "the layer lacks": Clinic; }'
void Pipeline.runPromise(greet, { intent: "greet" }, { layer: memory })
// A layer may offer more than is needed.
void Pipeline.runPromise(greet, { intent: "greet" }, { layer: Layer.mergeAll(memory, clinic, provider) })

// Also when the step needs the memory itself, and the layer a provider as well.
const found = Pipeline.runPromise(
  Primitive.seek("found", { query: "Help!" }),
  { intent: "look" },
  { layer: Layer.merge(memory, provider) }
)
same<typeof found, Promise<Thought.Thought<{ readonly found: Primitive.Findings }>>>(true)
const runtime = ManagedRuntime.make(Layer.mergeAll(memory, clinic, provider))
const foundBy = Pipeline.runPromise(Primitive.seek("found", { query: "Help!" }), { intent: "look" }, { runtime })
same<typeof foundBy, Promise<Thought.Thought<{ readonly found: Primitive.Findings }>>>(true)
void Pipeline.runPromise(Primitive.recall("past", { thought: "an id" }), { intent: "look" }, { runtime })
void Pipeline.runPromise(greet, { intent: "greet" }, { runtime })
const unfit = ManagedRuntime.make(memory)
// @ts-expect-error required in type '{ readonly "the runtime lacks": Clinic; }'
void Pipeline.runPromise(greet, { intent: "greet" }, { runtime: unfit })
// @ts-expect-error required in type '{ readonly "the layer lacks": Provider; }'
void Pipeline.runPromise(Primitive.recall("past", { thought: "an id" }), { intent: "look" }, { layer: memory })

// Helpers for steps of any needs, and steps whose needs no type knows.
export const helper = <R>(step: Step.Step<{}, {}, never, R>, layer: Layer.Layer<R | Memory.Memory>) =>
  Pipeline.runPromise(step, { intent: "help" }, { layer })
export const helperBy = <R>(
  step: Step.Step<{}, {}, never, R>,
  runtime: ManagedRuntime.ManagedRuntime<R | Memory.Memory, never>
) => Pipeline.runPromise(step, { intent: "help" }, { runtime })
declare const unknownStep: Step.Any
void Pipeline.runPromise(unknownStep, { intent: "help" }, { layer: memory })
void Pipeline.runPromise(unknownStep, { intent: "help" }, { runtime })

// A sequence of inline steps.
const sequence = Pipeline.runPromise(
  Pipeline.sequence("all", [
    Primitive.categorize("kind", { question: "Which?", categories: ["a", "b"] }),
    Step.make("size", { schema: Schema.Finite, run: Note.from(message, (text) => text.length) })
  ]),
  { intent: "both", notes: { message: "Hello" } },
  { layer: Layer.merge(memory, provider), signal: new AbortController().signal }
)
same<
  typeof sequence,
  Promise<
    Thought.Thought<{
      readonly message: string
      readonly kind: Synapse.Classification<"a" | "b">
      readonly size: number
    }>
  >
>(true)

// What the compiler shows of a thought are its notes.
const begun = Thought.make("triage", { message: "Help!" })
// @ts-expect-error Type 'Thought<{ readonly message: string; }>' is not assignable to type 'string'
const shown: Effect.Effect<string> = begun
void shown

// Notes whose keys are known only at run time.
declare const notes: Readonly<Record<string, string>>
const dynamic = Pipeline.runPromise(free, { intent: "triage", notes }, { layer: Layer.merge(memory, provider) })
same<Awaited<typeof dynamic> extends Thought.Thought<{ readonly free: Synapse.Decision }> ? true : false, true>(true)
