/** The start of a test of a store: a scope of its own, and shortcuts for the usual calls. */
import * as Effect from "effect/Effect"
import type { MemoryError, Space } from "../../../Memory.ts"
import type { Commit, Store, ThoughtRow } from "../../../Store.ts"
import { nearby } from "./query.ts"
import { commit, note, notes, thought } from "./rows.ts"

let counter = 0

export const freshScope = (): string => `scope ${++counter}`

export const freshSpace = (dimensions = 2): Space => ({
  embedder: `embedder ${++counter}`,
  dimensions,
  metric: "cosine"
})

/** A store in a scope that no other test uses: its calls on that scope, with shortcuts for the usual ones. */
export const scene = (store: Store) =>
  Effect.sync(() => {
    const scope = freshScope()
    return {
      store,
      scope,
      /** Commits a thought, with defaults. */
      write: (row: ThoughtRow, more?: Partial<Commit>) => store.commit(scope, commit(row, more)),
      load: (ref: { readonly id: string } | { readonly traceId: string }) =>
        store.load(scope, "id" in ref ? { id: ref.id } : ref),
      /** Commits a thought with these notes. */
      add: (drafts: ReadonlyArray<Parameters<typeof note>[2]>, row = thought()) => {
        const written = notes(row.id, (row.parent?.seq ?? 0) + 1, drafts)
        return Effect.as(store.commit(scope, commit(row, { notes: written })), { row, written })
      },
      /** Commits a thought with one note. */
      addOne: (draft?: Parameters<typeof note>[2]) => {
        const row = thought()
        const one = note(row.id, 1, draft)
        return Effect.as(store.commit(scope, commit(row, { notes: [one] })), { row, one })
      },
      nearby: nearby.bind(undefined, store, scope),
      append: store.append.bind(store, scope),
      ancestors: store.ancestors.bind(store, scope),
      children: store.children.bind(store, scope),
      thoughts: store.thoughts.bind(store, scope),
      remove: store.remove.bind(store, scope),
      redact: store.redact.bind(store, scope),
      restore: store.restore.bind(store, scope),
      purge: () => store.purge(scope),
      putVectors: store.putVectors.bind(store, scope),
      copyVectors: store.copyVectors.bind(store, scope),
      countPending: store.countPending.bind(store, scope),
      search: store.search.bind(store, scope),
      survey: store.survey.bind(store, scope)
    }
  })

/** Options that run all effects at once. */
export const unbounded = { concurrency: "unbounded" } as const

/** The unit vector at an angle in degrees. */
export const at = (degrees: number): Float32Array =>
  Float32Array.of(Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180))

/** Why a call fails: the tag of the error's reason, with the code of the database if it has one. */
export const refusal = <A>(effect: Effect.Effect<A, MemoryError>): Effect.Effect<string, A> =>
  Effect.map(Effect.flip(effect), ({ reason }) =>
    reason._tag === "Query" && reason.code !== undefined ? `Query ${reason.code}` : reason._tag
  )
export type Scene = Effect.Success<ReturnType<typeof scene>>
