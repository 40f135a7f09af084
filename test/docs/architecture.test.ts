import { assert, describe, it } from "@effect/vitest"
import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { common, core, proofs } from "../rooms.ts"

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
      paths.filter((path) => !existsSync(join(root, "src", path)) && globSync(`${path}*`, { cwd: root }).length === 0),
      []
    )
  })

  it("has the tests to run after a change of each folder, which exist", () => {
    const rows = Array.from(page.matchAll(/^\| `src\/([\w-]+)` \|([^|]*)\|$/gm), ([, room = "", tests = ""]) => [
      room,
      Array.from(tests.matchAll(/`test\/([^`]+)`/g), ([, path = ""]) => path)
    ])
    assert.deepStrictEqual(Object.fromEntries(rows), proofs)
    const folders = globSync("src/*/", { cwd: root }).map((path) => path.replace(/^src\/|\/$/g, ""))
    const files = globSync("test/**/*.test.ts", { cwd: root }).map((path) => path.replaceAll("\\", "/"))
    const runs = (path: string): boolean => files.some((file) => file.startsWith(`test/${path}`))
    const paths = [...Object.keys(proofs).filter((room) => !folders.includes(room)), ...Object.values(proofs).flat()]
    assert.deepStrictEqual(
      paths.filter((path) => !runs(path)),
      []
    )
    assert.deepStrictEqual(
      folders.filter((room) => !runs(`${room}/`) && proofs[room] === undefined),
      []
    )
  })
})
