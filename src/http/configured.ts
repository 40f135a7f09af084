/** Options read from configuration when a layer is built. */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"

/** The same options. Each may be a `Config`. */
export type Configured<O> = { readonly [K in keyof O]: Required<O>[K] | Config.Config<Required<O>[K]> }

/** Reads every option that is a `Config`. Key and address default to these variables of the environment. */
export const readConfigured = Effect.fnUntraced(function* <
  O extends { readonly apiKey?: Redacted.Redacted | string; readonly baseUrl?: string }
>(options: Configured<O>, variables: { readonly apiKey: string; readonly baseUrl: string }) {
  const settings: Record<string, unknown> = {
    apiKey: Config.Redacted(variables.apiKey).pipe(Config.withDefault(undefined)),
    baseUrl: Config.String(variables.baseUrl).pipe(Config.withDefault(undefined)),
    ...options
  }
  for (const [name, setting] of Object.entries(settings)) {
    if (Config.isConfig(setting)) settings[name] = yield* setting
  }
  // Each entry is now the value that Configured declares for its name; absent entries are undefined.
  return settings as unknown as O
})
