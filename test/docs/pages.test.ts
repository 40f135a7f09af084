import { assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { root } from "../../scripts/run.ts"

const read = (file: string): string => readFileSync(join(root, file), "utf8")

/** The pages for people who begin: the README, and what it leads to first. */
const pages = [
  "README.md",
  ...readdirSync(join(root, "docs"))
    .filter((file) => /^(start-here|tutorial|effect)\.md$/.test(file))
    .map((file) => `docs/${file}`),
  ...readdirSync(join(root, "docs", "concepts")).map((file) => `docs/concepts/${file}`)
]

interface Shown {
  readonly line: number
  /** What the page shows as output. */
  readonly output: string
  /** The files that the page has named before, and the file and arguments that print this. */
  readonly files: ReadonlyMap<string, string>
  readonly args: ReadonlyArray<string>
}

/** Each ```text and ```mermaid of a page is what the ```ts before it prints, or the command `node …` of a ```sh. */
const shownBy = (page: string): ReadonlyArray<Shown> => {
  const text = read(page)
  const files = new Map<string, string>()
  const found: Array<Shown> = []
  let args: ReadonlyArray<string> = []
  for (const { 1: language, 2: info = "", 3: code = "", index } of text.matchAll(/^```(\w*) ?(.*)\n([^]*?)^```$/gm)) {
    if (language === "ts" && info !== "no-run") {
      const file = info === "" ? "program.ts" : info
      files.set(file, code)
      args = [file]
    }
    if (language === "sh") {
      const command = /^node (.+)$/.exec(code.trim())?.[1] ?? ""
      args = Array.from(command.matchAll(/"([^"]*)"|\S+/g), ([word, inner]) => inner ?? word)
    }
    if (language === "text" || language === "mermaid") {
      found.push({ line: text.slice(0, index).split("\n").length, output: code, files: new Map(files), args })
    }
  }
  return found
}

/** What the programs of a page print, one after the other in one folder, like those of a reader. */
const printedBy = async (page: string): Promise<ReadonlyArray<string>> => {
  // inside the project, so that "cogito" is found
  const cwd = mkdtempSync(join(import.meta.dirname, ".page-"))
  const printed: Array<string> = []
  try {
    writeFileSync(join(cwd, ".gitignore"), "*\n")
    for (const { args, files } of shownBy(page)) {
      for (const [name, code] of files) writeFileSync(join(cwd, name), code)
      const { stdout } = await promisify(execFile)(process.execPath, ["--conditions=cogito-source", ...args], { cwd })
      printed.push(stdout)
    }
  } finally {
    rmSync(cwd, { recursive: true, force: true })
  }
  return printed
}

describe("pages for people who begin", () => {
  it.each(pages)("%s shows what its programs print", { concurrent: true, timeout: 600_000 }, async (page) => {
    const printed = await printedBy(page)
    const shown = shownBy(page)
    assert.isNotEmpty(shown)
    assert.deepStrictEqual(
      printed.map((output, index) => ({ line: shown[index]?.line, output })),
      shown.map(({ line, output }) => ({ line, output }))
    )
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
