import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { packedBefore } from "../../scripts/packed.ts"
import { bin, brief, manifest, root, run } from "../../scripts/run.ts"
import { flags } from "../flags.ts"
import { bare } from "./programs.ts"

/** One ```ts fence of a document or of a doc comment. */
export interface Fence {
  /** Path of the document, relative to the project, with `/` between folders. */
  readonly file: string
  /** Line of the opening fence, from 1. */
  readonly line: number
  readonly code: string
  /** False for ```ts no-run: the code is type-checked only. */
  readonly executed: boolean
  /** Of ```ts triage.ts: the name under which later fences of the document import this one. */
  readonly name?: string
  /** Of ```ts quoted PATH: the file with the same text. It uses other libraries, and is checked where these are installed. */
  readonly quoted?: string
}

/** What the opening fence may say after `ts`. */
const infoString = /^(?:(?<mode>no-run)|quoted (?<quoted>bench\/[\w./-]+\.ts))? ?(?<name>[\w-]+(?:\.test)?\.ts)?$/

/**
 * The TypeScript fences of a Markdown text, or of the doc comments of a TypeScript source.
 *
 * A fence may be indented and each of its lines may start with a doc comment's ` * `. Throws on a fence that is never
 * closed or whose info string is unknown, because such a fence would silently not be checked.
 */
export const extract = (file: string, text: string): ReadonlyArray<Fence> => {
  const inComments = file.endsWith(".ts")
  const found: Array<Fence> = []
  let open: { readonly marker: string; readonly fence?: Fence; readonly lines: Array<string> } | undefined
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const comment = /^\s*\* ?(?!\/)(.*)$/.exec(raw)
    const line = inComments ? comment?.[1] : raw
    if (line === undefined) {
      // The end of a comment, or code: a fence open here is not closed.
      if (open !== undefined) throw new Error(`${file}:${index + 1}: the comment ends inside a fence`)
      continue
    }
    if (open !== undefined) {
      if (line.trim() !== open.marker) {
        open.lines.push(line)
      } else {
        if (open.fence !== undefined) found.push({ ...open.fence, code: open.lines.join("\n") })
        open = undefined
      }
      continue
    }
    const opening = /^\s*(`{3,})\s*(\S*)\s*(.*?)\s*$/.exec(line)
    if (opening === null) continue
    const [, marker = "```", language = "", info = ""] = opening
    if (language !== "ts" && language !== "typescript") {
      open = { marker, lines: [] }
      continue
    }
    const { mode, name, quoted } = infoString.exec(info)?.groups ?? {}
    if (info !== "" && mode === undefined && name === undefined && quoted === undefined) {
      throw new Error(
        `${file}:${index + 1}: unknown info string "${info}"; it may be "no-run", "quoted" or a file name`
      )
    }
    const executed = mode === undefined && quoted === undefined
    const fence = { file, line: index + 1, code: "", executed, ...(name && { name }), ...(quoted && { quoted }) }
    open = { marker, lines: [], fence }
  }
  if (open !== undefined) throw new Error(`${file}: a fence is not closed`)
  return found
}

const walk = (folder: string, end: string): ReadonlyArray<string> =>
  existsSync(join(root, folder))
    ? readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(end))
        .map((file) => `${folder}/${file.replaceAll("\\", "/")}`)
        .toSorted()
    : []

/** Every fence of README.md, docs/ and the doc comments in src/. */
const all = (): ReadonlyArray<Fence> =>
  ["README.md", ...walk("docs", ".md"), ...walk("src", ".ts")].flatMap((file) =>
    extract(file, readFileSync(join(root, file), "utf8"))
  )

/** Every fence with code for this library. */
export const collect = (): ReadonlyArray<Fence> => all().filter(({ quoted }) => quoted === undefined)

/** Every fence that quotes a file of the project. */
export const collectQuoted = (): ReadonlyArray<Fence> => all().filter(({ quoted }) => quoted !== undefined)

/** The problems found, by fence (`file:line` of its opening). */
export type Problems = ReadonlyMap<string, string>

export const idOf = (fence: Fence): string => `${fence.file}:${fence.line}`

/** How long a process may take that runs fences. */
const defaultBatchMillis = 480_000

/**
 * Type-checks all fences in one run of tsc, as programs of a user if the package is packed, and executes each as a module of
 * its own.
 *
 * They share a process, as most of the time of a fence goes to loading what those before it have loaded too. When it goes
 * wrong as a whole (it crashes, hangs, or an error cannot be told to belong to one fence) each half is run again, down to the
 * fences that go wrong alone.
 */
