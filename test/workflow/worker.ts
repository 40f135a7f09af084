/** A process that executes runs: `node --conditions=cogito-source worker.ts <URL of a server> <port>`. */
import { NodeRuntime } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { layer, memory, model, runner } from "./flows.ts"

const [url = "", port = ""] = process.argv.slice(2)
const ready = Layer.effectDiscard(Effect.sync(() => process.stdout.write("ready\n")))

Layer.launch(
  ready.pipe(
    Layer.provide(layer),
    Layer.provide(model),
    Layer.provide(Layer.merge(runner(url, Number(port)), memory(url)))
  )
).pipe(NodeRuntime.runMain)
