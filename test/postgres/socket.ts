/**
 * PGlite behind its socket server, for the real driver where no server is installed. All connections share one session, so
 * one that is within a transaction makes the others wait.
 */
import { PGLiteSocketServer } from "@electric-sql/pglite-socket"
import { Effect } from "effect"
import { openFrom, template } from "../pglite/template.ts"

/** Serves a fresh database until the scope closes, and gives its URL. */
export const serve = Effect.gen(function* () {
  const pglite = yield* openFrom(template)
  // the store's connection and the one for upkeep
  const server = new PGLiteSocketServer({ db: pglite, port: 0, maxConnections: 2 })
  yield* Effect.acquireRelease(
    Effect.promise(() => server.start()),
    () => Effect.promise(() => server.stop())
  )
  return `postgres://postgres@${server.getServerConn()}/postgres`
})
