/** Checks the mode of a provider before anything is sent. */
import * as Effect from "effect/Effect"
import type { ProviderError } from "../Provider.ts"
import { quoted } from "../text/legible.ts"
import { type Endpoint, fail } from "./Endpoint.ts"
import type { Mode } from "./options.ts"

const modes: ReadonlySet<unknown> = new Set<Mode>(["resume", "replay", "auto"])

/**
 * Whether to use sockets. `impossible` says why there are none here, and what to do.
 *
 * Fails with `InvalidRequest` for an unknown mode, and with `Unsupported` for `"resume"` without sockets.
 */
export const wantsSockets = (
  mode: Mode | undefined,
  endpoint: Endpoint,
  impossible: string | undefined
): Effect.Effect<boolean, ProviderError> => {
  if (mode !== undefined && !modes.has(mode)) {
    const message = `mode must be "resume", "replay" or "auto", not ${quoted(mode)}`
    return Effect.fail(fail(endpoint, { _tag: "InvalidRequest", message, parameter: "mode" }))
  }
  if (mode === undefined || mode === "replay") return Effect.succeed(false)
  if (impossible === undefined) return Effect.succeed(true)
  if (mode === "auto") return Effect.succeed(false)
  const message = `${impossible}, so mode "resume" is not possible: use "auto" or "replay"`
  return Effect.fail(fail(endpoint, { _tag: "Unsupported", message }))
}
