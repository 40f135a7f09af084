/** How fast a page with many notes opens and searches, measured inside the page. */
import type { Page } from "../browser/devtools.ts"

export const count = 10_000

/** Milliseconds. `open` lasts until the page is drawn; `searches` from a change of the words until the list shows what was found. */
export interface Measured {
  readonly open: number
  readonly searches: ReadonlyArray<number>
  readonly found: ReadonlyArray<string>
}

const words = ["k", "kili", "kilimanjaro", "invoice", "invoice refund", "note-99", "nothing like it", ""]

export const measure = (page: Page): Promise<Measured> =>
  page.evaluate(`(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))
    await frame()
    const painted = performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? performance.now()
    const loaded = performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd
    const search = document.querySelector("#search")
    const [searches, found] = [[], []]
    for (const words of ${JSON.stringify(words)}) {
      await frame()
      const start = performance.now()
      search.value = words
      search.dispatchEvent(new Event("input"))
      // the list is drawn in a later task, and this reads its layout
      const before = document.querySelector(".found")
      await new Promise((done) => setTimeout(done))
      document.querySelector(".note-list ol").getBoundingClientRect()
      searches.push(performance.now() - start)
      found.push(before.innerText)
    }
    return { open: Math.max(painted, loaded), searches, found }
  })()`)
