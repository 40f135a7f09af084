/** What the agent of a chat needs: its memory, its tools, and a model. */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { Embedder, type EmbedderError } from "../../Embedder.ts"
import { make, Memory, type MemoryError } from "../../Memory.ts"
import { supervisor } from "../../Pipeline.ts"
import { Provider } from "../../Provider.ts"
import type { Store } from "../../Store.ts"
import { quoted } from "../../text/legible.ts"
import { CommandError, type UsageError } from "../console/failure.ts"
import { orNothingLeft } from "../console/nothingLeft.ts"
import { say } from "../console/output.ts"
import { asBefore, wordsOnly } from "../memory/embedder.ts"
import { messageOf, unendingLayer } from "../runs/services.ts"
import type { Debug } from "./debug.ts"
import { assistant, type Chat, loadChat, toolsOf } from "./module.ts"
import { build, choose, type Wish } from "./provider.ts"

/** What the command line says of the agent. */
export interface Wanted extends Wish {
  readonly module: Option.Option<string>
  readonly instructions: Option.Option<string>
  readonly name: Option.Option<string>
}

/** An agent with everything that it needs. */
export interface Prepared {
  readonly chat: Chat
  readonly services: Context.Context<any>
}

/** The services of a layer, which may use the memory. */
const builtOf = ({ layer, module }: Chat, memory: Context.Context<never>) =>
  Layer.build(layer as Layer.Layer<never, unknown>).pipe(
    Effect.provideContext(memory),
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.interrupt
        : Effect.fail(
            new CommandError({ message: `The layer of ${quoted(module ?? "")} has failed: ${messageOf(cause)}` })
          )
    ),
    orNothingLeft(unendingLayer(module ?? ""))
  )

/** Fails if a tool has no handler, before anything is asked. */
const checkHandlers = ({ agent, module }: Chat, services: Context.Context<any>): Effect.Effect<void, CommandError> => {
  const missing = toolsOf(agent)
    .filter(({ id }) => !services.mapUnsafe.has(id))
    .map(({ name }) => quoted(name))
  return missing.length === 0
    ? Effect.void
    : new CommandError({
        message: `The layer of ${quoted(module ?? "")} has no handler of ${missing.join(", ")}: add toolkit.toLayer({ … }) to it.`
      })
}

/** Prepares the agent until the scope closes. */
export const prepare = Effect.fnUntraced(function* (
  wanted: Wanted,
  store: Store,
  { debug, scope }: { readonly debug: Debug; readonly scope: string }
): Effect.fn.Return<Prepared, CommandError | UsageError | EmbedderError | MemoryError, Scope.Scope> {
  const loaded = Option.isSome(wanted.module) ? yield* loadChat(wanted.module.value) : undefined
  const first = yield* asBefore(store, scope, (why) =>
    Effect.andThen(
      why === undefined ? Effect.void : say(`cogito: Messages are not embedded: ${why}`),
      wordsOnly(store, scope)
    )
  )
  const background = yield* Layer.build(supervisor())
  const around = Context.add(background, Memory, first)
  const own = loaded === undefined ? Context.empty() : yield* builtOf(loaded, around)
  const embedder = Context.getOption(own as Context.Context<Embedder>, Embedder)
  const memory = Option.isNone(embedder)
    ? first
    : yield* Effect.provideService(make({ store, scope }), Embedder, embedder.value)
  if (loaded !== undefined) yield* checkHandlers(loaded, Context.merge(around, own))
  const given = Context.getOption(own as Context.Context<Provider>, Provider)
  const choice = Option.isSome(given) ? undefined : yield* choose(wanted)
  if (choice?.notice !== undefined) yield* say(`cogito: ${choice.notice}`)
  const provider = choice === undefined ? Option.getOrThrow(given) : yield* build(choice, wanted)
  const chat =
    loaded ??
    assistant({
      instructions: Option.getOrUndefined(wanted.instructions),
      name: Option.getOrUndefined(wanted.name),
      // a model that only picks sentences cannot judge them
      triage: choice?.isOffline !== true
    })
  const services = around.pipe(
    Context.merge(own),
    Context.add(Memory, memory),
    Context.add(Provider, debug.watched(provider))
  )
  return { chat, services }
})
