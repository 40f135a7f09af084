// Runs offline, with a script in the place of a model: `npm run shop-agent`.
/**
 * An agent of a shop that looks orders up and refunds them, if a person approves.
 *
 * The agent runs durably, on a memory in a folder. It looks an order up, and then asks whether it may refund it: the program ends
 * with the command that answers. Run that, and start the program again: the agent goes on where it waited. The refund is paid
 * once, also if you end the program with kill -9 while it is paid.
 *
 * With OPENAI_API_KEY in the environment a real model decides what to call; the handlers stay as they are.
 */
import { Console, Effect, Layer, Redacted, Schema } from "effect"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Tool, Toolkit } from "effect/ai"
import { Pipeline, Thought } from "cogito"
import { Agent } from "cogito/agent"
import { OpenAi } from "cogito/openai"
import { PgliteMemory } from "cogito/pglite"
import { Testing } from "cogito/testing"

// ---------------------------------------------------------------------------------------------------------- the tools

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

const handlers = toolkit.toLayer({
  order: () => Effect.succeed({ item: "kite", eur: 12, delivered: true }),
  refund: ({ number }) =>
    Effect.as(Console.log(`(12 EUR were paid back for order ${number}.)`), `Order ${number} was refunded.`)
})

const shop = Agent.make("shop", { instructions: "You are the support of a toy shop. Be brief.", toolkit })

// ---------------------------------------------------------------------------------------------------------- the model

/** What a model might do: finds the message harmless, looks the order up, refunds it, and says so. */
const script = Testing.scripted(({ messages, task }) => {
  if (task.kind === "triage") return { safe: true, mode: "fast" }
  const results = messages.flatMap(({ results: given = [] }) => given)
  if (results.length === 0) return Testing.calls([{ name: "order", params: { number: 17 } }])
  if (results.length === 1) return Testing.calls([{ name: "refund", params: { number: 17 } }])
  return results.at(-1)?.isFailure === true
    ? "I am sorry, but we cannot refund the kite."
    : "You get the 12 EUR for your kite back."
})

const key = process.env["OPENAI_API_KEY"]
const model =
  key === undefined || key === "" ? script.layer : OpenAi.layer({ model: "gpt-5-mini", apiKey: Redacted.make(key) })

// -------------------------------------------------------------------------------------------------------- the program

const data = process.argv[2] ?? ".shop-agent"
const id = "case-17"

const program = Effect.gen(function* () {
  const known = (yield* Pipeline.runs()).some((run) => run.id === id)
  const done = yield* known
    ? Pipeline.resume(shop, id)
    : Agent.say(
        shop,
        yield* Thought.make("support"),
        "My kite (order 17) came with a tear. Can I have my money back?",
        {
          durable: { id }
        }
      )
  yield* Console.log(`The agent answers: ${done.get("answer")}`)
}).pipe(
  Effect.catchTag("Suspended", ({ waits }) =>
    Console.log(
      [
        ...waits.map(({ prompt }) => `A person decides: ${prompt}`),
        `Answer with: npx cogito runs answer ${id} shop.approval yes --data-dir ${data}`,
        "(or no, with --reason TEXT), and start this program again."
      ].join("\n")
    )
  ),
  Effect.provide(Layer.mergeAll(model, handlers, PgliteMemory.layer({ dataDir: data, embedder: "none" })))
)

NodeRuntime.runMain(program)
