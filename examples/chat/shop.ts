// A module for a chat in the terminal: `npx cogito agent examples/chat/shop.ts`. Without a key it runs offline.
/**
 * An agent of a shop, to talk to. It looks orders up, and asks you before it refunds one.
 *
 * With OPENAI_API_KEY or ANTHROPIC_API_KEY in the environment a real model answers; the layer then brings no provider. Try:
 *
 *     Where is order 17?
 *     Refund order 17, please.
 */
import { Effect, Layer, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { Agent } from "cogito/agent"
import { Testing } from "cogito/testing"

const order = Tool.make("order", {
  description: "Looks an order up by its number",
  parameters: Schema.Struct({ number: Schema.Int }),
  success: Schema.Struct({ item: Schema.String, eur: Schema.Finite, delivered: Schema.Boolean })
}).annotate(Tool.Readonly, true)

const refund = Tool.make("refund", {
  description: "Pays the price of an order back to the customer",
  parameters: Schema.Struct({ number: Schema.Int }),
  success: Schema.String
}).annotate(Tool.Destructive, true)

const toolkit = Toolkit.make(order, refund)

const tools = toolkit.toLayer({
  order: ({ number }) => Effect.succeed({ item: number % 2 === 0 ? "ball" : "kite", eur: 12, delivered: true }),
  refund: ({ number }) => Effect.succeed(`Order ${number} was refunded.`)
})

const agent = Agent.make("shop", { instructions: "You are the support of a toy shop. Be brief.", toolkit })

/** In the place of a model: it calls the tool that a message names, and repeats the result. */
const script = Testing.scripted(({ messages, task }) => {
  if (task.kind === "triage") return { safe: true, mode: "fast" }
  const last = messages.at(-1)
  const [result] = last?.results ?? []
  if (result !== undefined) return `I have found this: ${result.text}`
  const number = Number(/order (\d+)/i.exec(last?.text ?? "")?.[1])
  if (Number.isNaN(number)) return "Which order is it about? For example: Where is order 17?"
  return Testing.calls([{ name: /refund/i.test(last?.text ?? "") ? "refund" : "order", params: { number } }])
})

const hasKey = [process.env["OPENAI_API_KEY"], process.env["ANTHROPIC_API_KEY"]].some(Boolean)

// oxlint-disable-next-line import/no-default-export -- what the program loads
export default { agent, layer: hasKey ? tools : Layer.merge(tools, script.layer) }
