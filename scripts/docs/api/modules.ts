import { manifest } from "../../run.ts"
import type { Declaration, Sources } from "./sources.ts"

/** One exported name, with all that is declared under it. */
export interface Entry {
  readonly name: string
  /** Where it is declared: the same for a name that several modules pass on. */
  readonly id: string
  readonly file: string
  readonly declarations: ReadonlyArray<Declaration>
  /** Whether programs use it as a value: a function, a layer, a class. */
  readonly isValue: boolean
  readonly category: string
  /** The doc comment, without its tags. */
  readonly doc: string
}

/** A module that a page describes: `Note`, or `OpenAi` of `cogito/openai`. */
export interface Module {
  readonly name: string
  /** What programs import it from. */
  readonly specifier: string
  /** The module that exports this one beside names of its own. */
  readonly parent?: string
  readonly doc: string
  readonly entries: ReadonlyArray<Entry>
}

const tag = /^@(\w+) ?(.*)$/gm

const entryOf = (name: string, declarations: ReadonlyArray<Declaration>): Entry => {
  const [first] = declarations
  if (first === undefined) throw new Error(`${name} is exported and not declared`)
  const docs = declarations.map(({ doc }) => doc).filter((doc) => doc !== "")
  const tags = docs.flatMap((doc) => Array.from(doc.matchAll(tag), ([, key, value]) => [key, value] as const))
  return {
    name,
    id: `${first.file}#${first.name}`,
    file: first.file,
    declarations,
    isValue: declarations.some(({ kind }) => kind !== "type"),
    category: tags.find(([key]) => key === "category")?.[1]?.trim() ?? "other",
    doc: [...new Set(docs)].join("\n\n").replace(tag, "").trim()
  }
}

const moduleOf = (sources: Sources, name: string, specifier: string, file: string): Module => ({
  name,
  specifier,
  doc: sources.docOf(file),
  entries: Array.from(sources.exportsOf(file), ([exported, target]) =>
    target._tag === "Name" ? [entryOf(exported, sources.declarationsOf(target.file, target.name))] : []
  ).flat()
})

/**
 * The modules of every entry point of the package. An entry point is a module itself (`cogito/Note`), or it exports some
 * (`cogito/openai` exports `OpenAi`), or both; `cogito` exports those that have an entry point of their own.
 */
export const modulesOf = (sources: Sources): ReadonlyArray<Module> =>
  Object.entries(manifest().exports).flatMap(([subpath, target]) => {
    if (typeof target === "string" || subpath === ".") return []
    const file = String(target["cogito-source"]).replace(/^\.\/src\//, "")
    const specifier = `${manifest().name}${subpath.slice(1)}`
    const own = moduleOf(sources, subpath.slice("./".length), specifier, file)
    const inside = Array.from(sources.exportsOf(file)).flatMap(([name, target]) =>
      target._tag === "Module" ? [moduleOf(sources, name, specifier, target.file)] : []
    )
    return own.entries.length === 0 ? inside : [own, ...inside.map((module) => ({ ...module, parent: own.name }))]
  })
