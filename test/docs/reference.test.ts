import { assert, describe, it } from "@effect/vitest"
import { examplesOf, programsIn } from "../../scripts/docs/api/examples.ts"
import { type Entry, type Module, modulesOf } from "../../scripts/docs/api/modules.ts"
import { readSources } from "../../scripts/docs/api/sources.ts"
import { sections } from "../../scripts/docs/sections.ts"
import { join } from "node:path"
import { manifest, root } from "../../scripts/run.ts"

// The reference shows an example of every function, layer, service and constant. It is the export's own, or that of another
// export or page that uses it, to which the export links. Types, schemas of results and errors share the examples of the
// functions whose signatures have them. A symbol that marks values is nothing that programs use.
const shared = new Set(["models", "types", "errors", "symbols"])

/** Their examples need a server that runs, so they are only type-checked. */
const onServers = new Set(["PostgresMemory.makeStore", "Telemetry.otlp"])

const modules = modulesOf(readSources(join(root, "src"), ".ts"))
const examples = examplesOf(
  modules,
  sections().flatMap(({ pages }) => pages)
)
const entries = modules.flatMap((module) => module.entries.map((entry) => ({ module, entry })))
const titled = (list: ReadonlyArray<{ readonly module: Module; readonly entry: Entry }>): ReadonlyArray<string> =>
  list.map(({ entry, module }) => `${module.name}.${entry.name}`)
const find = (title: string): { readonly module: Module; readonly entry: Entry } => {
  const found = entries.find(({ entry, module }) => `${module.name}.${entry.name}` === title)
  assert.isDefined(found, title)
  return found
}

describe("the reference", () => {
  it("has a module of every entry point, with a description", () => {
    const specifiers = Object.keys(manifest().exports).filter((path) => path !== "." && path !== "./package.json")
    assert.deepStrictEqual(
      [...new Set(modules.map(({ specifier }) => specifier.replace("cogito", ".")))].toSorted(),
      specifiers.toSorted()
    )
    assert.deepStrictEqual(
      modules.filter(({ doc }) => doc === "").map(({ name }) => name),
      []
    )
  })

  it("describes every export, in a category", () => {
    assert.isAbove(entries.length, 500)
    assert.deepStrictEqual(titled(entries.filter(({ entry }) => entry.doc === "")), [])
    assert.deepStrictEqual(titled(entries.filter(({ entry }) => entry.category === "other")), [])
  })

  it("shows an example of every export that programs call, which the tests run", () => {
    const used = entries.filter(({ entry }) => entry.isValue && !shared.has(entry.category))
    assert.isAbove(used.length, 220)
    const without = titled(used.filter(({ entry, module }) => examples(module, entry).length === 0))
    assert.deepStrictEqual(without, [...onServers])
    for (const title of onServers) assert.include(find(title).entry.doc, "```ts no-run\n")
  })

  it("takes an export's own example before those of others", () => {
    const retry = find("Step.retry")
    assert.isAbove(programsIn(retry.entry.doc).length, 0)
    assert.deepStrictEqual(examples(retry.module, retry.entry), [{ title: "Step.retry", path: "api/Step.md#retry" }])
    const notes = find("Thought.notes")
    assert.deepStrictEqual(programsIn(notes.entry.doc), [])
    assert.isAbove(examples(notes.module, notes.entry).length, 0)
    const type = { ...find("Note.from").entry, name: "neverUsed", doc: "" }
    assert.deepStrictEqual(examples(find("Note.from").module, type), [])
  })

  it("follows exports through the modules that pass them on", () => {
    assert.strictEqual(find("Note.prompt").entry.file, "thought/prompt.ts")
    const ledger = modules.find(({ name }) => name === "Ledger")
    assert.deepStrictEqual([ledger?.parent, ledger?.specifier], ["Store", "cogito/Store"])
  })
})
