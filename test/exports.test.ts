import { assert, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"

// How many names, of values and types, somebody meets in the modules of the core.

const most = 339

const src = join(import.meta.dirname, "../src")
const comments = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm

/** The names that a module exports, those that it passes on included. */
const exportsOf = (file: string): ReadonlySet<string> => {
  const source = readFileSync(file, "utf8").replace(comments, "")
  const names = new Set<string>()
  for (const [, list = ""] of source.matchAll(/export (?:type )?\{([^}]*)\}/g)) {
    for (const one of list.split(",")) {
      const name = one
        .trim()
        .split(/ as |type /)
        .at(-1)
      if (name !== undefined && name !== "") names.add(name)
    }
  }
  const declared = /export (?:declare )?(?:const|function|class|interface|type|namespace) (\w+)/g
  for (const [, name = ""] of source.matchAll(declared)) names.add(name)
  for (const [, name = ""] of source.matchAll(/export (?:type )?\* as (\w+) from/g)) names.add(name)
  for (const [, from = ""] of source.matchAll(/export \* from "([^"]+)"/g)) {
    for (const name of exportsOf(join(dirname(file), from))) names.add(name)
  }
  return names
}

describe("the public modules of the core", () => {
  const modules = readdirSync(src).filter((file) => file.endsWith(".ts") && file !== "index.ts")

  it("are those of the package", () => {
    const listed = [...readFileSync(join(src, "index.ts"), "utf8").matchAll(/export \* as (\w+) from/g)]
    assert.deepStrictEqual(
      modules.toSorted(),
      listed.map(([, name]) => `${name}.ts`)
    )
  })

  it("find their names, also those that they pass on", () => {
    assert.includeMembers([...exportsOf(join(src, "Step.ts"))], ["make", "retry", "Any", "TypeId", "when"])
    assert.include([...exportsOf(join(src, "Store.ts"))], "Ledger")
    assert.deepStrictEqual([...exportsOf(join(src, "WorkerPool.ts"))].toSorted(), ["Options", "WorkerPool", "make"])
  })

  it(`have at most ${most} names in all`, () => {
    const counts = modules.map((file) => [file, exportsOf(join(src, file)).size] as const)
    const all = counts.reduce((sum, [, count]) => sum + count, 0)
    assert.isAtMost(all, most, counts.map(([file, count]) => `${file}: ${count}`).join(", "))
  })
})
