/** Scenes that every store must play alike, and a text of all that can be observed while they are played. */
import type { Store } from "cogito"
import { Memory, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { Cause, DateTime, Effect, Exit, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"

export interface Stage {
  /** Runs a program, and tells under a name what it gives or how it fails. */
  readonly show: <A, E, R>(what: string, program: Effect.Effect<A, E, R>) => Effect.Effect<void, never, R>
}

export interface Scene {
  readonly heading: string
  readonly play: (stage: Stage) => Effect.Effect<unknown, unknown, Memory.Memory>
}

export const scene = (heading: string, play: Scene["play"]): Scene => ({ heading, play })

/** Digits beyond those that all ways of computing share are dropped. */
const rounded = (value: unknown): unknown => {
  if (typeof value === "number") return Number.isInteger(value) ? value : Number(value.toPrecision(5))
  if (Array.isArray(value)) return value.map(rounded)
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, rounded(inner)]))
}

/** When every scene begins. */
export const start = DateTime.makeUnsafe("2026-01-02T03:04:05.678Z")

/** What is shown of a scene, in order: each program under its name, with how it ended. */
const played = Effect.fnUntraced(function* <E, R>(play: (stage: Stage) => Effect.Effect<unknown, E, R>) {
  const parts: Array<Readonly<Record<string, unknown>>> = []
  yield* TestClock.setTime(start.epochMilliseconds)
  yield* play({
    show: (what, program) =>
      Effect.map(Effect.exit(program), (exit) => {
        const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
        const retryable = error instanceof Memory.MemoryError ? { retryable: error.isRetryable } : {}
        parts.push({ [what]: Exit.map(exit, rounded), ...retryable })
      })
  })
  return parts
})

/** Scenes on a store, which each leaves empty; they are played in the scope "first", with ids that count up. */
export const onStore = <E, R>(makeStore: Effect.Effect<Store.Store, E, R>, scenes: ReadonlyArray<Scene>) =>
  Object.fromEntries(
    scenes.map(({ heading, play }) => [
      heading,
      Effect.flatMap(makeStore, (store) =>
        played(play).pipe(
          Effect.provide(
            Layer.provideMerge(
              Layer.effect(Memory.Memory, Memory.make({ store, scope: "first" })),
              Layer.mergeAll(Testing.embedder, Testing.ids, TestClock.layer())
            )
          ),
          Effect.ensuring(Effect.orDie(Effect.andThen(store.purge("first"), store.purge("second"))))
        )
      )
    ])
  )

export const inSecond = Memory.withScope("second")

/** Each line of an archive, without the first. */
export const archived = (options?: Parameters<typeof Memory.exportLines>[0]) =>
  Effect.map(Stream.runCollect(Memory.exportLines(options)), (lines) => lines.slice(1).map((line) => JSON.parse(line)))

/** Makes a thought and stores it. */
export const stored = Effect.fnUntraced(function* (
  intent: string,
  notes: Readonly<Record<string, string | Thought.Draft>>,
  options: { readonly taskId?: string; readonly traceId?: string } = {}
) {
  return yield* Memory.commit(yield* Thought.make(intent, notes, options))
})

/** The id of a thought's newest note under a key. */
export const idOf = (thought: Thought.Thought<any>, key: string): string =>
  Thought.history(thought, key).at(-1)?.id ?? ""
