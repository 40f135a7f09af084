import { assert, describe, it } from "@effect/vitest"
import { treeOf } from "../../src/report/outline.ts"
import { page } from "../../src/report/page.ts"

describe("the outline of a run", () => {
  it("is read as a tree with the question, reads, writes and settings of each step", () => {
    const line = (path: string, fields: object) => [path, path, JSON.stringify(fields)] as const
    const lines = [
      line("mail", { name: "mail", kind: "sequence", children: ["urgent", "noted"], writes: ["urgent"] }),
      line("mail/urgent", {
        name: "urgent",
        kind: "decide",
        children: [],
        reads: ["message"],
        writes: ["urgent"],
        settings: { via: "text", repairs: 2, reasons: true },
        asks: "Is it urgent?"
      }),
      line("mail/noted", { name: "noted", kind: "step", children: [] })
    ]
    assert.deepStrictEqual(treeOf(JSON.stringify(lines)), {
      name: "mail",
      kind: "sequence",
      path: "mail",
      settings: {},
      reads: [],
      writes: ["urgent"],
      children: [
        {
          name: "urgent",
          kind: "decide",
          path: "mail/urgent",
          settings: { via: "text", repairs: "2", reasons: "true" },
          reads: ["message"],
          writes: ["urgent"],
          children: [],
          asks: "Is it urgent?"
        },
        { name: "noted", kind: "step", path: "mail/noted", settings: {}, reads: [], writes: [], children: [] }
      ]
    })
    assert.isUndefined(treeOf("mail\n- urgent"))
  })
})

describe("the page of a report", () => {
  it("declares its encoding, and that it may be light or dark", () => {
    const html = page("{}")
    const metas = Array.from(html.matchAll(/<meta (?!http-equiv)[^>]*>/g), ([tag]) => tag)
    assert.deepStrictEqual(metas, [
      '<meta charset="utf-8">',
      '<meta name="viewport" content="width=device-width, initial-scale=1">',
      '<meta name="color-scheme" content="light dark">',
      '<meta name="referrer" content="no-referrer">'
    ])
    // browsers look for the encoding only there
    assert.isBelow(html.indexOf("<meta charset"), 1024)
  })
})
