// Runs offline: no key, no server. `npm run batch -- --rows 10000`
/**
 * Classifies many rows: some at a time, within a budget and a rate, with progress. Stopped in the middle, by Ctrl-C or a
 * crash, the same command goes on: each row is a durable run whose id is that of the row, so no row is asked twice.
 */
import { parseArgs } from "node:util"
import { Budget, Primitive, Provider } from "cogito"
import { Local } from "cogito/local"
import { PgliteMemory } from "cogito/pglite"
import { Cogito } from "cogito/promise"
import { batch } from "./batch/batch.ts"

const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "200" },
    "data-dir": { type: "string", default: ".cogito/batch" },
    concurrency: { type: "string", default: "8" }
  }
})

const kinds = ["I was charged twice", "The page shows an error", "I cannot log in", "Where is my invoice?"]
const rows = Array.from({ length: Number(values.rows) }, (_, i) => ({
  id: `row-${i + 1}`,
  text: `${kinds[i % kinds.length]} (case ${i + 1})`
}))

const topic = Primitive.categorize("topic", {
  question: "What is this about?",
  categories: { billing: "payments, invoices, refunds", technical: "errors and outages", account: "login and profile" }
})

const model = Local.extractive.pipe(
  Provider.budget(Budget.make({ calls: rows.length * 2, usd: 5 })),
  Provider.rateLimit({ requests: 1_000, per: "1 second" })
)
const stop = new AbortController()
process.once("SIGINT", () => stop.abort(new Error("stopped: run the same command again to go on")))

await using ai = Cogito.make([model, PgliteMemory.layer({ dataDir: values["data-dir"] }), Local.embedder])
const began = performance.now()
// with the id of the row, a run that has ended returns its thought at once, and asks nothing
const one = async ({ id, text }: { readonly id: string; readonly text: string }) => {
  const options = { signal: stop.signal, durable: { id } }
  const done = await ai.run(topic, { intent: "sort the rows", notes: { text } }, options)
  return done.get("topic")
}
const result = await batch(rows, one, {
  concurrency: Number(values.concurrency),
  signal: stop.signal,
  onProgress: ({ done, failed, total }) => {
    if ((done + failed) % 100 === 0) console.error(`${done} of ${total} done, ${failed} failed`)
  }
}).catch((error: Error) => error)
const seconds = (performance.now() - began) / 1000

if (result instanceof Error) {
  console.error(result.message)
  process.exitCode = 1
} else {
  const { failures, results } = result
  const counts = Object.entries(Object.groupBy(results, ({ value }) => value.primary))
  for (const [name, found = []] of counts) console.log(`${name}: ${found.length}`)
  for (const { error, id } of failures.slice(0, 10)) console.log(`${id}: ${String(error)}`)
  const megabytes = Math.round(process.resourceUsage().maxRSS / 1024)
  console.error(`${results.length} rows in ${seconds.toFixed(1)} s, at most ${megabytes} MB`)
}
