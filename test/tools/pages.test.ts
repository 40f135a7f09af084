import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Tools } from "cogito/tools"
import { failing, on } from "./kit.ts"
import { serving } from "./server.ts"

/** What is read of a page that a server sends with this type. */
const read = (type: string, body: string | Uint8Array, options: Tools.ScrapeOptions = {}) =>
  Effect.gen(function* () {
    const { host } = yield* serving({
      "/": (_, response) => void response.writeHead(200, { "content-type": type }).end(body)
    })
    return yield* on(Tools.scrape({ allow: [host], ...options }))("scrape", { url: `http://${host}/` })
  })

const textOf = (type: string, body: string | Uint8Array) => Effect.map(read(type, body), ({ text }) => text)

describe("the text of a page", () => {
  it.live("is read in the charset of the answer, before the one that the page declares", () =>
    Effect.gen(function* () {
      const page = (charset: string, text: string) => `<meta charset="${charset}"><p>${text}`
      const latin1 = (text: string) => Buffer.from(text, "latin1")
      assert.strictEqual(yield* textOf("text/html; charset=utf-8", page("iso-8859-1", "grün")), "grün")
      assert.strictEqual(yield* textOf(`text/html; charset="iso-8859-1"`, latin1(page("utf-8", "grün"))), "grün")
      assert.strictEqual(yield* textOf("text/html", latin1(page("iso-8859-1", "grün"))), "grün")
      // what is no page declares nothing
      assert.strictEqual(yield* textOf("text/plain", page("iso-8859-1", "grün")), page("iso-8859-1", "grün"))
    })
  )

  it.live("is taken for UTF-8 or UTF-16 only after a whole mark, which the type does not contradict", () =>
    Effect.gen(function* () {
      const latin1 = "text/plain; charset=iso-8859-1"
      const bytes = (text: string) => Buffer.from(text, "latin1")
      for (const text of ["ïa", "a»", "þa", "aÿ", "ÿa", "aþ"]) {
        assert.strictEqual(yield* textOf(latin1, bytes(text)), text)
      }
      assert.strictEqual(yield* textOf(latin1, "\ufeffgrün"), "grün")
      assert.strictEqual(yield* textOf(latin1, Buffer.from("\ufeffgrün", "utf16le")), "grün")
      assert.strictEqual(yield* textOf(latin1, Buffer.from("\ufeffgrün", "utf16le").swap16()), "grün")
      assert.strictEqual(yield* textOf("application/xhtml+xml", "<p>grün</p>"), "grün")
    })
  )

  it.live("has at most one empty line between its lines, however many breaks there are", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* textOf("text/html", "One<br>two<br><br>three<br><br><br><br>four<p><br><br><p>five<br>"),
        "One\ntwo\n\nthree\n\nfour\n\nfive"
      )
    })
  )
})

describe("the layout of a page", () => {
  const cases: ReadonlyArray<readonly [string, string, string]> = [
    ["no mark of an empty heading", "<h2></h2><p>text", "text"],
    ["no mark of an empty item", "<ul><li></li></ul>text", "text"],
    ["cells apart, whatever white space is in them", "<table><tr><td>a</td>\n<td> b</td></tr></table>", "a | b"],
    ["no spaces at the ends of its lines", "<pre>a   \n  b  </pre>", "a\n  b"],
    ["nothing that a style hides", `a<p style="visibility:hidden">b</p><p style="visibility: visible">c`, "a\n\nc"],
    ["what the last display of a style shows", `a<p style="display:none;display:block">b</p>`, "a\n\nb"],
    ["what an important style shows", `a<p style="opacity:1 !important;opacity:0">b</p>`, "a\n\nb"],
    ["small and faint text", `a<p style="font-size:0.1em;opacity:.05;left:-99px;height:0">b</p>`, "a\n\nb"],
    ...[
      "display:/**/none",
      "DISPLAY : NONE",
      "d\\69 splay:none",
      "visibility:collapse",
      "content-visibility:hidden",
      "opacity:0.0",
      "opacity:0%",
      "font-size:0px",
      "height:0;overflow:hidden",
      "max-width:0;overflow:clip",
      "text-indent:-9999px",
      "position:absolute;left:-9999px",
      "position:fixed;top:-200vh",
      "position:absolute;clip:rect(0,0,0,0)",
      "clip:rect(1px, 1px, 1px, 1px);position:absolute",
      "clip-path:inset(50%)",
      "display:none !important;display:block"
    ].map((style) => [`nothing with the style ${style}`, `a<p style="${style}">b</p><p>c`, "a\n\nc"] as const),
    ["no image that is hidden", `a<img hidden alt="b"><img alt="c"><hr hidden>d`, "a[c]d"],
    ["no kept white space where very many elements are open", `<pre>${"<b>".repeat(501)}a   b`, "a b"],
    [
      "fields as they are, where very many elements are open",
      `${"<b>".repeat(500)}<textarea><i>x</i></textarea>`,
      "<i>x</i>"
    ],
    [
      "nothing from a hidden element, however many elements of the same name it contains",
      `a<div hidden>${"<div>".repeat(1700)}${"</div>".repeat(1699)}b</div>c</div>d`,
      "ad"
    ],
    [
      "nothing from a hidden element whose closing tags have attributes",
      `a<div hidden>${"<div>".repeat(600)}${`</div x="</div>">`.repeat(600)}b</div>c`,
      "ac"
    ],
    [
      "nothing from a hidden item, however deep its lists are",
      `a<ul><li hidden>${"<ul><li>".repeat(600)}${"</li><li>b</li></ul>".repeat(600)}c</li><li>d</li></ul><p>e`,
      "a\n\n- d\n\ne"
    ]
  ]
  it.live.each(cases)("has %s", ([, page, text]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* textOf("text/html", page), text)
    })
  )
})

