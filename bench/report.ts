/** How long the page of a report with 10,000 notes takes to open and to search, in Chromium. */
import { Effect } from "effect"
import { Report } from "cogito/report"
import { openPage } from "../test/browser/devtools.ts"
import { count, measure } from "../test/report/large.ts"
import { many } from "../test/report/reports.ts"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

const folder = mkdtempSync(join(tmpdir(), "cogito-bench-"))
try {
  const report = await Effect.runPromise(many(count))
  const start = performance.now()
  const html = Report.html(report)
  const written = performance.now() - start
  const file = join(folder, "run.html")
  writeFileSync(file, html)
  const page = await openPage(pathToFileURL(file).href)
  try {
    const { open, searches } = await measure(page)
    process.stdout.write(
      [
        `${count} notes, ${(html.length / 1e6).toFixed(1)} MB`,
        `written   ${written.toFixed(0)} ms`,
        `opened    ${open.toFixed(0)} ms (aim: under 2000)`,
        `searched  ${Math.max(...searches).toFixed(0)} ms at most, ${(searches.reduce((a, b) => a + b, 0) / searches.length).toFixed(0)} ms on average (aim: under 50)`,
        `each      ${searches.map((one) => one.toFixed(0)).join(", ")} ms`,
        ""
      ].join("\n")
    )
  } finally {
    await page.close()
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
