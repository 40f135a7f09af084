/**
 * Measures cogito beside other libraries and writes docs/benchmarks.md.
 *
 * `npm run bench:peers`, with `-- --quick` for fewer rounds and `-- --only NAME` for one scenario; these two print the page
 * and write nothing.
 */
import { writeFileSync } from "node:fs"
import { cpus, loadavg, totalmem } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { install, root, versions } from "./harness/install.ts"
import { type Part, page } from "./harness/markdown.ts"
import { measure } from "./harness/measure.ts"
import { isName, names, titles } from "./harness/names.ts"
import type { Scenario } from "./harness/scenario.ts"

const { only, quick = false } = parseArgs({
  options: { only: { type: "string" }, quick: { type: "boolean" } }
}).values
if (only !== undefined && !isName(only)) throw new Error(`--only takes one of ${names.join(", ")}, not ${only}.`)

await install()
const machine = {
  date: new Date().toISOString().slice(0, 10),
  cpu: `${cpus().length} × ${cpus()[0]?.model ?? "unknown"}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
  node: process.version,
  load: loadavg()[0]?.toFixed(1) ?? "unknown",
  versions: versions()
}

const parts: Array<Part> = []
for (const name of only === undefined ? names : [only]) {
  process.stderr.write(`${titles[name]} …\n`)
  const { scenario } = (await import(`./scenarios/${name}.ts`)) as { scenario: Scenario }
  const { results, rounds } = await measure(name, scenario, quick)
  parts.push({ title: titles[name], method: scenario.method, rounds, report: scenario.report(results) })
}

const text = page(machine, parts)
if (quick || only !== undefined) process.stdout.write(text)
else writeFileSync(join(root, "docs", "benchmarks.md"), text)
