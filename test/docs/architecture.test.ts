import { assert, describe, it } from "@effect/vitest"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { common, core } from "../rooms.ts"

const root = join(import.meta.dirname, "../..")
const page = readFileSync(join(root, "docs/architecture.md"), "utf8")

describe("the page about the architecture", () => {
  it("has every room of the core with what it imports", () => {
    const rows = Array.from(page.matchAll(/^\| `([\w/-]+)` \| [^|]+ \|([^|]*)\|$/gm), ([, room = "", imports = ""]) => [
      room,
      Array.from(imports.matchAll(/`([^`]+)`/g), ([, name]) => name)
    ])
    const table = Object.entries({ ...common, ...core })
    assert.sameDeepMembers(
      rows,
      table.map(([room, imports]) => [room, [...imports]])
    )
  })

  it("names only files and rooms that exist", () => {
    const paths = Array.from(page.matchAll(/`((?:[\w-]+\/)+\w+(?:\.ts)?|[A-Z]\w+\.ts)`/g), ([, path = ""]) => path)
    assert.isAbove(paths.length, 40)
    assert.deepStrictEqual(
      paths.filter((path) => !existsSync(join(root, "src", path)) && !existsSync(join(root, path))),
      []
    )
  })
})
