import { spawn } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { root } from "../../scripts/run.ts"
import { flags } from "../flags.ts"

/** The pages for people who begin: the README, and what it leads to first. Their programs are run together, in order. */
export const pages = [
  "README.md",
  ...readdirSync(join(root, "docs"))
    .filter((file) => /^(start-here|tutorial|effect)\.md$/.test(file))
    .map((file) => `docs/${file}`),
  ...readdirSync(join(root, "docs", "concepts")).map((file) => `docs/concepts/${file}`)
]

/** A program of a page. */
export interface Program {
  /** Where the page has it, or the command that runs it. */
  readonly line: number
  /** The files that the page has named before, each with its text. */
  readonly files: ReadonlyArray<readonly [name: string, code: string]>
  /** The file to run, and the arguments. */
  readonly args: ReadonlyArray<string>
  /** What the page shows as its output, if anything. */
  readonly output?: string
}

export const isTest = ({ args }: Program): boolean => args[0]?.endsWith(".test.ts") === true

/**
 * The programs of a page, tests last: each ```ts, unless the next command runs it, and each command `node …` of a ```sh. A ```text
 * or ```mermaid after one is what it prints.
 */
export const programsOf = (page: string): ReadonlyArray<Program> => {
  const text = readFileSync(join(root, page), "utf8")
  const files = new Map<string, string>()
  const found: Array<Program> = []
  for (const { 1: language, 2: info = "", 3: code = "", index } of text.matchAll(/^```(\w*) ?(.*)\n([^]*?)^```$/gm)) {
    const line = text.slice(0, index).split("\n").length
    const last = found.at(-1)
    if (language === "ts" && info !== "no-run") {
      const file = info === "" ? "program.ts" : info
      files.set(file, code)
      found.push({ line, files: [...files], args: [file] })
    }
    const command = language === "sh" ? /^node (.+)$/.exec(code.trim())?.[1] : undefined
    if (command !== undefined) {
      const args = Array.from(command.matchAll(/"([^"]*)"|\S+/g), ([word, inner]) => inner ?? word)
      if (last?.args.length === 1 && last.args[0] === args[0] && last.output === undefined) found.pop()
      found.push({ line, files: [...files], args })
    }
    if ((language === "text" || language === "mermaid") && last !== undefined) {
      found.splice(-1, 1, { ...last, output: code })
    }
  }
  return [...found.filter((one) => !isTest(one)), ...found.filter(isTest)]
}

/** What stands after the output of each program. */
export const end = "\0"

/** What programs of this machine need; a document must not depend on its credentials or settings. */
export const bare = Object.fromEntries(
  ["PATH", "TMPDIR", "TEMP", "TMP", "SystemRoot", "NODE_COMPILE_CACHE", "COGITO_TEST_PROGRAMS"].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  })
)

/** Programs that run in one folder, like those of a reader. */
export interface Page {
  readonly cwd: string
  readonly programs: ReadonlyArray<Program>
}

/** What the programs of each page print, one after the other in one process. */
export const printed = async (pages: ReadonlyArray<Page>): Promise<ReadonlyArray<ReadonlyArray<string>>> => {
  const child = spawn(process.execPath, [...flags, join(import.meta.dirname, "runPages.ts")], { env: bare })
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
  child.stdin.end(JSON.stringify(pages))
  const [outputs, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  if ((await ended) !== 0) throw new Error(`${outputs}${errors}`)
  const all = outputs.split(end).slice(0, -1)
  return pages.map(({ programs }) => all.splice(0, programs.length))
}
