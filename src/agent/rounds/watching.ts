/** Passes on what a model writes in a round, while it is written. */
import * as Effect from "effect/Effect"
import type { Watcher } from "../../synapse/call.ts"
import { naming } from "../calls/ids.ts"
import type { Listener } from "../model/events.ts"

export const watcherOf = ({ leave, tell }: Listener, round: number, known: ReadonlySet<string>): Watcher => ({
  begin: () =>
    Effect.sync(() => {
      const idOf = naming(known)
      const started = new Map<string, string>()
      return {
        text: (delta) => (delta === "" ? Effect.void : tell({ _tag: "Text", round, delta })),
        part: (part) => {
          if (part._tag === "Reasoning") return tell({ _tag: "Reasoning", round, delta: part.delta })
          const { delta, name } = part
          const known = started.get(part.id)
          const id = known ?? idOf(part.id)
          started.set(part.id, id)
          const more = delta === "" ? Effect.void : tell({ _tag: "CallDelta", round, id, delta })
          return known === undefined ? Effect.andThen(tell({ _tag: "CallStarted", round, id, name }), more) : more
        },
        accepted: () => Effect.void,
        discarded: tell({ _tag: "Discarded", round }),
        stopped: leave({ _tag: "Discarded", round })
      }
    })
})
