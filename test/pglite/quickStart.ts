// Loaded first by programs that tests start: a new database begins with the archive of one that has its schema, which takes a
// fifth of the time of a first start. A first start itself is tested in test/pglite, in the process of the test.
import { existsSync, readFileSync } from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { join } from "node:path"
import threads, { Worker, type WorkerOptions } from "node:worker_threads"
import { cache, prefilledName } from "./fingerprint.ts"

/** The archive that prefilled.ts has made, if it has by now. */
const archive = (): Blob | undefined => {
  const path = join(cache, `${prefilledName()}.tar`)
  return existsSync(path) ? new Blob([readFileSync(path)]) : undefined
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
