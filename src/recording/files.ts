/** Files, where the program runs on something that has them; the core is not bound to it. */
import * as Effect from "effect/Effect"

/** The functions of Node's file system that are used. */
interface FileSystem {
  readonly readFileSync: (path: string, encoding: "utf8") => string
  readonly existsSync: (path: string) => boolean
  readonly realpathSync: (path: string) => string
  readonly statSync: (path: string) => { readonly isFile: () => boolean }
  readonly mkdirSync: (path: string, options: { readonly recursive: true; readonly mode: number }) => unknown
  readonly openSync: (path: string, flags: "w" | "wx", mode: number) => number
  readonly writeSync: (file: number, bytes: Uint8Array, offset: number, length: number, position: number) => number
  readonly ftruncateSync: (file: number, length: number) => void
  readonly fsyncSync: (file: number) => void
  readonly closeSync: (file: number) => void
  readonly renameSync: (from: string, to: string) => void
  readonly rmSync: (path: string, options: { readonly force: true }) => void
}

const notHere = "recordings need a file system: run the program on Node, Bun or Deno"

const causes: Readonly<Record<string, string>> = {
  EACCES: "its permissions forbid it",
  EISDIR: "it is a folder",
  ENOENT: "there is no such file or folder",
  ENOSPC: "the disk is full"
}

/** What a file system's error says, never the contents of a file. */
const errorText = (path: string, error: unknown): string => {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error"
  return `${path}: ${Object.hasOwn(causes, code) ? `${causes[code]} (${code})` : code}`
}

const use = <A>(path: string, run: (fs: FileSystem) => A): Effect.Effect<A, string> =>
  Effect.suspend(() => {
    // there may be no process where the core runs, or one that has no files
    const { process } = globalThis as { readonly process?: { getBuiltinModule?: (name: string) => FileSystem } }
    const fs = process?.getBuiltinModule?.("node:fs")
    if (fs === undefined) return Effect.fail(notHere)
    return Effect.try({ try: () => run(fs), catch: (error) => errorText(path, error) })
  })

/** The whole text of a file. */
export const readText = (path: string): Effect.Effect<string, string> =>
  use(path, (fs) => fs.readFileSync(path, "utf8"))

/** A file that grows before its last lines. */
export interface Growing {
  /** Inserts a text before the end. The file is complete after every call, and unchanged after one that fails. */
  readonly insert: (text: string) => Effect.Effect<void, string>
  readonly close: Effect.Effect<void>
}

const encoder = new TextEncoder()

/** Writes all bytes: one call may write only a part without an error, for instance when the disk becomes full. */
const writeAll = (fs: FileSystem, file: number, bytes: Uint8Array, position: number): void => {
  for (let done = 0; done < bytes.length;) {
    done += fs.writeSync(file, bytes, done, bytes.length - done, position + done)
  }
}

interface Opened {
  readonly file: number
  /** The absolute path of a file. Undefined for a device or a pipe. */
  readonly place: string | undefined
}

/** A new file in the place of an old one, which stays until the new one is on the disk; for its user only. */
const replace = (fs: FileSystem, path: string, bytes: Uint8Array): Opened => {
  const target = fs.existsSync(path) ? fs.realpathSync(path) : path
  // a device or a pipe is written to as it is
  const draft = fs.existsSync(target) && !fs.statSync(target).isFile() ? undefined : `${target}.${randomId()}.part`
  const file = fs.openSync(draft ?? target, draft === undefined ? "w" : "wx", 0o600)
  try {
    writeAll(fs, file, bytes, 0)
    if (draft === undefined) return { file, place: undefined }
    fs.fsyncSync(file)
    fs.renameSync(draft, target)
    return { file, place: fs.realpathSync(target) }
  } catch (error) {
    fs.closeSync(file)
    if (draft !== undefined) fs.rmSync(draft, { force: true })
    throw error
  }
}

const randomId = (): string => globalThis.crypto.randomUUID()

/** The files that recorders of this program write. */
const open = new Set<string>()

const openTwice = (path: string): string =>
  `${path}: another recorder of this program writes it: build the layer once and share it, or give each its own file`

/** Makes a file anew, with the folders that it is in. An old one stays as it is if that fails. */
export const growing = (path: string, before: string, after: string): Effect.Effect<Growing, string> =>
  use(path, (fs): Effect.Effect<Growing, string> => {
    const folder = path.replace(/[^/\\]*$/, "")
    if (folder !== "") fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (fs.existsSync(path) && open.has(fs.realpathSync(path))) return Effect.fail(openTwice(path))
    const last = encoder.encode(after)
    const { file, place } = replace(fs, path, encoder.encode(before + after))
    if (place !== undefined) open.add(place)
    let end = encoder.encode(before).length
    /** What was there before is written again: the disk has room for that. */
    const undo = () => {
      writeAll(fs, file, last, end)
      fs.ftruncateSync(file, end + last.length)
    }
    return Effect.succeed({
      insert: (text: string) =>
        use(path, (system) => {
          const bytes = encoder.encode(text + after)
          try {
            // in general one write, so that nobody finds a part of it
            writeAll(system, file, bytes, end)
          } catch (error) {
            undo()
            throw error
          }
          end += bytes.length - last.length
        }),
      close: Effect.sync(() => {
        try {
          fs.fsyncSync(file)
        } catch {
          // not every device can be flushed
        }
        fs.closeSync(file)
        if (place !== undefined) open.delete(place)
      })
    })
  }).pipe(Effect.flatten)
