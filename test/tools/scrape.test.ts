import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import dns from "node:dns"
import { syncBuiltinESMExports } from "node:module"
import type { ServerResponse } from "node:http"
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib"
import { Tools } from "cogito/tools"
import { failing, on } from "./kit.ts"
import { serving } from "./server.ts"

/** Reads a page of a server that may be read. */
const reading = (host: string, path: string, options: Tools.ScrapeOptions = {}, offset?: number) =>
  on(Tools.scrape({ allow: [host], ...options }))("scrape", {
    url: `http://${host}${path}`,
    ...(offset === undefined ? {} : { offset })
  })

const answer =
  (type: string, body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}) =>
  (_: unknown, response: ServerResponse) => {
    response.writeHead(200, { ...(type === "" ? {} : { "content-type": type }), ...headers }).end(body)
  }

const redirect =
  (location: string, status = 302) =>
  (_: unknown, response: ServerResponse) => {
    response.writeHead(status, { location }).end("moved")
  }

describe("a page", () => {
  it.live("is read as a reader sees it, with its title and its links", () =>
    Effect.gen(function* () {
      const { host } = yield* serving({
        "/docs/a": `<!doctype html><html><head><title> A &amp; B
          </title><style>p { color: red }</style><script>let x = "<p>no</p>"</script></head>
          <body><nav><a href="/home">Home</a></nav><!-- no <p>comment</p> -->
          <h1>Head<b>ing</b></h1><p>First &lt;line&gt;<br>second&nbsp;line, <i>caf&eacute;</i> &#8364; &#x1F600; &unknown; a < b
          <p>Next <a href="b?x=1&amp;y=2#part">the  link</a> and <a href='https://example.com/'><img alt="An image"></a>
          <ul><li>One<li><p>Two</p></li><li></li></ul>after
          <pre>  kept
    as it is</pre><table><tr><th>Name<th>Price</tr><tr><td><p>Kite</p></td><td>12</td></tr></table>
          <div hidden>secret <div>order</div></div><span style="color:red; display : none">invisible</span><i STYLE="VISIBILITY: Hidden">shouted</i>
          <a href="javascript:alert(1)">no</a><a href="mailto:a@b.c">mail</a><a href="#top">top</a>
          <textarea>field</textarea><hr>End</body>`
      })
      assert.deepStrictEqual(yield* reading(host, "/docs/a"), {
        url: `http://${host}/docs/a`,
        title: "A & B",
        text: [
          "# Heading",
          "",
          "First <line>\nsecond line, café € 😀 &unknown; a < b",
          "",
          "Next the link and [An image]",
          "",
          "- One\n\n- Two",
          "",
          "after",
          "",
          "  kept\n    as it is",
          "",
          "Name | Price\nKite | 12",
          "",
          "nomailtop field",
          "",
          "---",
          "",
          "End"
        ].join("\n"),
        links: [
          { url: `http://${host}/home`, text: "Home" },
          { url: `http://${host}/docs/b?x=1&y=2`, text: "the link" },
          { url: "https://example.com/", text: "An image" }
        ]
      })
    })
  )

  it.live("is read to its end, whatever is not closed or malformed", () =>
    Effect.gen(function* () {
      const pages = {
        "/tag": `<p>text <a href="x`,
        "/comment": "text <!-- never closed",
        "/script": "text <script>never closed </p>",
        "/sign": "1 < 2 & 3 > 2 &amp",
        "/odd": `<p =x "y' a='1' a="2" / b>text</p x=">`,
        "/empty": "",
        "/deep": `${"<div>".repeat(100_000)}text`,
        "/deeper": `${"<div>".repeat(200_000)}${"</span>".repeat(100_000)}text`,
        "/deepest": `<nav>${"<b>".repeat(1_000)}menu${"</b>".repeat(1_000)}</nav>${"<b>".repeat(1_000)}text`,
        "/signs": `text ${"<".repeat(300_000)}`,
        "/quotes": `text <a ${"'".repeat(300_000)}`,
        "/comments": `text ${"<!--".repeat(300_000)}`,
        "/scripts": `text ${"<script>".repeat(200_000)}`,
        "/entities": `text ${"&#".repeat(300_000)}`,
        "/spaces": `text ${" ".repeat(1_000_000)}end`,
        "/attributes": `<p ${"a ".repeat(500_000)}>text`
      }
      const { host } = yield* serving(pages)
      const texts = yield* Effect.forEach(Object.keys(pages), (path) =>
        Effect.map(reading(host, path, { characters: 8 }), ({ text }) => text)
      )
      assert.deepStrictEqual(texts, [
        "text",
        "text",
        "text",
        "1 < 2 & ",
        "text",
        "",
        "text",
        "text",
        "text",
        "text <<<",
        "text",
        "text",
        "text",
        "text &#&",
        "text end",
        "text"
      ])
    })
  )

  it.live("is read in its charset, and from its packed form", () =>
    Effect.gen(function* () {
      const latin = Buffer.from("<p>gr\xfcn", "latin1")
      const meta = Buffer.concat([Buffer.from(`<meta charset="iso-8859-1">`), latin])
      const { host } = yield* serving({
        "/utf8": answer("text/html", "<p>grün"),
        "/header": answer('text/html; charset="ISO-8859-1"', latin),
        "/meta": answer("text/html", meta),
        "/unknown": answer("text/html; charset=nonsense", "<p>grün"),
        "/late": answer("text/html", Buffer.concat([Buffer.from(`<!--${"x".repeat(1500)}-->`), meta])),
        "/both": answer("text/html; charset=utf-8", `<meta charset="iso-8859-1"><p>grün`),
        "/utf16": answer("text/html", Buffer.from("\ufeff<p>grün", "utf16le")),
        "/marked": answer("text/html; charset=iso-8859-1", "\ufeff<p>grün"),
        "/identity": answer("text/html", "<p>grün", { "content-encoding": " Identity " }),
        "/x-gzip": answer("text/html", gzipSync("<p>grün"), { "content-encoding": "X-GZIP" }),
        "/gzip": answer("text/html", gzipSync("<p>grün"), { "content-encoding": "gzip" }),
        "/deflate": answer("text/html", deflateSync("<p>grün"), { "content-encoding": "deflate" }),
        "/br": answer("text/html", brotliCompressSync("<p>grün"), { "content-encoding": "br" })
      })
      const charsets = ["/utf8", "/header", "/meta", "/late", "/both", "/unknown", "/utf16", "/marked"]
      for (const path of [...charsets, "/identity", "/gzip", "/x-gzip", "/deflate", "/br"]) {
        assert.strictEqual((yield* reading(host, path)).text, "grün", path)
      }
    })
  )

  it.live("is given as it is when it is other text, and refused when it is none", () =>
    Effect.gen(function* () {
      const { host } = yield* serving({
        "/json": answer("application/json", `{"a":"<b>"}`),
        "/plain": answer("text/plain", "a <b>\n\nc"),
        "/feed": answer("application/rss+xml; charset=utf-8", "<rss/>"),
        "/pdf": answer("application/pdf", "%PDF"),
        "/none": answer("", "text"),
        "/zip": answer("text/html", "x", { "content-encoding": "zip" }),
        "/broken": answer("text/html", "no gzip", { "content-encoding": "gzip" }),
        "/gone": (_, response) => response.writeHead(410).end(),
        "/forbidden": (_, response) => response.writeHead(403).end()
      })
      assert.strictEqual((yield* reading(host, "/json")).text, `{"a":"<b>"}`)
      assert.strictEqual((yield* reading(host, "/plain")).text, "a <b>\n\nc")
      assert.strictEqual((yield* reading(host, "/feed")).text, "<rss/>")
      const refused = (path: string) => failing(reading(host, path))
      assert.strictEqual(
        yield* refused("/pdf"),
        `NotText: The page is of the type "application/pdf", and only text is read.`
      )
      assert.strictEqual(yield* refused("/none"), "NotText: The page is of no known type, and only text is read.")
      assert.match(yield* refused("/zip"), /^NotText/)
      assert.match(yield* refused("/broken"), /^Failed: .*Z_DATA_ERROR/)
      assert.match(yield* refused("/missing"), /^NotFound: .* has answered with the status 404\.$/)
      assert.match(yield* refused("/gone"), /^NotFound: .* has answered with the status 410\.$/)
      assert.match(yield* refused("/forbidden"), /^Failed: .* has answered with the status 403\.$/)
    })
  )

  it.live("is read without what the page hides, whatever element that is", () =>
    Effect.gen(function* () {
      const { host } = yield* serving({
        "/": `<p>a</p><p hidden>b<p HIDDEN class=x>c<p hidden="until-found">d<p>e<ul><li hidden>f<li>g</ul>
          <table><tr hidden><td>h</td></tr><tr><td>i</td></tr></table><dialog>j</dialog><dialog open>k</dialog>`
      })
      const { text } = yield* reading(host, "/")
      assert.deepStrictEqual(text.match(/[a-k]/g), ["a", "e", "g", "i", "k"])
    })
  )

  it.live("has a title and links of limited length", () =>
    Effect.gen(function* () {
      const { host } = yield* serving({
        "/": `<title>${"t".repeat(100_000)}</title><a href="/${"a".repeat(2000)}">long</a>
          ${Array.from({ length: 100 }, (_, i) => `<a href="/${i}">${"x".repeat(1000)}</a>`).join("")}`
      })
      const { links, title } = yield* reading(host, "/")
      assert.strictEqual(title, `${"t".repeat(300)}[… 99700 more characters]`)
      assert.deepStrictEqual([links.length, links[0]], [40, { url: `http://${host}/0`, text: "x".repeat(120) }])
    })
  )

  it.live("is given in parts", () =>
    Effect.gen(function* () {
      const { host } = yield* serving({ "/": `<a href="/x">abcdefghij</a>` })
      const first = yield* reading(host, "/", { characters: 6 })
      assert.deepInclude(first, { text: "abcdef", next: 6 })
      assert.strictEqual(first.links.length, 1)
      const second = yield* reading(host, "/", { characters: 6 }, first.next)
      assert.deepStrictEqual(second, { url: `http://${host}/`, title: "", text: "ghij", links: [] })
      assert.match(yield* failing(reading(host, "/", {}, -1)), /^Invalid/)
    })
  )

  it.live("has no part after its end", () =>
    Effect.gen(function* () {
      const { host } = yield* serving({ "/": "<p>abcdefghijkl</p>" })
      const { next: second } = yield* reading(host, "/", { characters: 6 })
      const last = yield* reading(host, "/", { characters: 6 }, second)
      assert.deepStrictEqual([second, last.text, last.next], [6, "ghijkl", undefined])
      assert.notProperty(yield* reading(host, "/", { characters: 12 }), "next")
    })
  )

  it.live("has each address once, with the first text that leads there", () =>
    Effect.gen(function* () {
      const { host } = yield* serving({
        "/": `<a href="/a"><img src="logo.png"></a><a href="/a#top">News</a><a href="/a">More</a><a href="/b">B</a>`
      })
      assert.deepStrictEqual((yield* reading(host, "/")).links, [
        { url: `http://${host}/a`, text: "News" },
        { url: `http://${host}/b`, text: "B" }
      ])
    })
  )
})

