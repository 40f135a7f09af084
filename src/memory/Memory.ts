import type { Shape } from "./model/Shape.ts"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { needed } from "../arguments/needed.ts"
import { CurrentScope } from "./model/error.ts"

/**
 * The memory in use.
 *
 * @category services
 */
export class Memory extends Context.Service<Memory, Shape>()("cogito/Memory") {}

/** Runs a function on the memory in the context. */
export const use = <A, E, R>(f: (memory: Shape) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R | Memory> =>
  Effect.flatMap(needed(Memory), f)

/**
 * Runs a program in a scope: what it stores, loads and finds belongs to that tenant alone.
 *
 * A scope has 1 to 256 characters. Throws at once when it is empty or no text, so that a tenant who is not known never gets
 * the default scope; one that is longer fails with `TooLarge` where it is used.
 *
 * **Example** (One scope for each tenant)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Memory, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const program = Effect.gen(function*() {
 *   const thought = yield* Thought.make("try", { message: "Hello" })
 *   yield* Memory.commit(thought).pipe(Memory.withScope("acme"))
 *   const { reason } = yield* Memory.load(thought.id).pipe(Memory.withScope("globex"), Effect.flip)
 *   assert.equal(reason._tag, "NotFound")
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category scope
 */
export const withScope = (scope: string): (<A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>) => {
  if (typeof scope !== "string" || scope.trim() === "") {
    throw new Error("A memory's scope must be a non-empty string: pass the tenant's name.")
  }
  return (self) => Effect.provideService(self, CurrentScope, scope)
}
