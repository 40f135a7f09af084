import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { archiveOf, onTerminal, plant, terminals } from "./cogito.ts"

describe.skipIf(!terminals)("cogito memory on a terminal", () => {
  let folder = ""
  let archive = ""
  const place = () => ["--data-dir", join(folder, "memory")]
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "cogito-terminal-"))
    archive = join(folder, "archive.jsonl")
    writeFileSync(archive, archiveOf(await Effect.runPromise(plant), 120))
  })
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })

  // each test goes on from the one before
  const work: ReadonlyArray<readonly [args: () => ReadonlyArray<string>, lines: ReadonlyArray<RegExp>]> = [
    [() => ["migrate"], [/^Bringing the schema up to date …/, /^The memory's schema is up to date/]],
    [
      () => ["import", archive],
      [
        /^Checking the archive: 100 lines so far$/,
        /^Opening the memory …/,
        /^Importing: 100 lines so far$/,
        /^Imported 120 thoughts; 0 were there already\.$/
      ]
    ],
    [() => ["export", join(folder, "copy.jsonl")], [/^Exporting: 100 thoughts so far$/, /^Exported 120 thoughts\.$/]],
    [() => ["verify"], [/^Verifying: 100 thoughts so far$/, /^No problems found\.$/]],
    [
      () => ["search", "parcel", "--limit", "1", "--embedder", "local"],
      [/^Embedding the notes that are pending …/, /^1\. /]
    ],
    [() => ["optimize"], [/^Looking after the indexes of vectors …/, /^EMBEDDER .* CHANGE$/]]
  ]
  for (const [args, expected] of work) {
    it(`says how far ${args()[0]} is, in lines that give way, and then the result`, async () => {
      const lines = await onTerminal([...args(), ...place()])
      const found = expected.map((line) => lines.findIndex((text) => line.test(text)))
      assert.notInclude(found, -1, lines.join("\n"))
      assert.deepStrictEqual(
        found,
        found.toSorted((a, b) => a - b)
      )
      assert.isEmpty(lines.filter((line) => line.startsWith("cogito:")))
    })
  }

  it("says nothing of it beside JSON", async () => {
    const lines = await onTerminal(["verify", "--json", ...place()])
    assert.deepInclude(JSON.parse(lines.join("\n")), { thoughts: 120 })
  })
})
