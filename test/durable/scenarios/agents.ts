/** Agents whose tools may be called again, so that a crash leaves no doubt about what they gave. */
import { Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { Pipeline, Step } from "cogito"
import { Agent } from "cogito/agent"
import type { Scenario } from "../enumerate.ts"
import { asks } from "./parts.ts"

const parameters = Schema.Struct({ of: Schema.String })
const look = Tool.make("look", { parameters, success: Schema.Finite }).annotate(Tool.Readonly, true)
const pay = Tool.make("pay", { parameters, success: Schema.Finite })
  .annotate(Tool.Destructive, true)
  .annotate(Tool.Idempotent, true)
const toolkit = Toolkit.make(look, pay)

export const agents: Readonly<Record<string, Scenario>> = {
  agent: {
    step: (process, world) => {
      const handlers = toolkit.toLayer({
        look: ({ of }) => world.effect(process, `make look ${of}`),
        pay: ({ of }) => world.effect(process, `make pay ${of}`)
      })
      const agent = Agent.make("agent", { instructions: "You pay.", triage: false, toolkit })
      return Pipeline.sequence("all", [asks("first"), Step.provide(agent, handlers), asks("last")])
    },
    answers: { "agent.approval": { approved: true } }
  }
}
