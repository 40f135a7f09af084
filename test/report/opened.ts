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

/** Opens a page in the place of the one before, until the tests of a file end: a browser takes longer to start than most tests. */
export const opener = (): ((report: Report.RunReport) => Promise<Page>) => {
  const folder = mkdtempSync(join(tmpdir(), "cogito-report-"))
  let page: Page | undefined
  let opened = 0
  afterAll(async () => {
    await page?.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  })
  return async (report) => {
    const file = join(folder, `report-${++opened}.html`)
    writeFileSync(file, Report.html(report))
    const url = pathToFileURL(file).href
    if (page === undefined) {
      page = await openPage(url)
    } else {
      page.forget()
      await page.prefer("light")
      await page.go(url)
    }
    return page
  }
}

/** The text of the first element that a selector finds. */
export const textAt = (page: Page, selector: string): Promise<string> =>
  page.evaluate(`document.querySelector(${read(selector)})?.innerText ?? "not there"`)

export const countOf = (page: Page, selector: string): Promise<number> =>
  page.evaluate(`document.querySelectorAll(${read(selector)}).length`)
