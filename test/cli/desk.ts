/** The agent of a desk, with a model that does what it is told: for tests of `cogito agent`, which loads this module. */
import { Effect, Layer, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { existsSync } from "node:fs"
import { Provider } from "../../src/index.ts"
import { Agent } from "../../src/agent/index.ts"
import { Testing } from "../../src/testing/index.ts"

const Order = Schema.Struct({ number: Schema.Int })

const order = Tool.make("order", {
  description: "Looks an order up",
  parameters: Order,
  success: Schema.Struct({ item: Schema.String }),
  failure: Schema.String
}).annotate(Tool.Readonly, true)
const refund = Tool.make("refund", { parameters: Order, success: Schema.String }).annotate(Tool.Destructive, true)
/** Waits for a file. It can be repeated. */
const wait = Tool.make("wait", { parameters: Order, success: Schema.String })
  .annotate(Tool.Readonly, false)
  .annotate(Tool.Idempotent, true)
/** Never ends, and nobody knows what it has done by then. */
const pay = Tool.make("pay", { parameters: Order, success: Schema.String })
/** Never ends, and cannot be interrupted. */
const stuck = Tool.make("stuck", { parameters: Order, success: Schema.String }).annotate(Tool.Readonly, true)

const toolkit = Toolkit.make(order, refund, wait, pay, stuck)

const agent = Agent.make("desk", { instructions: "You answer at a desk.", toolkit, triage: false })

const opened = Effect.suspend(function wait(): Effect.Effect<void> {
  return existsSync(process.env["COGITO_TEST_OPEN"] ?? "")
    ? Effect.void
    : Effect.andThen(Effect.sleep("20 millis"), Effect.suspend(wait))
})

const tools = toolkit.toLayer({
  order: ({ number }) =>
    number === 0 ? Effect.fail("There is no order 0.") : Effect.succeed({ item: `kite ${number}` }),
  refund: ({ number }) => Effect.succeed(`Order ${number} was refunded.`),
  wait: ({ number }) => Effect.as(opened, `Waited for ${number}.`),
  pay: () => Effect.never,
  stuck: () => {
    process.stderr.write("The handler has begun.\n")
    return Effect.uninterruptible(Effect.never)
  }
})

const messageIn = (text: string): string =>
  /<note (\d+) key="message"[^>]*>\n([\s\S]*?)\n<\/note \1>/.exec(text)?.[2] ?? ""

const down = new Provider.ProviderError({
  provider: "house",
  model: "m-1",
  reason: { _tag: "Overloaded", message: "too busy" }
})

/** `order 17` calls that tool, `refund 1 and 2` calls one twice, `slowly 8` waits for a file and refunds; other messages are repeated, with how many messages there were. */
const model = Testing.scripted(
  ({ messages }) => {
    const last = messages.at(-1)
    if (last?.results !== undefined) return `It says: ${last.results.map(({ text }) => text).join(" ")}`
    const said = messageIn(last?.text ?? "")
    const [, name, number] = /^(order|refund|wait|pay|stuck) (\d+)$/.exec(said) ?? []
    if (name !== undefined) return Testing.calls([{ name, params: { number: Number(number) } }])
    const [, slowly] = /^slowly (\d+)$/.exec(said) ?? []
    if (slowly !== undefined) {
      process.stderr.write("The model has begun.\n")
      return Effect.as(opened, Testing.calls([{ name: "refund", params: { number: Number(slowly) } }]))
    }
    const [, ...both] = /^refund (\d+) and (\d+)$/.exec(said) ?? []
    if (both.length > 0) return Testing.calls(both.map((one) => ({ name: "refund", params: { number: Number(one) } })))
    if (said === "think") return Effect.never
    if (said === "fail") return Effect.fail(down)
    return `You said ${JSON.stringify(said)}, message ${messages.length}.`
  },
  { name: "house", model: "m-1", pieceLength: 5 }
)

export default { agent, layer: Layer.merge(model.layer, tools) }
