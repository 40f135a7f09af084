import { readFileSync } from "node:fs"
import { join, posix } from "node:path"
import { parseAst } from "rolldown/parseAst"

/** What a statement at the top of a module declares under one name. Overloads, and a type beside a value, are several. */
export interface Declaration {
  readonly file: string
  readonly name: string
  readonly kind: "value" | "type" | "class"
  /** The text of the doc comment without its comment marks. Empty if the export has no doc comment. */
  readonly doc: string
  /** The statement, without `export` and `declare`. */
  readonly text: string
  /** Names that the statement mentions, with what stands before the last dot: `Step`, `Note.Handle`. */
  readonly mentions: ReadonlySet<string>
}

/** Where a name leads: to a declaration, or to a whole module. */
export type Target =
  | { readonly _tag: "Name"; readonly file: string; readonly name: string }
  | { readonly _tag: "Module"; readonly file: string }

interface Source {
  /** The text of the first doc comment, if it belongs to the module and not to a declaration. */
  readonly doc: string
  readonly declared: ReadonlyMap<string, ReadonlyArray<Declaration>>
  /** By the exported name. */
  readonly exported: ReadonlyMap<string, Target>
  /** Modules whose exports are passed on. */
  readonly passed: ReadonlyArray<string>
  /** By the local name. */
  readonly imported: ReadonlyMap<string, Target>
}

/** The parts of a syntax tree that are read here. */
interface Tree {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

const isTree = (value: unknown): value is Tree => typeof value === "object" && value !== null && "type" in value
const treeOf = (value: unknown): Tree | undefined => (isTree(value) ? value : undefined)
const treesOf = (value: unknown): ReadonlyArray<Tree> => (Array.isArray(value) ? value.filter(isTree) : [])
const nameOf = (value: unknown): string => {
  const tree = treeOf(value)
  const name = tree?.["name"] ?? tree?.["value"]
  return typeof name === "string" ? name : ""
}

/** A doc comment without its marks. */
const unmarked = (comment: string): string =>
  comment
    .slice("/**".length, -"*/".length)
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, "").trimEnd())
    .join("\n")
    .trim()

const docIn = (between: string): string =>
  unmarked(/\/\*\*(?:(?!\*\/)[\s\S])*\*\/(?=\s*$)/.exec(between)?.[0] ?? "/***/")

const mentioned = (tree: Tree, into: Set<string> = new Set()): Set<string> => {
  if (tree.type === "TSQualifiedName") {
    into.add(`${nameOf(tree["left"])}.${nameOf(tree["right"])}`)
    return into
  }
  if (tree.type === "Identifier") into.add(nameOf(tree))
  for (const value of Object.values(tree)) {
    for (const child of isTree(value) ? [value] : treesOf(value)) mentioned(child, into)
  }
  return into
}

const kinds: Readonly<Record<string, Declaration["kind"]>> = {
  VariableDeclaration: "value",
  FunctionDeclaration: "value",
  TSDeclareFunction: "value",
  ClassDeclaration: "class",
  TSInterfaceDeclaration: "type",
  TSTypeAliasDeclaration: "type",
  TSModuleDeclaration: "type"
}

