/** A note while it is embedded: its parts are taken a few at a time, and its vectors stored when all are there. */
import type { EmbedderError } from "../../thought/Embedder.ts"
import type { ChunkVector, PendingNote } from "../model/Store.ts"
import { chunksOf } from "./chunks.ts"

/** A note to be embedded. */
export type Draft = Pick<PendingNote, "scope" | "id" | "content">

/** Two notes never have the same key, whatever their scopes are called. */
export const keyOf = ({ id, scope }: Pick<Draft, "scope" | "id">): string => `${scope.length}:${scope}${id}`

/** The same for texts: notes with equal keys can have the same vectors. */
export const textKeyOf = ({ content, scope }: Pick<Draft, "scope" | "content">): string =>
  `${scope.length}:${scope}${content}`

/** Where an embedder refuses a part although it should be short enough, half of it may do. */
const halvings = 2

/** The vector of a part, or why it has none. */
type Outcome = Float32Array | EmbedderError

export class Job {
  readonly note: Draft
  /** About how many parts it has. */
  readonly size: number
  readonly #count: (text: string) => number
  readonly #tokens: number
  readonly #halvingsLeft: number
  readonly #limit: number
  readonly #parts: Generator<string, void>
  #next: IteratorResult<string, void> | undefined
  readonly #done: Array<readonly [text: string, vector: Float32Array]> = []
  readonly #open: Array<string> = []
  #refused: string | undefined
  /** Why it has failed, if it has. */
  error: EmbedderError | undefined

  constructor(note: Draft, limit: number, count: (text: string) => number, halvingsLeft = halvings) {
    this.note = note
    // to count tokens may take as long as to embed them
    this.#tokens = count(note.content)
    this.size = Math.ceil(this.#tokens / limit)
    this.#count = count
    this.#halvingsLeft = halvingsLeft
    this.#limit = limit
    this.#parts = chunksOf(note.content, limit, count, this.#tokens)
  }

  /** The tokens of one of its parts. */
  tokensOf(part: string): number {
    return part === this.note.content ? this.#tokens : this.#count(part)
  }

  get begun(): boolean {
    return this.#done.length + this.#open.length > 0
  }

  /** Whether all its parts have been taken. */
  get taken(): boolean {
    this.#next ??= this.#parts.next()
    return this.#next.done === true
  }

  /** Whether all its parts have vectors. */
  get complete(): boolean {
    return this.error === undefined && this.#open.length === 0 && this.taken
  }

  /** Its next part; nothing when all have been taken. */
  take(): string | undefined {
    this.#next ??= this.#parts.next()
    if (this.#next.done === true) return undefined
    const { value } = this.#next
    this.#next = undefined
    this.#open.push(value)
    return value
  }

  /** Records the outcomes of parts that were taken, in order, until the first unknown one. */
  learn(outcomeOf: (text: string) => Outcome | undefined): void {
    while (this.#open.length > 0) {
      const [text = ""] = this.#open
      const outcome = outcomeOf(text)
      if (outcome === undefined) return
      if (outcome instanceof Float32Array) this.#done.push([text, outcome])
      else {
        this.error = outcome
        this.#refused = text
      }
      this.#open.shift()
    }
  }

  /** The parts that were taken and that nothing is known of. */
  get open(): ReadonlyArray<string> {
    return this.#open
  }

  /** The same note in smaller parts, if the refused part may be accepted then. */
  smaller(): Job | undefined {
    const limit = Math.ceil(this.#limit / 2)
    return this.#halvingsLeft > 0 &&
      this.error?.retryable === false &&
      this.#refused !== undefined &&
      this.#count(this.#refused) > limit
      ? new Job(this.note, limit, this.#count, this.#halvingsLeft - 1)
      : undefined
  }

  /** The parts that have a vector; in order, and all of them, once it is complete. */
  get done(): ReadonlyArray<readonly [text: string, vector: Float32Array]> {
    return this.#done
  }

  get vectors(): ReadonlyArray<ChunkVector> {
    return this.#done.map(([, vector], chunk) => ({ noteId: this.note.id, chunk, vector }))
  }
}
