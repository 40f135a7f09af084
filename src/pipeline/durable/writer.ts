/** Writes the rows of a run in batches. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { CallRow, LedgerRows, StepRow } from "../../memory/model/Ledger.ts"
import type { MemoryError } from "../../memory/model/error.ts"
import type { Place } from "../../run/journal.ts"
import { commitFailed } from "../../run/failure.ts"

type Rows = Required<Pick<LedgerRows, "waits">> & { urgent: boolean }

/** A batch, and a signal for its end. */
interface Batch extends Rows {
  readonly done: Deferred.Deferred<void, MemoryError>
}

const keyOf = ({ frame, n }: Place): string => `${frame}#${n}`

export class Writer {
  readonly #write: (rows: LedgerRows) => Effect.Effect<void, MemoryError>
  readonly #about: Pick<LedgerRows, "runId" | "epoch">
  readonly #turn = Semaphore.makeUnsafe(1)
  #steps = new Map<string, StepRow>()
  #calls = new Map<string, CallRow>()
  #drops: Array<Place> = []
  #next: Batch | undefined
  /** Whether the next batch has an answer, which must be written soon. */
  #hasAnswer = false

  constructor(
    about: Pick<LedgerRows, "runId" | "epoch">,
    write: (rows: LedgerRows) => Effect.Effect<void, MemoryError>
  ) {
    this.#about = about
    this.#write = write
  }

  /** Adds rows to the next batch. */
  step(row: StepRow): void {
    this.#steps.set(row.frame, row)
  }
  call(row: CallRow): void {
    this.#calls.set(keyOf(row), row)
  }
  drop(places: ReadonlyArray<Place>): void {
    this.#drops.push(...places)
  }

  #taken(): LedgerRows {
    const rows = {
      ...this.#about,
      steps: [...this.#steps.values()],
      calls: [...this.#calls.values()],
      drops: this.#drops
    }
    this.#steps = new Map()
    this.#calls = new Map()
    this.#drops = []
    this.#hasAnswer = false
    return rows
  }

  /** Writes everything that waits, once what is being written has been. */
  writing<A, E, R>(write: (rows: LedgerRows) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.andThen(this.#turn.withPermit(Effect.void), this.#taking(write))
  }

  /** Writes everything that waits. If that fails, it goes with the next rows. */
  #taking<A, E, R>(write: (rows: LedgerRows) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.suspend(() => {
      const rows = this.#taken()
      return Effect.onError(write(rows), () => Effect.sync(() => this.#keep(rows)))
    })
  }

  #keep({ calls = [], drops = [], steps = [] }: LedgerRows): void {
    this.#steps = new Map([...steps.map((row) => [row.frame, row] as const), ...this.#steps])
    this.#calls = new Map([...calls.map((row) => [keyOf(row), row] as const), ...this.#calls])
    this.#drops = [...drops, ...this.#drops]
  }

  /**
   * Adds the outcome of a call. Mostly a commit follows at once and writes it; it is written alone as soon as the run does anything
   * else, or lets others have the processor.
   */
  answer(row: CallRow): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.call(row)
      this.#hasAnswer = true
      // what fails here is tried again with the next rows
      return Effect.asVoid(Effect.forkDetach(Effect.andThen(Effect.yieldNow, Effect.exit(this.answered))))
    })
  }

  /** Writes an answer that waits, or waits for what is being written. */
  get answered(): Effect.Effect<void> {
    return Effect.suspend(() => (this.#hasAnswer ? this.flush() : this.#turn.withPermit(Effect.void)))
  }

  /** Writes everything that waits. Rows of others that come meanwhile are written together with the next ones. */
  flush(rows: Partial<Rows> = {}): Effect.Effect<void> {
    return Effect.suspend(() => {
      const { urgent = false, waits = [] } = rows
      const joined = this.#next
      if (joined !== undefined) {
        this.#next = { ...joined, waits: [...joined.waits, ...waits], urgent: joined.urgent || urgent }
        return Deferred.await(joined.done)
      }
      const done = Deferred.makeUnsafe<void, MemoryError>()
      this.#next = { waits, urgent, done }
      const writing = this.#taking((due) => {
        const batch = this.#next ?? { waits, urgent, done }
        this.#next = undefined
        return this.#write({ ...due, waits: batch.waits, urgent: batch.urgent })
      })
      return this.#turn.withPermit(writing).pipe(
        Effect.onExit((exit) => Deferred.done(done, exit)),
        Effect.uninterruptible
      )
    }).pipe(Effect.catch(commitFailed))
  }
}
