/** What axe-core finds in a page. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Page } from "./devtools.ts"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** The rules that look at colours. */
const colours = ["color-contrast", "link-in-text-block"]

interface Options {
  /** Only by these rules: those for another theme of a page that was looked at before. Default: all. */
  readonly rules?: "all" | "colours"
}

/** The serious faults of the page as it is, each with the elements that have it. */
export const faultsOf = async (page: Page, { rules = "all" }: Options = {}): Promise<ReadonlyArray<string>> => {
  // as the developer's console does, past the policy of the page
  if (await page.evaluate<boolean>(`typeof axe === "undefined"`)) await page.evaluate(axe)
  const options = { resultTypes: ["violations"], ...(rules === "all" ? {} : { runOnly: colours }) }
  return page.evaluate(`axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html.slice(0, 160)).join(" | ")))`)
}
