import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as forms from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { quoted } from "../text/legible.ts"
import { type Folder, folderAt } from "./disk/folder.ts"
import { changeText, createText, readText, remove, writeText } from "./disk/text.ts"
import { find, list } from "./disk/walk.ts"
import { counts } from "./kit/counts.ts"
import { type Kit, kitOf } from "./kit/Kit.ts"
import { asToolFailed, ToolFailed, toolFailed } from "./kit/ToolFailed.ts"
import { edited } from "./text/edited.ts"
import { page } from "./text/page.ts"

const Path = Schema.String.annotate({ description: "A path in the folder, such as notes/today.md" })
const InFolder = Schema.optionalKey(
  Schema.String.annotate({ description: "A folder in the folder. Default: all of it" })
)

const readFile = Tool.make("read_file", {
  description: "Reads a text file. A long one is given in parts: pass the line to begin with, and how many to read.",
  parameters: Schema.Struct({
    path: Path,
    offset: Schema.optionalKey(Schema.Int.annotate({ description: "The first line, from 1. Default 1" })),
    lines: Schema.optionalKey(Schema.Int.annotate({ description: "Most lines. Default: as many as fit" }))
  }),
  success: Schema.String,
  failure: ToolFailed
}).annotate(Tool.Readonly, true)

const listFiles = Tool.make("list_files", {
  description: "Lists files and folders; folders end with a slash.",
  parameters: Schema.Struct({
    path: InFolder,
    deep: Schema.optionalKey(Schema.Boolean.annotate({ description: "Also what is in the folders. Default false" }))
  }),
  success: Schema.Struct({ paths: Schema.Array(Schema.String), more: Schema.Boolean }),
  failure: ToolFailed
}).annotate(Tool.Readonly, true)

const findText = Tool.make("find_text", {
  description: "Finds lines of text files that contain a text, as it is written.",
  parameters: Schema.Struct({
    text: Schema.String.annotate({ description: "The text, which is within one line" }),
    path: InFolder,
    ignoreCase: Schema.optionalKey(Schema.Boolean.annotate({ description: "Default false" }))
  }),
  success: Schema.Struct({
    matches: Schema.Array(Schema.Struct({ path: Schema.String, line: Schema.Int, text: Schema.String })),
    more: Schema.Boolean
  }),
  failure: ToolFailed
}).annotate(Tool.Readonly, true)

const createFile = Tool.make("create_file", {
  description: "Writes a new text file, with the folders that it needs. Fails if there is a file already.",
  parameters: Schema.Struct({ path: Path, text: Schema.String }),
  success: Schema.String,
  failure: ToolFailed
}).annotate(Tool.Destructive, false)

const writeFile = Tool.make("write_file", {
  description: "Writes a text file as a whole. What was in it before is lost.",
  parameters: Schema.Struct({ path: Path, text: Schema.String }),
  success: Schema.String,
  failure: ToolFailed
})
  .annotate(Tool.Destructive, true)
  .annotate(Tool.Idempotent, true)

const editFile = Tool.make("edit_file", {
  description: "Replaces a text in a file by another one. The old text must stand in the file exactly once.",
  parameters: Schema.Struct({
    path: Path,
    old: Schema.String.annotate({ description: "The text to replace, exactly as it stands in the file" }),
    new: Schema.String.annotate({ description: "What stands there then" })
  }),
  success: Schema.String,
  failure: ToolFailed
}).annotate(Tool.Destructive, true)

const removeFile = Tool.make("remove_file", {
  description: "Removes a file, or an empty folder.",
  parameters: Schema.Struct({ path: Path }),
  success: Schema.String,
  failure: ToolFailed
}).annotate(Tool.Destructive, true)

const readers = Toolkit.make(readFile, listFiles, findText)
const all = Toolkit.make(readFile, listFiles, findText, createFile, writeFile, editFile, removeFile)

/**
 * The tools that read files.
 *
 * @category models
 */
export type FileReaders = Toolkit.Tools<typeof readers>

/**
 * The tools that read and write files.
 *
 * @category models
 */
export type FileTools = Toolkit.Tools<typeof all>

/**
 * Options of `Tools.files`.
 *
 * **Details**
 *
 * - `root`: the folder. Nothing outside of it is read or written. It must exist when the layer is built
 * - `readonly`: whether there are only the tools that read. Default false
 * - `hidden`: whether names that begin with a dot, such as `.env` and `.git`, can be used. Default false
 * - `ignore`: names of folders that a search and a deep list leave out. Default `["node_modules"]`
 * - `maxBytes`: the largest file that is read or written. Default 2,000,000
 * - `characters`: the most of a file that one call reads. Default 12,000
 * - `entries`: the most paths of a list. Default 300
 * - `matches`: the most lines that a search finds. Default 50
 *
 * @category models
 */
export interface FilesOptions {
  readonly root: string
  readonly readonly?: boolean
  readonly hidden?: boolean
  readonly ignore?: ReadonlyArray<string>
  readonly maxBytes?: number
  readonly characters?: number
  readonly entries?: number
  readonly matches?: number
}

