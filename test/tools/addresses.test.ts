import type { ServerResponse } from "node:http"
import { Socket, type SocketConnectOpts } from "node:net"
import { assert, describe, it, vi } from "@effect/vitest"
import { Effect } from "effect"
import { Tools } from "cogito/tools"
import { allowedOf, isAllowed } from "../../src/tools/web/addresses.ts"
import { failing, on } from "./kit.ts"
import { serving } from "./server.ts"

/** Which of some URLs a host allows. */
const allowing = (text: string, ...urls: ReadonlyArray<string>) => {
  const allowed = allowedOf(text) ?? assert.fail(`${text} is no host`)
  return urls.filter((url) => isAllowed([allowed], new URL(url)))
}

describe("a host that is allowed", () => {
  it("with a port is the same as without it in a URL whose scheme has that port", () => {
    const urls = ["http://wiki.test/", "http://wiki.test:80/a", "https://wiki.test/", "https://wiki.test:443/a"]
    const others = ["https://wiki.test:80/", "http://wiki.test:443/", "http://wiki.test:8080/", "http://other.test/"]
    assert.deepStrictEqual(allowing("wiki.test:80", ...urls, ...others), [urls[0], urls[1], others[0]])
    assert.deepStrictEqual(allowing("wiki.test:443", ...urls, ...others), [urls[2], urls[3], others[1]])
    assert.deepStrictEqual(allowing("wiki.test:8080", ...urls, ...others), [others[2]])
  })

  it("without a port is allowed with every port, and no other host", () => {
    const urls = ["http://wiki.test/", "https://wiki.test:8443/"]
    assert.deepStrictEqual(allowing("wiki.test", ...urls, "http://a.wiki.test/", "http://wiki.test.evil/"), urls)
  })

  it("is compared as URLs write it: in lower case, and addresses in their shortest form", () => {
    assert.deepStrictEqual(allowing("Wiki.Test:80", "http://WIKI.test/"), ["http://WIKI.test/"])
    assert.deepStrictEqual(allowing("[0:0::1]:80", "http://[::1]/"), ["http://[::1]/"])
    assert.deepStrictEqual(allowing("127.1", "http://127.0.0.1:99/"), ["http://127.0.0.1:99/"])
  })

  it("is one of several", () => {
    const allowed = ["a.test:81", "a.test:82", "b.test"].flatMap((text) => allowedOf(text) ?? [])
    const urls = ["http://a.test:81/", "http://a.test:82/", "http://b.test:83/"]
    for (const url of urls) assert.isTrue(isAllowed(allowed, new URL(url)), url)
    for (const url of ["http://a.test:83/", "http://a.test/"]) assert.isFalse(isAllowed(allowed, new URL(url)), url)
  })

  it("is no URL, no path, no user, and has no more than one port of five digits", () => {
    for (const text of ["", ":80", "http://x", "x/", "x?y", "x#y", "u@x", "x:", "x:123456", "x:1:2", "::1", "a b"]) {
      assert.isUndefined(allowedOf(text), text)
    }
  })
})

describe("a page of the internet", () => {
  it.live("may redirect to public addresses, but not to private ones, even if these are allowed", () =>
    Effect.gen(function* () {
      const moved = (location: () => string) => (_: unknown, response: ServerResponse) =>
        void response.writeHead(302, { location: location() }).end()
      let inner = ""
      const { host, port, requested } = yield* serving({
        "/": moved(() => "http://1.1.1.1/next"),
        "/next": "there",
        "/in": moved(() => `http://${inner}/secret`),
        "/out": moved(() => "http://8.8.8.8/next"),
        "/secret": "secret"
      })
      inner = host
      const { connect } = Socket.prototype as { readonly connect: (this: Socket, to: SocketConnectOpts) => Socket }
      // every address leads to the server
      yield* Effect.acquireRelease(
        Effect.sync(() =>
          vi.spyOn(Socket.prototype, "connect").mockImplementation(function (this: Socket) {
            return connect.call(this, { host: "127.0.0.1", port })
          })
        ),
        (spy) => Effect.sync(() => spy.mockRestore())
      )
      const reading = (url: string) => on(Tools.scrape({ allow: [host] }))("scrape", { url })
      assert.deepInclude(yield* reading("http://8.8.8.8/"), { url: "http://1.1.1.1/next", text: "there" })
      assert.match(yield* failing(reading("http://8.8.8.8/in")), /^Refused: .* is not in the public internet/)
      // a page within leads out, and to others within
      assert.deepInclude(yield* reading(`http://${host}/out`), { url: "http://8.8.8.8/next", text: "there" })
      assert.deepInclude(yield* reading(`http://${host}/in`), { text: "secret" })
      assert.deepStrictEqual(requested, ["/", "/next", "/in", "/out", "/next", "/in", "/secret"])
    }).pipe(Effect.scoped)
  )
})
