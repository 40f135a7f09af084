/** Makes random commits and compares the store with an in-memory picture of the expected content. */
import * as Effect from "effect/Effect"
import type { Commit, Store, StoredThought, ThoughtRow } from "../../../Store.ts"
import type { Note } from "../../../Note.ts"
import type { Entry } from "../../../Session.ts"
import { assert } from "../stage/assert.ts"
import type { Random } from "../stage/random.ts"
import { awkwardTexts, commit, entry, note, plain, thought, uuid } from "../stage/rows.ts"
import { freshScope, refusal } from "../stage/scene.ts"

/** Makes commits of every kind in two scopes, and compares the store with the expected content. */
export const randomCommits = Effect.fnUntraced(function* (store: Store, { below, list, pick }: Random, count: number) {
  const scopes = [freshScope(), freshScope()]
  const model = new Map(scopes.map((scope) => [scope, new Map<string, StoredThought>()]))
  const text = () => pick(awkwardTexts)
  const someNotes = (id: string, first: number, most: number): ReadonlyArray<Note> =>
    list(most, (i) => note(id, first + i, { key: pick(["a", "b", text()]), content: text(), metadata: { m: text() } }))
  const someEntries = (first: number): ReadonlyArray<Entry> =>
    list(3, (i) => entry(first + i, { text: text(), role: pick(["user", "assistant"]), carries: list(2, uuid) }))
  const born = (
    row: ThoughtRow,
    above: ReadonlyArray<Note>
  ): { readonly change: Commit; readonly after: StoredThought } => {
    const added = someNotes(row.id, above.length + 1, 3)
    const entries = someEntries(0)
    const change = commit(row, {
      notes: added,
      entries,
      nextIndex: entries.length,
      usage: pick([undefined, { inputTokens: 0 }])
    })
    const { nextIndex, usage } = change
    return { change, after: { thought: row, version: 1, notes: [...above, ...added], entries, nextIndex, usage } }
  }
  for (let i = 0; i < count; i++) {
    const scope = pick(scopes)
    const rows = model.get(scope)!
    const apply = Effect.fnUntraced(function* (change: Commit, ...after: ReadonlyArray<StoredThought>) {
      assert.strictEqual(yield* store.commit(scope, change), after[0]?.version)
      for (const stored of after) rows.set(stored.thought.id, stored)
    })
    const old = rows.size === 0 ? undefined : pick([...rows.values()])
    const kind =
      old === undefined ? "create" : pick(["create", "append", "append", "append", "fork", "branch", "stale", "gap"])
    if (old === undefined || kind === "create") {
      const { after, change } = born(thought({ taskId: pick([undefined, text()]), intent: text() }), [])
      yield* apply(change, after)
    } else if (kind === "append") {
      const added = someNotes(old.thought.id, old.notes.length + 1, 4)
      const entries = someEntries(old.nextIndex)
      const removed = old.entries.filter(() => below(3) === 0).map(({ index }) => index)
      const nextIndex = old.nextIndex + entries.length
      const usage = pick([undefined, { outputTokens: i }])
      yield* apply(commit(old.thought, { version: old.version, notes: added, entries, removed, nextIndex, usage }), {
        thought: old.thought,
        version: old.version + 1,
        notes: [...old.notes, ...added],
        entries: [...old.entries.filter(({ index }) => !removed.includes(index)), ...entries],
        nextIndex,
        usage
      })
    } else if (kind === "fork") {
      const seq = below(old.notes.length + 1)
      const hidden = new Map(list(2, () => [text(), below(9)] as const))
      const { after, change } = born(thought({ parent: { id: old.thought.id, seq }, hidden }), old.notes.slice(0, seq))
      yield* apply(change, after)
    } else if (kind === "branch") {
      const parent = born(thought(), [])
      const seq = parent.after.notes.length
      const child = born(thought({ parent: { id: parent.after.thought.id, seq } }), parent.after.notes)
      yield* apply({ ...child.change, parent: parent.change }, child.after, parent.after)
    } else {
      const first = old.notes.length + (kind === "gap" ? 2 : 1)
      const version = kind === "gap" ? old.version : old.version + pick([-1, 1])
      const change = commit(old.thought, { version, notes: [note(old.thought.id, first)] })
      assert.strictEqual(yield* refusal(store.commit(scope, change)), "ConcurrencyConflict")
    }
  }
  for (const [scope, rows] of model) {
    for (const [id, expected] of rows) {
      assert.deepStrictEqual(plain(yield* store.load(scope, { id })), plain(expected))
    }
  }
})
