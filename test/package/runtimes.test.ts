import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { manifest, npm, run } from "../../scripts/run.ts"
import { link, packInto, project, succeed } from "./pack.ts"

// The packed package in other runtimes than the project's own, which npm installs for this test. docs/platforms.md names
// these versions.

const runtimes: ReadonlyArray<readonly [name: string, version: string, command: ReadonlyArray<string>]> = [
  ["node", "22.19.0", []],
  ["bun", "1.4.5", ["run"]],
  ["deno", "2.9.6", ["run", "--allow-all", "--node-modules-dir=manual", "--no-check"]]
]

const outside = mkdtempSync(join(tmpdir(), "cogito-runtimes-"))
let consumer = ""

beforeAll(async () => {
  const installed = await packInto(outside)
  consumer = project(outside, "consumer")
  cpSync(installed, join(consumer, "node_modules", manifest().name), { recursive: true })
  link(consumer, Object.keys(manifest().peerDependencies).concat("@effect/platform-node"))
  cpSync(join(import.meta.dirname, "everywhere.ts"), join(consumer, "everywhere.ts"))
}, 600_000)

afterAll(() => rmSync(outside, { recursive: true, force: true }), 300_000)

describe("the packed package", () => {
  it.each(runtimes)("works in %s %s", { timeout: 600_000 }, (name, version, command) => {
    const folder = project(outside, name)
    const own = { name, version: "0.0.0", private: true, allowScripts: { bun: true, deno: true, node: true } }
    writeFileSync(join(folder, "package.json"), JSON.stringify(own))
    succeed("npm install", npm(["install", "--no-audit", "--no-fund", `${name}@${version}`], { cwd: folder }))
    const program = join(folder, "node_modules", ".bin", name)
    const output = succeed(name, run(program, [...command, "everywhere.ts"], { cwd: consumer }))
    assert.deepStrictEqual(
      output.split("\n").filter((line) => /^[\w ]+$/.test(line)),
      [
        "pipelines",
        "extractive model",
        "model behind HTTP",
        "memory in PGlite",
        "answers in files",
        "pipelines in files",
        "tokenizer",
        "every entry point"
      ]
    )
  })
})
