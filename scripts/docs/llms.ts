import type { Module } from "./api/modules.ts"
import type { Section } from "./sections.ts"

/** What a model reads of a project: records of decisions are for those who change it. */
const left = new Set(["Decisions", "Project"])

const sentence = (text: string): string => /^[\s\S]*?[.:](?=\s|$)/.exec(text)?.[0]?.replace(/:$/, ".") ?? text

/** Takes the marks of links away, whose addresses say nothing outside their page. */
const plain = (text: string): string => text.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")

export interface Described {
  readonly title: string
  readonly description: string
  readonly sections: ReadonlyArray<Section>
  readonly modules: ReadonlyArray<Module>
}

/** The list of pages, in the form of llmstxt.org. */
export const llms = ({ description, modules, sections, title }: Described): string =>
  `${[
    `# ${title}`,
    `> ${description}`,
    "llms-full.txt contains all of these pages and the reference of every module.",
    ...sections
      .filter((section) => !left.has(section.title) && section.pages.length > 0)
      .map(
        (section) =>
          `## ${section.title}\n\n${section.pages
            .map((page) => `- [${page.title}](${page.path}): ${plain(sentence(page.summary))}`)
            .join("\n")}`
      ),
    `## Modules\n\n${modules
      .map(({ doc, name, specifier }) => `- ${name} (\`${specifier}\`): ${plain(sentence(doc)).replaceAll("\n", " ")}`)
      .join("\n")}`
  ].join("\n\n")}\n`

/** All pages and the reference as one text. */
export const llmsFull = (
  { description, sections, title }: Described,
  textOf: (path: string) => string,
  reference: ReadonlyArray<string>
): string =>
  `${[
    `# ${title}\n\n> ${description}`,
    ...sections
      .filter((section) => !left.has(section.title))
      .flatMap((section) => section.pages.map((page) => plain(textOf(page.path)).trim())),
    ...reference.map((page) =>
      plain(page)
        .replace(/ \{#[\w-]+\}$/gm, "")
        .trim()
    )
  ].join("\n\n---\n\n")}\n`
