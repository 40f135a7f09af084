/** An agent with questions of an agent and of a step behind its tools: for tests of `cogito agent`, which loads this module. */
import { Effect, Layer, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { Note, Pipeline, Primitive } from "../../src/index.ts"
import { Agent } from "../../src/agent/index.ts"
import { Testing } from "../../src/testing/index.ts"

const Order = Schema.Struct({ number: Schema.Int })
const Message = Schema.Struct({ message: Schema.String })
const message = Note.handle("message", Schema.String)

const refund = Tool.make("refund", { parameters: Order, success: Schema.String }).annotate(Tool.Destructive, true)
const cancel = Tool.make("cancel", { parameters: Order, success: Schema.String }).annotate(Tool.Destructive, true)
const till = Toolkit.make(refund, cancel)
const clerk = Agent.make("clerk", { instructions: "You are the clerk.", toolkit: till, triage: false })
const sure = Primitive.approve("sure", { prompt: Note.prompt`Is ${message} right?` })

const askClerk = Agent.asTool("ask_clerk", clerk, { description: "Asks the clerk", parameters: Message })
const askPerson = Agent.asTool("ask_person", Pipeline.sequence("check", [sure]), {
  description: "Asks a person",
  parameters: Message,
  answer: sure
})
const toolkit = Toolkit.make(askClerk.tool, askPerson.tool)
const agent = Agent.make("head", {
  instructions: "You are the head.",
  toolkit,
  triage: false,
  policy: () => "allow"
})

const model = Testing.scripted(({ messages, tools = [] }) => {
  const results = messages.at(-1)?.results
  if (results !== undefined) return `It says: ${results.map(({ text }) => text).join(" ")}`
  if (tools.some(({ name }) => name === "refund")) {
    // the names are not in the order of the alphabet
    return Testing.calls(["refund", "cancel"].map((name) => ({ name, params: { number: 7 } })))
  }
  return Testing.calls([
    { name: "ask_clerk", params: { message: "Refund order 7" } },
    { name: "ask_person", params: { message: "order 7" } }
  ])
})

const tools = till.toLayer({
  refund: ({ number }) => Effect.succeed(`Order ${number} was refunded.`),
  cancel: ({ number }) => Effect.succeed(`Order ${number} was cancelled.`)
})
const behind = Layer.mergeAll(askClerk.layer, askPerson.layer)

export default {
  agent,
  layer: Layer.mergeAll(model.layer, tools, behind.pipe(Layer.provide(tools), Layer.provide(model.layer)))
}
