import { existsSync, readFileSync, statSync } from "node:fs"
import { join, posix } from "node:path"
import { slug } from "./vitepress/slug.ts"

export interface Link {
  readonly line: number
  /** As it is written. */
  readonly target: string
  /** From the root, without the anchor; undefined for addresses of the web. */
  readonly path: string | undefined
  readonly anchor: string
}

const blank = (text: string): string => text.replace(/[^\n]/g, " ")

/** Code is no prose, however much it looks like links. */
const prose = (text: string): string =>
  text.replace(/^( *)(`{3,})[\s\S]*?^\1\2$/gm, blank).replace(/(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g, blank)

/** The links and images of a Markdown text that is at `path`. */
export const linksIn = (path: string, text: string): ReadonlyArray<Link> =>
  Array.from(
    prose(text).matchAll(/\]\(\s*([^)\s]+)(?:\s+"[^"]*")?\s*\)|^ {0,3}\[[^\]]+\]:\s*(\S+)|(?:href|src)="([^"]+)"/gm),
    (match): Link => {
      const target = match[1] ?? match[2] ?? match[3] ?? ""
      const line = text.slice(0, match.index).split("\n").length
      if (/^[a-z][a-z+.-]*:/i.test(target)) return { line, target, path: undefined, anchor: "" }
      const [file = "", anchor = ""] = target.split("#")
      return { line, target, path: file === "" ? path : posix.join(posix.dirname(path), file), anchor }
    }
  )

/** The anchors of the headings of a Markdown text. */
export const anchorsIn = (text: string): ReadonlySet<string> => {
  const anchors = new Set<string>()
  const lines = text.replace(/^( *)(`{3,})[\s\S]*?^\1\2$/gm, blank).split("\n")
  for (const line of lines) {
    const heading = /^#{1,6} (.*?)(?:\s*\{#([\w-]+)\})?\s*$/.exec(line)
    if (heading === null) continue
    const text = (heading[1] ?? "").replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    const base = heading[2] ?? slug(text)
    let anchor = base
    for (let copy = 1; anchors.has(anchor); copy++) anchor = `${base}-${copy}`
    anchors.add(anchor)
  }
  for (const [, id = ""] of text.matchAll(/<a (?:id|name)="([^"]+)"/g)) anchors.add(id)
  return anchors
}

/** The links of files that lead nowhere, one a line: to a file that does not exist, or to a heading that it lacks. */
export const deadLinks = (folder: string, files: ReadonlyArray<string>): ReadonlyArray<string> =>
  files.flatMap((file) =>
    linksIn(file, readFileSync(join(folder, file), "utf8")).flatMap(({ anchor, line, path, target }) => {
      if (path === undefined) return []
      const place = join(folder, path)
      const dead =
        path.startsWith("..") ||
        !existsSync(place) ||
        (anchor !== "" && (statSync(place).isDirectory() || !anchorsIn(readFileSync(place, "utf8")).has(anchor)))
      return dead ? [`${file}:${line}: ${target}`] : []
    })
  )