/**
 * Tools that read and write the text files of one folder.
 *
 * **Details**
 *
 * `read_file`, `list_files` and `find_text` only read. `create_file` writes a file that was not there, so it loses nothing and is not
 * marked as destructive: an agent may call it until it has seen the result of a tool. `write_file`, `edit_file` and `remove_file` are
 * destructive. With `readonly: true`, only the first three are there.
 *
 * No path leads out of `root`: neither with `..`, nor as an absolute path, nor by a link. Links within the folder are followed. Only
 * texts in UTF-8 are read. A file is replaced as a whole, and changes of one kit wait for each other.
 *
 * Building the layer fails with `ToolFailed` if there is no such folder. Calls fail with `ToolFailed`, whose message the model reads.
 * Throws if a limit is not a whole number from 1.
 *
 * **Example** (Reads a folder)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 * import { Effect, Layer } from "effect"
 * import { Pipeline, Thought } from "cogito"
 * import { Agent } from "cogito/agent"
 * import { Testing } from "cogito/testing"
 * import { Tools } from "cogito/tools"
 *
 * const root = mkdtempSync(join(tmpdir(), "handbook-"))
 * writeFileSync(join(root, "refunds.md"), "Refunds take three days.")
 *
 * const files = Tools.files({ root, readonly: true })
 * const clerk = Agent.make("clerk", { instructions: "You answer from the handbook.", triage: false, toolkit: files.toolkit })
 *
 * const model = Testing.scripted([
 *   Testing.calls([{ name: "find_text", params: { text: "refund", ignoreCase: true } }]),
 *   Testing.calls([{ name: "read_file", params: { path: "refunds.md" } }]),
 *   "Three days."
 * ])
 *
 * const program = Effect.gen(function*() {
 *   const done = yield* Pipeline.run(clerk, yield* Thought.make("question", { message: "How long does a refund take?" }))
 *   assert.equal(done.get("answer"), "Three days.")
 *   assert.match(Thought.history(done, "clerk.read_file").at(-1)?.content ?? "", /Refunds take three days\./)
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Layer.mergeAll(model.layer, files.layer, Testing.memory))))
 * rmSync(root, { recursive: true })
 * ```
 *
 * @category constructors
 */
export const files: {
  (options: FilesOptions & { readonly readonly: true }): Kit<FileReaders, ToolFailed>
  (options: FilesOptions & { readonly readonly?: false }): Kit<FileTools, ToolFailed>
} = taking("Tools.files", {
  options: 0,
  texts: ["root"],
  known: {
    ...forms.others("root", "maxBytes", "characters", "entries", "matches"),
    readonly: forms.maybe("", forms.flag),
    hidden: forms.maybe("", forms.flag),
    ignore: forms.maybe("", forms.list("", forms.string))
  }
  // typed above, where the tools depend on the option
})((options: FilesOptions): any => {
  const { hidden = false, ignore = ["node_modules"], readonly = false, root, ...given } = options
  const limits = counts("Tools.files", { maxBytes: 2_000_000, characters: 12_000, entries: 300, matches: 50 }, given)
  const opened = Effect.tryPromise({ try: () => folderAt(root, hidden), catch: asToolFailed })
  const reading = Effect.map(opened, (folder) => readingOf(folder, ignore, limits))
  if (readonly) return kitOf(readers, reading)
  return kitOf(
    all,
    Effect.map(opened, (folder) => ({
      ...readingOf(folder, ignore, limits),
      ...writingOf(folder, limits.maxBytes)
    }))
  )
})

const readingOf = (
  folder: Folder,
  ignore: ReadonlyArray<string>,
  limits: { readonly maxBytes: number; readonly characters: number; readonly entries: number; readonly matches: number }
): Toolkit.HandlersFrom<FileReaders> => ({
  read_file: ({ lines, offset = 1, path }) =>
    attempt(async () => page(await readText(folder, path, limits.maxBytes), { path, offset, lines, ...limits })),
  list_files: ({ deep = false, path = "." }) =>
    attempt((signal) => list(folder, { path, deep, ignore, signal }, limits.entries)),
  find_text: ({ ignoreCase = false, path = ".", text }) =>
    attempt((signal) =>
      find(folder, { path, ignore, signal, text, ignoreCase }, { limit: limits.matches, maxBytes: limits.maxBytes })
    )
})

/** Changes of all kits wait for each other: two of them may have the same folder, or one a folder within that of the other. */
const turns = Semaphore.makeUnsafe(1)

/** Makes one change after the other. An interruption does not leave a change half done. */
const change = (done: string, run: () => Promise<void>) =>
  Semaphore.withPermit(turns, Effect.uninterruptible(Effect.as(attempt(run), done)))

const writingOf = (folder: Folder, maxBytes: number): Toolkit.HandlersFrom<Omit<FileTools, keyof FileReaders>> => {
  const fitting = (text: string): string => {
    if (!text.isWellFormed()) {
      throw toolFailed("Invalid", "The text has half of a character, which no file in UTF-8 can hold: leave it out.")
    }
    const bytes = Buffer.byteLength(text)
    if (bytes > maxBytes) {
      throw toolFailed("TooLarge", `The text has ${bytes} bytes, and at most ${maxBytes} can be written.`)
    }
    return text
  }
  return {
    create_file: ({ path, text }) =>
      change(`${quoted(path)} was created.`, async () => createText(folder, path, fitting(text))),
    write_file: ({ path, text }) =>
      change(`${quoted(path)} was written.`, async () => writeText(folder, path, fitting(text))),
    edit_file: ({ path, new: next, old }) =>
      change(`${quoted(path)} was changed.`, () =>
        changeText(folder, path, maxBytes, (text) => fitting(edited(text, path, old, next)))
      ),
    remove_file: ({ path }) => change(`${quoted(path)} was removed.`, () => remove(folder, path))
  }
}

const attempt = <A>(run: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, ToolFailed> =>
  Effect.tryPromise({ try: run, catch: asToolFailed })
