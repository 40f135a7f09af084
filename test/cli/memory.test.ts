import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Server from "../postgres/server.ts"
import { cogito, plant, type Planted } from "./cogito.ts"

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

/** What every memory does, wherever it is: each test goes on from the one before. */
const behaves = (memory: () => ReadonlyArray<string>, env: () => Readonly<Record<string, string>> = () => ({})) => {
  const run = (args: ReadonlyArray<string>, input = "") => cogito([...args, ...memory()], { env: env(), input })

  it("migrates, and says so on the standard output", async () => {
    const ended = await run(["migrate"])
    assert.strictEqual(ended.code, 0, ended.stderr)
    assert.strictEqual(ended.stdout, "The memory's schema is up to date.\n")
    assert.strictEqual(ended.stderr, "Bringing the schema up to date.\n")
  })

  it("imports an archive from the standard input, and once more changes nothing", async () => {
    const first = await run(["import", "--json"], planted.archive)
    assert.strictEqual(first.code, 0, first.stderr)
    assert.deepStrictEqual(JSON.parse(first.stdout), { imported: 2, present: 0 })
    const second = await run(["import", join(folder, "archive.jsonl")])
    assert.strictEqual(second.code, 0, second.stderr)
    assert.strictEqual(second.stdout, "Imported 0 thoughts; 2 were there already.\n")
  })

  it("exports the very lines, and nothing else, to the standard output", async () => {
    const ended = await run(["export"])
    assert.strictEqual(ended.code, 0, ended.stderr)
    assert.strictEqual(ended.stdout, planted.archive)
    assert.strictEqual(ended.stderr, "Exported 2 thoughts.\n")
  })

  it("shows a thought by its trace id, and nothing that a terminal would obey", async () => {
    const ended = await run(["show", planted.traceId])
    assert.strictEqual(ended.code, 0, ended.stderr)
    assert.include(ended.stdout, `Thought ${planted.thoughtId}\n`)
    assert.match(
      ended.stdout,
      /#1 {2}\d{4}-\S+Z {2}message {2}from user {2}untrusted\n {4}The parcel was lost\n {4}on its way\n/
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
      "cogito: There is no thought with this id or trace id in the scope: check --scope.\n"
    )
  })

  it("searches without any embedder only where one has been", async () => {
    const ended = await run(["search", "parcel", "--embedder", "none"])
    assert.deepStrictEqual([ended.code, ended.stdout], [1, ""])
    assert.match(ended.stderr, /^cogito: No embedder has opened this memory yet.* use --embedder local\.\n$/)
  })

  it("searches by meaning and by words, within a task and a limit", async () => {
    const ended = await run(["search", "money back for broken items refunded", "--limit", "1", "--json"])
    assert.strictEqual(ended.code, 0, ended.stderr)
    const { matches } = JSON.parse(ended.stdout)
    assert.lengthOf(matches, 1)
    assert.strictEqual(matches[0].note.content, "Refunded the damaged goods")
    assert.strictEqual(matches[0].thought.id, planted.forkId)
    const other = await run(["search", "parcel", "--task", "ticket-8"])
    assert.deepStrictEqual([other.code, other.stdout], [0, ""])
    assert.include(other.stderr, "Nothing found.\n")
  })

  it("searches by words alone when asked to", async () => {
    const ended = await run(["search", "parcel", "--embedder", "none"])
    assert.strictEqual(ended.code, 0, ended.stderr)
    assert.match(ended.stdout, /^1\. {2}message #1 {2}/)
    assert.include(ended.stdout, `thought ${planted.thoughtId}, task ticket-7: triage\n    The parcel was lost\n`)
  })

  it("verifies, and says what it looked at", async () => {
    const ended = await run(["verify", "--json"])
    assert.strictEqual(ended.code, 0, ended.stderr)
    const { pending, ...found } = JSON.parse(ended.stdout)
    assert.deepInclude(found, { migrations: "complete", thoughts: 2, notes: 3, entries: 0, problems: [] })
    assert.lengthOf(pending, 1)
    assert.strictEqual(pending[0].state, "active")
  })

  it("keeps to its scope", async () => {
    const others = memory().flatMap((word, index, all) =>
      word === "--scope" || all[index - 1] === "--scope" ? [] : [word]
    )
    const ended = await cogito(["show", planted.traceId, ...others, "--scope", "another"], { env: env() })
    assert.deepStrictEqual([ended.code, ended.stdout], [1, ""])
  })
}

describe("cogito memory in a directory", () => {
  behaves(() => ["--data-dir", join(folder, "memory")])

  it("exports to a file, whole or not at all", async () => {
    const target = join(folder, "copy.jsonl")
    const ended = await cogito(["export", target, "--data-dir", join(folder, "memory")])
    assert.deepStrictEqual([ended.code, ended.stdout], [0, ""])
    assert.strictEqual(readFileSync(target, "utf8"), planted.archive)
    const failed = await cogito(["export", join(folder, "none", "a"), "--data-dir", join(folder, "memory")])
    assert.strictEqual(failed.code, 1)
    assert.include(failed.stderr, "The file cannot be written")
    assert.isEmpty(readdirSync(folder).filter((name) => name.endsWith(".part")))
  })

  it("says which line of an archive is none", async () => {
    const input = `${planted.archive}nonsense\n`
    const ended = await cogito(["import", "--data-dir", join(folder, "memory")], { input })
    assert.deepStrictEqual([ended.code, ended.stdout], [1, ""])
    assert.match(ended.stderr, /^cogito: Line 4 of the archive/)
  })

  it("leaves a directory alone that is another's, and makes none that is not there to read", async () => {
    const other = mkdtempSync(join(folder, "other-"))
    writeFileSync(join(other, "letter.txt"), "mine")
    const migrated = await cogito(["migrate", "--data-dir", other])
    assert.strictEqual(migrated.code, 1)
    assert.include(migrated.stderr, "The directory is neither empty nor a memory's")
    assert.deepStrictEqual(readdirSync(other), ["letter.txt"])
    const missing = join(folder, "missing")
    const read = await cogito(["verify", "--data-dir", missing])
    assert.strictEqual(read.code, 1)
    assert.include(read.stderr, "The directory holds no memory")
    assert.isFalse(existsSync(missing))
  })
})

describe("cogito memory, asked wrongly", () => {
  const wrong: ReadonlyArray<readonly [what: string, args: ReadonlyArray<string>, said: string]> = [
    ["without a memory", ["verify"], "Name the memory: --database-url or the variable DATABASE_URL"],
    ["with two memories", ["verify", "--data-dir", "a", "--database-url", "b"], "not both"],
    ["without a scope on a server", ["verify", "--database-url", "postgres://localhost/x"], "--scope"],
    ["with an unknown command", ["nonsense"], 'Unknown subcommand "nonsense"'],
    ["with an unknown flag", ["verify", "--nonsense"], "--nonsense"],
    ["with a limit out of bounds", ["search", "q", "--limit", "0"], "from 1 to 500"],
    ["without what to look for", ["search", "--data-dir", "a"], "query"]
  ]
  for (const [what, args, said] of wrong) {
    it(`${what}, ends with 2 and no result`, async () => {
      const ended = await cogito(args)
      assert.deepStrictEqual([ended.code, ended.stdout], [2, ""])
      assert.include(ended.stderr, said)
    })
  }

  it("explains itself when asked to", async () => {
    const ended = await cogito(["search", "--help"])
    assert.deepStrictEqual([ended.code, ended.stderr], [0, ""])
    for (const flag of ["--database-url", "--data-dir", "--scope", "--json", "--limit", "--task", "--embedder"]) {
      assert.include(ended.stdout, flag)
    }
  })

  it("says that a server is not there, without the password of its URL", async () => {
    const DATABASE_URL = "postgres://somebody:hunter2@127.0.0.1:1/none"
    const ended = await cogito(["verify", "--scope", "acme"], { env: { DATABASE_URL } })
    assert.deepStrictEqual([ended.code, ended.stdout], [1, ""])
    assert.match(ended.stderr, /^cogito: .+\n$/)
    assert.notInclude(ended.stderr, "hunter2")
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
    () => ["--scope", "acme"],
    () => ({ DATABASE_URL: url })
  )
})
