import { readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../../run.ts"
import type { Entry, Module } from "./modules.ts"

/** Where an example is: an entry of the reference, or a page of the documentation. */
export interface Place {
  readonly title: string
  /** From the root of the site. */
  readonly path: string
}

const fence = /^```ts(?: [\w.-]+\.ts)?\n([\s\S]*?)^```$/gm

/** The programs of a text that the tests run. */
export const programsIn = (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(fence), ([, code = ""]) => code)

export const placeOf = (module: Module, entry: Entry): Place => ({
  title: `${module.name}.${entry.name}`,
  path: `api/${module.name}.md#${entry.name}`
})

/**
 * Finds where an export is shown in use: in an example of its own, or else in that of another export, or else in a page
 * of the documentation. A program uses an export if it contains its qualified name, as in `Note.text`, or checks for an
 * error's tag, as in `"ProviderError"`.
 */
export const examplesOf = (
  modules: ReadonlyArray<Module>,
  pages: ReadonlyArray<Place>
): ((module: Module, entry: Entry) => ReadonlyArray<Place>) => {
  const places = [
    ...modules.flatMap((module) =>
      module.entries.map((entry) => ({ module, place: placeOf(module, entry), programs: programsIn(entry.doc) }))
    ),
    ...pages.map((place) => ({
      module: undefined,
      place,
      programs: programsIn(readFileSync(join(root, place.path), "utf8"))
    }))
  ].filter(({ programs }) => programs.length > 0)
  return (module, entry) => {
    if (programsIn(entry.doc).length > 0) return [placeOf(module, entry)]
    const uses = new RegExp(
      `\\b${module.name}\\.${entry.name}\\b${entry.category === "errors" ? `|"${entry.name}"` : ""}`
    )
    const users = places.filter(({ programs }) => programs.some((program) => uses.test(program)))
    // those of the same page first
    const near = users.filter((user) => user.module === module)
    return [...near, ...users.filter((user) => user.module !== module)].map(({ place }) => place)
  }
}
