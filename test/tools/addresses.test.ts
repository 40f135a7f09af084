import { assert, describe, it } from "@effect/vitest"
import { allowedOf, isAllowed } from "../../src/tools/web/addresses.ts"

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
