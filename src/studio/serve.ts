/** The server of the studio, on this machine only. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type * as Scope from "effect/Scope"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { Memory } from "../Memory.ts"
import { makeAccess } from "./access.ts"
import { problem, send } from "./reply.ts"
import { respond } from "./respond.ts"
import { StudioError } from "./StudioError.ts"

const host = "127.0.0.1"

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "unknown error"

const listen = (server: Server, port: number): Effect.Effect<number, StudioError> =>
  Effect.callback((resume) => {
    const failed = (error: Error) => resume(Effect.fail(new StudioError({ port, code: codeOf(error) })))
    server.once("error", failed)
    server.listen(port, host, () => {
      server.off("error", failed)
      const address = server.address()
      resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : port))
    })
  })

const close = (server: Server): Effect.Effect<void> =>
  Effect.callback((resume) => {
    server.close(() => resume(Effect.void))
    server.closeAllConnections()
  })

/** Serves until the scope closes, and returns the address, which contains the token. */
export const serve = Effect.fnUntraced(function* (
  port: number
): Effect.fn.Return<string, StudioError, Memory | Scope.Scope> {
  const access = makeAccess()
  const run = yield* FiberSet.makeRuntime<Memory>()
  const answer = (request: IncomingMessage, response: ServerResponse) =>
    respond(request, access).pipe(
      Effect.catchCause((cause) =>
        Effect.as(
          // no text of a note: only what kind of failure it was
          Effect.logError(`The studio could not answer a request: ${tagOf(Cause.squash(cause))}`),
          problem(500, "The studio could not answer. Its log says why.")
        )
      ),
      Effect.map((reply) => send(response, reply, request.method))
    )
  const server = createServer({ headersTimeout: 10_000, requestTimeout: 30_000 }, (request, response) => {
    const fiber = run(answer(request, response))
    response.once("close", () => fiber.interruptUnsafe())
  })
  yield* Effect.addFinalizer(() => close(server))
  const listening = yield* listen(server, port)
  return `http://${host}:${listening}${access.base}?token=${access.token}`
})

const tagOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error)
