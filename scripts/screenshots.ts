/** Writes the pictures of docs/report.md and docs/studio.md. It needs Chromium. */
import { Effect } from "effect"
import { Report } from "cogito/report"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { setTimeout } from "node:timers/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { openPage } from "../test/browser/devtools.ts"
import { root } from "./run.ts"
import { sampleReport } from "./sampleReport.ts"
import { sampleStudio } from "./sampleStudio.ts"

const images = join(root, "docs", "images")
mkdirSync(images, { recursive: true })

/** A picture of a page in either theme. */
const take = async (name: string, url: string, height: number, ready = "true"): Promise<void> => {
  for (const scheme of ["light", "dark"] as const) {
    const page = await openPage(url, { width: 1200, height })
    try {
      await page.prefer(scheme)
      // a page on the way to another one has no answer
      while (!(await page.evaluate<boolean>(ready).catch(() => false))) await setTimeout(50)
      const picture = await page.picture()
      writeFileSync(join(images, `${name}-${scheme}.png`), picture)
      process.stdout.write(`docs/images/${name}-${scheme}.png: ${Math.round(picture.length / 1000)} kB\n`)
    } finally {
      await page.close()
    }
  }
}

const folder = mkdtempSync(join(tmpdir(), "cogito-report-"))
try {
  const file = join(folder, "run.html")
  writeFileSync(file, Report.html(await Effect.runPromise(sampleReport("first", 900))))
  await take("report", pathToFileURL(file).href, 1240)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

await Effect.gen(function* () {
  // a link in the list opens the run
  const address = yield* sampleStudio
  const run = `(() => {
    const link = document.querySelector('a[href$="refund-17"]')
    if (document.querySelector(".question") !== null) return true
    if (link !== null) link.click()
    return false
  })()`
  yield* Effect.promise(() => take("studio", address, 1100, run))
}).pipe(Effect.scoped, Effect.runPromise)
