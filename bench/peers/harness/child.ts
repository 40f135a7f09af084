// The process of one subject: `child.ts SCENARIO SUBJECT [quick]`. It measures a round whenever it receives a message.
import type { Scenario } from "./scenario.ts"

const [name = "", subject = "", mode] = process.argv.slice(2)
const { scenario } = (await import(new URL(`../scenarios/${name}.ts`, import.meta.url).href)) as { scenario: Scenario }
const start = scenario.subjects[subject]
if (start === undefined) throw new Error(`The scenario ${name} has no subject ${subject}.`)
const round = await start(mode === "quick")
process.on("message", () => {
  void round().then((figures) => process.send?.(figures))
})
process.on("disconnect", () => process.exit(0))
process.send?.("ready")
