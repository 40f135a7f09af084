/** Files, where the program runs on something that has them; the core is not bound to it. */
import * as Effect from "effect/Effect"

/** What is used of a file system as Node has it. */
interface FileSystem {
  readonly readFileSync: (path: string, encoding: "utf8") => string
  readonly mkdirSync: (path: string, options: { readonly recursive: true }) => unknown
  readonly openSync: (path: string, flags: "w") => number
  readonly writeSync: (file: number, text: string, position: number) => number
  readonly closeSync: (file: number) => void
}

const notHere = "recordings need a file system: run the program on Node, Bun or Deno"

/** What went wrong, in words of a file system, without the contents of any file. */
const said = (path: string, error: unknown): string => {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error"
  return `${path}: ${code}`
}

const use = <A>(path: string, run: (fs: FileSystem) => A): Effect.Effect<A, string> =>
  Effect.suspend(() => {
    // there may be no process where the core runs, or one that has no files
    const { process } = globalThis as { readonly process?: { getBuiltinModule?: (name: string) => FileSystem } }
    const fs = process?.getBuiltinModule?.("node:fs")
    if (fs === undefined) return Effect.fail(notHere)
    return Effect.try({ try: () => run(fs), catch: (error) => said(path, error) })
  })

/** The whole text of a file. */
export const readText = (path: string): Effect.Effect<string, string> =>
  use(path, (fs) => fs.readFileSync(path, "utf8"))

/** A file that grows before its last lines. */
export interface Growing {
  /** Puts a text before the end; the file is whole after every call. */
  readonly insert: (text: string) => Effect.Effect<void, string>
  readonly close: Effect.Effect<void>
}

/** Makes a file anew, with the folders that it is in. */
export const growing = (path: string, before: string, after: string): Effect.Effect<Growing, string> =>
  use(path, (fs) => {
    const folder = path.replace(/[^/\\]*$/, "")
    if (folder !== "") fs.mkdirSync(folder, { recursive: true })
    const file = fs.openSync(path, "w")
    let end = fs.writeSync(file, before, 0)
    fs.writeSync(file, after, end)
    return {
      insert: (text: string) =>
        use(path, (system) => {
          // one write, so that nobody finds a part of it
          system.writeSync(file, text + after, end)
          end += new TextEncoder().encode(text).length
        }),
      close: Effect.sync(() => fs.closeSync(file))
    }
  })
