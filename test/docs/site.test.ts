import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs"
import axe from "axe-core"
import { createServer, type Server } from "node:http"
import { extname, join, posix } from "node:path"
import { packed } from "../../scripts/packed.ts"
import { root, run } from "../../scripts/run.ts"
import { missing } from "../browser/chromium.ts"
import { openPage, type Page } from "../browser/devtools.ts"

// The site that `npm run docs` builds: its links, and its pages as a reader in a browser finds them.

const site = join(root, "site")
const read = (path: string): string => readFileSync(join(site, path), "utf8")

beforeAll(async () => {
  const { folder } = await packed()
  const env = { COGITO_DECLARATIONS: join(folder, "dist") }
  const { output, status } = run(process.execPath, [join(root, "scripts/docs/build.ts")], { env })
  assert.strictEqual(status, 0, output)
}, 400_000)

describe("the pages of the site", () => {
  it("have no link to a page, a heading or a file that does not exist", () => {
    const pages = globSync("**/*.html", { cwd: site })
    assert.isAbove(pages.length, 80)
    const ids = new Map<string, ReadonlySet<string>>(
      pages.map((page) => [page, new Set(Array.from(read(page).matchAll(/\sid="([^"]+)"/g), ([, id = ""]) => id))])
    )
    const dead = pages.flatMap((page) =>
      Array.from(read(page).matchAll(/\s(?:href|src)="([^"]+)"/g), ([, link = ""]) => link)
        .filter((link) => !/^[a-z]+:/.test(link))
        .filter((link) => {
          const { hash, pathname } = new URL(link, `http://site/${page}`)
          const path = decodeURIComponent(pathname)
            .replace(/^\//, "")
            .replace(/(^|\/)$/, "$1index.html")
          if (!existsSync(join(site, path))) return true
          return hash !== "" && ids.get(path)?.has(decodeURIComponent(hash.slice(1))) !== true
        })
        .map((link) => `${page}: ${link}`)
    )
    assert.deepStrictEqual([...new Set(dead)], [])
  })

  it("load nothing from other addresses", () => {
    const parts = globSync("{**/*.html,assets/**/*.css}", { cwd: site }).flatMap((page) =>
      Array.from(
        read(page).matchAll(
          /<(?:script|link|img|iframe)[^>]*(?:src|href)="(https?:[^"]+)"|url\((["']?https?:[^)]+)\)/g
        ),
        ([whole]) => `${page}: ${whole}`
      )
    )
    assert.deepStrictEqual(parts, [])
  })

  it("include the texts for programs", () => {
    const list = read("llms.txt")
    for (const [, path = ""] of list.matchAll(/\]\(([^)]+)\)/g)) assert.isTrue(existsSync(join(site, path)), path)
    assert.include(list, "- [Durable runs](docs/durability.md)")
    assert.include(list, "- Step (`cogito/Step`)")
    const full = read("llms-full.txt")
    assert.include(full, readFileSync(join(root, "docs/parsing.md"), "utf8").split("\n")[2] ?? "no third line")
    assert.include(full, "### retry\n")
  })

  it("show every export of a module", () => {
    const page = read("api/WorkerPool.html")
    for (const name of ["Options", "WorkerPool", "make"]) assert.include(page, `id="${name}"`)
  })
})

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".svg": "image/svg+xml"
}

const serve = async (): Promise<{ readonly server: Server; readonly origin: string }> => {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "", "http://site")
    const file = join(site, posix.normalize(pathname).replace(/\/$/, "/index.html"))
    if (!existsSync(file)) response.writeHead(404).end()
    else response.setHeader("content-type", types[extname(file)] ?? "text/plain; charset=utf-8").end(readFileSync(file))
  })
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  const address = server.address()
  const port = address !== null && typeof address === "object" ? address.port : 0
  return { server, origin: `http://127.0.0.1:${port}` }
}

const faults = `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations
  .filter(({ impact }) => impact === "serious" || impact === "critical")
  .map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html).slice(0, 3).join(" ")))`

