/** Reads and writes texts in a folder. */
import { randomUUID } from "node:crypto"
import { constants } from "node:fs"
import { access, type FileHandle, lstat, mkdir, open, rename, rm, rmdir, unlink } from "node:fs/promises"
import { dirname, join, sep } from "node:path"
import { quoted } from "../../text/legible.ts"
import { ToolFailed, toolFailed } from "../kit/ToolFailed.ts"
import { codeOf } from "./failure.ts"
import { atName, atPlace, type Folder, pathOf, type Place, shown, tidied } from "./folder.ts"

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY, W_OK } = constants

/** Flags that Windows does not have count as 0. A pipe that nobody writes to must not hold the program up. */
const reading = O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0)

const creating = O_WRONLY | O_CREAT | O_EXCL | (O_NOFOLLOW ?? 0)

/** The bytes of a file, of which there may be at most so many. */
const bytesOf = async (handle: FileHandle, path: string, maxBytes: number): Promise<Buffer> => {
  const stats = await handle.stat()
  if (stats.isDirectory()) throw toolFailed("Invalid", `${quoted(path)} is a folder, not a file.`)
  if (!stats.isFile()) throw toolFailed("NotText", `${quoted(path)} is not a file with text.`)
  const chunks: Array<Buffer> = []
  let size = stats.size
  for (let read = 0; size <= maxBytes;) {
    const buffer = Buffer.alloc(Math.max(1024, Math.min(65_536, size - read + 1)))
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, read)
    if (bytesRead === 0) return Buffer.concat(chunks)
    chunks.push(buffer.subarray(0, bytesRead))
    read += bytesRead
    // the file may grow
    size = Math.max(size, read)
  }
  throw toolFailed("TooLarge", `${quoted(path)} has ${size} bytes, and at most ${maxBytes} can be read.`)
}

/** The text of bytes, with a byte order mark if there is one. Undefined for anything else. */
const textOf = (bytes: Uint8Array): string | undefined => {
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** What a file is known by until it changes. */
type Version = Awaited<ReturnType<typeof versionAt>>
const versionAt = (path: string) => lstat(path, { bigint: true })

const isSame = (a: Version, b: Version): boolean => a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs

const read = async (place: Place, path: string, maxBytes: number): Promise<{ text: string; version: Version }> => {
  const handle = await open(pathOf(place), reading)
  try {
    const version = await handle.stat({ bigint: true })
    const text = textOf(await bytesOf(handle, path, maxBytes))
    if (text === undefined) throw toolFailed("NotText", `${quoted(path)} is not a text in UTF-8.`)
    return { text, version }
  } finally {
    await handle.close()
  }
}

export const readText = (folder: Folder, path: string, maxBytes: number): Promise<string> =>
  atPlace(folder, path, async (place) => {
    const { text } = await read(place, path, maxBytes)
    return text
  })

const written = async (path: string, text: string, mode?: number): Promise<void> => {
  const handle = await open(path, creating, mode)
  try {
    await handle.writeFile(text)
    await handle.sync()
    // the umask has changed what was given
    if (mode !== undefined) await handle.chmod(mode)
  } finally {
    await handle.close()
  }
}

const permissions = 0o7777

/** Throws if the file may not be written. A new file in its place would not have to respect its permissions. */
const checkWritable = async (place: Place, path: string, { mode }: Version): Promise<void> => {
  // nothing stops the user root
  if ((Number(mode) & 0o222) === 0) throw toolFailed("Refused", `${quoted(path)} may only be read.`)
  await access(pathOf(place), W_OK)
}

/**
 * Replaces a file as a whole, unless it has changed: who reads it meanwhile sees the old text or the new one. Between the
 * last look at the file and its exchange, another program has less than a millisecond to change it unseen.
 */
const replaced = async (place: Place, path: string, text: string, version: Version): Promise<void> => {
  await checkWritable(place, path, version)
  const draft = join(place.at, `.cogito-${randomUUID()}`)
  try {
    await written(draft, text, Number(version.mode) & permissions)
    if (!isSame(version, await versionAt(pathOf(place)))) {
      throw toolFailed("Conflict", `Another program has changed ${quoted(path)} meanwhile. Read it again.`)
    }
    await rename(draft, pathOf(place))
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/** Creates the folders above a path, one in the other. */
const withParents = async (folder: Folder, path: string): Promise<void> => {
  const parent = dirname(tidied(folder, path))
  const names = parent === "." ? [] : parent.split(sep)
  for (const [i] of names.entries()) {
    // oxlint-disable-next-line no-await-in-loop -- one in the other
    await atName(folder, names.slice(0, i + 1).join(sep), async (place) => {
      try {
        await mkdir(pathOf(place))
      } catch (error) {
        if (codeOf(error) !== "EEXIST") throw error
      }
    })
  }
}

/** Writes a new file. Fails if there is anything with its name. */
export const createText = async (folder: Folder, path: string, text: string): Promise<void> => {
  await withParents(folder, path)
  await atName(folder, path, (place) => written(pathOf(place), text))
}

/** Writes a file, whether there is one or not. */
export const writeText = async (folder: Folder, path: string, text: string): Promise<void> => {
  try {
    await atPlace(folder, path, async (place) => {
      const version = await versionAt(pathOf(place))
      if (!version.isFile()) throw toolFailed("Invalid", `${quoted(path)} is not a file that can be written.`)
      await replaced(place, path, text, version)
    })
  } catch (error) {
    if (!(error instanceof ToolFailed) || error.reason !== "NotFound") throw error
    await createText(folder, path, text)
  }
}

/** Changes the text of a file that is there. */
export const changeText = (
  folder: Folder,
  path: string,
  maxBytes: number,
  change: (text: string) => string
): Promise<void> =>
  atPlace(folder, path, async (place) => {
    const { text, version } = await read(place, path, maxBytes)
    await replaced(place, path, change(text), version)
  })

/** Removes a file, an empty folder, or a link but not what it leads to. */
export const remove = (folder: Folder, path: string): Promise<void> =>
  atName(folder, path, async (place) => {
    try {
      await unlink(pathOf(place))
    } catch (error) {
      if (codeOf(error) === "ENOENT") throw toolFailed("NotFound", `There is no ${quoted(shown(path))}.`)
      if (codeOf(error) !== "EISDIR" && codeOf(error) !== "EPERM") throw error
      await rmdir(pathOf(place))
    }
  })
