import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PgliteMemory } from "../../src/pglite/index.ts"
import * as Server from "../postgres/server.ts"
import { archiveOf, cogito, plant, type Planted, spawned } from "./cogito.ts"
import { keepOpen } from "./keptOpen.ts"

let folder = ""
let planted: Planted = { archive: "", thoughtId: "", traceId: "", forkId: "" }

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "cogito-cli-"))
  planted = await Effect.runPromise(plant)
  writeFileSync(join(folder, "archive.jsonl"), planted.archive)
})
afterAll(() => {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})
keepOpen()

/** What every memory does, wherever it is: each test goes on from the one before. */
const behaves = (
  memory: () => ReadonlyArray<string>,
  scope: string,
  env: () => Readonly<Record<string, string>>,
  /** A process of its own, or this one. */
  program: typeof spawned
) => {
  const all = (args: ReadonlyArray<string>) => cogito([...args, ...memory()], { env: env() })
  const run = (args: ReadonlyArray<string>) => cogito([...args, ...memory(), "--scope", scope], { env: env() })
  const piped = (args: ReadonlyArray<string>, input = "") =>
    program([...args, ...memory(), "--scope", scope], { env: env(), input })

  it("migrates, and says so on the standard output", async () => {
    const ended = await all(["migrate"])
    assert.deepStrictEqual([ended.code, ended.stderr], [0, ""])
    assert.match(ended.stdout, /^The memory's schema is up to date: 10 steps made\.\n$/)
    const again = await all(["migrate", "--json"])
    assert.deepStrictEqual([again.code, again.stderr], [0, ""])
    assert.deepStrictEqual(JSON.parse(again.stdout), { steps: [], spaces: [] })
  })

  it("has nothing to optimize where there are no vectors", async () => {
    const ended = await all(["optimize"])
    assert.deepStrictEqual([ended.code, ended.stderr], [0, ""])
    assert.strictEqual(ended.stdout, "There are no vectors yet: no embedder has opened this memory.\n")
  })

  it("imports an archive from the standard input, and once more changes nothing", async () => {
    const first = await piped(["import", "--json"], planted.archive)
    assert.strictEqual(first.code, 0, first.stderr)
    assert.deepStrictEqual(JSON.parse(first.stdout), { imported: 2, present: 0 })
    const second = await run(["import", join(folder, "archive.jsonl")])
    assert.strictEqual(second.code, 0, second.stderr)
    assert.strictEqual(second.stdout, "Imported 0 thoughts; 2 were there already.\n")
  })

  it("exports the very lines, and nothing else, to the standard output", async () => {
    const ended = await piped(["export"])
    assert.strictEqual(ended.code, 0, ended.stderr)
    assert.strictEqual(ended.stdout, planted.archive)
    assert.strictEqual(ended.stderr, "Exported 2 thoughts.\n")
    const silent = await run(["export", "--json"])
    assert.deepStrictEqual([silent.code, silent.stdout, silent.stderr], [0, planted.archive, ""])
  })

  it("shows a thought by its trace id, and nothing that a terminal would obey", async () => {
    const ended = await run(["show", planted.traceId])
    assert.strictEqual(ended.code, 0, ended.stderr)
    assert.include(ended.stdout, `Thought ${planted.thoughtId}\n`)
    assert.match(
      ended.stdout,
      /#1 {2}\d{4}-\S+Z {2}message {2}from user {2}untrusted\n {2}\| The parcel was lost\n {2}\| on its way\n/
    )
    assert.include(ended.stdout, "2 notes.\n")
    assert.notInclude(ended.stdout, "\u001b")
  })

  it("shows a fork by its id as JSON, with the notes of the thought that it descends from", async () => {
    const ended = await run(["show", planted.forkId, "--json"])
    assert.strictEqual(ended.code, 0, ended.stderr)
    const { notes, thought } = JSON.parse(ended.stdout)
    assert.deepStrictEqual(thought.ancestors, [planted.thoughtId])
    assert.deepStrictEqual(
      notes.map((note: { readonly key: string; readonly thoughtId: string }) => [note.key, note.thoughtId]),
      [
        ["message", planted.thoughtId],
        ["odd", planted.thoughtId],
        ["answer", planted.forkId]
      ]
    )
  })

  it("says that a thought is unknown, and fails", async () => {
    const ended = await run(["show", "nothing"])
    assert.deepStrictEqual([ended.code, ended.stdout], [1, ""])
    assert.strictEqual(
      ended.stderr,
      `cogito: No run, thought or trace has the id "nothing" in the scope "${scope}": check the id and --scope.\n`
    )
  })

  it("shows a thought by an id in capitals too", async () => {
    const imported = await run(["import", join(folder, "archive.jsonl")])
    assert.strictEqual(imported.code, 0, imported.stderr)
    const [small, large] = [
      await run(["show", planted.thoughtId]),
      await run(["show", planted.thoughtId.toUpperCase()])
    ]
    assert.deepStrictEqual([large.code, large.stderr], [0, ""])
    assert.strictEqual(large.stdout, small.stdout)
  })

  it("searches by words where no embedder has been, and says so", async () => {
    for (const flags of [[], ["--embedder", "none"]]) {
      const ended = await run(["search", "parcel", ...flags])
      assert.strictEqual(ended.code, 0)
      assert.include(ended.stdout, "The parcel was lost")
      // there is none to know
      assert.notInclude(ended.stdout, "similarity")
      const said = "Searching by words only: no embedder has opened this memory. --embedder local embeds its notes.\n"
      assert.strictEqual(ended.stderr, flags.length === 0 ? said : "")
      const json = await run(["search", "parcel", "--json", ...flags])
      assert.deepStrictEqual(JSON.parse(json.stdout).arms, { vector: "none", lexical: "ok", pending: 0 })
      assert.strictEqual(json.stderr, "")
    }
    const verified = await run(["verify", "--json"])
    assert.deepStrictEqual(JSON.parse(verified.stdout).pending, [])
  })

  it("searches by meaning and by words, within a task and a limit", async () => {
    const ended = await run(["search", "money back for broken items", "--limit", "1", "--embedder", "local", "--json"])
    assert.deepStrictEqual([ended.code, ended.stderr], [0, ""])
    const { matches } = JSON.parse(ended.stdout)
    assert.lengthOf(matches, 1)
    assert.strictEqual(matches[0].note.content, "Refunded the damaged goods")
    assert.strictEqual(matches[0].thought.id, planted.forkId)
    assert.isAbove(matches[0].similarity, 0)
    const again = await run(["search", "money back for broken items", "--limit", "1", "--json"])
    assert.deepStrictEqual([again.code, again.stderr], [0, ""])
    assert.deepStrictEqual(JSON.parse(again.stdout).matches, matches)
    const other = await run(["search", "parcel", "--task", "ticket-8"])
    assert.deepStrictEqual([other.code, other.stdout], [0, ""])
    assert.include(other.stderr, "Nothing found.\n")
  })

  it("searches by words alone when asked to", async () => {
    const ended = await run(["search", "parcel", "--embedder", "none"])
    assert.deepStrictEqual([ended.code, ended.stderr], [0, ""])
    assert.match(ended.stdout, /^1\. {2}message #1 {2}/)
    assert.include(ended.stdout, `thought ${planted.thoughtId}, task ticket-7: triage\n  | The parcel was lost\n`)
  })

  it("makes and drops the index of the vectors, as a table or as JSON", async () => {
    const made = await all(["optimize", "--index", "create", "--json"])
    assert.deepStrictEqual([made.code, made.stderr], [0, ""])
    const { spaces } = JSON.parse(made.stdout)
    assert.lengthOf(spaces, 1)
    assert.deepInclude(spaces[0], { state: "active", vectors: 3, index: "hnsw", change: "created" })
    const found = await run(["search", "money back for broken items", "--limit", "1", "--json"])
    assert.strictEqual(JSON.parse(found.stdout).matches[0].thought.id, planted.forkId)
    const dropped = await all(["optimize"])
    assert.deepStrictEqual([dropped.code, dropped.stderr], [0, ""])
    const [heads = "", row = "", ...rest] = dropped.stdout.split("\n")
    assert.match(heads, /^EMBEDDER +DIMENSIONS +STATE +VECTORS +INDEX +CHANGE$/)
    assert.match(row, /^\S.* +\d+ +active +3 +none +dropped$/)
    assert.deepStrictEqual(rest, [""])
    assert.strictEqual(row.indexOf("active"), heads.indexOf("STATE"))
  })

  it("verifies, and says what it looked at", async () => {
    const ended = await run(["verify", "--json"])
    assert.strictEqual(ended.code, 0, ended.stderr)
    const { pending, ...found } = JSON.parse(ended.stdout)
    assert.deepInclude(found, { scope, schema: "current", thoughts: 2, notes: 3, entries: 0, problems: [] })
    assert.lengthOf(pending, 1)
    assert.deepInclude(pending[0], { state: "active", pending: 0 })
  })

  it("keeps to its scope", async () => {
    const ended = await all(["show", planted.traceId, "--scope", "another"])
    assert.deepStrictEqual([ended.code, ended.stdout], [1, ""])
  })
}

describe("cogito memory in a directory", { timeout: 180_000 }, () => {
  behaves(
    () => ["--data-dir", join(folder, "memory")],
    "local",
    () => ({}),
    Server.available ? cogito : spawned
  )

  it("verifies thoughts beyond the first page of them", async () => {
    const place = ["--data-dir", join(folder, "memory"), "--scope", "many"]
    assert.strictEqual((await cogito(["import", ...place], { input: archiveOf(planted, 120) })).code, 0)
    const { code, stdout } = await cogito(["verify", "--json", ...place])
    assert.strictEqual(code, 0)
    assert.deepInclude(JSON.parse(stdout), { thoughts: 120, problems: [] })
  })

  it("exports to a file, whole or not at all", async () => {
    const target = join(folder, "copy.jsonl")
    const ended = await cogito(["export", target, "--data-dir", join(folder, "memory")])
    assert.deepStrictEqual([ended.code, ended.stdout], [0, ""])
    assert.strictEqual(readFileSync(target, "utf8"), planted.archive)
    const told = await cogito(["export", target, "--json", "--data-dir", join(folder, "memory")])
    assert.deepStrictEqual([told.code, told.stderr], [0, ""])
    assert.deepStrictEqual(JSON.parse(told.stdout), { exported: 2, file: target })
    for (const [name, why] of [
      [join("none", "a"), "(ENOENT)"],
      ["", "it is a folder"]
    ] as const) {
      const failed = await cogito(["export", join(folder, name), "--data-dir", join(folder, "memory")])
      assert.strictEqual(failed.code, 1)
      assert.match(failed.stderr, /^cogito: The file cannot be written.*\n$/)
      assert.include(failed.stderr, why)
    }
    assert.isEmpty(readdirSync(folder).filter((name) => name.endsWith(".part")))
  })

  it("verifies the vectors that are being made for another embedder too", async () => {
    const dataDir = join(folder, "memory")
    const next = { embedder: "next", dimensions: 3, metric: "cosine" } as const
    await PgliteMemory.makeStore({ dataDir }).pipe(
      Effect.flatMap((store) => store.openSpace(next)),
      Effect.scoped,
      Effect.runPromise
    )
    const ended = await cogito(["verify", "--json", "--data-dir", dataDir])
    assert.strictEqual(ended.code, 0, ended.stderr)
    const { pending } = JSON.parse(ended.stdout)
    assert.deepStrictEqual(
      pending.map((one: any) => [one.state, one.pending]),
      [
        ["active", 0],
        ["building", 3]
      ]
    )
    assert.strictEqual(pending[1].embedder, "next")
  })

  it("exports through a link into what it leads to, and to a device as it is", async () => {
    const [target, link] = [join(folder, "behind.jsonl"), join(folder, "link.jsonl")]
    writeFileSync(target, "as it was")
    symlinkSync(target, link)
    const ended = await cogito(["export", link, "--data-dir", join(folder, "memory")])
    assert.strictEqual(ended.code, 0, ended.stderr)
    assert.isTrue(lstatSync(link).isSymbolicLink())
    assert.strictEqual(readFileSync(target, "utf8"), planted.archive)
    assert.strictEqual(statSync(target).mode & 0o777, 0o600)
    const device = await cogito(["export", "/dev/null", "--data-dir", join(folder, "memory")])
    assert.strictEqual(device.code, 0, device.stderr)
    assert.isTrue(statSync("/dev/null").isCharacterDevice())
  })
})

describe.skipIf(!Server.available)("cogito memory on a server", () => {
  let server: Server.Server | undefined
  let url = ""
  beforeAll(async () => {
    server = Server.start()
    url = await Server.database(server)
  })
  afterAll(() => server?.stop())

  behaves(
    () => [],
    "acme",
    () => ({ DATABASE_URL: url }),
    spawned
  )
})
