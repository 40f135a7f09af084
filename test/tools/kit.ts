/** Calls tools as an agent does, without an agent. */
import { Effect, Option, Stream } from "effect"
import type { Tool, Toolkit } from "effect/ai"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Tools } from "cogito/tools"

/** What a call of a tool comes to: its result, or its failure in the error channel. */
export const called = <T extends Record<string, Tool.Any>, N extends keyof T & string>(
  toolkit: Toolkit.Toolkit<T>,
  name: N,
  params: Tool.ParametersEncoded<T[N]>
) =>
  Effect.gen(function* () {
    const handlers = yield* toolkit
    const last = yield* Stream.runLast(yield* handlers.handle(name, params))
    // a failure is in the error channel
    const { result }: { readonly result: unknown } = Option.getOrThrow(last)
    return result as Tool.Success<T[N]>
  })

/** Calls one tool of a kit that needs nothing. */
export const on =
  <T extends Record<string, Tool.Any>, E>(kit: Tools.Kit<T, E>) =>
  <N extends keyof T & string>(name: N, params: Tool.ParametersEncoded<T[N]>) =>
    Effect.provide(called(kit.toolkit, name, params), kit.layer)

/** What a call fails with, in words. */
export const failing = <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<string, A, R> =>
  Effect.map(Effect.flip(call), (error) =>
    typeof error === "object" && error !== null && "reason" in error && "message" in error
      ? `${String(error.reason)}: ${String(error.message)}`
      : String(error)
  )

/** A folder of its own for a test. */
export const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "cogito-tools-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)
