import { assert, describe, it } from "@effect/vitest"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../../scripts/run.ts"
import { printed, type Program } from "./programs.ts"

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
  /** What prints this. */
  readonly program: Program
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
      found.push({ line: text.slice(0, index).split("\n").length, output: code, program: { files: [...files], args } })
    }
  }
  return found
}

const printedBy = async (page: string): Promise<ReadonlyArray<string>> => {
  // inside the project, so that "cogito" is found
  const cwd = mkdtempSync(join(import.meta.dirname, ".page-"))
  try {
    writeFileSync(join(cwd, ".gitignore"), "*\n")
    return await printed(
      shownBy(page).map(({ program }) => program),
      cwd
    )
  } finally {
    rmSync(cwd, { recursive: true, force: true })
  }
}

describe("pages for people who begin", () => {
  it.each(pages)("%s shows what its programs print", { timeout: 600_000 }, async (page) => {
    const outputs = await printedBy(page)
    const shown = shownBy(page)
    assert.isNotEmpty(shown)
    assert.deepStrictEqual(
      outputs.map((output, index) => ({ line: shown[index]?.line, output })),
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
