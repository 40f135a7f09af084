import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { manifest, root } from "../../scripts/run.ts"

const page = readFileSync(join(root, "THIRD-PARTY-NOTICES.md"), "utf8")

describe("the notices", () => {
  it("have every peer dependency with the version that is tested and its licence", () => {
    const rows = Array.from(page.matchAll(/^\| `([^`]+)` \| ([^|]+) \| ([^|]+) \|/gm), (row) =>
      row.slice(1, 4).map((cell) => cell.trim())
    )
    const expected = Object.keys(manifest().peerDependencies).map((name) => {
      const installed: { readonly version: string; readonly license: string } = JSON.parse(
        readFileSync(join(root, "node_modules", name, "package.json"), "utf8")
      )
      return [name, installed.version, installed.license]
    })
    assert.sameDeepMembers(rows, expected)
  })
})
