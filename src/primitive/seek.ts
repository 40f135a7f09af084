import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { commit, emit } from "../internal/run.ts"
import { makeKeyed } from "../internal/step.ts"
import { stateOf } from "../internal/thought.ts"
import { derivedTrust, write } from "../internal/write.ts"
import { Memory, type MemoryError, type SearchOptions } from "../Memory.ts"
import * as Note from "../Note.ts"
import type { Keyed } from "../Step.ts"
import { current, type Thought } from "../Thought.ts"

const Unit = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

/**
 * What a search of the memory found, best first.
 *
 * `similarity` is in [0, 1]; `score` is what the matches are ordered by. `arms` says how the search did: `pending` notes
 * had no vector yet and could not be found by meaning.
 *
 * @category models
 */
export const Findings = Schema.Struct({
  query: Schema.String,
  matches: Schema.Array(
    Schema.Struct({
      noteId: Schema.String,
      thoughtId: Schema.String,
      traceId: Schema.String,
      key: Schema.String,
      content: Schema.String,
      created: Schema.String,
      score: Schema.Finite,
      similarity: Unit
    })
  ),
  arms: Schema.Struct({
    vector: Schema.Literals(["ok", "partial", "unavailable"]),
    lexical: Schema.Literals(["ok", "unavailable"]),
    pending: Schema.Int
  })
})
/**
 * What a search of the memory found, best first.
 *
 * @category models
 */
export type Findings = typeof Findings.Type

/**
 * Finds notes of earlier thoughts by meaning and writes what it found. No model is called.
 *
 * It sees committed notes of the scope, without those of the asking thought and those it was forked from, and by default
 * without what earlier searches wrote. Nothing found is an answer: no matches. What it writes is untrusted when a note it
 * found is. Fails with `MemoryError`.
 *
 * **Example** (Similar tickets)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Schema } from "effect"
 * import { Note, Pipeline, Primitive, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const message = Note.handle("message", Schema.String)
 * const history = Primitive.seek("history", { query: Note.from(message, (text) => text), limit: 3 })
 *
 * const program = Effect.gen(function*() {
 *   yield* Pipeline.run(history, yield* Thought.make("triage", { message: "I was charged twice" }))
 *   const done = yield* Pipeline.run(history, yield* Thought.make("triage", { message: "Charged twice, I was" }))
 *   assert.equal(done.get("history").matches[0]?.content, "I was charged twice")
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category memory
 */
export const seek = <const K extends string, const Q extends Note.Text>(
  key: K,
  options: SearchOptions & { readonly query: Q }
): Keyed<K, Findings, Note.Text.In<Q>, MemoryError | Note.Text.Err<Q>, Memory | Note.Text.Req<Q>> => {
  const { excludeThoughts = [], query, ...filter } = options
  const handle = Note.handle(key, Findings)
  const reads = Note.isReader(query) ? query.keys : []
  return makeKeyed(handle, { name: key, kind: "seek", reads, writes: [key], children: [] }, (thought) =>
    Effect.gen(function* () {
      const memory = yield* Memory
      const text = yield* Note.text(query, thought)
      const found = yield* memory.search(text, { ...filter, excludeThoughts: [...excludeThoughts, ...own(thought)] })
      const { arms, matches } = found
      yield* emit(thought, { _tag: "NotesFound", matches: matches.length, pending: arms.pending })
      const findings: Findings = {
        query: text,
        matches: matches.map(({ note, score, similarity, thought: { traceId } }) => ({
          noteId: note.id,
          thoughtId: note.thoughtId,
          traceId,
          key: note.key,
          content: note.content,
          created: DateTime.formatIso(note.created),
          score,
          similarity
        })),
        arms
      }
      const trust = derivedTrust([...current(thought), ...matches.map(({ note }) => note)])
      const noted = yield* write(thought, "seek", handle, findings, { trust })
      return yield* commit(noted.thought)
    })
  )
}

/** The thought and those whose notes it began with, also where it does not see them. */
const own = (thought: Thought<any>): ReadonlySet<string> =>
  new Set([
    thought.id,
    ...(thought.parent === undefined || thought.parent.seq === 0 ? [] : [thought.parent.id]),
    ...Array.from(stateOf(thought).log, (note) => note.thoughtId)
  ])
