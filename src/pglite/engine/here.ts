/** PGlite in this thread, as a memory needs it: it flushes, and stops after a failed write. */
import { PGlite } from "@electric-sql/pglite"
import { vector } from "@electric-sql/pglite-pgvector"
import type { Connection, Settings } from "./connection.ts"
import { Disk } from "./disk.ts"
import { isKept } from "../../sql/database/keptMark.ts"
import { guard } from "./guard.ts"
import { Kept } from "./kept.ts"

/** PGlite starts without flushing. Of Postgres' methods of flushing its log it has only this one. */
const flushing = [...PGlite.defaultStartParams.filter((parameter) => parameter !== "-F"), "-c", "wal_sync_method=fsync"]

/** PGlite sends bytes as they are, in binary, although its type requires text. */
const asTheyAre = (bytes: Uint8Array): string => bytes as unknown as string

export const open = async ({ folder, template }: Settings): Promise<Connection> => {
  const disk = folder === undefined ? undefined : new Disk(folder)
  const pglite = await PGlite.create({
    extensions: { vector },
    ...(disk === undefined ? {} : { fs: disk, startParams: flushing }),
    ...(template === undefined ? {} : { loadDataDir: template })
  })
  guard(pglite)
  const kept = new Kept(pglite)
  return {
    query: async (statement, values, { late } = { late: false }) => {
      if (disk !== undefined) disk.log.mayWait = late
      try {
        const { affectedRows, rows } = isKept(statement)
          ? await kept.query(statement, values)
          : await pglite.query(statement, [...values])
        return { affectedRows, rows }
      } finally {
        if (disk !== undefined) disk.log.mayWait = false
      }
    },
    sendBytes: async (type) => {
      pglite.serializers[type] = asTheyAre
    },
    close: () => pglite.close(),
    disk: () => ({ full: disk?.full ?? false, segments: disk?.segments ?? 0 })
  }
}
