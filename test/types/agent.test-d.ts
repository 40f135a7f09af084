import { Effect, type Layer, Schema, Stream } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { type Embedder, type Memory, Note, Pipeline, Primitive, type Provider, Step, type Thought } from "cogito"
import { Agent } from "cogito/agent"
import { same } from "./same.ts"

const weather = Tool.make("weather", {
  parameters: Schema.Struct({ city: Schema.String }),
  success: Schema.Struct({ celsius: Schema.Finite })
})
const book = Tool.make("book", {
  parameters: Schema.Struct({ city: Schema.String, nights: Schema.Int }),
  success: Schema.String
})
const toolkit = Toolkit.make(weather, book)
const Plan = Schema.Struct({ city: Schema.String, cost: Schema.Finite })
const planner = Agent.make("planner", { instructions: "You plan trips.", toolkit, output: Plan, key: "plan" })
const guide = Agent.make("guide", { instructions: "You plan trips.", toolkit })

// An agent reads a message, writes its answer, and needs its tools.
{
  same<Step.In<typeof planner>, { readonly message: string }>(true)
  same<Step.Out<typeof planner>, { readonly plan: typeof Plan.Type }>(true)
  same<Step.Out<typeof guide>, { readonly answer: string }>(true)
  same<Step.Err<typeof guide>, Agent.AgentStopped | Agent.TriageFailed | Provider.ProviderError>(true)
  same<Step.Req<typeof guide>, Provider.Provider | Tool.Handler<"weather"> | Tool.Handler<"book">>(true)
}

// Its instructions add what they read.
{
  const shop = Note.handle("shop", Schema.String)
  const agent = Agent.make("guide", { instructions: Note.from(shop, (name) => `You are of ${name}.`), toolkit })
  same<Step.In<typeof agent>, { readonly message: string; readonly shop: string }>(true)
}

// Documents add the memory and the supervisor that they are kept with, and have typed fields.
{
  const agent = Agent.make("guide", { instructions: "You plan trips.", toolkit, documents: [Agent.Profile] })
  type Own = Provider.Provider | Tool.Handler<"weather"> | Tool.Handler<"book">
  same<Step.Req<typeof agent>, Own | Memory.Memory | Pipeline.Supervisor>(true)
  same<Step.Out<typeof agent>, { readonly answer: string }>(true)
  const customer = Agent.document(
    "customer",
    Schema.Struct({ sizes: Schema.Record(Schema.String, Schema.String), style: Schema.String }),
    { of: "user", limits: { sizes: 3 } }
  )
  same<
    typeof customer,
    Agent.Document<"customer", { readonly sizes?: { readonly [x: string]: string }; readonly style?: string }>
  >(true)
  // @ts-expect-error a document has texts, arrays of texts and records of texts
  Agent.document("count", Schema.Struct({ n: Schema.Finite }), { of: "user" })
  // @ts-expect-error Object literal may only specify known properties
  Agent.document("count", Schema.Struct({ n: Schema.String }), { of: "user", limits: { m: 3 } })
  // @ts-expect-error Type '"team"' is not assignable to type
  Agent.document("count", Schema.Struct({ n: Schema.String }), { of: "team" })
}

// A policy knows the parameters of each tool.
{
  Agent.make("guide", {
    instructions: "You plan trips.",
    toolkit,
    policy: (call) => {
      if (call.name === "book") return call.params.nights > 3 ? "ask" : "allow"
      // @ts-expect-error Property 'nights' does not exist on type '{ readonly city: string; }'
      return call.params.nights > 3 ? "ask" : "allow"
    }
  })
  Agent.make("guide", {
    instructions: "You plan trips.",
    toolkit,
    // @ts-expect-error This comparison appears to be unintentional
    policy: (call) => (call.name === "cook" ? "ask" : "allow")
  })
  // @ts-expect-error Type '"perhaps"' is not assignable to type 'Effect<Verdict, never, never> | Verdict'
  Agent.make("guide", { instructions: "You plan trips.", toolkit, policy: () => "perhaps" })
}

