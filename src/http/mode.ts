/** Checks the mode of a provider before anything is sent. */
import * as Effect from "effect/Effect"
import type { ProviderError } from "../Provider.ts"
import { quoted } from "../text/legible.ts"
import { type Endpoint, fail } from "./Endpoint.ts"
import type { Mode } from "./options.ts"

const modes: ReadonlySet<unknown> = new Set<Mode>(["resume", "replay", "auto"])

/** Fails with `InvalidRequest` for an unknown mode. */
export const checkMode = (mode: Mode | undefined, endpoint: Endpoint): Effect.Effect<void, ProviderError> => {
  if (mode === undefined || modes.has(mode)) return Effect.void
  const message = `mode must be "resume", "replay" or "auto", not ${quoted(mode)}`
  return Effect.fail(fail(endpoint, { _tag: "InvalidRequest", message, parameter: "mode" }))
}

/**
 * Whether to use sockets. `impossible` is the message for an environment without sockets, and says what to do.
 *
 * Fails as `checkMode` does, and with `Unsupported` for `"resume"` without sockets.
 */
export const wantsSockets = Effect.fnUntraced(function* (
  mode: Mode | undefined,
  endpoint: Endpoint,
  impossible: string | undefined
): Effect.fn.Return<boolean, ProviderError> {
  yield* checkMode(mode, endpoint)
  if (mode === undefined || mode === "replay") return false
  if (impossible === undefined) return true
  if (mode === "auto") return false
  const message = `${impossible}, so mode "resume" is not possible: use "auto" or "replay"`
  return yield* fail(endpoint, { _tag: "Unsupported", message })
})
