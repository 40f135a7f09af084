/** Makes steps that search the memory, write what they have found, and perhaps summarise it. */
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { checkWords, stepNamed, whole } from "../../arguments/checked.ts"
import { needed } from "../../arguments/needed.ts"
import { Memory } from "../../memory/Memory.ts"
import type { MemoryError } from "../../memory/model/error.ts"
import type { SearchOptions, SearchResult } from "../../memory/model/Search.ts"
import type { Entry } from "../../run/journal.ts"
import { emit, finish, recorded } from "../../run/run.ts"
import type { Of } from "../../signal/Signal.ts"
import { write } from "../../run/write.ts"
import { makeKeyed } from "../../step/runtime/make.ts"
import type { Keyed } from "../../step/runtime/model.ts"
import { askedFrom, textFrom } from "../../thought/gathered.ts"
import type { Thought } from "../../thought/model.ts"
import * as Note from "../../thought/Note.ts"
import { own, type Summarize, summaryOf } from "./found.ts"
import { promptOf, searchSettings, settingsOf } from "./settings.ts"
import type { Material } from "./summary.ts"
import { wordingOf } from "./wording.ts"

/** A way to search: what it calls, and what it writes of the result. */
interface Way<Result, A> {
  readonly kind: Of<"NotesFound">["search"]
  readonly schema: Schema.Codec<A, any>
  readonly limit: { readonly usual: number; readonly most: number }
  readonly words: { readonly prompt: string; readonly nothing: string }
  readonly entry: (query: string, thought: Thought<any>) => Entry<Result, MemoryError>
  readonly search: (
    memory: Memory["Service"],
    query: string,
    options: SearchOptions
  ) => Effect.Effect<Result, MemoryError>
  readonly value: (result: Result) => A
  /** The notes of the result, as a summary shows them. */
  readonly notes: (result: Result) => ReadonlyArray<Note.Note>
  /** What a summary shows before the notes. */
  readonly heading?: (result: Result, thought: Thought<any>) => Effect.Effect<Material["notes"][number]>
}

/** A step that searches in this way. */
export const makeSearching = <
  const K extends string,
  const Q extends Note.Text,
  const S extends Summarize.Option,
  Result extends Pick<SearchResult, "arms">,
  A
>(
  key: K,
  options: SearchOptions & { readonly query: Q; readonly summarize?: S },
  { entry, heading, kind, limit, notes, schema, search, value, words }: Way<Result, A>
): Keyed<
  K,
  A,
  Note.Text.In<Q>,
  MemoryError | Note.Text.Err<Q> | Summarize.Err<S>,
  Memory | Note.Text.Req<Q> | Summarize.Req<S>
> => {
  const { excludeThoughts = [], query, summarize, ...filter } = options
  checkWords(stepNamed(key), "query", query)
  whole(stepNamed(key), "limit", 1, filter.limit ?? 1, limit.most)
  const handle = Note.handle(key, schema)
  const { add, settings, writes } = summaryOf(kind, key, summarize, words)
  const node = {
    name: key,
    kind,
    reads: Note.isReader(query) ? query.keys : [],
    writes,
    surely: writes,
    children: [],
    ...settingsOf(searchSettings(options, limit.usual), settings),
    ...promptOf(query)
  }
  // the type includes the errors and services of summarising, if requested
  return makeKeyed<K, A, any, any, any>(handle, node, (thought) =>
    Effect.gen(function* () {
      const memory = yield* needed(Memory)
      const { sources, text } = yield* textFrom(query, thought)
      const excluding = { ...filter, excludeThoughts: [...excludeThoughts, ...own(thought)] }
      const result = yield* askedFrom(
        sources,
        recorded(() => entry(text, thought), search(memory, text, excluding))
      )
      const matched = notes(result)
      yield* emit(thought, {
        _tag: "NotesFound",
        search: kind,
        matches: matched.length,
        pending: result.arms.pending
      })
      const shown =
        heading === undefined || matched.length === 0 ? matched : [yield* heading(result, thought), ...matched]
      const noted = yield* write(thought, kind, handle, value(result), { from: [...sources, ...shown] })
      return yield* finish(yield* add(noted, wordingOf(query, text, sources), { notes: shown }))
    })
  )
}
