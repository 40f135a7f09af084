import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../../scripts/run.ts"
import { isTest, pages, printed, programsOf } from "./programs.ts"

const read = (file: string): string => readFileSync(join(root, file), "utf8")

/** What the programs of the pages print, by page. Tests print at the end of their process, so each of their pages has its own. */
const outputsOf = async (folder: string): Promise<ReadonlyMap<string, ReadonlyArray<string>>> => {
  const all = pages.map((page) => ({ page, programs: programsOf(page), cwd: join(folder, page.replaceAll("/", "-")) }))
  for (const { cwd } of all) mkdirSync(cwd)
  const [tested, others] = [true, false].map((has) => all.filter(({ programs }) => programs.some(isTest) === has))
  const outputs = new Map<string, ReadonlyArray<string>>()
  for (const together of [...(tested ?? []).map((one) => [one]), others ?? []]) {
    for (const [index, output] of (await printed(together)).entries()) outputs.set(together[index]?.page ?? "", output)
  }
  return outputs
}

describe("pages for people who begin", () => {
  let printedBy: ReadonlyMap<string, ReadonlyArray<string>>
  // inside the project, so that "cogito" is found
  const folder = mkdtempSync(join(import.meta.dirname, ".pages-"))
  beforeAll(async () => {
    writeFileSync(join(folder, ".gitignore"), "*\n")
    printedBy = await outputsOf(folder)
  }, 600_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it.each(pages)("%s shows what its programs print", (page) => {
    const programs = programsOf(page)
    const outputs = printedBy.get(page) ?? []
    assert.isNotEmpty(programs.filter(({ output }) => output !== undefined))
    assert.lengthOf(outputs, programs.length)
    const shown = programs.flatMap(({ line, output }, index) =>
      output === undefined ? [] : [{ line, shown: output, printed: outputs[index] }]
    )
    for (const one of shown) assert.strictEqual(one.printed, one.shown, `${page}:${one.line}`)
  })
})

describe("the README", () => {
  const readme = read("README.md")

  it("names the two commands in their words", () => {
    assert.include(readme, "npm ci && npm run triage")
    assert.include(readme, "npm ci && npm test")
  })

  it("says of uncached tokens what the benchmark has measured", () => {
    const row = /^\| Uncached tokens, long message, beside AI SDK \| .* \| ([\d.]+) × \|/m.exec(
      read("docs/benchmarks.md")
    )
    assert.include(
      readme,
      `[${Math.round(100 - 100 * Number(row?.[1]))} % fewer uncached tokens](docs/benchmarks.md#tokens)`
    )
  })
})

describe("Start here", () => {
  it("installs the versions that package.json asks for", () => {
    const { peerDependencies }: { readonly peerDependencies: Readonly<Record<string, string>> } = JSON.parse(
      read("package.json")
    )
    const named = Array.from(
      read("docs/start-here.md").matchAll(/(?<=\s)(@?[a-z][\w/-]*)@(\d+(?:\.\d+)*)(?=\s)/g),
      ([, name = "", version = ""]) => [name, version] as const
    )
    assert.isAtLeast(named.length, 7)
    for (const [name, version] of named) {
      const wanted = peerDependencies[name]?.replace(/^\^/, "") ?? "no peer"
      assert.isTrue(`${wanted}.`.startsWith(`${version}.`), `${name}@${version}, but package.json has ${wanted}`)
    }
  })

  it("names every subpath with the packages that it needs", () => {
    const { exports }: { readonly exports: Readonly<Record<string, unknown>> } = JSON.parse(read("package.json"))
    const table = read("docs/start-here.md")
    const subpaths = Object.keys(exports).filter((name) => /^\.\/[a-z-]+$/.test(name))
    assert.isNotEmpty(subpaths)
    for (const name of subpaths) assert.include(table, `\`cogito/${name.slice(2)}\``)
  })
})
