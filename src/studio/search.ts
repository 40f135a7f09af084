/** Notes that a search finds, with how each arm found them. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { type Match, Memory, type MemoryError } from "../Memory.ts"
import { cut } from "../text/legible.ts"
import type { SearchItem, SearchPage } from "./model.ts"

const size = 20

/** Most characters of a note that the list shows; the page of its thought has all. */
const most = 1500

const armOf = (score: number | undefined, rank: number | undefined) =>
  score === undefined || rank === undefined ? undefined : { score, rank }

const itemOf = ({ copies, note, ranks, score, scores, thought }: Match): SearchItem => {
  const vector = armOf(scores.vector, ranks.vector)
  const lexical = armOf(scores.lexical, ranks.lexical)
  const content = cut(note.content, most)
  return {
    thoughtId: thought.id,
    intent: thought.intent,
    key: note.key,
    seq: note.seq,
    createdMillis: DateTime.toEpochMillis(note.created),
    content,
    isCut: content !== note.content,
    trust: note.trust,
    copies,
    score,
    ...(vector === undefined ? {} : { vector }),
    ...(lexical === undefined ? {} : { lexical })
  }
}

export const searchPage = (query: string): Effect.Effect<SearchPage, MemoryError, Memory> =>
  Effect.map(
    Effect.flatMap(Memory, (memory) => memory.search(query, { limit: size })),
    ({ arms: { lexical, pending, vector }, matches }) => ({
      query,
      arms: { vector, lexical, pending },
      matches: matches.map(itemOf)
    })
  )
