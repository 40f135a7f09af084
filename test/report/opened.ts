/** Opens the page of a report from a file, as a reader does. */
import { afterAll } from "@effect/vitest"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { Report } from "../../src/report/index.ts"
import { openPage, type Page } from "../browser/devtools.ts"

/** A text as the source of a script. */
const read = (name: string): string => JSON.stringify(name)

/** Opens pages until the tests of a file end. Files share this module. */
export const opener = (): ((report: Report.RunReport) => Promise<Page>) => {
  const folder = mkdtempSync(join(tmpdir(), "cogito-report-"))
  const open: Array<Page> = []
  afterAll(async () => {
    for (const page of open) await page.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  })
  return async (report) => {
    const file = join(folder, `report-${open.length}.html`)
    writeFileSync(file, Report.html(report))
    const page = await openPage(pathToFileURL(file).href)
    open.push(page)
    return page
  }
}

/** The text of the first element that a selector finds. */
export const textAt = (page: Page, selector: string): Promise<string> =>
  page.evaluate(`document.querySelector(${read(selector)})?.innerText ?? "not there"`)

export const countOf = (page: Page, selector: string): Promise<number> =>
  page.evaluate(`document.querySelectorAll(${read(selector)}).length`)
