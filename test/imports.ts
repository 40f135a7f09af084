import { existsSync, readFileSync } from "node:fs"
import { dirname, join, posix } from "node:path"
import { packageOf, peersOf } from "./package/peers.ts"
import { common, core, sharedBy, subpaths } from "./rooms.ts"

/** One import of a source file, as written. */
export interface Import {
  readonly file: string
  readonly line: number
  readonly specifier: string
  readonly typeOnly: boolean
  /** Whether it is loaded only when the code comes to it. */
  readonly dynamic: boolean
}

type Rooms = Readonly<Record<string, ReadonlyArray<string>>>

/** Sources by path below src, with `/` between folders. */
export type Sources = ReadonlyMap<string, string>

const statement = /^(?:import|export)\s+(type\s+)?(?:[\w$*{},\s]+?\sfrom\s+)?["']([^"']+)["']/gm
const dynamic = /^(?!\s*(?:\*|\/\/)).*?\bimport\(\s*["']([^"']+)["']/gm

/**
 * The imports and re-exports of a file: those that start a line (a doc comment's never do) and dynamic ones.
 */
export const importsOf = (file: string, source: string): ReadonlyArray<Import> => {
  const at = (index: number): number => source.slice(0, index).split("\n").length
  const statics = Array.from(source.matchAll(statement), (match) => ({
    file,
    line: at(match.index),
    specifier: match[2] ?? "",
    typeOnly: match[1] !== undefined,
    dynamic: false
  }))
  const dynamics = Array.from(source.matchAll(dynamic), (match) => ({
    file,
    line: at(match.index),
    specifier: match[1] ?? "",
    // `import("x").Y` in a type position looks the same; counting it as a value is the stricter reading.
    typeOnly: false,
    dynamic: true
  }))
  return [...statics, ...dynamics]
}

/** The folder that a file stands in; `""` for the modules at the top. */
const roomOf = (file: string): string => (file.includes("/") ? posix.dirname(file) : "")

/** The public modules, which export what is public of the core's rooms. */
const isPublic = (room: string): boolean => room === ""

const rooms: Rooms = { ...common, ...core, ...subpaths }

/** Undefined when the import is allowed, else what is wrong with it. */
const directionError = (from: string, to: string): string | undefined => {
  if (from === to || to in common) return undefined
  if (isPublic(from)) return to in core ? undefined : `is public and imports the subpath "${to}"`
  if (isPublic(to)) return from in subpaths ? undefined : `is in the core's room "${from}" and imports a public module`
  return rooms[from]?.includes(to) ? undefined : `is in "${from}" and imports from "${to}", which its row does not name`
}

/** Rows that name a room below which they stand, so that rooms could import each other in a circle. */
export const rowsOutOfOrder = (rows: Rooms): ReadonlyArray<string> => {
  const order = Object.keys(rows)
  return order.flatMap((room, at) =>
    (rows[room] ?? [])
      .filter((other) => order.indexOf(other) >= at || !order.includes(other))
      .map((other) => `${room} -> ${other}`)
  )
}

const effectFolder = join(dirname(import.meta.dirname), "node_modules", "effect")

/** What Effect's own `@stability` tags say of a module: `undefined` when there is no such module. */
export const isStable = (module: string): boolean | undefined => {
  const declarations = join(effectFolder, "dist", `${module}.d.ts`)
  if (!existsSync(declarations) || module.endsWith("index")) return undefined
  const tags = Array.from(readFileSync(declarations, "utf8").matchAll(/@stability (\w+)/g), (match) => match[1])
  return tags.filter((tag) => tag === "stable").length * 2 > tags.length
}

/** The subpaths that a room is part of. */
const subpathsOf = (room: string): ReadonlyArray<string> => {
  if (!(room in subpaths)) return []
  const [top = ""] = room.split("/")
  return sharedBy[top] ?? [top]
}

const packageError = (from: string, specifier: string): string | undefined => {
  const subpaths = subpathsOf(from)
  if (specifier === "effect") return `imports the barrel "effect"; import the module by its path`
  if (specifier.startsWith("effect/")) {
    const stable = isStable(specifier.slice("effect/".length))
    if (stable === undefined) return `imports "${specifier}", which is no single module of effect`
    return stable || subpaths.length > 0 ? undefined : `imports "${specifier}", which Effect does not call stable`
  }
  if (subpaths.length === 0) return `is part of the core and imports "${specifier}"`
  if (specifier.startsWith("node:")) return undefined
  const name = packageOf(specifier)
  const without = subpaths.find((subpath) => !(peersOf[`./${subpath}`] ?? []).includes(name))
  return without === undefined ? undefined : `imports "${name}", no peer of its subpath "${without}"`
}

/**
 * Everything that breaks the table of rooms, as `file:line: reason`. Type imports count like all others, in circles too.
 */
export const violations = (sources: Sources): ReadonlyArray<string> => {
  const found: Array<string> = []
  const graph = new Map<string, ReadonlyArray<string>>()
  for (const [file, source] of sources) {
    const from = roomOf(file)
    if (!isPublic(from) && !(from in rooms)) found.push(`${file}: is in a room that the table does not have`)
    if (file === "index.ts") found.push(...indexErrors(source))
    const targets: Array<string> = []
    for (const { line, specifier } of importsOf(file, source)) {
      const report = (reason: string | undefined): void => {
        if (reason !== undefined) found.push(`${file}:${line}: ${reason}`)
      }
      if (!specifier.startsWith(".")) {
        report(packageError(from, specifier))
        continue
      }
      const target = posix.join(posix.dirname(file), specifier)
      if (sources.has(target)) report(directionError(from, roomOf(target)))
      else report(`imports "${specifier}", which is not there`)
      targets.push(target)
    }
    graph.set(file, targets)
  }
  return [...found, ...cycles(graph).map((cycle) => `${cycle[0]}: import cycle ${cycle.join(" -> ")}`)]
}

/** The files that are loaded with a file, itself included: what it imports as values, all the way, dynamic imports apart. */
export const loadedBy = (sources: Sources, file: string): ReadonlySet<string> => {
  const loaded = new Set<string>()
  const open = [file]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (loaded.has(next)) continue
    loaded.add(next)
    for (const { dynamic, specifier, typeOnly } of importsOf(next, sources.get(next) ?? "")) {
      if (!typeOnly && !dynamic && specifier.startsWith(".")) open.push(posix.join(posix.dirname(next), specifier))
    }
  }
  return loaded
}

