/**
 * Paths that stay in one folder. A path is resolved right before it is used, and the folder of a file is held open meanwhile, so
 * that what is done to the file happens in that folder even if somebody exchanges it for a link.
 */
import { constants, existsSync } from "node:fs"
import { type FileHandle, lstat, open, readdir, readlink, realpath } from "node:fs/promises"
import { basename, dirname, isAbsolute, join, normalize, relative, sep } from "node:path"
import { quoted } from "../../text/legible.ts"
import { ToolFailed, toolFailed } from "../kit/ToolFailed.ts"
import { codeOf, failureOf } from "./failure.ts"

export interface Folder {
  /** Its real path. */
  readonly root: string
  /** Whether names that begin with a dot can be used. */
  readonly hidden: boolean
}

/** The folder with a path, which must be there. */
export const folderAt = async (path: string, hidden: boolean): Promise<Folder> => {
  try {
    const root = await realpath(path)
    const stats = await lstat(root)
    if (stats.isDirectory()) return { root, hidden }
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw failureOf(path, error)
  }
  throw toolFailed("NotFound", `There is no folder ${quoted(path)} for tools to work in: create it first.`)
}

const longestPath = 4096

const isWindows = process.platform === "win32"

/** A path as a model wrote it, relative to the folder. Throws if it leads out as it stands. */
export const tidied = ({ hidden }: Pick<Folder, "hidden">, path: string): string => {
  if (path.includes("\0") || path.length > longestPath) throw toolFailed("Invalid", "This is no path of a file.")
  if (isAbsolute(path) || (isWindows && /^[A-Za-z]:/.test(path))) {
    throw toolFailed("Refused", `${quoted(path)} does not begin in the folder: write a path such as "notes/today.md".`)
  }
  const normal = normalize(path === "" ? "." : path)
  const tidy = normal.endsWith(sep) ? normal.slice(0, -1) : normal
  checkInside(tidy, hidden)
  return tidy
}

const checkInside = (path: string, hidden: boolean): void => {
  const names = path.split(sep)
  if (names[0] === ".." || isAbsolute(path)) {
    throw toolFailed("Refused", "The path leads out of the folder: only what is in it can be used.")
  }
  if (!hidden && names.some((name) => name !== "." && name.startsWith("."))) {
    throw toolFailed("Refused", "Names that begin with a dot cannot be used here.")
  }
}

/** Throws if a real path is not in the folder. */
const checkReal = ({ hidden, root }: Folder, path: string): void => checkInside(relative(root, path) || ".", hidden)

/** How a path is shown: relative to the folder, with slashes. */
export const shown = (path: string): string => path.split(sep).join("/")

/** The real path of what is there. Throws if it is not there, or not in the folder. */
const realIn = async (folder: Folder, path: string): Promise<string> => {
  const tidy = tidied(folder, path)
  try {
    const real = await realpath(join(folder.root, tidy))
    checkReal(folder, real)
    return real
  } catch (error) {
    throw codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR"
      ? await missing(folder, tidy)
      : failureOf(path, error)
  }
}

/** A folder that is held open. */
interface Held {
  /** A path to it that leads there whatever becomes of its name. */
  readonly at: string
  readonly handle: FileHandle | undefined
}

/** Where Linux shows what a process holds open, also a child process that begins in such a folder. */
const descriptors = "/proc/self/fd"

const canHold = process.platform === "linux" && existsSync(descriptors)

/** Holds a folder open. Where that is not possible, its path is looked at once more instead. */
const held = async (folder: Folder, real: string): Promise<Held> => {
  const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants
  const handle = canHold ? await open(real, O_RDONLY | O_DIRECTORY | O_NOFOLLOW) : undefined
  try {
    const at = handle === undefined ? real : `${descriptors}/${handle.fd}`
    const actual = handle === undefined ? await realpath(real) : await readlink(at)
    checkReal(folder, actual)
    return { at, handle }
  } catch (error) {
    await handle?.close()
    throw error
  }
}

/** Uses a folder within the folder. */
export const inFolder = async <A>(folder: Folder, path: string, use: (at: string) => Promise<A>): Promise<A> => {
  const { at, handle } = await held(folder, await realIn(folder, path)).catch((error: unknown) => {
    throw failureOf(path, error)
  })
  try {
    return await use(at)
  } catch (error) {
    throw failureOf(path, error)
  } finally {
    await handle?.close()
  }
}

/** A place for a file, in a folder that is held open. */
export interface Place {
  readonly at: string
  readonly name: string
}

export const pathOf = ({ at, name }: Place): string => join(at, name)

/** Uses what a path names, which must be there. Links within the folder are followed. */
export const atPlace = async <A>(folder: Folder, path: string, use: (place: Place) => Promise<A>): Promise<A> => {
  const real = await realIn(folder, path)
  if (real === folder.root) throw toolFailed("Invalid", "This is the folder itself: name a file in it.")
  return placed(folder, real, path, use)
}

/** Uses the name itself, which may be that of a link, or of nothing yet. Its folder must be there. */
export const atName = async <A>(folder: Folder, path: string, use: (place: Place) => Promise<A>): Promise<A> => {
  const tidy = tidied(folder, path)
  if (tidy === ".") throw toolFailed("Invalid", "This is the folder itself: name a file in it.")
  const parent = await realIn(folder, dirname(tidy))
  return placed(folder, join(parent, basename(tidy)), path, use)
}

const placed = async <A>(folder: Folder, real: string, path: string, use: (place: Place) => Promise<A>): Promise<A> => {
  const { at, handle } = await held(folder, dirname(real)).catch((error: unknown) => {
    throw failureOf(path, error)
  })
  try {
    return await use({ at, name: basename(real) })
  } catch (error) {
    throw failureOf(path, error)
  } finally {
    await handle?.close()
  }
}

const namesIn = async (folder: Folder, real: string): Promise<ReadonlyArray<string>> => {
  checkReal(folder, real)
  const { at, handle } = await held(folder, real)
  try {
    return (await readdir(at)).filter((name) => folder.hidden || !name.startsWith(".")).toSorted()
  } finally {
    await handle?.close()
  }
}

const mostNames = 30

/** Says what there is instead, in the nearest folder that exists. Of a folder outside, nothing is said. */
const missing = async (folder: Folder, tidy: string): Promise<ToolFailed> => {
  const names = tidy.split(sep)
  for (let depth = names.length - 1; depth >= 0; depth--) {
    const parent = names.slice(0, depth).join(sep) || "."
    try {
      // oxlint-disable-next-line no-await-in-loop -- the nearest one first
      const real = await realpath(join(folder.root, parent))
      // oxlint-disable-next-line no-await-in-loop -- the nearest one first
      const all = await namesIn(folder, real)
      const some = all.slice(0, mostNames).join(", ")
      const where = parent === "." ? "" : ` in ${quoted(shown(parent))}`
      const rest = all.length > mostNames ? `, and ${all.length - mostNames} more` : ""
      const there = all.length === 0 ? `There is nothing${where}.` : `There are${where}: ${some}${rest}.`
      return toolFailed("NotFound", `There is no ${quoted(shown(tidy))}. ${there}`)
    } catch (error) {
      if (error instanceof ToolFailed) return error
    }
  }
  return toolFailed("NotFound", `There is no ${quoted(shown(tidy))}.`)
}
