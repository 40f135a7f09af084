/** The start of tests of searches: a scope with notes to search. */
import * as Effect from "effect/Effect"
import type { Match } from "../../../Memory.ts"
import type { Store, StoreQuery, ThoughtRow } from "../../../Store.ts"
import { eachNote } from "./each.ts"
import { ask } from "./query.ts"
import { random } from "./random.ts"
import { type note, thought } from "./rows.ts"
import { at, freshSpace, scene } from "./scene.ts"

/** Random numbers from 0 to below 1. */
export const fractions = (seed: number) => {
  const { below } = random(seed)
  return () => below(1e9) / 1e9
}

export type Draft = Parameters<typeof note>[2] & { readonly degrees?: number }

type Given = ReadonlyArray<string | Draft> | Readonly<Record<string, number>>

const isList = (given: Given): given is ReadonlyArray<string | Draft> => Array.isArray(given)

/** A scene with a space, and searches in both. */
export const library = Effect.fnUntraced(function* (store: Store) {
  const own = yield* scene(store)
  const space = freshSpace()
  yield* store.openSpace(space)
  /**
   * Commits a thought, or a new one for a task, with notes. Notes are given as contents, as contents with the angles of
   * their vectors, or as drafts.
   */
  const add = Effect.fnUntraced(function* (given: Given, row?: ThoughtRow | string) {
    const drafts: ReadonlyArray<Draft> = isList(given)
      ? given.map((one) => (typeof one === "string" ? { content: one } : one))
      : Object.entries(given).map(([content, degrees]) => ({ content, degrees }))
    const { row: made, written } = yield* own.add(
      drafts.map(({ degrees: _degrees, ...draft }) => draft),
      typeof row === "string" ? thought({ taskId: row }) : row
    )
    yield* own.putVectors(
      space,
      drafts.flatMap(({ degrees }, i) =>
        degrees === undefined ? [] : [{ noteId: written[i]!.id, vector: at(degrees) }]
      )
    )
    return { row: made, written }
  })
  const found = (query: Partial<StoreQuery>) => own.search(space, ask(query))
  const matches = (query: Partial<StoreQuery>) => Effect.map(found(query), (result) => result.matches)
  const texts = (query: Partial<StoreQuery>) => Effect.map(matches(query), contentsOf)
  const words = (text: string, more: Partial<StoreQuery> = {}) => texts({ text, ...more })
  const surveyed = (query: Partial<StoreQuery>) => own.survey(space, ask({ limit: 5, ...query }))
  const tasks = (query: Partial<StoreQuery>) => Effect.map(surveyed(query), (result) => result.tasks)
  return { ...own, space, add, found, matches, texts, words, surveyed, tasks }
})

export const contentsOf = (matches: ReadonlyArray<Match>) => eachNote(matches, "content")

export type Library = Effect.Success<ReturnType<typeof library>>
