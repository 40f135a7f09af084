/** What an agent cannot run with. It dies before any call. */
import * as Effect from "effect/Effect"
import { Run } from "../../run/run.ts"
import { quoted } from "../../text/legible.ts"
import { mayChange } from "../model/nested.ts"
import type { Settings } from "../model/settings.ts"

/** Dies before any call if what the tools do could be discarded: it would be done, and the thought would not know of it. */
export const refuseDiscarding = ({ name, toolkit }: Settings): Effect.Effect<void> =>
  Effect.flatMap(Run, ({ speculative }) =>
    speculative && Object.values(toolkit.tools).some(mayChange)
      ? Effect.die(
          new Error(
            `The agent ${quoted(name)} has tools that change something, and stands inside a connector that may discard what ` +
              `it did, such as retry, recover, fallback, enrich or concurrent: use it outside, or put retries around its provider.`
          )
        )
      : Effect.void
  )

/** Dies before any call if a tool has no handler, which a program without types may have forgotten. */
export const refuseUnhandled = ({ name, toolkit }: Settings): Effect.Effect<void> =>
  Effect.withFiber(({ context }) => {
    const missing = Object.values(toolkit.tools).filter(({ id }) => !context.mapUnsafe.has(id))
    if (missing.length === 0) return Effect.void
    const names = missing.map((tool) => quoted(tool.name)).join(", ")
    return Effect.die(
      new Error(`The agent ${quoted(name)} has no handler of ${names}: provide the layer that toolkit.toLayer makes.`)
    )
  })
