import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../run.ts"
import type { ReferencePage } from "./reference.ts"
import type { Section } from "./sections.ts"

/** Records of decisions, and what concerns the project, are for those who change it. */
const left = new Set(["Decisions", "Project"])

export interface Described {
  readonly description: string
  readonly sections: ReadonlyArray<Section>
  readonly reference: ReadonlyArray<ReferencePage>
}

const sentence = (text: string): string =>
  (/^[\s\S]*?[.:](?=\s|$)/.exec(text)?.[0] ?? text).replace(/:$/, ".").replaceAll("\n", " ")

/** Links without their addresses, which say nothing outside their page. */
const plain = (text: string): string => text.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")

const headOf = (description: string): string => `# cogito\n\n> ${description}`

/** The list of pages, in the form of llmstxt.org. */
const listOf = ({ description, reference, sections }: Described): string => {
  const shown = sections.filter(({ pages, title }) => !left.has(title) && pages.length > 0)
  const lists = shown.map(({ pages, title }) => {
    const items = pages.map((page) => `- [${page.title}](${page.path}): ${plain(sentence(page.summary))}`)
    return `## ${title}\n\n${items.join("\n")}`
  })
  const modules = reference.map(
    ({ module }) => `- ${module.name} (\`${module.specifier}\`): ${plain(sentence(module.doc))}`
  )
  const about = "llms-full.txt has all of these pages, and the reference of every module."
  return `${[headOf(description), about, ...lists, `## Modules\n\n${modules.join("\n")}`].join("\n\n")}\n`
}

/** All pages and the reference as one text. */
const wholeOf = ({ description, reference, sections }: Described): string => {
  const pages = sections
    .filter(({ title }) => !left.has(title))
    .flatMap((section) => section.pages.map(({ path }) => readFileSync(join(root, path), "utf8")))
  const modules = reference.map(({ text }) => text.replace(/ \{#[\w-]+\}$/gm, ""))
  return `${[headOf(description), ...[...pages, ...modules].map((page) => plain(page).trim())].join("\n\n---\n\n")}\n`
}

/** Writes `llms.txt` and `llms-full.txt` to a folder. */
export const writeTexts = (folder: string, described: Described): void => {
  writeFileSync(join(folder, "llms.txt"), listOf(described))
  writeFileSync(join(folder, "llms-full.txt"), wholeOf(described))
}