describe.skipIf(missing !== undefined)("the site in Chromium", () => {
  let tab: Page
  let served: Awaited<ReturnType<typeof serve>>

  beforeAll(async () => {
    served = await serve()
    tab = await openPage(`${served.origin}/`, { width: 1480, height: 1000 })
  })
  afterAll(async () => {
    await tab.close()
    served.server.closeAllConnections()
    served.server.close()
  })

  const isDark = `document.documentElement.classList.contains("dark")`
  /** Evaluates until there is a value. */
  const until = async (expression: string): Promise<any> => {
    for (let tries = 0; tries < 300; tries++) {
      const value = await tab.evaluate(expression)
      if (value !== null && value !== undefined && value !== false && value !== "") return value
      await new Promise((done) => setTimeout(done, 50))
    }
    throw new Error(`It never became true: ${expression}`)
  }
  const look = async (name: string): Promise<void> => {
    const folder = process.env["COGITO_PICTURES"]
    if (folder !== undefined) writeFileSync(join(folder, `${name}.png`), await tab.picture())
  }

  it("finds pages by words", async () => {
    assert.include(await tab.evaluate("document.body.innerText"), "Typed reasoning pipelines")
    await look("home")
    await until(`document.querySelector(".VPNavBarSearch button")`)
    await tab.evaluate(`document.querySelector(".VPNavBarSearch button").click()`)
    await until(`document.activeElement?.id === "localsearch-input"`)
    await tab.write("retry")
    const found = await until(
      `Array.from(document.querySelectorAll("#localsearch-list a"), (a) => a.pathname + a.hash).join(" ")`
    )
    assert.include(found.split(" "), "/api/Step.html#retry")
    await look("search")
  })

  it("draws the diagrams of pipelines", async () => {
    await tab.go(`${served.origin}/docs/how-it-works.html`)
    const text = await until(`document.querySelector("pre.mermaid svg")?.textContent`)
    assert.include(text, "retry")
    await tab.evaluate(`document.querySelector("pre.mermaid").scrollIntoView({ block: "center", behavior: "instant" })`)
    await look("diagram")
  })

  it("has a dark theme", async () => {
    await tab.go(`${served.origin}/api/Step.html`)
    assert.isFalse(await tab.evaluate(isDark))
    await until(`document.querySelector(".VPSwitchAppearance")`)
    await tab.evaluate(`document.querySelector(".VPSwitchAppearance").click()`)
    assert.isTrue(await until(isDark))
    assert.include(
      await tab.evaluate("document.body.innerText"),
      "Runs one step, and then another on the resulting thought."
    )
    await look("api-dark")
    await tab.evaluate(`document.querySelector(".VPSwitchAppearance").click()`)
    await until(`!${isDark}`)
  })

  it("has no serious fault of accessibility in either theme", { timeout: 180_000 }, async () => {
    const found: Array<string> = []
    for (const path of ["/", "/docs/how-it-works.html", "/api/Budget.html"]) {
      for (const theme of ["light", "dark"]) {
        await tab.evaluate(`localStorage.setItem("vitepress-theme-appearance", "${theme}")`)
        await tab.go(`${served.origin}${path}`)
        // a page with diagrams is complete when they are drawn
        await until(`Array.from(document.querySelectorAll("pre.mermaid")).every((one) => one.querySelector("svg"))`)
        await tab.evaluate(axe.source)
        await look(`${theme}${path.replaceAll("/", "-")}`)
        for (const fault of await tab.evaluate<ReadonlyArray<string>>(faults))
          found.push(`${path} (${theme}): ${fault}`)
      }
    }
    assert.deepStrictEqual(found, [])
  })

  it("asks no other server for anything, and no program of it fails", () => {
    assert.isAbove(tab.requests.length, 20)
    const others = tab.requests.filter((url) => !url.startsWith(served.origin) && !url.startsWith("data:"))
    assert.deepStrictEqual(others, [])
    assert.deepStrictEqual(tab.problems, [])
  })
})