describe("a server that harms", () => {
  it.live("does not make it read more than its limit, nor longer", () =>
    Effect.gen(function* () {
      let sent = 0
      const endless = (_: unknown, response: ServerResponse) => {
        response.setHeader("content-type", "text/html")
        const more = () => {
          while (!response.destroyed && response.write("x".repeat(65_536))) sent += 65_536
        }
        response.on("drain", more)
        more()
      }
      const { host } = yield* serving({
        "/endless": endless,
        "/silent": () => {},
        "/slow": (_, response) => {
          response.setHeader("content-type", "text/html").write("<p>")
        },
        "/bomb": answer("text/html", gzipSync(Buffer.alloc(200_000_000, "x")), { "content-encoding": "gzip" })
      })
      const limits = { maxBytes: 1000, characters: 2000 }
      const cut = `${"x".repeat(1000)}\n[… the page is longer than what is read …]`
      assert.strictEqual((yield* reading(host, "/endless", limits)).text, cut)
      assert.isBelow(sent, 50_000_000)
      assert.strictEqual((yield* reading(host, "/bomb", limits)).text, cut)
      for (const path of ["/silent", "/slow"]) {
        assert.strictEqual(
          yield* failing(reading(host, path, { timeout: "100 millis" })),
          `Timeout: "http://${host}${path}" has taken more than 0.1 seconds.`
        )
      }
    })
  )

  it.live("has its connection closed when the call is interrupted", () =>
    Effect.gen(function* () {
      const closed = Promise.withResolvers<void>()
      const begun = Promise.withResolvers<void>()
      const { host } = yield* serving({
        "/": (request) => {
          request.socket.on("close", () => closed.resolve())
          begun.resolve()
        }
      })
      const fiber = yield* Effect.forkChild(reading(host, "/"))
      yield* Effect.promise(() => begun.promise)
      yield* Fiber.interrupt(fiber)
      yield* Effect.promise(() => closed.promise)
    })
  )

  it.live("redirects only so often, and only to where it may", () =>
    Effect.gen(function* () {
      const { host, requested } = yield* serving({
        "/once": redirect("page"),
        "/page": "<p>there",
        "/copy": (_, response) =>
          void response.writeHead(200, { "content-type": "text/html", location: "/page" }).end("<p>here"),
        "/loop": redirect("/loop", 307),
        "/file": redirect("file:///etc/passwd"),
        "/user": redirect("//user:password@127.0.0.1/"),
        "/loopback": redirect("http://127.0.0.1:1/"),
        "/mapped": redirect("http://[::ffff:127.0.0.1]:1/"),
        "/number": redirect("http://2130706433/"),
        "/metadata": redirect("http://169.254.169.254/latest/meta-data/")
      })
      assert.deepInclude(yield* reading(host, "/once"), { url: `http://${host}/page`, text: "there" })
      // it says where the page is, but leads nowhere
      assert.deepInclude(yield* reading(host, "/copy"), { url: `http://${host}/copy`, text: "here" })
      assert.match(yield* failing(reading(host, "/loop")), /^Failed: .* redirects more than 5 times\.$/)
      assert.strictEqual(requested.filter((path) => path === "/loop").length, 6)
      for (const path of ["/file", "/user", "/loopback", "/mapped", "/number", "/metadata"]) {
        assert.match(yield* failing(reading(host, path)), /^Refused/, path)
      }
    })
  )
})

