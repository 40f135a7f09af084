/** Writes the pictures of docs/report.md. It needs Chromium. */
import { Effect } from "effect"
import { Report } from "cogito/report"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { openPage } from "../test/browser/devtools.ts"
import { root } from "./run.ts"
import { sampleReport } from "./sampleReport.ts"

const images = join(root, "docs", "images")
const folder = mkdtempSync(join(tmpdir(), "cogito-report-"))
try {
  const file = join(folder, "run.html")
  writeFileSync(file, Report.html(await Effect.runPromise(sampleReport("first", 900))))
  mkdirSync(images, { recursive: true })
  for (const scheme of ["light", "dark"] as const) {
    const page = await openPage(pathToFileURL(file).href, { width: 1200, height: 1240 })
    try {
      await page.prefer(scheme)
      const picture = await page.picture()
      writeFileSync(join(images, `report-${scheme}.png`), picture)
      process.stdout.write(`docs/images/report-${scheme}.png: ${Math.round(picture.length / 1000)} kB\n`)
    } finally {
      await page.close()
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
