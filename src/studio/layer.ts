import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { inCode, maybe, number } from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import type { Memory } from "../Memory.ts"
import { quoted } from "../text/legible.ts"
import { serve } from "./serve.ts"
import type { StudioError } from "./StudioError.ts"

/**
 * How the studio is served.
 *
 * - `port`: the port on 127.0.0.1, from 0 to 65,535. Default 0: a free one
 * - `onReady`: receives the address once the server listens. Default: the address is logged once, as information
 *
 * The address contains the token that gives access, so treat it like a password.
 *
 * @category models
 */
export interface StudioOptions {
  readonly port?: number
  readonly onReady?: (address: string) => void
}

/**
 * Serves the studio of the program's memory, as long as the layer lives.
 *
 * **Details**
 *
 * A folder of PGlite is open in one process at a time, so the program that has it serves the studio itself. The pages show
 * the thoughts, notes and durable runs of the memory's scope, and search them. They change nothing, except that the answers they
 * take for `Primitive.approve` and `Pipeline.waitFor` are given with `Pipeline.answer`.
 *
 * It listens on 127.0.0.1 only. Every answer requires the token of the address, which a browser keeps in a cookie. Requests to
 * another host name, and answers that another site sends, are refused. Do not put it behind a proxy.
 *
 * Works in Node only. Fails with a `StudioError` if the port is in use.
 *
 * **Example** (A program with a studio)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Deferred, Effect, Layer } from "effect"
 * import { Studio } from "cogito/studio"
 * import { Testing } from "cogito/testing"
 *
 * const program = Effect.gen(function*() {
 *   const ready = yield* Deferred.make<string>()
 *   const onReady = (address: string) => Deferred.doneUnsafe(ready, Effect.succeed(address))
 *   yield* Layer.build(Studio.layer({ onReady }))
 *   const address = yield* Deferred.await(ready) // open it in a browser
 *   const page = yield* Effect.promise(() => fetch(address))
 *   assert.equal(page.status, 200)
 *   assert.equal((yield* Effect.promise(() => fetch(new URL("thoughts", address)))).status, 403)
 * })
 *
 * await Effect.runPromise(Effect.scoped(program).pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category layers
 */
export const layer = taking("Studio.layer", {
  options: 0,
  optional: true,
  known: { port: maybe("The port on 127.0.0.1; 0 for a free one.", number(0), 0), onReady: inCode }
})(({ onReady, port = 0 }: StudioOptions = {}): Layer.Layer<never, StudioError, Memory> => {
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new Error(`Studio.layer needs a port from 0 to 65535, not ${quoted(port)}.`)
  }
  return Layer.effectDiscard(
    Effect.flatMap(serve(port), (address) =>
      onReady === undefined ? Effect.logInfo(`The studio: ${address}`) : Effect.sync(() => onReady(address))
    )
  )
})
