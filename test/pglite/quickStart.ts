// Loaded first by programs that tests start: a new database begins with the archive of one, which takes a third of the time of a
// first start. A first start itself is tested in test/pglite, in the process of the test.
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { join } from "node:path"
import threads, { Worker, type WorkerOptions } from "node:worker_threads"

const cache = join(import.meta.dirname, "..", "..", "node_modules", ".cache", "cogito")

/** The archive that template.ts has made, if it has by now. */
const archive = (): Blob | undefined => {
  const name = existsSync(cache) ? readdirSync(cache).find((file) => /^pglite-[\d.]+\.tar$/.test(file)) : undefined
  return name === undefined ? undefined : new Blob([readFileSync(join(cache, name))])
}

const isNew = ({ folder }: { readonly folder: string | undefined }): boolean =>
  folder === undefined || !existsSync(join(folder, "PG_VERSION"))

threads.Worker = class extends Worker {
  constructor(program: string | URL, { workerData, ...options }: WorkerOptions = {}) {
    const isDatabase = options.name === "cogito database" && isNew(workerData)
    super(program, {
      ...options,
      workerData: isDatabase ? { ...workerData, template: workerData.template ?? archive() } : workerData
    })
  }
}
syncBuiltinESMExports()
