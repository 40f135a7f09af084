/** Processes that come one after the other to the same store, the same model and the same world. */
import { assert } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { Pipeline, Store, Thought } from "cogito"
import type { Memory, Provider, Step } from "cogito"
import { soon } from "../soon.ts"
import { type Boundary, Process } from "./process.ts"
import { World } from "./world.ts"

type Services = Memory.Memory | Provider.Provider | Pipeline.Supervisor

/** A thought to run on. */
export const start = Thought.make("work", { message: "Hello" })

/** A run whose types do not matter. */
export type Going = Effect.Effect<Thought.Thought<any>, any, any>

/** Runs a step durably as `run`. */
export const runOf = (step: Step.Any, options: Pipeline.DurableOptions = {}, from: Going = start): Going =>
  Effect.flatMap(from, (thought) => Pipeline.run(step, thought, { durable: { id: "run", ...options } })) as Going

/** Goes on with the run. */
export const resumeOf = (
  step: Step.Any,
  options: Pick<Pipeline.DurableOptions, "lease" | "onInterrupted"> = {}
): Going => Pipeline.resume(step, "run", options) as Going

/** Processes on this store. They are counted from `before`, and have ids by their numbers. */
export const machineOn = (store: Store.Store, before = 0) => {
  const world = new World()
  let count = before
  /** The next process, which may end at a boundary. */
  const process = (crashAt?: ConstructorParameters<typeof Process>[1]) => new Process(`process ${++count}`, crashAt)
  /** Runs a program in a process, the next one by default, with its background. */
  const within =
    (own = process()) =>
    <A, E, R extends Services>(program: Effect.Effect<A, E, R>): Effect.Effect<A, E> =>
      // there are no other services
      Effect.provide(
        program,
        Layer.provideMerge(Pipeline.supervisor(), own.layer(store, world.model.provider, count))
      ) as Effect.Effect<A, E>
  /** Runs a program in a process that ends at a boundary, and waits for that. */
  const crashing = (crashAt: Process | number | ((boundaries: ReadonlyArray<Boundary>) => boolean)) => {
    const own = crashAt instanceof Process ? crashAt : process(crashAt)
    return <A, E, R extends Services>(program: Effect.Effect<A, E, R>): Effect.Effect<Process> =>
      Effect.gen(function* () {
        const fiber = yield* Effect.forkDetach(within(own)(program))
        yield* soon(`the end of ${own.name}`)(Effect.raceFirst(Deferred.await(own.died), Fiber.await(fiber)))
        assert.isTrue(own.isDead, "the program came to its end before")
        return own
      })
  }
  return { crashing, process, store, within, world }
}

export const machine = Effect.map(Store.makeInMemory, machineOn)
