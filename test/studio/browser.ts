/** The studio of a program, opened in Chromium. */
import { type Page, openPage } from "../browser/devtools.ts"

export interface Opened {
  readonly page: Page
  /** Opens a page of the studio, as a link does. */
  readonly go: (path: string) => Promise<void>
  /** Waits until the page shows a text. */
  readonly shows: (text: string | RegExp) => Promise<void>
  /** The text of the page. */
  readonly text: () => Promise<string>
  /** Presses Tab until an element with this label or text has the focus. */
  readonly tabTo: (name: string) => Promise<void>
}

const patience = 20_000

/** The label or the text of the element with the focus. */
const focused = `(() => {
  const at = document.activeElement
  if (at === null || at === document.body) return ""
  return (at.labels?.[0]?.innerText ?? at.getAttribute("aria-label") ?? at.innerText ?? "").trim()
})()`

const until = async (what: string, check: () => Promise<boolean>, now: () => Promise<string>): Promise<void> => {
  const start = Date.now()
  while (!(await check().catch(() => false))) {
    if (Date.now() - start > patience) throw new Error(`not yet: ${what}, but:\n${await now()}`)
    await new Promise((next) => setTimeout(next, 30))
  }
}

export const openStudio = async (address: string): Promise<Opened> => {
  const page = await openPage(address)
  const base = address.split("?")[0] ?? address
  const text = () => page.evaluate<string>("document.body.innerText")
  const shows = (wanted: string | RegExp) =>
    until(
      String(wanted),
      async () => {
        const shown = await text()
        return typeof wanted === "string" ? shown.includes(wanted) : wanted.test(shown)
      },
      text
    )
  return {
    page,
    text,
    shows,
    go: async (path) => {
      const url = new URL(path, base).href
      await page.evaluate(`void (globalThis.before = true, location.assign(${JSON.stringify(url)}))`)
      await until(
        `the page ${path}`,
        () =>
          page.evaluate(`globalThis.before === undefined && document.querySelector("main h1, main .trouble") !== null`),
        text
      )
    },
    tabTo: async (name) => {
      for (let i = 0; i < 60; i++) {
        await page.press("Tab")
        if ((await page.evaluate<string>(focused)) === name) return
      }
      throw new Error(`Tab does not come to ${name}`)
    }
  }
}
