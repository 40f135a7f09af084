/** Writes random thoughts and forks to a store, with notes, conversations, checkpoints and hidden keys. */
import * as Effect from "effect/Effect"
import type { Store, StoredThought } from "../../../Store.ts"
import { each } from "./each.ts"
import { page } from "./query.ts"
import type { Random } from "./random.ts"
import { awkwardTexts, commit, entry, notes, thought } from "./rows.ts"

const texts = awkwardTexts.filter((text) => text.length < 1000)

const all = Effect.fnUntraced(function* (store: Store, scope: string, ids: ReadonlyArray<string>) {
  const loaded = yield* Effect.forEach(ids, (id) => store.load(scope, { id }))
  return loaded.filter((one) => one !== undefined)
})

/** Every thought of a scope, in the order in which the store returns them. */
export const loadAll = Effect.fnUntraced(function* (store: Store, scope: string) {
  const rows = yield* store.thoughts(scope, page({ limit: 500 }))
  return yield* all(store, scope, each(rows, "id"))
})

/** Writes `count` thoughts and returns them in their final state. */
export const plant = Effect.fnUntraced(function* (store: Store, scope: string, rng: Random, count: number) {
  const ids: Array<string> = []
  const one = (stored: ReadonlyArray<StoredThought>) => (stored.length === 0 ? undefined : rng.pick(stored))
  const entriesOf = (known: ReadonlyArray<string>, first: number) =>
    rng.list(3, (i) => {
      const some = known.filter(() => rng.below(2) === 0)
      return entry(first + i, {
        text: rng.pick(texts),
        kind: rng.pick(["message", "message", "summary", "omission", "result"]),
        role: rng.pick(["system", "user", "assistant"]),
        carries: some.slice(0, 1),
        covers: some.slice(1)
      })
    })
  for (let i = 0; i < count; i++) {
    const stored = yield* all(store, scope, ids)
    const parent = rng.below(3) === 0 ? undefined : one(stored)
    const seq = parent === undefined ? 0 : rng.below(parent.notes.length + 1)
    const shared = parent?.notes.slice(0, seq) ?? []
    const past = one(shared.length === 0 ? [] : stored.filter(({ thought: { id } }) => id === parent?.thought.id))
    const row = thought({
      taskId: rng.pick([undefined, "task", rng.pick(texts)]),
      intent: rng.pick(texts),
      // a clock that sometimes stands still or goes back
      createdMillis: 1_700_000_000_000 + rng.below(5),
      parent: parent === undefined ? undefined : { id: parent.thought.id, seq },
      hidden: new Map(seq > 0 ? [[rng.pick(["key 1", ...texts]), seq]] : []),
      checkpoints: new Map([
        ...(parent?.thought.checkpoints ?? []),
        ...(past === undefined ? [] : [[rng.pick(["before", ...texts]), { id: past.thought.id, seq }] as const])
      ])
    })
    const own = notes(
      row.id,
      seq + 1,
      rng.list(4, () => ({
        content: rng.pick(texts),
        metadata: JSON.parse(`{"__proto__":${JSON.stringify(rng.pick(texts))},"7":"x"}`) as Record<string, string>,
        source: rng.pick(["user", "decide", ...texts]),
        derivedFrom: shared.filter(() => rng.below(3) === 0).map(({ id }) => id),
        trust: rng.pick(["trusted", "untrusted"])
      }))
    )
    const known = [...shared, ...own].map(({ id }) => id)
    const entries = entriesOf(known, 0)
    const nextIndex = entries.length + rng.below(3)
    const usage = rng.pick([undefined, { outputTokens: 7, inputTokens: 0 }, {}])
    yield* store.commit(scope, commit(row, { notes: own, entries, nextIndex, usage }))
    ids.push(row.id)
    const other = one(yield* all(store, scope, ids))
    if (other === undefined) continue
    const more = notes(other.thought.id, (other.notes.at(-1)?.seq ?? other.thought.parent?.seq ?? 0) + 1, [{}])
    const said = entriesOf(
      [...other.notes, ...more].map(({ id }) => id),
      other.nextIndex
    )
    yield* store.commit(
      scope,
      commit(other.thought, {
        version: other.version,
        notes: more,
        entries: said,
        removed: other.entries.slice(0, rng.below(2)).map(({ index }) => index),
        nextIndex: other.nextIndex + said.length,
        usage: other.usage
      })
    )
  }
  return yield* loadAll(store, scope)
})
