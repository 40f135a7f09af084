/**
 * PGlite behind its socket server, for the real driver where no server is installed. All connections share one session, so
 * one that is within a transaction makes the others wait.
 */
import { PGlite } from "@electric-sql/pglite"
import { vector } from "@electric-sql/pglite-pgvector"
import { PGLiteSocketServer } from "@electric-sql/pglite-socket"
import { Effect } from "effect"
import { template } from "../pglite/template.ts"

/** Serves a fresh database until the scope closes, and gives its URL. */
export const serve = Effect.gen(function* () {
  const archive = yield* template
  const pglite = yield* Effect.acquireRelease(
    Effect.promise(() => PGlite.create({ extensions: { vector }, loadDataDir: archive })),
    (opened) => Effect.promise(() => opened.close())
  )
  // the store's connection and the one for upkeep
  const server = new PGLiteSocketServer({ db: pglite, port: 0, maxConnections: 2 })
  yield* Effect.acquireRelease(
    Effect.promise(() => server.start()),
    () => Effect.promise(() => server.stop())
  )
  return `postgres://postgres@${server.getServerConn()}/postgres`
})