export const check = async (
  fences: ReadonlyArray<Fence>,
  { batchMillis = defaultBatchMillis }: { readonly batchMillis?: number } = {}
): Promise<Problems> => {
  // Inside the project, so that "cogito" and its development dependencies resolve as they do for the sources.
  const folder = mkdtempSync(join(import.meta.dirname, ".fences-"))
  writeFileSync(join(folder, ".gitignore"), "*\n")
  try {
    const modules = write(folder, fences)
    const problems = new Map(typeErrors(folder, modules))
    const runnable = modules.filter(({ fence }) => fence.executed && !problems.has(idOf(fence)))
    for (const [id, problem] of await runBatch(runnable, batchMillis)) problems.set(id, problem)
    return problems
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Module {
  readonly fence: Fence
  readonly path: string
}

/** Writes each fence as a module of its own. */
const write = (folder: string, fences: ReadonlyArray<Fence>): ReadonlyArray<Module> =>
  fences.map((fence, index) => {
    const path = join(folder, `${index}.ts`)
    const code = fence.code.replaceAll(/(?<=\bfrom ")\.\/([\w.-]+\.ts)(?=")/g, (_, name: string) => {
      const imported = fences.findLastIndex((one, at) => at < index && one.file === fence.file && one.name === name)
      if (imported < 0) throw new Error(`${idOf(fence)} imports ${name}, which no fence before it is named`)
      return `./${imported}.ts`
    })
    // Blank lines before the code make every position in the module the position in its document.
    writeFileSync(path, `${"\n".repeat(fence.line)}${code}\nexport {}\n`)
    return { fence, path }
  })

/** The declarations of the packed package by what a program imports, which take a third of the time of the sources to check. */
const declarations = (): Readonly<Record<string, ReadonlyArray<string>>> => {
  const { folder } = packedBefore() ?? {}
  if (folder === undefined) return {}
  const { exports, name } = manifest(folder)
  return Object.fromEntries(
    Object.entries(exports).flatMap(([subpath, one]) =>
      typeof one === "object" && one["types"] !== undefined
        ? [[`${name}${subpath.slice(1)}`, [join(folder, one["types"])]]]
        : []
    )
  )
}

const typeErrors = (folder: string, modules: ReadonlyArray<Module>): ReadonlyArray<readonly [string, string]> => {
  if (modules.length === 0) return []
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({
      extends: relative(folder, join(root, "tsconfig.json")).replaceAll("\\", "/"),
      compilerOptions: { paths: declarations() },
      include: ["*.ts"]
    })
  )
  const args = [bin("typescript", "tsc"), "-p", folder, "--pretty", "false", "--singleThreaded", "--rootDir", root]
  const result = run(process.execPath, args, { env: brief })
  if (result.status === 0) return []
  const found = new Map<string, string>()
  let current: string | undefined
  const others: Array<string> = []
  for (const line of result.output.split("\n")) {
    const error = /(?:^|[\\/])(\d+)\.ts\((\d+),\d+\): (.*)$/.exec(line)
    const module = error === null || !line.includes(".fences-") ? undefined : modules[Number(error[1])]
    if (module !== undefined && error !== null) {
      current = idOf(module.fence)
      found.set(current, `${found.get(current) ?? ""}${module.fence.file}:${error[2]}: ${error[3]}\n`)
    } else if (current !== undefined && line.startsWith("  ")) {
      found.set(current, `${found.get(current) ?? ""}${line}\n`)
    } else if (line.trim() !== "") {
      current = undefined
      others.push(line)
    }
  }
  // Errors elsewhere (in a source that a fence imports) are not a fence's, but nothing is known to be right then.
  if (found.size === 0) throw new Error(`tsc failed:\n${others.join("\n")}`)
  return [...found]
}

const runner = join(import.meta.dirname, "runFences.ts")

const runBatch = async (
  batch: ReadonlyArray<Module>,
  batchMillis: number
): Promise<ReadonlyArray<readonly [string, string]>> => {
  if (batch.length === 0) return []
  const result = await runModules(
    batch.map(({ path }) => path),
    batchMillis
  )
  const found = batch.flatMap((module) => {
    const problem = result.problems.get(module.path)
    return problem === undefined ? [] : [[idOf(module.fence), located(module, problem)] as const]
  })
  if (result.failure === undefined) return found
  if (batch.length > 1) {
    const half = Math.ceil(batch.length / 2)
    const first = await runBatch(batch.slice(0, half), batchMillis)
    return [...first, ...(await runBatch(batch.slice(half), batchMillis))]
  }
  return batch.map((module) => [idOf(module.fence), located(module, result.failure ?? "")] as const)
}

/** Puts the document's name where a stack names the module. */
const located = (module: Module, problem: string): string =>
  problem.replaceAll(
    new RegExp(`(?:file://)?[^\\s()]*[\\\\/]${module.path.split(/[\\/]/).at(-1)}`, "g"),
    module.fence.file
  )

interface Run {
  readonly problems: ReadonlyMap<string, string>
  /** Set when the process as a whole went wrong. */
  readonly failure?: string
}

const runModules = (paths: ReadonlyArray<string>, batchMillis: number): Promise<Run> =>
  new Promise((resolve) => {
    const folder = dirname(paths[0] ?? root)
    // A folder of its own: fences of two processes may open a memory under the same name.
    const cwd = mkdtempSync(join(folder, "run-"))
    const child = spawn(process.execPath, [...flags, runner, ...paths], {
      // What a fence writes to its working or home folder is cleaned up with the modules.
      cwd,
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      // A fence must not depend on credentials or settings of the machine it happens to run on.
      env: { ...bare, HOME: cwd, USERPROFILE: cwd }
    })
    const problems = new Map<string, string>()
    let output = ""
    let failure: string | undefined
    let finished = false
    const timer = setTimeout(() => {
      failure = finished
        ? "keeps the process alive: something it opened is never closed"
        : `did not end within ${batchMillis / 1000} s`
      child.kill("SIGKILL")
    }, batchMillis)
    const collectOutput = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-4000)
    }
    child.stdout?.on("data", collectOutput)
    child.stderr?.on("data", collectOutput)
    child.on("message", (message: { path?: string; problem?: string; unattributed?: string; finished?: true }) => {
      if (message.path !== undefined && message.problem !== undefined) problems.set(message.path, message.problem)
      if (message.unattributed !== undefined) failure = message.unattributed
      if (message.finished === true) finished = true
    })
    child.on("close", (code, signal) => {
      clearTimeout(timer)
      failure ??= finished && code === 0 ? undefined : `ended the process (${signal ?? `exit code ${code}`})\n${output}`
      resolve(failure === undefined ? { problems } : { problems, failure })
    })
  })