/** How many files each room has. */
export const sizesOf = (sources: Sources): ReadonlyMap<string, number> => {
  const sizes = new Map<string, number>()
  for (const file of sources.keys()) sizes.set(roomOf(file), (sizes.get(roomOf(file)) ?? 0) + 1)
  return sizes
}

/** Lines of a source that are neither blank nor comments. */
export const codeLines = (source: string): number =>
  source
    .replaceAll(/\/\*[\s\S]*?\*\//g, "")
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.trim().startsWith("//")).length

/** Files that define primitives and connectors: there a kind may be named. */
const defines = /^(?:primitive|pipeline|step)\/\w+\.ts$/

const declaredKind =
  /(?:\bkind(?::| =)|declare\w+\(|poseRanking\(|makeSummary\(key,|makeOnward(?:<[\w, ]+>)?\(name,)\s*"(\w+)"/g

/** Sources without their comments. */
const code = (source: string): string => source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "")

/** The kinds that a file defines. */
export const kindsOf = (file: string, source: string): ReadonlyArray<string> =>
  defines.test(file) ? Array.from(code(source).matchAll(declaredKind), ([, kind = ""]) => kind) : []

/** Where the core's shared code has the kind of a primitive or connector as a text, as `room: kind`. */
export const kindsNamed = (sources: Sources): ReadonlyArray<string> => {
  const kinds = new Set([...sources].flatMap(([file, source]) => kindsOf(file, source)))
  const named = [...sources].flatMap(([file, source]) => {
    const room = roomOf(file)
    if (defines.test(file) || !(room in core || room === "local")) return []
    const texts = Array.from(code(source).matchAll(/"(\w+)"/g), ([, text = ""]) => text)
    return texts.filter((text) => kinds.has(text)).map((text) => `${room}: ${text}`)
  })
  return [...new Set(named)].toSorted()
}

/** The index names the modules of the core and does nothing else. */
const indexErrors = (source: string): ReadonlyArray<string> =>
  source
    .replaceAll(/\/\*[\s\S]*?\*\//g, (comment) => comment.replaceAll(/[^\n]/g, ""))
    .split("\n")
    .flatMap((text, index) => {
      const line = text.trim()
      return line === "" || line.startsWith("//") || /^export \* as (\w+) from "\.\/\1\.ts"$/.test(line)
        ? []
        : [`index.ts:${index + 1}: holds something other than \`export * as X from "./X.ts"\``]
    })

const cycles = (graph: ReadonlyMap<string, ReadonlyArray<string>>): ReadonlyArray<ReadonlyArray<string>> => {
  const found: Array<ReadonlyArray<string>> = []
  const done = new Set<string>()
  const visit = (file: string, path: ReadonlyArray<string>): void => {
    const start = path.indexOf(file)
    if (start >= 0) {
      found.push([...path.slice(start), file])
      return
    }
    if (done.has(file)) return
    for (const next of graph.get(file) ?? []) visit(next, [...path, file])
    done.add(file)
  }
  for (const file of graph.keys()) visit(file, [])
  return found
}
