/**
 * A memory's directory as a first start leaves it, made once for the code that makes it and kept in node_modules/.cache. To
 * copy it takes a tenth of the time of a start. For tests of what comes after the first start, not of that start.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { randomUUID } from "node:crypto"
import { existsSync, readdirSync } from "node:fs"
import { cp, mkdir, rename, rm } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import * as Memory from "../../src/Memory.ts"
import { make } from "../../src/pglite/store.ts"
import { cache, prefilledName } from "./fingerprint.ts"
import { archiveOf, template } from "./template.ts"

const build = async (): Promise<string> => {
  const name = prefilledName()
  const path = join(cache, name)
  if (existsSync(path)) return path
  const draft = join(cache, `draft-${randomUUID()}`)
  await mkdir(cache, { recursive: true })
  await Effect.runPromise(Effect.scoped(makeStore({ dataDir: draft })))
  const old = readdirSync(cache).filter((other) => other.startsWith("memory-") && !other.startsWith(name))
  // another process may have been quicker
  await rename(draft, path).catch(() => rm(draft, { recursive: true, force: true }))
  for (const other of old) await rm(join(cache, other), { recursive: true, force: true })
  return path
}

let built: Promise<string> | undefined

/** Makes such a directory where there is none yet. */
export const prefill = async (dataDir: string): Promise<void> => {
  const from = await (built ??= build())
  await mkdir(dirname(dataDir), { recursive: true })
  await cp(from, dataDir, { recursive: true })
}

const buildArchive = async (): Promise<Blob> => {
  const draft = join(cache, `draft-${randomUUID()}`)
  await prefill(draft)
  try {
    return await archiveOf(`${basename(await (built ??= build()))}.tar`, join(draft, "database"))
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

let archived: Promise<Blob> | undefined

/** Such a database as an archive. */
export const archive: Effect.Effect<Blob> = Effect.promise(() => (archived ??= buildArchive()))

interface Options {
  readonly dataDir?: string
  /** Whether the database has a thread of its own, which takes twice as long to start. Default: false. */
  readonly thread?: boolean
}

/** A store that is spared a first start: in memory its schema is there as well, in a folder it is not. */
export const makeStore = ({ thread = false, ...options }: Options = {}) =>
  Effect.flatMap(options.dataDir === undefined ? archive : template, (fresh) =>
    make({ ...options, thread, template: fresh })
  )

/** A memory with such a store. */
export const memory = (options?: Options) =>
  Layer.effect(
    Memory.Memory,
    Effect.flatMap(makeStore(options), (store) => Memory.make({ store, scope: "local" }))
  )

/** One that searches by words only. */
export const wordsOnly = (options?: Options) =>
  Layer.effect(
    Memory.Memory,
    Effect.flatMap(makeStore(options), (store) => Memory.make({ store, scope: "local", embedder: "none" }))
  )
