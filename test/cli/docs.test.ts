import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { manifest, root } from "../../scripts/run.ts"
import { meanings } from "../../src/cli/console/codes.ts"
import { cogito } from "./cogito.ts"
import { keepOpen } from "./keptOpen.ts"

const text = readFileSync(join(root, "docs", "memory.md"), "utf8")
const section = /^## From the command line\n([\s\S]*?)^## /m.exec(text)?.[1] ?? ""
const commands = ["migrate", "search", "show", "export", "import", "optimize", "verify"]

/** The first thought of the section's example. */
const archive = [
  { format: "cogito-memory", version: 1 },
  {
    thought: {
      id: "01981f5e-0000-7000-8000-000000000001",
      traceId: "ticket-7",
      taskId: "refunds",
      intent: "triage",
      created: 1_760_000_000_000,
      hidden: [],
      checkpoints: []
    },
    version: 1,
    notes: [
      {
        id: "01981f5e-0000-7000-8000-000000000002",
        seq: 1,
        key: "message",
        content: "The parcel was lost",
        metadata: [],
        source: "user",
        step: "",
        created: 1_760_000_000_000,
        trust: "untrusted"
      }
    ],
    entries: [],
    nextIndex: 0
  }
]

describe("what docs/memory.md says of the command line", { timeout: 180_000 }, () => {
  let folder = ""
  const memory = () => join(folder, "memory")
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "cogito-docs-"))
    writeFileSync(join(folder, "backup.jsonl"), archive.map((line) => `${JSON.stringify(line)}\n`).join(""))
  })
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  keepOpen()

  it("is what the commands print", async () => {
    const session = /^```console\n([\s\S]*?)^```/m.exec(section)?.[1] ?? ""
    const runs = session.split(/^\$ npx cogito memory /m).slice(1)
    assert.lengthOf(runs, 3)
    for (const run of runs) {
      const [line = "", ...printed] = run.split("\n")
      const args = line.split(" ").map((word) => (/^(memory|backup\.jsonl)$/.test(word) ? join(folder, word) : word))
      const ended = await cogito(args)
      assert.strictEqual(`${ended.stdout}${ended.stderr}`, printed.join("\n"))
    }
  })

  it("has every command, and the fields that its JSON has", async () => {
    const rows = new Map(
      Array.from(section.matchAll(/^\| `([a-z]+)` \|.*\| `\{ ([a-z, ]+) \}`/gm), ([, name = "", keys = ""]) => [
        name,
        keys.split(", ")
      ])
    )
    assert.sameMembers(Array.from(rows.keys()), commands)
    const place = ["--data-dir", memory(), "--json"]
    const args: Readonly<Record<string, ReadonlyArray<string>>> = {
      import: [join(folder, "backup.jsonl")],
      search: ["parcel", "--embedder", "local"],
      show: ["ticket-7"],
      export: [join(folder, "copy.jsonl")]
    }
    for (const command of ["import", "migrate", "search", "show", "export", "optimize", "verify"]) {
      const ended = await cogito([command, ...(args[command] ?? []), ...place])
      assert.strictEqual(ended.code, 0, ended.stderr)
      const keys = Object.keys(JSON.parse(ended.stdout))
      // what a thought has not is left out
      const due = (rows.get(command) ?? []).filter((key) => key !== "usage")
      assert.sameMembers(keys, due, command)
    }
  })

  it("has the exit codes that the help has", () => {
    const codes = Array.from(section.matchAll(/^\| (\d+) \| (.*) \|$/gm), ([, code, meaning]) => [
      Number(code),
      meaning
    ])
    assert.deepStrictEqual(
      codes,
      Array.from(meanings, ([code, meaning]) => [code, meaning])
    )
  })

  it("names the versions that package.json asks for", () => {
    const { peerDependencies } = manifest()
    const named = Array.from(section.matchAll(/(?<=\s)(@?[a-z][\w/-]*)@(\d+\.\d+\.\d+)/g), ([, name = "", version]) => [
      name,
      version
    ])
    const names = ["pg", "kysely", "@electric-sql/pglite", "@electric-sql/pglite-pgvector", "kysely"]
    assert.sameDeepMembers(
      named,
      names.map((name) => [name, peerDependencies[name]?.replace(/^\^/, "")])
    )
  })

  it("is where the list of features leads to", () => {
    assert.include(readFileSync(join(root, "docs", "features.md"), "utf8"), "`npx cogito memory` | ")
    assert.include(readFileSync(join(root, "docs", "features.md"), "utf8"), "(memory.md#from-the-command-line)")
  })
})
