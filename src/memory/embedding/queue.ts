/**
 * Notes that wait to be embedded, in one queue for each scope. The room is bounded and shared, so that the many notes of one
 * scope take neither the place nor the turn of another.
 */
import type { Draft } from "./job.ts"

const mostNotes = 4096
const mostCharacters = 8_000_000

/** A note with the number of its turn. */
export interface Queued extends Draft {
  readonly ticket: number
}

export interface Queue {
  readonly size: () => number
  readonly notes: () => ReadonlyArray<Queued>
  /** Takes the note unless its scope has filled half of the room that the others leave. */
  readonly add: (note: Queued) => boolean
  /** Takes the next notes: the same number from each scope, as long as it has some. */
  readonly take: (most: number) => ReadonlyArray<Queued>
  /** Puts notes that were taken before the others of their scopes, whose turn comes last. */
  readonly giveBack: (notes: ReadonlyArray<Queued>) => void
  /** The first ticket of a scope. */
  readonly first: (scope: string) => number | undefined
}

const charactersOf = (notes: ReadonlyArray<Queued>) => notes.reduce((sum, { content }) => sum + content.length, 0)

export const makeQueue = (): Queue => {
  const waiting = new Map<string, { readonly notes: Array<Queued>; characters: number }>()
  let size = 0
  let characters = 0
  return {
    size: () => size,
    notes: () => [...waiting.values()].flatMap(({ notes }) => notes),
    add: (note) => {
      const own = waiting.get(note.scope) ?? { notes: [], characters: 0 }
      const { length } = note.content
      if (own.notes.length >= mostNotes - size || own.characters + length > mostCharacters - characters) return false
      own.notes.push(note)
      own.characters += length
      size += 1
      characters += length
      waiting.set(note.scope, own)
      return true
    },
    take: (most) => {
      const taken: Array<Queued> = []
      while (taken.length < most && waiting.size > 0) {
        const share = Math.max(1, Math.floor((most - taken.length) / waiting.size))
        for (const [scope, own] of Array.from(waiting)) {
          const next = own.notes.splice(0, Math.min(share, most - taken.length))
          if (next.length === 0) break
          own.characters -= charactersOf(next)
          taken.push(...next)
          // whose turn it was is the last next time
          waiting.delete(scope)
          if (own.notes.length > 0) waiting.set(scope, own)
        }
      }
      size -= taken.length
      characters -= charactersOf(taken)
      return taken
    },
    giveBack: (given) => {
      for (const [scope, notes] of Map.groupBy(given, (note) => note.scope)) {
        const rest = waiting.get(scope)?.notes ?? []
        waiting.delete(scope)
        waiting.set(scope, { notes: [...notes, ...rest], characters: charactersOf(notes) + charactersOf(rest) })
      }
      size += given.length
      characters += charactersOf(given)
    },
    first: (scope) => waiting.get(scope)?.notes[0]?.ticket
  }
}
