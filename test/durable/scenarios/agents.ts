/** Agents whose tools may be called again, so that a crash leaves no doubt about what they gave. */
import { Layer, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { Pipeline, Step } from "cogito"
import { Agent } from "cogito/agent"
import type { Scenario } from "../enumerate.ts"
import type { Process } from "../process.ts"
import type { World } from "../world.ts"
import { asks } from "./parts.ts"

const parameters = Schema.Struct({ of: Schema.String })
const look = Tool.make("look", { parameters, success: Schema.Finite }).annotate(Tool.Readonly, true)
const pay = Tool.make("pay", { parameters, success: Schema.Finite })
  .annotate(Tool.Destructive, true)
  .annotate(Tool.Idempotent, true)
const toolkit = Toolkit.make(look, pay)

const handlersOf = (process: Process, world: World) =>
  toolkit.toLayer({
    look: ({ of }) => world.effect(process, `make look ${of}`),
    pay: ({ of }) => world.effect(process, `make pay ${of}`)
  })

const payer = Agent.make("payer", { instructions: "You pay.", toolkit })
const delegate = Agent.asTool("delegate", payer, {
  description: "Pays",
  parameters: Schema.Struct({ message: Schema.String })
})
const outer = Agent.make("lead", {
  instructions: "You lead.",
  triage: false,
  toolkit: Toolkit.make(delegate.tool, look)
})

export const agents: Readonly<Record<string, Scenario>> = {
  agent: {
    step: (process, world) => {
      const agent = Agent.make("agent", { instructions: "You pay.", triage: false, toolkit })
      return Pipeline.sequence("all", [asks("first"), Step.provide(agent, handlersOf(process, world)), asks("last")])
    },
    answers: { "agent.approval": { approved: true } }
  },
  "agent in an agent": {
    step: (process, world) => {
      const handlers = Layer.provideMerge(delegate.layer, handlersOf(process, world))
      return Pipeline.sequence("all", [Step.provide(outer, handlers), asks("last")])
    },
    answers: { "payer.approval": { approved: true } }
  }
}
