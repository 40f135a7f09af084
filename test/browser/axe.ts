/** What axe-core finds in a page. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Page } from "./devtools.ts"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** The serious faults of the page as it is, each with the elements that have it. */
export const faultsOf = async (page: Page): Promise<ReadonlyArray<string>> => {
  // as the developer's console does, past the policy of the page
  await page.evaluate(axe)
  return page.evaluate(`axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html.slice(0, 160)).join(" | ")))`)
}
