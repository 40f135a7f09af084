import { type Effect, Layer, Schema, type Stream } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { type Memory, Note, type Provider, type Thought } from "cogito"
import { Agent, Host } from "cogito/agent"
import { same } from "./same.ts"

const weather = Tool.make("weather", {
  parameters: Schema.Struct({ city: Schema.String }),
  success: Schema.Struct({ celsius: Schema.Finite })
})
const toolkit = Toolkit.make(weather)
const agent = Agent.make("guide", { instructions: "You plan trips.", toolkit, key: "plan" })
const Config = Schema.Struct({ model: Schema.String, since: Schema.Date })

declare const services: Layer.Layer<Provider.Provider | Tool.Handler<"weather">, "no key", Memory.Memory>
declare const host: Host.Host["Service"]

const definition = Host.define({
  agent,
  config: Config,
  provide: (config) => {
    same<typeof config.model, string>(true)
    same<typeof config.id, string>(true)
    same<typeof config.createdAt, number>(true)
    return services
  },
  presenters: [
    {
      name: "log",
      present: (event, { agentId, thoughtId }) => {
        same<readonly [typeof agentId, typeof thoughtId], readonly [string, string]>(true)
        if (event._tag === "Returned") same<typeof event.result.celsius, number>(true)
        return Layer.build(Layer.empty) as Effect.Effect<unknown>
      }
    }
  ]
})

// A host makes agents with the configuration of their definition, and fails as their layer does.
{
  const made = host.create(definition, { model: "small", since: new Date(0) })
  same<Effect.Error<typeof made>, Host.InvalidConfig | "no key">(true)
  same<Effect.Services<typeof made>, never>(true)
}

// @ts-expect-error Property 'model' is missing in type
export const refused = host.create(definition, { since: new Date(0) })

// Its events are typed by the toolkit and the answer.
{
  const running = {} as Effect.Success<ReturnType<typeof create>>
  const create = () => host.create(definition, { model: "small", since: new Date(0) })
  same<typeof running.config, Readonly<typeof Config.Type>>(true)
  running.on("Returned", (event) => same<typeof event.result, { readonly celsius: number }>(true))
  running.on("Done", ({ answer, thought }) => {
    same<typeof answer, string>(true)
    same<typeof thought, Thought.Thought<{ readonly plan: string }>>(true)
  })
  running.on((event) => {
    if (event._tag === "Called") same<typeof event.params, { readonly city: string }>(true)
  })
  // @ts-expect-error Argument of type '"Cooked"' is not assignable to parameter
  running.on("Cooked", () => {})
  const events = running.receive("Hello", "id")
  same<Stream.Services<typeof events>, never>(true)
  same<Extract<Stream.Error<typeof events>, Host.AgentDestroyed>, Host.AgentDestroyed>(true)
}

// Its layer has all that the agent needs, and the agent needs a message only.
{
  Host.define({
    agent,
    config: Config,
    // @ts-expect-error Type 'Handler<"weather"> | Provider' is not assignable to type 'Provider'
    provide: () => ({}) as Layer.Layer<Provider.Provider>
  })
  const shop = Note.handle("shop", Schema.String)
  Host.define({
    // @ts-expect-error Property 'shop' is missing in type
    agent: Agent.make("guide", { instructions: Note.from(shop, (name) => `You are of ${name}.`), toolkit }),
    config: Config,
    provide: () => services
  })
}
