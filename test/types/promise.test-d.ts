// @effect-diagnostics missingEffectContext:off -- missing services are what is tested
import { Context, Effect, type Layer, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { type Embedder, Memory, Note, Primitive, type Provider, Step, Synapse, type Thought } from "cogito"
import { Agent } from "cogito/agent"
import { Cogito } from "cogito/promise"
import { z } from "zod"
import { same } from "./same.ts"

declare const provider: Layer.Layer<Provider.Provider>
declare const embedder: Layer.Layer<Embedder.Embedder>
class Clinic extends Context.Service<Clinic, { readonly name: string }>()("test/Clinic") {}
declare const clinic: Layer.Layer<Clinic>

// A client provides what its layers provide, and a memory.
const ai = Cogito.make(provider)
same<typeof ai, Cogito.Cogito<Provider.Provider | Memory.Memory>>(true)
const two = Cogito.make([provider, clinic])
same<typeof two, Cogito.Cogito<Provider.Provider | Clinic | Memory.Memory>>(true)

// A layer may need what comes after it.
Cogito.make([provider, Memory.layerInMemory(), embedder])
// @ts-expect-error a layer needs what no layer after it provides
Cogito.make([embedder, provider, Memory.layerInMemory()])
// @ts-expect-error a layer needs what no layer after it provides
Cogito.make([Memory.layerInMemory()])
// @ts-expect-error Embedder
Cogito.make(Memory.layerInMemory())

// Runs have the notes of the start and of the step.
const message = Note.handle("message", Schema.String)
const urgent = Primitive.decide("urgent", { question: Note.from(message, (text) => `Is this urgent? ${text}`) })
const done = ai.run(urgent, { intent: "triage", notes: { message: "Help!" } }, { signal: new AbortController().signal })
same<typeof done, Promise<Thought.Thought<{ readonly message: string; readonly urgent: Synapse.Decision }>>>(true)
// @ts-expect-error "message"
void ai.run(urgent, { intent: "triage" })
declare const begun: Thought.Thought<{ readonly message: string }>
const gone = ai.run(urgent, begun)
same<typeof gone, Promise<Thought.Thought<{ readonly message: string; readonly urgent: Synapse.Decision }>>>(true)
declare const empty: Thought.Thought
// @ts-expect-error "message"
void ai.run(urgent, empty)

// What a step needs must be provided.
const greet = Step.make("greet", { schema: Schema.String, run: Effect.map(Clinic, (it) => it.name) })
void two.run(greet, { intent: "greet" })
// @ts-expect-error Clinic
void ai.run(greet, { intent: "greet" })

// Schemas of other libraries give their types.
const Ticket = z.object({ customer: z.string(), amount: z.number() })
const ticket = Primitive.analyze("ticket", { schema: Ticket, prompt: "Extract" })
void ai.run(ticket, { intent: "read" }).then((thought) => {
  same<ReturnType<typeof thought.get<"ticket">>, { customer: string; amount: number }>(true)
})

// Single calls.
const invoice = Synapse.extract(Ticket, { prompt: "Extract" })
const value = ai.call(invoice, "Ada, 12.50")
same<typeof value, Promise<{ customer: string; amount: number }>>(true)
// @ts-expect-error is not assignable to parameter of type
void ai.call(invoice, 42)
declare const none: Cogito.Cogito<Memory.Memory>
// @ts-expect-error 'Provider'
void none.call(invoice, "Ada, 12.50")

// Streams.
async function streams(): Promise<void> {
  for await (const event of ai.stream(urgent, { intent: "triage", notes: { message: "Help!" } })) {
    if (event._tag === "Partial") same<typeof event.key, "urgent">(true)
    if (event._tag === "Done") same<typeof event.thought.get<"urgent">, (key: "urgent") => Synapse.Decision>(true)
  }
  for await (const part of ai.stream(invoice, "Ada, 12.50")) {
    if (part._tag === "Done") same<typeof part.value, { customer: string; amount: number }>(true)
  }
}
void streams

// Agents.
const weather = Tool.make("weather", {
  parameters: Schema.Struct({ city: Schema.String }),
  success: Schema.Struct({ celsius: Schema.Finite })
})
const toolkit = Toolkit.make(weather)
const tools = Cogito.handlers(toolkit, {
  weather: async ({ city }, { signal }) => ({ celsius: signal.aborted ? 0 : city.length })
})
same<typeof tools, Layer.Layer<Tool.HandlersFor<typeof toolkit.tools>>>(true)
// @ts-expect-error is not assignable to type
Cogito.handlers(toolkit, { weather: async () => ({ celsius: "24" }) })
// @ts-expect-error Property 'weather' is missing
Cogito.handlers(toolkit, {})
const guide = Agent.make("guide", { instructions: "You plan trips.", toolkit })
const withTools = Cogito.make([provider, tools])
const chat = withTools.chat(guide, { intent: "trip" })
same<ReturnType<typeof chat.say>, Promise<string>>(true)
same<typeof chat, Cogito.ChatWith<typeof guide>>(true)
async function talk(): Promise<void> {
  for await (const event of chat.stream("Is Porto warm?")) {
    if (event._tag === "Called") same<typeof event.params, { readonly city: string }>(true)
  }
}
void talk
const shop = Note.handle("shop", Schema.String)
const ofShop = Agent.make("guide", { instructions: Note.from(shop, (name) => `You are of ${name}.`), toolkit })
// @ts-expect-error Property 'shop' is missing in type '{ question: string; }' but required in type '{ readonly shop: string; }'
withTools.chat(ofShop, {} as Thought.Thought<{ question: string }>)
// @ts-expect-error Handler
ai.chat(guide, { intent: "trip" })
