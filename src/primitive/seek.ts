import * as DateTime from "effect/DateTime"
import * as Schema from "effect/Schema"
import * as forms from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import type { Memory } from "../memory/Memory.ts"
import type { MemoryError } from "../memory/model/error.ts"
import type { SearchOptions } from "../memory/model/Search.ts"
import type * as Note from "../thought/Note.ts"
import type { Keyed } from "../step/runtime/model.ts"
import { found } from "./reasoning/remembered.ts"
import { Arms, type Summarize, summarizeForm, Unit } from "./reasoning/found.ts"
import { makeSearching } from "./reasoning/searching.ts"
import { searchForms } from "../memory/search/options.ts"

const words = {
  prompt:
    "Summarise in a few sentences what these notes of earlier work say about the query. Leave out what has nothing to " +
    "do with it.",
  nothing: "No related notes were found."
}

/**
 * The results of a memory search, best first.
 *
 * `similarity` is in [0, 1]. Matches are ordered by `score`. `arms` describes the search: `pending` notes had no vector
 * yet and could not be found by meaning.
 *
 * @category models
 */
export const Findings = Schema.Struct({
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
  arms: Arms
})
/**
 * The results of a memory search, best first.
 *
 * @category models
 */
export interface Findings extends Schema.Schema.Type<typeof Findings> {}

/**
 * Searches notes of earlier thoughts by meaning and by words, and writes the results.
 *
 * **Details**
 *
 * It finds committed notes of the scope, except those of the searching thought and the thoughts it was forked from, and
 * by default except results of earlier searches. No match is a valid result. The note is untrusted if a found note is.
 * Fails with `MemoryError`.
 *
 * It calls no model, unless `summarize` requests a summary: a note under the step's key with `_summary` (read it with
 * `Thought.text`, it is not in the thought's type), made in a side session and stored together with the results. If
 * there are no matches, the summary is a fixed text without a call. `summarize` fails with `ProviderError`.
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
export const seek = taking("Primitive.seek", {
  options: 1,
  known: {
    query: forms.option("What to look for.", forms.text),
    ...searchForms,
    limit: forms.maybe("Most matches.", forms.count(1), 10),
    summarize: forms.maybe("Whether, and how, what is found is summarised.", summarizeForm, false)
  }
})(
  <const K extends string, const Q extends Note.Text, const S extends Summarize.Option = false>(
    key: K,
    options: SearchOptions & { readonly query: Q; readonly summarize?: S }
  ): Keyed<
    K,
    Findings,
    Note.Text.In<Q>,
    MemoryError | Note.Text.Err<Q> | Summarize.Err<S>,
    Memory | Note.Text.Req<Q> | Summarize.Req<S>
  > =>
    makeSearching(key, options, {
      kind: "seek",
      schema: Findings,
      limit: { usual: 10, most: 500 },
      words,
      entry: found,
      search: (memory, query, filter) => memory.search(query, filter),
      value: ({ arms, matches }) => ({
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
      }),
      notes: ({ matches }) => matches.map(({ note }) => note)
    })
)
