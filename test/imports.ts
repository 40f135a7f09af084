import { existsSync, readFileSync } from "node:fs"
import { dirname, join, posix } from "node:path"
import { packageOf, peersOf } from "./package/peers.ts"

/** One import of a source file, as written. */
export interface Import {
  readonly file: string
  readonly line: number
  readonly specifier: string
  readonly typeOnly: boolean
}

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
    typeOnly: match[1] !== undefined
  }))
  const dynamics = Array.from(source.matchAll(dynamic), (match) => ({
    file,
    line: at(match.index),
    specifier: match[1] ?? "",
    // `import("x").Y` in a type position looks the same; counting it as a value is the stricter reading.
    typeOnly: false
  }))
  return [...statics, ...dynamics]
}

/** The layers of the core, lowest first. Within an inner list a module may import those left of it. */
const layers: ReadonlyArray<ReadonlyArray<string>> = [
  ["Note", "Session", "Thought", "Step", "Signal"],
  ["Provider", "Embedder", "Memory"],
  ["Synapse"],
  ["Primitive"],
  ["Pipeline"],
  ["index"]
]

/** Internal modules may use values and services, and anyone may use them. */
const internalSees = 2

/** Folders that several subpaths share, with the names of these. */
const sharedBy: Readonly<Record<string, ReadonlyArray<string>>> = {
  http: ["anthropic", "openai"],
  sql: ["pglite", "postgres"]
}

type Place =
  | { readonly _tag: "Core"; readonly layer: number; readonly position: number; readonly module: string }
  | { readonly _tag: "Internal" }
  | { readonly _tag: "Shared"; readonly name: string; readonly by: ReadonlyArray<string> }
  | { readonly _tag: "Subpath"; readonly name: string }

/**
 * Where a file belongs: `Synapse.ts` and everything in `synapse/` are one module, any other folder is a subpath or shared by
 * some.
 */
const placeOf = (file: string): Place | undefined => {
  const [folder = "", ...rest] = file.split("/")
  if (folder === "internal" && rest.length > 0) return { _tag: "Internal" }
  for (const [layer, modules] of layers.entries()) {
    for (const [position, module] of modules.entries()) {
      const own = rest.length === 0 ? file === `${module}.ts` : folder === module.toLowerCase()
      if (own) return { _tag: "Core", layer, position, module }
    }
  }
  if (rest.length === 0) return undefined
  const by = sharedBy[folder]
  return by === undefined ? { _tag: "Subpath", name: folder } : { _tag: "Shared", name: folder, by }
}

/** Undefined when the import is allowed, else what is wrong with it. */
const directionError = (from: Place, to: Place): string | undefined => {
  if (to._tag === "Internal") return undefined
  if (to._tag === "Shared") {
    const allowed =
      from._tag === "Subpath" ? to.by.includes(from.name) : from._tag === "Shared" && from.name === to.name
    return allowed ? undefined : `imports from "${to.name}", which only ${to.by.join(" and ")} may`
  }
  if (from._tag === "Subpath") return undefined
  if (to._tag === "Subpath") return `imports the subpath "${to.name}"`
  if (from._tag === "Shared") return undefined
  if (from._tag === "Internal") {
    return to.layer < internalSees ? undefined : `is internal and imports ${to.module}; it may use values and services`
  }
  if (from.module === to.module || to.layer < from.layer) return undefined
  return to.layer === from.layer && to.position < from.position
    ? undefined
    : `belongs to ${from.module} and imports ${to.module}, which comes after it`
}

const effectFolder = join(dirname(import.meta.dirname), "node_modules", "effect")

/** What Effect's own `@stability` tags say of a module: `undefined` when there is no such module. */
export const isStable = (module: string): boolean | undefined => {
  const declarations = join(effectFolder, "dist", `${module}.d.ts`)
  if (!existsSync(declarations) || module.endsWith("index")) return undefined
  const tags = Array.from(readFileSync(declarations, "utf8").matchAll(/@stability (\w+)/g), (match) => match[1])
  return tags.filter((tag) => tag === "stable").length * 2 > tags.length
}

/** The subpaths that a file is part of. */
const subpathsOf = (place: Place): ReadonlyArray<string> =>
  place._tag === "Subpath" ? [place.name] : place._tag === "Shared" ? place.by : []

const packageError = (from: Place, specifier: string): string | undefined => {
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
 * Everything that breaks the direction of imports, as `file:line: reason`.
 *
 * Type-only imports count, except those listed as unavoidable (`from -> to`); for cycles only imports of values count.
 */
export const violations = (sources: Sources, unavoidable: ReadonlyArray<string> = []): ReadonlyArray<string> => {
  const found: Array<string> = []
  const values = new Map<string, ReadonlyArray<string>>()
  for (const [file, source] of sources) {
    const from = placeOf(file)
    if (from === undefined) {
      found.push(`${file}: is not part of the layout`)
      continue
    }
    if (file === "index.ts") found.push(...indexErrors(source))
    const targets: Array<string> = []
    for (const { line, specifier, typeOnly } of importsOf(file, source)) {
      const report = (reason: string | undefined): void => {
        if (reason !== undefined) found.push(`${file}:${line}: ${reason}`)
      }
      if (!specifier.startsWith(".")) {
        report(packageError(from, specifier))
        continue
      }
      const target = posix.join(posix.dirname(file), specifier)
      const to = placeOf(target)
      if (!sources.has(target) || to === undefined) report(`imports "${specifier}", which is not there`)
      else if (!(typeOnly && unavoidable.includes(`${file} -> ${target}`))) report(directionError(from, to))
      if (!typeOnly) targets.push(target)
    }
    values.set(file, targets)
  }
  return [...found, ...cycles(values).map((cycle) => `${cycle[0]}: import cycle ${cycle.join(" -> ")}`)]
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
