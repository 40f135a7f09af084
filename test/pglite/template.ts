/** A fresh database as an archive, made once and kept in node_modules/.cache: starting from it is four times as fast. */
import { PGlite } from "@electric-sql/pglite"
import { vector } from "@electric-sql/pglite-pgvector"
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import { access, mkdir, readFile, rename, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { compiled } from "./compiled.ts"
import { cache, templateName } from "./fingerprint.ts"

/** The databases that `create database` copies, which the library never does. They are more than half of the files. */
const templates = ["1", "4"]
/** The files of theirs that the check of a directory wants. */
const checked = new Set(["PG_VERSION", "pg_filenode.map"])

const withoutTemplates = ({ Module: { FS } }: PGlite): void => {
  for (const name of templates) {
    const folder = `/pglite/data/base/${name}`
    for (const file of FS.readdir(folder)) {
      if (!file.startsWith(".") && !checked.has(file)) FS.unlink(`${folder}/${file}`)
    }
  }
}

/** A database clears its buffers when it starts, 128 MB by default, which takes longer than to fill them in any test. */
const withFewBuffers = ({ Module: { FS } }: PGlite): void => {
  const path = "/pglite/data/postgresql.conf"
  FS.writeFile(path, `${FS.readFile(path, { encoding: "utf8" })}\nshared_buffers = 16MB\n`)
}

/** The archive with this name, made from a folder, or from none, unless it is there already. */
export const archiveOf = async (name: string, dataDir?: string): Promise<Blob> => {
  const path = join(cache, name)
  const known = await access(path).then(
    () => true,
    () => false
  )
  if (!known) {
    const pgliteWasmModule = await compiled
    const folder = dataDir === undefined ? {} : { dataDir }
    const database = await PGlite.create({ ...folder, extensions: { vector }, pgliteWasmModule })
    withoutTemplates(database)
    withFewBuffers(database)
    const dump = await database.dumpDataDir("none")
    await database.close()
    await mkdir(cache, { recursive: true })
    const draft = `${path}.${randomUUID()}`
    await writeFile(draft, new Uint8Array(await dump.arrayBuffer()))
    await rename(draft, path)
  }
  return new Blob([await readFile(path)])
}

let built: Promise<Blob> | undefined

/** The archive. */
export const template: Effect.Effect<Blob> = Effect.promise(() => (built ??= archiveOf(`${templateName()}.tar`)))

/** A database that starts from an archive, until the scope closes. */
export const openFrom = (archive: Effect.Effect<Blob>) =>
  Effect.acquireRelease(
    Effect.flatMap(archive, (loadDataDir) =>
      Effect.promise(async () =>
        PGlite.create({ extensions: { vector }, loadDataDir, pgliteWasmModule: await compiled })
      )
    ),
    (opened) => Effect.promise(() => opened.close())
  )
