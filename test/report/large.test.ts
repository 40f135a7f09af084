import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { missing } from "../browser/chromium.ts"
import type { Page } from "../browser/devtools.ts"
import { count, measure } from "./large.ts"
import { countOf, opener, textAt } from "./opened.ts"
import { many } from "./reports.ts"

describe.skipIf(missing !== undefined)(`a page with ${count} notes`, () => {
  const openReport = opener()
  let page: Page
  beforeAll(async () => {
    page = await openReport(await Effect.runPromise(many(count)))
  })

  it("draws only the rows in sight, and those that it scrolls to", async () => {
    assert.strictEqual(await textAt(page, ".found"), "10,000 notes")
    assert.isBelow(await countOf(page, ".note-row"), 40)
    await page.evaluate(`document.querySelector(".note-list").scrollTop = 1e9`)
    await page.press("x")
    assert.include(await textAt(page, ".note-row:last-child"), "note-9999")
    assert.isBelow(await countOf(page, ".note-row"), 40)
    await page.evaluate(`document.querySelector(".note-list").scrollTop = 0`)
  })

  it("goes through rows by the keyboard beyond what was drawn at first", async () => {
    // rows are drawn after the list has scrolled
    const rowsAreDrawn =
      "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))).then(() => true)"
    const isAtStart = `document.querySelector(".note-row [data-item]").innerText.includes("note-0\\n")`
    while (!(await page.evaluate(isAtStart))) await page.evaluate(rowsAreDrawn)
    await page.evaluate(`document.querySelector(".note-row [data-item]").focus()`)
    for (let i = 0; i < 60; i++) {
      await page.press("j")
      await page.evaluate(rowsAreDrawn)
    }
    assert.include(await page.evaluate("document.activeElement.innerText"), "note-60")
    assert.isTrue(await page.evaluate("document.activeElement.checkVisibility()"))
    await page.evaluate(`document.querySelector(".note-list").scrollTop = 0`)
  })

  // bench/report.ts prints the figures; the limits here are five times what a reader would notice
  it("finds notes at once", async () => {
    const { found, open, searches } = await measure(page)
    assert.strictEqual(found[2], "1 of 10,000 notes")
    assert.strictEqual(found.at(-1), "10,000 notes")
    assert.isBelow(open, 5 * 2000)
    assert.isBelow(Math.max(...searches), 5 * 50)
    assert.deepStrictEqual(page.problems, [])
  })
})