describe("an address that is not public", () => {
  it.live("is not connected to, however it is written", () =>
    Effect.gen(function* () {
      const { port, requested } = yield* serving({ "/": "secret" })
      const scrape = on(Tools.scrape())
      for (const host of [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f.1",
        "0x7f000001",
        "017700000001",
        "0177.0.0.1",
        "１２７.0.0.1",
        "0",
        "localhost",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "[2001:0:7f00:1::]",
        "[fe80::1]",
        "[fc00::1]",
        "[fd00:ec2::254]",
        "[ff02::1]",
        "[2001:db8::1]",
        "10.0.0.1",
        "100.64.0.1",
        "100.100.100.200",
        "168.63.129.16",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.0.1",
        "192.0.0.192",
        "198.18.0.1",
        "224.0.0.1",
        "255.255.255.255"
      ]) {
        const failure = yield* failing(scrape("scrape", { url: `http://${host}:${port}/` }))
        assert.match(failure, /^Refused: .* is not in the public internet/, host)
      }
      assert.deepStrictEqual(requested, [])
    })
  )

  it.live("is not what it is asked to read, and neither is anything but a page", () =>
    Effect.gen(function* () {
      const scrape = on(Tools.scrape())
      for (const url of [
        "file:///etc/passwd",
        "ftp://example.com/",
        "data:text/html,x",
        "javascript:1",
        "http://u:p@example.com/"
      ]) {
        assert.match(yield* failing(scrape("scrape", { url })), /^Refused/, url)
      }
      for (const url of ["", "example.com", "http://", `http://example.com/${"a".repeat(5000)}`]) {
        assert.match(yield* failing(scrape("scrape", { url })), /^Invalid/, url)
      }
    })
  )

  it.live("is left out of what a name resolves to, which happens once for each request", () =>
    Effect.gen(function* () {
      const { host, port, requested } = yield* serving({ "/": "secret", "/moved": redirect("/") })
      const lookups: Array<string> = []
      const original = dns.lookup
      const addresses: Record<string, ReadonlyArray<dns.LookupAddress>> = {
        "private.test": [
          { address: "10.0.0.1", family: 4 },
          { address: "127.0.0.1", family: 4 },
          { address: "::ffff:127.0.0.1", family: 6 },
          { address: "::1", family: 6 }
        ],
        "allowed.test": [{ address: "127.0.0.1", family: 4 }]
      }
      const faked = (
        name: string,
        options: dns.LookupOptions,
        callback: (error: Error | null, found: unknown, family?: number) => void
      ) => {
        lookups.push(name)
        const found = addresses[name] ?? []
        if (options.all === true) callback(null, found)
        else callback(null, found[0]?.address, found[0]?.family)
      }
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          Object.assign(dns, { lookup: faked })
          syncBuiltinESMExports()
        }),
        () =>
          Effect.sync(() => {
            Object.assign(dns, { lookup: original })
            syncBuiltinESMExports()
          })
      )
      const scrape = on(Tools.scrape({ allow: [`allowed.test:${port}`, host] }))
      for (const url of [`http://private.test:${port}/`, `https://private.test:${port}/`, "http://private.test/"]) {
        assert.match(yield* failing(scrape("scrape", { url })), /^Refused: .* is not in the public internet/)
      }
      assert.deepStrictEqual(requested, [])
      assert.deepStrictEqual(lookups, ["private.test", "private.test", "private.test"])
      assert.strictEqual((yield* scrape("scrape", { url: `http://allowed.test:${port}/` })).text, "secret")
      assert.match(yield* failing(scrape("scrape", { url: "http://allowed.test/" })), /^Refused/)
      assert.strictEqual(requested.length, 1)
    })
  )

  it("is allowed only by its host, or by its host and port", () => {
    assert.throws(() => Tools.scrape({ allow: ["http://x/"] }), /needs hosts such as/)
    assert.throws(() => Tools.scrape({ allow: [""] }), /needs hosts such as/)
    assert.throws(() => Tools.scrape({ timeout: 0 }), /time above 0/)
    assert.doesNotThrow(() => Tools.scrape({ allow: ["[::1]:80", "Wiki.Intranet", "10.0.0.1:8080"] }))
  })
})
