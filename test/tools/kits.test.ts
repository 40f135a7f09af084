import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { Tools } from "cogito/tools"
import { failureOf } from "../../src/tools/disk/failure.ts"
import { passagesOf } from "../../src/tools/text/passages.ts"
import { readableUrl } from "../../src/tools/web/request.ts"
import { called, on } from "./kit.ts"

describe("a tool that searches", () => {
  it.effect("returns ten results if no limit is set", () =>
    Effect.gen(function* () {
      const limits: Array<number> = []
      const search = Tools.search({
        search: (title, limit) => {
          limits.push(limit)
          return Effect.succeed(Array.from({ length: 12 }, () => ({ title, url: "https://example.com/", text: "" })))
        }
      })
      assert.lengthOf(yield* on(search)("search", { query: "kites" }), 10)
      assert.deepStrictEqual(limits, [10])
    })
  )

  it.effect("runs its function with the services of its layer, and with those of the call", () =>
    Effect.gen(function* () {
      class Engine extends Context.Service<Engine, { readonly name: string }>()("Engine") {}
      const Language = Context.Reference<string>("Language", { defaultValue: () => "none" })
      const search = Tools.search({
        search: () =>
          Effect.gen(function* () {
            const { name } = yield* Engine
            const language = yield* Language
            return [{ title: name, url: "https://example.com/", text: language }]
          })
      })
      const built = Layer.provide(search.layer, [
        Layer.succeed(Engine, { name: "of the layer" }),
        Layer.succeed(Language, "English")
      ])
      const call = called(search.toolkit, "search", { query: "a" }).pipe(Effect.provide(built))
      const told = Effect.map(call, ([found]) => [found?.title, found?.text])
      assert.deepStrictEqual(yield* told, ["of the layer", "English"])
      assert.deepStrictEqual(yield* told.pipe(Effect.provideService(Language, "German")), ["of the layer", "German"])
    })
  )
})

describe("a tool that retrieves", () => {
  it("needs either documents or a function that finds them", () => {
    const documents = [{ source: "a", text: "b" }]
    const find = () => Effect.succeed([])
    const make = (options: any) => () => Tools.retrieve(options)
    const message = "Tools.retrieve needs either the option documents or the option find."
    assert.throws(make({ documents, find }), message)
    assert.throws(make({}), message)
    assert.doesNotThrow(make({ documents }))
    assert.doesNotThrow(make({ find }))
  })

  it("fills passages up to the maximum number of characters", () => {
    for (const [text, passages] of [
      ["aaaa bbbb cc", ["aaaa bbbb cc"]],
      ["aaaa bbbb ccc", ["aaaa bbbb", "ccc"]],
      ["aaaaaaaaaaaaa", ["aaaaaaaaaaaa", "a"]],
      ["aaaa\n\nbbbb\n\ncc", ["aaaa\n\nbbbb", "cc"]],
      ["aaaa\n\nbbbbbb", ["aaaa\n\nbbbbbb"]],
      ["aaaa\n\nbbbbbbb", ["aaaa", "bbbbbbb"]]
    ] as const) {
      assert.deepStrictEqual(passagesOf(text, 12), [...passages], text)
    }
  })
})

describe("a tool that a vendor defines", () => {
  it("cannot be renamed", () => {
    const Hosted = Tool.providerDefined({
      id: "vendor.web",
      customName: "Web",
      providerName: "web",
      args: undefined as any,
      success: undefined as any,
      requiresHandler: false
    } as any) as any
    const kit = { toolkit: Toolkit.make(Hosted(undefined)), layer: Layer.empty } as any
    assert.throws(() => Tools.prefixed("docs_", kit), /^Tools\.prefixed cannot rename the tool "Web", which a vendor/)
  })

  it("are refused if they lack a toolkit or a layer", () => {
    const merge = Tools.merge as (...kits: ReadonlyArray<unknown>) => unknown
    const prefixed = Tools.prefixed as (prefix: string, kit: unknown) => unknown
    const { layer } = Tools.scrape()
    for (const kits of [[], [{ layer }], [[Tools.scrape()]], [undefined]]) {
      assert.throws(
        () => merge(...kits),
        "Tools.merge needs an object with a toolkit and its layer as its first argument"
      )
      assert.throws(
        () => merge(Tools.scrape(), kits[0]),
        "Tools.merge needs an object with a toolkit and its layer as its second argument"
      )
      assert.throws(
        () => prefixed("docs_", kits[0]),
        "Tools.prefixed needs an object with a toolkit and its layer as its second argument"
      )
    }
  })
})

describe("what a tool reads", () => {
  it("must be at a web address without a user or a password", () => {
    const reason = (text: string) => {
      try {
        return readableUrl(text).href
      } catch (error) {
        return `${String((error as any).reason)}: ${String((error as any).message)}`
      }
    }
    const secret = "Refused: An address with a user or a password is not read."
    for (const [text, expected] of [
      ["https://example.com/a", "https://example.com/a"],
      ["https://ann@example.com/", secret],
      ["https://:secret@example.com/", secret],
      ["https://ann:secret@example.com/", secret],
      ["ftp://example.com/", "Refused: Only addresses that begin with http:// or https:// are read."],
      ["example", 'Invalid: "example" is no address of a page.']
    ] as const) {
      assert.strictEqual(reason(text), expected, text)
    }
  })

  it("fails with a message for each error code of the system", () => {
    const failed = (code: string) => {
      const { message, reason } = failureOf("a.txt", Object.assign(new Error("secret"), { code }))
      return `${reason}: ${message}`
    }
    assert.deepStrictEqual(
      ["ENOENT", "ENOTDIR", "EISDIR", "EEXIST", "EACCES", "ENOTEMPTY", "ENOSPC", "EIO"].map(failed),
      [
        'NotFound: "a.txt" is not there any more.',
        'Invalid: "a.txt" is not a folder.',
        'Invalid: "a.txt" is a folder, not a file.',
        'Conflict: "a.txt" is there already.',
        'Refused: "a.txt" cannot be used: the program has no right to it.',
        'Conflict: "a.txt" is a folder that is not empty.',
        'Failed: "a.txt" could not be written: the disk is full.',
        'Failed: "a.txt" cannot be used (EIO).'
      ]
    )
  })
})