describe("the title of a page", () => {
  it.live("is its first one, without what the page leaves out", () =>
    Effect.gen(function* () {
      const { title } = yield* read(
        "text/html",
        "<svg><title>Icon</title></svg><title>Page</title><title>Other</title>"
      )
      assert.strictEqual(title, "Page")
    })
  )
})

describe("the links of a page", () => {
  it.live("are those of its visible text and navigation", () =>
    Effect.gen(function* () {
      const link = (name: string) => `<a href="https://${name}.test/">${name}</a>`
      const page =
        `<div hidden><nav>${link("menu")}</nav>${link("hidden")}</div><dialog>${link("dialog")}</dialog>` +
        `<select><option>${link("option")}</select><p style="display:none">${link("style")}</p><template>${link("template")}</template>` +
        `<nav>${link("beside")}</nav><p>${link("shown")}</p>`
      const { links } = yield* read("text/html", page)
      assert.deepStrictEqual(
        links.map(({ text }) => text),
        ["beside", "shown"]
      )
    })
  )

  it.live("leave out links that are hidden or in a hidden menu, and hidden text", () =>
    Effect.gen(function* () {
      const page =
        `<a href="https://shown.test/">Shown<i hidden>secret</i></a><a hidden href="https://hidden.test/">Hidden</a>` +
        `<nav hidden><a href="https://menu.test/">Menu</a></nav><nav><a href="https://beside.test/">Beside</a></nav>` +
        `<a href="https://open.test/">Open<a hidden href="https://nested.test/">Nested</a>`
      const { links } = yield* read("text/html", page)
      assert.deepStrictEqual(
        links.map(({ text }) => text),
        ["Shown", "Beside", "Open"]
      )
    })
  )

  it.live("lead to where its base says", () =>
    Effect.gen(function* () {
      const { links } = yield* read("text/html", `<base href="https://base.test/docs/"><a href="one">One</a>`)
      assert.deepStrictEqual(links, [{ url: "https://base.test/docs/one", text: "One" }])
      const bases = `<base target="_blank"><base href="https://base.test/docs/"><base href="more/">`
      const more = yield* read("text/html", `${bases}<a href="one">One</a>`)
      assert.deepStrictEqual(more.links, links)
    })
  )

  it.live("are 2,000 at most, however many are wanted", () =>
    Effect.gen(function* () {
      const page = Array.from({ length: 2001 }, (_, i) => `<a href="/${i}">${i}</a>`).join("")
      const { links } = yield* read("text/html", page, { links: 3000 })
      assert.strictEqual(links.length, 2000)
    })
  )
})

describe("a page that cannot be read", () => {
  it.live("is reported as moved if it does not say where, and as refusing connections if nobody listens", () =>
    Effect.gen(function* () {
      const { host } = yield* serving({ "/": (_, response) => void response.writeHead(302).end() })
      const refused = (from: string) =>
        failing(on(Tools.scrape({ allow: [from] }))("scrape", { url: `http://${from}/` }))
      assert.match(yield* refused(host), /^Failed: .* has answered with the status 302\.$/)
      const closed = yield* Effect.scoped(Effect.map(serving({}), (server) => server.host))
      assert.strictEqual(
        yield* refused(closed),
        `Failed: "http://${closed}/" could not be read: it does not accept connections.`
      )
    })
  )
})
