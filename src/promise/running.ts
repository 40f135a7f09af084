/** Runs programs with services that are built once, until it is closed. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import type * as Stream from "effect/Stream"
import { withScope } from "../Memory.ts"
import type { DurableOptions } from "../Pipeline.ts"
import { type Listeners, promised, type PromiseOptions } from "../pipeline/run/promised.ts"
import { iterated } from "./iterated.ts"

/**
 * Options of every call.
 *
 * - `signal`: aborting it interrupts the call, which rejects with the signal's reason
 * - `onSignal`: is called for every signal of the call
 * - `onUsage`: is called once, before the promise settles, with what the model calls have used
 * - `scope`: the tenant whose notes the call reads and writes
 *
 * @category models
 */
export interface CallOptions extends PromiseOptions {
  readonly scope?: string
}

/**
 * Options of a run. `durable` is that of `Pipeline.run`.
 *
 * @category models
 */
export interface RunOptions extends CallOptions {
  readonly durable?: boolean | DurableOptions
}

/** Programs that share the services of a layer. */
export class Running {
  readonly #layer: Layer.Layer<any, any>
  #runtime: ManagedRuntime.ManagedRuntime<any, any>
  readonly #fibers = new Set<Fiber.Fiber<unknown, unknown>>()
  #closing: Promise<void> | undefined

  constructor(layer: Layer.Layer<any, any>) {
    this.#layer = layer
    this.#runtime = ManagedRuntime.make(layer)
  }

  /** Forks a program with the services, which are built first. If that fails, what was built is released, and the next program tries again. */
  #fork<A, E>(program: Effect.Effect<A, E, any>, how?: { readonly signal: AbortSignal }): Fiber.Fiber<A, unknown> {
    const runtime = this.#runtime
    if (runtime.cachedContext !== undefined) return runtime.runFork(program, how)
    // an interruption of this program is no failure of the build, and does not come here
    const built = Effect.tapCause(runtime.contextEffect, () =>
      Effect.uninterruptible(
        Effect.andThen(
          runtime.disposeEffect,
          Effect.sync(() => {
            if (this.#runtime === runtime) this.#runtime = ManagedRuntime.make(this.#layer)
          })
        )
      )
    )
    return Effect.runFork(
      Effect.flatMap(built, (context) => Effect.provideContext(program, context)),
      how
    )
  }

  /** Runs a program, and rejects with its error itself. The listeners of the client hear it before those of the call. */
  async promise<A>(
    program: Effect.Effect<A, any, any>,
    { scope, ...options }: CallOptions,
    client: Listeners
  ): Promise<A> {
    return promised(
      scope === undefined ? program : withScope(scope)(program),
      async (effect, how) => {
        if (this.#closing !== undefined) throw closed()
        const fiber = this.#fork(effect, how)
        this.#fibers.add(fiber)
        const exit = await Effect.runPromise(Fiber.await(fiber))
        this.#fibers.delete(fiber)
        const isCutOff = this.#closing !== undefined && Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
        return isCutOff ? Exit.fail(closed()) : exit
      },
      options,
      client
    )
  }

  /** The elements of a stream, which runs while they are read. To leave the loop interrupts it. */
  iterable<A>(
    stream: Stream.Stream<A, any, any>,
    { signal, ...options }: CallOptions,
    client: Listeners
  ): AsyncIterable<A> {
    return iterated(stream, signal, (program, stop) => this.promise(program, { ...options, signal: stop }, client))
  }

  /** Interrupts what runs, and releases the services. */
  close(): Promise<void> {
    this.#closing ??= Effect.runPromise(Fiber.interruptAll(this.#fibers)).then(() => this.#runtime.dispose())
    return this.#closing
  }
}

const closed = (): Error => new Error("The client is closed. Make another one with Cogito.make.")
