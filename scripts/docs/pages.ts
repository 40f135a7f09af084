import { cpSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, posix } from "node:path"
import { root } from "../run.ts"
import { linksIn } from "./links.ts"
import { type Described, writeTexts } from "./llms.ts"
import type { ReferencePage } from "./reference.ts"
import type { Section } from "./sections.ts"

const require = createRequire(import.meta.url)

const write = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const list = (items: ReadonlyArray<readonly [title: string, path: string]>): string =>
  items.map(([title, path]) => `- [${title}](${path})`).join("\n")

const home = (description: string, sections: ReadonlyArray<Section>): string => {
  const [start] = sections[0]?.pages.filter(({ path }) => path !== "README.md") ?? []
  const features = sections
    .filter(({ pages, title }) => pages.length > 0 && title !== "Decisions" && title !== "Project")
    .map(({ pages, title }) => ({
      title,
      details: pages.map((page) => page.title).join(" · "),
      link: `/${pages[0]?.path.replace(/\.md$/, "")}`
    }))
  const front = {
    layout: "home",
    hero: {
      name: "cogito",
      text: description.split(": ")[0],
      tagline: capitalized(description.split(": ").slice(1).join(": ")),
      actions: [
        { theme: "brand", text: "Start", link: `/${(start?.path ?? "README.md").replace(/\.md$/, "")}` },
        { theme: "alt", text: "API reference", link: "/api/" }
      ]
    },
    features
  }
  // JSON is YAML
  return `---\n${JSON.stringify(front, null, 2)}\n---\n`
}

const index = (pages: ReadonlyArray<ReferencePage>): string => {
  const groups = Map.groupBy(pages, ({ module }) =>
    /\/[A-Z]\w*$/.test(module.specifier) ? "cogito" : module.specifier
  )
  const parts = Array.from(groups, ([specifier, members]) => {
    const rows = members.map(
      ({ module }) =>
        `| [${module.name}](${module.name}.md) | ${
          /^[\s\S]*?\.(?=\s|$)/.exec(module.doc)?.[0].replaceAll("\n", " ") ?? module.doc.replaceAll("\n", " ")
        } |`
    )
    return `## ${specifier}\n\n| Module | |\n| --- | --- |\n${rows.join("\n")}`
  })
  return `# API reference\n\nEvery module of the package, by what it is imported from.\n\n${parts.join("\n\n")}\n`
}

const item = (text: string, path: string) => ({ text, link: `/${path.replace(/\.md$/, "")}` })

/** The files that pages link to, beside other pages. */
const linkedFiles = (paths: ReadonlyArray<string>, pages: ReadonlySet<string>): ReadonlyArray<string> => {
  const linked = paths.flatMap((path) => linksIn(path, readFileSync(join(root, path), "utf8")))
  return [...new Set(linked.flatMap(({ path }) => (path === undefined || pages.has(path) ? [] : [path])))]
}

const isFolder = (path: string): boolean =>
  statSync(join(root, path), { throwIfNoEntry: false })?.isDirectory() === true

/** A file without an extension would be taken for a page. */
const published = (path: string): string => (posix.extname(path) === "" ? `${path}.txt` : path)

/**
 * Links to folders lead to their lists of pages, and those to files to where they are published. VitePress takes pictures in
 * HTML for packages, unless their path begins with a dot.
 */
const toPages = (path: string, text: string): string =>
  linksIn(path, text).reduce(
    (text, { path, target }) => {
      if (path === undefined || target.startsWith("#")) return text
      const [file = "", anchor] = target.split("#")
      const place = isFolder(path) ? posix.join(file, "index.md") : published(file)
      return text.replaceAll(`](${target})`, `](${anchor === undefined ? place : `${place}#${anchor}`})`)
    },
    text.replace(/ (src|srcset)="(?![./]|\w+:)/g, ' $1="./')
  )

export interface Site extends Described {
  readonly folder: string
  readonly outDir: string
}

/** Writes the folder that VitePress makes the site of: the documents where they are in the project, and the reference. */
export const writePages = ({ description, folder, outDir, reference, sections }: Site): void => {
  rmSync(folder, { recursive: true, force: true })
  const paths = sections.flatMap(({ pages }) => pages.map(({ path }) => path))
  const pages = new Set(paths)
  const textOf = (path: string): string => readFileSync(join(root, path), "utf8")
  for (const path of paths) {
    write(join(folder, path), toPages(path, textOf(path)))
    // as it is, for programs
    write(join(folder, "public", path), textOf(path))
  }
  for (const file of globSync("docs/**/*.{png,svg,gif,jpg}", { cwd: root }))
    cpSync(join(root, file), join(folder, file))
  // the menu leads to the list of decisions
  for (const path of new Set([...linkedFiles(paths, pages), "docs/decisions"])) {
    const inside = sections.flatMap(({ pages }) => pages).filter((page) => posix.dirname(page.path) === path)
    if (!isFolder(path)) cpSync(join(root, path), join(folder, "public", published(path)))
    else if (!pages.has(`${path}/index.md`)) {
      const links = list(inside.map((page) => [page.title, posix.basename(page.path)]))
      write(join(folder, path, "index.md"), `# ${capitalized(posix.basename(path))}\n\n${links}\n`)
    }
  }
  for (const { module, text } of reference) {
    write(join(folder, "api", `${module.name}.md`), text)
    write(join(folder, "public/api", `${module.name}.md`), text)
  }
  write(join(folder, "api/index.md"), index(reference))
  write(join(folder, "index.md"), home(description, sections))
  writeTexts(join(folder, "public"), { description, sections, reference })
  cpSync(join(import.meta.dirname, "vitepress/favicon.svg"), join(folder, "public/favicon.svg"))
  cpSync(require.resolve("@mermaid-js/tiny"), join(folder, "public/mermaid.js"))
  const groups = sections
    .filter(({ pages }) => pages.length > 0)
    .map(({ pages, title }) => ({ text: title, items: pages.map((page) => item(page.title, page.path)) }))
  const isDecisions = ({ text }: { readonly text: string }): boolean => text === "Decisions"
  const modules = [item("Modules", "api/"), ...reference.map(({ module }) => item(module.name, `api/${module.name}`))]
  const sidebar = {
    "/api/": [{ text: "API reference", items: modules }],
    "/docs/decisions/": groups.filter(isDecisions),
    "/": groups.filter((group) => !isDecisions(group))
  }
  const first = sections[0]?.pages.find(({ path }) => path !== "README.md")?.path ?? "README.md"
  const nav = [
    item("Guide", first),
    item("API", "api/"),
    item("Decisions", "docs/decisions/"),
    item("Changes", "CHANGELOG.md")
  ]
  write(join(folder, "navigation.json"), JSON.stringify({ description, outDir, nav, sidebar }))
  const vitepress = posix.join("../../..", "scripts/docs/vitepress")
  write(join(folder, "tsconfig.json"), `{ "extends": "../../scripts/docs/vitepress/tsconfig.json" }\n`)
  write(join(folder, ".vitepress/config.ts"), `export { default } from "${vitepress}/config.ts"\n`)
  write(join(folder, ".vitepress/theme/index.ts"), `export { default } from "../${vitepress}/theme/index.ts"\n`)
}
