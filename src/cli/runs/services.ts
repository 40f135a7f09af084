/** What the steps of a run need: the services of their module, the memory of the command, and a supervisor. */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { Embedder, type EmbedderError } from "../../Embedder.ts"
import { make, Memory, type MemoryError } from "../../Memory.ts"
import { supervisor } from "../../Pipeline.ts"
import { quoted } from "../../text/legible.ts"
import type { Store } from "../../Store.ts"
import { CommandError } from "../console/failure.ts"
import { orNothingLeft } from "../console/nothingLeft.ts"
import { say } from "../console/output.ts"
import { asBefore, wordsOnly } from "../memory/embedder.ts"
import type { Code } from "./code.ts"

/** The message of what a cause has failed with. */
export const messageOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return error instanceof Error ? error.message : String(error)
}

/** The message about a layer whose services cannot be built. */
export const unendingLayer = (from: string): string =>
  `The layer of ${quoted(from)} has failed: it waits for something that never happens.`

/** Fails with a sentence where the code of a module throws, or lacks a service. */
export const withoutDefects =
  (what: string, advice: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | CommandError, R> =>
    Effect.catchCauseIf(
      effect,
      Cause.hasDies,
      (cause) => new CommandError({ message: `${what}: ${messageOf(cause)} ${advice}` })
    )

/** Builds the services until the scope closes. The memory embeds with an embedder of the module, or with the one that made its vectors. */
export const servicesOf = Effect.fnUntraced(function* (
  { from, layer }: Code,
  store: Store,
  { json, scope }: { readonly json: boolean; readonly scope: string }
): Effect.fn.Return<Context.Context<unknown>, CommandError | EmbedderError | MemoryError, Scope.Scope> {
  const own =
    layer === undefined
      ? Context.empty()
      : yield* Layer.build(layer as Layer.Layer<unknown, unknown>).pipe(
          Effect.catchCause((cause) =>
            Cause.hasInterruptsOnly(cause)
              ? Effect.interrupt
              : Effect.fail(
                  new CommandError({ message: `The layer of ${quoted(from)} has failed: ${messageOf(cause)}` })
                )
          ),
          orNothingLeft(unendingLayer(from))
        )
  const embedder = Context.getOption(own as Context.Context<Embedder>, Embedder)
  const memory = Option.isSome(embedder)
    ? yield* Effect.provideService(make({ store, scope }), Embedder, embedder.value)
    : yield* asBefore(store, scope, (why) =>
        Effect.andThen(
          json || why === undefined ? Effect.void : say(`Notes are not embedded: ${why}`),
          wordsOnly(store, scope)
        )
      )
  const background = yield* Layer.build(supervisor())
  return background.pipe(Context.merge(own), Context.add(Memory, memory)) as Context.Context<unknown>
})
