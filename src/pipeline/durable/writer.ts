/** Writes the rows of a run: what must be there at once, and with it what could wait. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { CallRow, LedgerRows, StepRow } from "../../memory/model/Ledger.ts"
import type { MemoryError } from "../../memory/model/error.ts"
import type { Place } from "../../run/journal.ts"
import { CommitFailed } from "../../run/failure.ts"

type Rows = Required<Pick<LedgerRows, "waits">> & { urgent: boolean }

/** Rows that are written together, and those who wait for it. */
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

  constructor(
    about: Pick<LedgerRows, "runId" | "epoch">,
    write: (rows: LedgerRows) => Effect.Effect<void, MemoryError>
  ) {
    this.#about = about
    this.#write = write
  }

  /** Adds rows that go with the next ones. */
  step(row: StepRow): void {
    this.#steps.set(row.frame, row)
  }
  call(row: CallRow): void {
    this.#calls.set(keyOf(row), row)
  }
  drop(places: ReadonlyArray<Place>): void {
    for (const place of places) {
      const waiting = this.#calls.get(keyOf(place))
      // what was not written yet need not be written with its response
      if (waiting === undefined) this.#drops.push(place)
      else this.#calls.set(keyOf(place), { ...waiting, response: undefined })
    }
  }

  /** Everything that waits, to be written by a commit. */
  taken(): LedgerRows {
    const rows = {
      ...this.#about,
      steps: [...this.#steps.values()],
      calls: [...this.#calls.values()],
      drops: this.#drops
    }
    this.#steps = new Map()
    this.#calls = new Map()
    this.#drops = []
    return rows
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
      return this.#turn
        .withPermit(
          Effect.suspend(() => {
            const batch = this.#next ?? { waits, urgent, done }
            this.#next = undefined
            return this.#write({ ...this.taken(), waits: batch.waits, urgent: batch.urgent })
          })
        )
        .pipe(
          Effect.onExit((exit) => Deferred.done(done, exit)),
          Effect.uninterruptible
        )
    }).pipe(Effect.catch((error) => Effect.die(new CommitFailed(error))))
  }
}