/** Reads the modules of a folder: of the sources, or of the declarations that the compiler writes of them. */
export const readSources = (folder: string, extension: ".ts" | ".d.ts") => {
  const read = new Map<string, Source>()

  const parse = (file: string): Source => {
    const path = join(folder, file.replace(/\.ts$/, extension))
    const code = readFileSync(path, "utf8")
    const declared = new Map<string, Array<Declaration>>()
    const exported = new Map<string, Target>()
    const imported = new Map<string, Target>()
    const passed: Array<string> = []
    const beside = (source: unknown): string | undefined => {
      const specifier = nameOf(source)
      return specifier.startsWith(".") ? posix.join(posix.dirname(file), specifier) : undefined
    }
    let end = 0
    let doc: string | undefined
    for (const statement of treesOf(parseAst(code, { lang: extension === ".ts" ? "ts" : "dts" }, path).body)) {
      const between = code.slice(end, statement.start)
      end = statement.end
      const comments = between.match(/\/\*\*(?:(?!\*\/)[\s\S])*\*\//g) ?? []
      const inner = treeOf(statement["declaration"]) ?? (statement.type in kinds ? statement : undefined)
      // a comment that opens a file belongs to the module, unless it is the only one before a declaration
      if (doc === undefined) doc = comments.length > (inner === undefined ? 0 : 1) ? unmarked(comments[0]!) : ""
      const from = beside(statement["source"])
      if (statement.type === "ImportDeclaration") {
        if (from === undefined) continue
        for (const one of treesOf(statement["specifiers"])) {
          const whole = one.type === "ImportNamespaceSpecifier"
          const target: Target = whole
            ? { _tag: "Module", file: from }
            : { _tag: "Name", file: from, name: nameOf(one["imported"]) }
          imported.set(nameOf(one["local"]), target)
        }
      } else if (statement.type === "ExportAllDeclaration" && from !== undefined) {
        const name = nameOf(statement["exported"])
        if (name === "") passed.push(from)
        else exported.set(name, { _tag: "Module", file: from })
      } else if (inner !== undefined) {
        const names = inner["id"] === undefined ? treesOf(inner["declarations"]).map((one) => one["id"]) : [inner["id"]]
        for (const name of names.map(nameOf)) {
          const text = code
            .slice(statement.start, statement.end)
            .replace(/^(?:export )?(?:declare )?/, "")
            .replace(/;?$/, "")
          const declaration = { file, name, kind: kinds[inner.type] ?? "type", doc: docIn(between), text } as const
          declared.set(name, [...(declared.get(name) ?? []), { ...declaration, mentions: mentioned(inner) }])
          if (statement.type === "ExportNamedDeclaration") exported.set(name, { _tag: "Name", file, name })
        }
      } else if (statement.type === "ExportNamedDeclaration") {
        for (const one of treesOf(statement["specifiers"])) {
          const local = nameOf(one["local"])
          const own = imported.get(local) ?? { _tag: "Name", file, name: local }
          if (statement["source"] === null || statement["source"] === undefined)
            exported.set(nameOf(one["exported"]), own)
          else if (from !== undefined) exported.set(nameOf(one["exported"]), { _tag: "Name", file: from, name: local })
        }
      }
    }
    return { doc: doc ?? "", declared, exported, imported, passed }
  }

  const source = (file: string): Source => {
    const known = read.get(file)
    if (known !== undefined) return known
    const made = parse(file)
    read.set(file, made)
    return made
  }

  /** Follows a name through the modules that pass it on. */
  const follow = (target: Target): Target | undefined => {
    if (target._tag === "Module") return target
    const { declared, exported, passed } = source(target.file)
    if (declared.has(target.name)) return target
    const next = exported.get(target.name)
    if (next !== undefined) return follow(next)
    for (const file of passed) {
      const found = follow({ _tag: "Name", file, name: target.name })
      if (found !== undefined) return found
    }
    return undefined
  }

  /** The exported names of a module, in the order of its file, and where they lead. */
  const exportsOf = (file: string): ReadonlyMap<string, Target> => {
    const { exported, passed } = source(file)
    const own = Array.from(exported, ([name, target]) => [name, follow(target)] as const)
    const all = [...own, ...passed.flatMap((from) => Array.from(exportsOf(from)))]
    return new Map(all.flatMap(([name, target]) => (target === undefined ? [] : [[name, target] as const])))
  }

  /** What a name that a file mentions means there. */
  const meaning = (file: string, mention: string): Target | undefined => {
    const [head = "", tail] = mention.split(".")
    const { declared, imported } = source(file)
    const target = declared.has(head) ? ({ _tag: "Name", file, name: head } as const) : imported.get(head)
    if (target === undefined) return undefined
    if (tail === undefined || target._tag === "Name") return follow(target)
    return exportsOf(target.file).get(tail)
  }

  return {
    docOf: (file: string): string => source(file).doc,
    declarationsOf: (file: string, name: string): ReadonlyArray<Declaration> => source(file).declared.get(name) ?? [],
    exportsOf,
    meaning
  }
}

export type Sources = ReturnType<typeof readSources>
