import { examplesOf } from "./api/examples.ts"
import { type Module, modulesOf } from "./api/modules.ts"
import { pageOf } from "./api/page.ts"
import { readSources } from "./api/sources.ts"
import { sections } from "./sections.ts"

export interface ReferencePage {
  readonly module: Module
  readonly text: string
}

/** The pages of the reference, made from declarations that the compiler has written to a folder. */
export const reference = async (declarations: string): Promise<ReadonlyArray<ReferencePage>> => {
  const sources = readSources(declarations, ".d.ts")
  const modules = modulesOf(sources)
  const examples = examplesOf(
    modules,
    sections().flatMap(({ pages }) => pages)
  )
  return Promise.all(
    modules.map(async (module) => ({ module, text: await pageOf({ sources, modules, examples }, module) }))
  )
}
