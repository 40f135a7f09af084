/** How a durable run records searches, and the thoughts that a step loads. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { asOf, positionOf } from "../../memory/asOf.ts"
import type { Memory } from "../../memory/Memory.ts"
import type { Position } from "../../memory/model/Ledger.ts"
import type { Match, SearchResult, SurveyResult } from "../../memory/model/Search.ts"
import { fail, type MemoryError } from "../../memory/model/error.ts"
import type { Entry } from "../../run/journal.ts"
import { recorded } from "../../run/run.ts"
import { gather, gathered } from "../../thought/gathered.ts"
import type { Note } from "../../thought/Note.ts"
import { wholeOf } from "../../thought/origin.ts"
import type { Thought } from "../../thought/model.ts"
import { hash128 } from "../../text/hash.ts"

/** Notes in JSON have their time as text. */
const read = ({ created, ...note }: Note): Note => ({ ...note, created: DateTime.makeUnsafe(String(created)) })
const matched = (match: Match): Match => ({ ...match, note: read(match.note) })

/** The query, and the notes that it may repeat. */
const keyFor = (query: string, thought: Thought<any>) => {
  const hash = hash128(query)
  return Effect.map(gathered(thought), (shows) => ({ hash, parts: { query: hash }, shows }))
}

const identity = <A>(value: A): A => value

/** A search as it is recorded: as JSON, from which `decode` makes the result again. */
const search = <A>(query: string, thought: Thought<any>, decode: (json: A) => A): Entry<A, MemoryError> => ({
  kind: "search",
  request: keyFor(query, thought),
  value: { encode: (result) => result, decode: (json) => decode(json as A) }
})

/** Notes that were found. */
export const found = (query: string, thought: Thought<any>) =>
  search<SearchResult>(query, thought, ({ arms, matches }) => ({ arms, matches: matches.map(matched) }))

/** Tasks that were found. */
export const surveyed = (query: string, thought: Thought<any>) =>
  search<SurveyResult>(query, thought, ({ arms, tasks }) => ({
    arms,
    tasks: tasks.map((task) => ({ ...task, matches: task.matches.map(matched) }))
  }))

/** The position of a thought that was loaded. */
const loaded = (ref: string | { readonly traceId: string }): Entry<Position, MemoryError> => {
  const hash = hash128(JSON.stringify(typeof ref === "string" ? ["thought", ref] : ["trace", ref.traceId]))
  return {
    kind: "search",
    request: Effect.succeed({ hash, parts: { thought: hash } }),
    value: { encode: identity, decode: (json) => json as Position }
  }
}

/** Loads a thought. A resumed run gets it as it was, whatever has been added since. */
export const load = (
  memory: Memory["Service"],
  ref: string | { readonly traceId: string }
): Effect.Effect<Thought, MemoryError> =>
  Effect.suspend(() => {
    let live: Thought | undefined
    const loading = Effect.map(memory.load(ref), (thought) => {
      live = thought
      return positionOf(thought)
    })
    return Effect.flatMap(
      recorded(() => loaded(ref), loading),
      (position) => (live === undefined ? at(memory, position) : Effect.succeed(live))
    )
  })

const at = Effect.fnUntraced(function* (memory: Memory["Service"], position: Position) {
  const history = yield* memory.ledger.history(position.thoughtId)
  if (history === undefined) {
    return yield* fail({
      _tag: "NotFound",
      message: `There is no thought ${position.thoughtId} in this scope any more.`
    })
  }
  const thought = yield* Effect.fromResult(asOf(history, position))
  yield* gather(() => wholeOf(thought))
  return thought
})
