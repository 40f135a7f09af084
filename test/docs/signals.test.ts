import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "../..")
const page = readFileSync(join(root, "docs/signals.md"), "utf8")
const source = readFileSync(join(root, "src/signal/Signal.ts"), "utf8")

/** The part of a text that ends where its first bracket is closed. */
const closed = (text: string): string => {
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "{") depth++
    if (text[i] === "}" && --depth < 1) return text.slice(0, i)
  }
  return text
}

/** The fields of each signal of a union, without those of objects within. */
const declared = (union: string): Record<string, ReadonlyArray<string>> =>
  Object.fromEntries(
    Array.from(union.matchAll(/\{\s*readonly _tag: "(\w+)"/g), ({ 0: start, 1: tag = "", index }) => {
      let flat = closed(union.slice(index))
        .slice(start.length)
        .replaceAll(/\/\*\*[\s\S]*?\*\//g, "")
      for (let before = ""; before !== flat;) {
        before = flat
        flat = flat.replaceAll(/\{[^{}]*\}/g, "")
      }
      return [tag, Array.from(flat.matchAll(/readonly (\w+)\??:/g), ([, name = ""]) => name)]
    })
  )

const section = page.slice(page.indexOf("## All signals"), page.indexOf("## Coming from"))
const rows = Object.fromEntries(
  Array.from(section.matchAll(/^\| `(\w+)` \| ([^|]*) \| ?([^|]*)\|$/gm), ([, tag = "", , fields = ""]) => [
    tag,
    fields
  ])
)

/** The fields in a cell: the first code of each part. A value is quoted, and what explains a field comes after a colon. */
const fieldsOf = (cell: string): ReadonlyArray<string> => Array.from(cell.matchAll(/`(\w+)`/g), ([, name = ""]) => name)

describe("the page about signals", () => {
  const union = declared(source)

  it("has every signal, and no other", () => {
    assert.isAbove(Object.keys(union).length, 25)
    assert.sameMembers(Object.keys(rows), Object.keys(union))
  })

  it("has every field of each signal", () => {
    for (const [tag, fields] of Object.entries(union)) {
      const shown = fieldsOf(rows[tag] ?? "")
      assert.deepStrictEqual(
        fields.filter((name) => !shown.includes(name)),
        [],
        tag
      )
      const known = new Set([...fields, "path", "kind", "lossy"])
      assert.deepStrictEqual(
        shown.filter((name) => !known.has(name)),
        [],
        tag
      )
    }
  })

  it("has the fields that all signals have", () => {
    const base = source.slice(source.indexOf("type Base"), source.indexOf("type SamplingSent"))
    const names = Array.from(base.matchAll(/readonly (\w+):/g), ([, name = ""]) => name)
    assert.sameMembers(names, ["runId", "thoughtId", "traceId", "path", "millis"])
    const table = page.slice(page.indexOf("Every signal has these fields"), page.indexOf("## All signals"))
    for (const name of names) assert.include(table, `\`${name}\``)
  })

  it("is compared by a reader that finds fields, also optional ones and those of one line", () => {
    const text = `| { readonly _tag: "A" } | { readonly _tag: "B"; readonly x?: { readonly y: 1 }; /** readonly no: */ readonly z: 2 }`
    assert.deepStrictEqual(declared(text), { A: [], B: ["x", "z"] })
  })
})
