/** Goes through a folder, and through the folders in it. */
import type { Dirent } from "node:fs"
import { readdir, realpath, stat } from "node:fs/promises"
import { join, sep } from "node:path"
import { ToolFailed, toolFailed } from "../kit/ToolFailed.ts"
import { type Folder, inFolder, shown, tidied } from "./folder.ts"
import { readText } from "./text.ts"

/** What a folder contains. Paths are relative to the root; those of folders end with a slash. */
interface Entry {
  readonly path: string
  /** `rest` stands for what was not looked at any more. */
  readonly kind: "file" | "folder" | "link" | "rest"
}

const kindOf = (one: Dirent): Entry["kind"] | undefined =>
  one.isFile() ? "file" : one.isDirectory() ? "folder" : one.isSymbolicLink() ? "link" : undefined

/** The entries of one folder, by name. */
const entriesOf = (folder: Folder, path: string): Promise<ReadonlyArray<Entry>> =>
  inFolder(folder, path, async (at) =>
    (await readdir(at, { withFileTypes: true }))
      .filter(({ name }) => folder.hidden || !name.startsWith("."))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((one) => {
        const kind = kindOf(one)
        return kind === undefined ? [] : [{ path: path === "." ? one.name : join(path, one.name), kind }]
      })
  )

interface Walk {
  readonly path: string
  readonly deep: boolean
  /** Names of folders that are not gone through. */
  readonly ignore: ReadonlyArray<string>
  readonly signal: AbortSignal
}

/** The entries of a folder, and those of the folders in it, level by level. Links are not gone through: they may lead in a circle. */
async function* entries(folder: Folder, { deep, ignore, path, signal }: Walk): AsyncGenerator<Entry> {
  const queue = [tidied(folder, path)]
  let visited = 0
  for (let next = queue.shift(); next !== undefined && !signal.aborted; next = queue.shift()) {
    let found: ReadonlyArray<Entry>
    try {
      // oxlint-disable-next-line no-await-in-loop -- one folder after the other
      found = await entriesOf(folder, next)
    } catch (error) {
      // a folder further down that cannot be read is left out
      if (next === tidied(folder, path)) throw error
      continue
    }
    for (const entry of found) {
      if (++visited > mostVisited) {
        yield { path: next, kind: "rest" }
        return
      }
      yield entry
      const name = entry.path.split(sep).at(-1) ?? ""
      if (deep && entry.kind === "folder" && !ignore.includes(name)) queue.push(entry.path)
    }
  }
}

/** Most entries that are looked at, and most characters of their texts. */
const mostVisited = 50_000
const mostCharacters = 200_000_000

/** The kind of what a link leads to, if that is in the folder. */
const behind = async (folder: Folder, path: string): Promise<"file" | "folder" | undefined> => {
  try {
    const real = await realpath(join(folder.root, path))
    // the root of the file system ends with a separator itself
    const within = folder.root.endsWith(sep) ? folder.root : `${folder.root}${sep}`
    if (!real.startsWith(within)) return undefined
    const stats = await stat(real)
    return stats.isDirectory() ? "folder" : stats.isFile() ? "file" : undefined
  } catch {
    return undefined
  }
}

/** The paths in a folder, at most so many. Links that lead out are left out. */
export const list = async (
  folder: Folder,
  walk: Walk,
  limit: number
): Promise<{ readonly paths: ReadonlyArray<string>; readonly more: boolean }> => {
  const paths: Array<string> = []
  for await (const { kind, path } of entries(folder, walk)) {
    const is = kind === "link" ? await behind(folder, path) : kind
    if (is === undefined) continue
    if (is === "rest" || paths.length === limit) return { paths, more: true }
    paths.push(is === "folder" ? `${shown(path)}/` : shown(path))
  }
  return { paths, more: false }
}

interface Found {
  readonly path: string
  readonly line: number
  readonly text: string
}

const longestLine = 300

/** A line, and of a long one what is around the place. */
const cutAround = (line: string, at: number): string => {
  if (line.length <= longestLine) return line
  const start = Math.max(0, at - longestLine / 3)
  const end = start + longestLine
  return `${start > 0 ? "…" : ""}${line.slice(start, end).toWellFormed()}${end < line.length ? "…" : ""}`
}

/** The lines of the texts in a folder that contain a text. Files that are no texts, or too large, are left out. */
export const find = async (
  folder: Folder,
  { ignoreCase, text, ...walk }: Omit<Walk, "deep"> & { readonly text: string; readonly ignoreCase: boolean },
  { limit, maxBytes }: { readonly limit: number; readonly maxBytes: number }
): Promise<{ readonly matches: ReadonlyArray<Found>; readonly more: boolean }> => {
  if (text === "" || /[\r\n]/.test(text)) throw toolFailed("Invalid", "Search for a text within one line.")
  const wanted = ignoreCase ? text.toLowerCase() : text
  const matches: Array<Found> = []
  let characters = 0
  for await (const { kind, path } of filesIn(folder, walk)) {
    if (kind === "rest" || characters > mostCharacters) return { matches, more: true }
    for (const [i, line] of (await linesOf(folder, path, maxBytes)).entries()) {
      characters += line.length + 1
      const at = (ignoreCase ? line.toLowerCase() : line).indexOf(wanted)
      if (at < 0) continue
      if (matches.length === limit) return { matches, more: true }
      matches.push({ path: shown(path), line: i + 1, text: cutAround(line, at) })
    }
  }
  return { matches, more: false }
}

/** The files in a folder, or the one that the path names. */
async function* filesIn(folder: Folder, walk: Omit<Walk, "deep">): AsyncGenerator<Entry> {
  const path = tidied(folder, walk.path)
  const kind = path === "." ? "folder" : await behind(folder, path)
  if (kind === "file") {
    yield { path, kind }
    return
  }
  for await (const entry of entries(folder, { ...walk, deep: true })) {
    if (entry.kind === "file" || entry.kind === "rest") yield entry
  }
}

/** The lines of a text. None of what cannot be read as a text. */
const linesOf = async (folder: Folder, path: string, maxBytes: number): Promise<ReadonlyArray<string>> => {
  try {
    return (await readText(folder, path, maxBytes)).split(/\r\n|\n|\r/)
  } catch (error) {
    if (error instanceof ToolFailed) return []
    throw error
  }
}
