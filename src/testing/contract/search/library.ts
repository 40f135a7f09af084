/** What the tests of searches are given: a scope to search in. */
import * as Effect from "effect/Effect"
import type { Store, StoreMatch, StoreQuery, ThoughtRow } from "../../../Store.ts"
import { ask } from "../stage/query.ts"
import { random } from "../stage/random.ts"
import { type note, notes, thought } from "../stage/rows.ts"
import { at, freshSpace, scene } from "../stage/scene.ts"

/** Numbers from 0, below 1. */
export const fractions = (seed: number) => {
  const { below } = random(seed)
  return () => below(1e9) / 1e9
}

export type Draft = Parameters<typeof note>[2] & { readonly degrees?: number }

/** A scope to search in. */
export const library = Effect.fnUntraced(function* (store: Store) {
  const own = yield* scene(store)
  const space = freshSpace()
  yield* store.openSpace(space)
  /** A thought with notes; those with an angle have a vector. */
  const add = Effect.fnUntraced(function* (drafts: ReadonlyArray<Draft>, row: ThoughtRow = thought()) {
    const written = notes(
      row.id,
      row.parent === undefined ? 1 : row.parent.seq + 1,
      drafts.map(({ degrees: _degrees, ...draft }) => draft)
    )
    yield* own.write(row, { notes: written })
    yield* own.putVectors(
      space,
      drafts.flatMap(({ degrees }, i) =>
        degrees === undefined ? [] : [{ noteId: written[i]!.id, vector: at(degrees) }]
      )
    )
    return { row, written }
  })
  const found = (query: Partial<StoreQuery>) => own.search(space, ask(query))
  const matches = (query: Partial<StoreQuery>) => Effect.map(found(query), (result) => result.matches)
  const texts = (query: Partial<StoreQuery>) =>
    Effect.map(matches(query), (all) => all.map((match) => match.note.content))
  const words = (text: string, more: Partial<StoreQuery> = {}) => texts({ text, ...more })
  const surveyed = (query: Partial<StoreQuery>) => own.survey(space, ask({ limit: 5, ...query }))
  const tasks = (query: Partial<StoreQuery>) => Effect.map(surveyed(query), (result) => result.tasks)
  return { ...own, space, add, found, matches, texts, words, surveyed, tasks }
})

export const contentsOf = (matches: ReadonlyArray<StoreMatch>) => matches.map((match) => match.note.content)

export type Library = Effect.Success<ReturnType<typeof library>>
