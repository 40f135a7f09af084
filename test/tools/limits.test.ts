/** Texts of tools that are exactly as long as a limit, or one more, and that begin or end in an unusual way. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import type { ServerResponse } from "node:http"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { Tools } from "cogito/tools"
import { failing, folder, on } from "./kit.ts"
import { serving } from "./server.ts"

describe("a text that is as long as a limit", () => {
  it.live("of a file is given whole, with the line breaks counted, and one character more is not", () =>
    Effect.gen(function* () {
      const root = yield* folder
      const read = on(Tools.files({ root, characters: 10 }))
      writeFileSync(join(root, "fits"), "1234\n1234\nx")
      writeFileSync(join(root, "more"), "12345\n1234\nx")
      assert.strictEqual(
        yield* read("read_file", { path: "fits" }),
        'Lines 1 to 2 of 3 of "fits"; go on with offset 3:\n1234\n1234'
      )
      assert.strictEqual(
        yield* read("read_file", { path: "more" }),
        'Lines 1 to 1 of 3 of "more"; go on with offset 2:\n12345'
      )
    })
  )

  it.live("of a file may be read, written and changed, and one byte more may not", () =>
    Effect.gen(function* () {
      const root = yield* folder
      const call = on(Tools.files({ root, maxBytes: 10 }))
      const fits = "é".repeat(5)
      yield* call("create_file", { path: "a", text: fits })
      assert.include(yield* call("read_file", { path: "a" }), fits)
      yield* call("edit_file", { path: "a", old: fits, new: "0123456789" })
      yield* call("write_file", { path: "a", text: fits })
      const more = [
        call("create_file", { path: "b", text: `${fits}x` }),
        call("write_file", { path: "a", text: `${fits}x` }),
        call("edit_file", { path: "a", old: fits, new: `${fits}x` })
      ]
      for (const one of more) {
        assert.match(yield* failing<unknown, unknown, never>(one), /^TooLarge: The text has 11 bytes, and at most 10 /)
      }
      writeFileSync(join(root, "a"), "0123456789x")
      assert.match(yield* failing(call("read_file", { path: "a" })), /^TooLarge: "a" has 11 bytes, and at most 10 /)
    })
  )

  it.live("of a page is not said to be cut, and one byte more is", () =>
    Effect.gen(function* () {
      const page =
        (...parts: ReadonlyArray<string>) =>
        (_: unknown, response: ServerResponse) => {
          response.setHeader("content-type", "text/plain")
          void (async () => {
            for (const part of parts) {
              response.write(part)
              // the next one arrives apart from it
              await setTimeout(20)
            }
            response.end()
          })()
        }
      const { host } = yield* serving({
        "/fits": page("kites fly!"),
        "/more": page("kites fly!!"),
        "/apart": page("kites fly!", "!"),
        "/none": page()
      })
      const read = (path: string) =>
        Effect.map(
          on(Tools.scrape({ allow: [host], maxBytes: 10 }))("scrape", { url: `http://${host}${path}` }),
          ({ text }) => text
        )
      assert.strictEqual(yield* read("/fits"), "kites fly!")
      for (const path of ["/more", "/apart"]) {
        assert.strictEqual(yield* read(path), "kites fly!\n[… the page is longer than what is read …]")
      }
      assert.strictEqual(yield* read("/none"), "")
    })
  )

  it.effect("of a result of a search is never cut within a character", () =>
    Effect.gen(function* () {
      const found = { title: "A kite", url: "https://example.com/", text: "a😀b" }
      const search = Tools.search({ search: () => Effect.succeed([found]), characters: 2 })
      const [cut] = yield* on(search)("search", { query: "kite" })
      assert.strictEqual(cut?.text, "a\ufffd[… 2 more characters]")
    })
  )
})

it.live("a last line of spaces only is a line of the file", () =>
  Effect.gen(function* () {
    const root = yield* folder
    writeFileSync(join(root, "a"), "one\n  ")
    assert.strictEqual(
      yield* on(Tools.files({ root }))("read_file", { path: "a" }),
      'Lines 1 to 2 of 2 of "a":\none\n  '
    )
  })
)

it.live("a byte order mark stays where it is when the text after it is changed", () =>
  Effect.gen(function* () {
    const root = yield* folder
    const path = join(root, "a")
    writeFileSync(path, "\ufeffone")
    yield* on(Tools.files({ root }))("edit_file", { path: "a", old: "one", new: "two" })
    assert.strictEqual(readFileSync(path, "utf8"), "\ufefftwo")
  })
)

it.effect("passages of a single character divide any text", () =>
  Effect.gen(function* () {
    const documents = [{ source: "a", text: "😀b" }]
    const retrieve = on(Tools.retrieve({ documents, embedder: "none", characters: 1 }))
    assert.deepStrictEqual(yield* retrieve("retrieve", { query: "b", limit: 1 }), [{ source: "a", text: "b" }])
  })
)

it("a limit with a fraction is refused", () => {
  assert.throws(() => Tools.retrieve({ documents: [], embedder: "none", limit: 1.5 }), /whole number from 1 as limit/)
})
