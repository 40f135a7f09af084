/** Programs in one file, without the files of the library beside them. */
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import { rolldown } from "rolldown"

export const root = resolve(import.meta.dirname, "..")

/** Runs Node with these arguments. */
export const run = (...args: ReadonlyArray<string>) =>
  Effect.promise(() => promisify(execFile)(process.execPath, args, { cwd: root }))

/** The path of the program, bundled with all but these packages, until the scope closes. */
export const bundled = (program: string, external: ReadonlyArray<string> = []) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const folder = await mkdtemp(
        join(external.length === 0 ? tmpdir() : join(root, "node_modules"), "cogito-bundle-")
      )
      await writeFile(join(folder, "program.ts"), program)
      const build = await rolldown({
        input: join(folder, "program.ts"),
        platform: "node",
        external: [...external],
        resolve: { modules: [join(root, "node_modules")] },
        logLevel: "silent"
      })
      await build.write({ file: join(folder, "program.mjs"), format: "esm", codeSplitting: false })
      await build.close()
      return folder
    }),
    (folder) => Effect.promise(() => rm(folder, { recursive: true }))
  ).pipe(Effect.map((folder) => join(folder, "program.mjs")))