// Its answer is a typed note of later steps.
{
  Pipeline.sequence("trip", [
    planner,
    Primitive.decide("fits", { question: Note.from(planner, ({ cost }) => `Is ${cost} within the budget?`) })
  ])
  // @ts-expect-error Property 'price' does not exist on type
  Primitive.decide("fits", { question: Note.from(planner, ({ price }) => `Is ${price} within the budget?`) })
}

// Say adds the message, and what is said is needed by a step that reads it.
{
  const said = Agent.say(planner, {} as Thought.Thought<{ readonly shop: string }>, "A weekend by the sea")
  same<
    Effect.Success<typeof said>,
    Thought.Thought<{ readonly shop: string; readonly message: string; readonly plan: typeof Plan.Type }>
  >(true)
  same<
    Effect.Services<typeof said>,
    Provider.Provider | Memory.Memory | Tool.Handler<"weather"> | Tool.Handler<"book">
  >(true)
  const shop = Note.handle("shop", Schema.String)
  const agent = Agent.make("guide", { instructions: Note.from(shop, (name) => `You are of ${name}.`), toolkit })
  // @ts-expect-error Property 'shop' is missing in type '{}' but required in type '{ readonly shop: string; }'
  void Agent.say(agent, {} as Thought.Thought, "A weekend by the sea")
  // @ts-expect-error Property 'shop' is missing in type '{}' but required in type '{ readonly shop: string; }'
  void Agent.stream(agent, {} as Thought.Thought, "A weekend by the sea")
  const counts = Step.make("next", {
    schema: Schema.Finite,
    run: Note.from(Note.handle("message", Schema.Finite), (n) => n + 1)
  })
  // @ts-expect-error is not assignable to parameter of type 'never'
  void Agent.say(counts, {} as Thought.Thought, "A weekend by the sea")
  // @ts-expect-error Property 'weather' is missing in type
  const layer: Layer.Layer<Tool.HandlersFor<typeof toolkit.tools>> = toolkit.toLayer({ book: () => Effect.succeed("") })
  void layer
}

// Events are typed by the tools.
{
  const events = Agent.stream(guide, {} as Thought.Thought, "A weekend by the sea")
  void Stream.runForEach(events, (event) => {
    if (event._tag === "Returned" && event.name === "weather") same<typeof event.result.celsius, number>(true)
    if (event._tag === "Called" && event.name === "book") same<typeof event.params.nights, number>(true)
    if (event._tag === "Done") same<typeof event.answer, string>(true)
    // @ts-expect-error Property 'nights' does not exist on type '{ readonly city: string; }'
    return event._tag === "Called" && event.name === "weather" ? Effect.succeed(event.params.nights) : Effect.void
  })
}

// A step as a tool has the type of its answer, and its parameters are what the step reads.
{
  const plan = Agent.asTool("plan", planner, {
    description: "Plans",
    parameters: Schema.Struct({ message: Schema.String })
  })
  same<Tool.Success<typeof plan.tool>, typeof Plan.Type>(true)
  same<Tool.Parameters<typeof plan.tool>, { readonly message: string }>(true)
  same<
    Layer.Services<typeof plan.layer>,
    Provider.Provider | Memory.Memory | Tool.Handler<"weather"> | Tool.Handler<"book">
  >(true)
  const parameters = Schema.Struct({ question: Schema.String })
  // @ts-expect-error is not assignable to parameter of type 'never'
  Agent.asTool("plan", planner, { description: "Plans", parameters })
  const both = Pipeline.sequence("both", [planner])
  const either = Agent.asTool("both", both, {
    description: "Plans",
    parameters: Schema.Struct({ message: Schema.String }),
    answer: planner
  })
  same<Tool.Success<typeof either.tool>, typeof Plan.Type>(true)
}

// Tools that are selected by similarity need an embedder, and prepare knows the tools.
{
  const agent = Agent.make("guide", { instructions: "You plan trips.", toolkit, select: "similar" })
  same<Step.Req<typeof agent>, Provider.Provider | Embedder.Embedder | Tool.Handler<"weather"> | Tool.Handler<"book">>(
    true
  )
  // @ts-expect-error Type '"cook"' is not assignable to type
  Agent.make("guide", { instructions: "You plan trips.", toolkit, prepare: () => ({ tools: ["cook"] }) })
}
