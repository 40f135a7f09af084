/** What an account counts of durable runs. */

/** How many runs that are not completed are known; the one that was executed longest ago goes first. */
const most = 10_000

/** A call of an earlier execution. */
interface Carried {
  readonly frame: string
  readonly n: number
  readonly epoch: number
}

const keyOf = ({ epoch, frame, n }: Carried): string => `${epoch} ${n} ${frame}`

interface Counted {
  /** The executions that were made under the account: it has counted their calls as they were made. */
  readonly epochs: Set<number>
  /** Calls of other executions that were carried over. */
  readonly calls: Set<string>
}

export class Executions {
  /** What is counted by run, the run that was executed last at the end. */
  readonly #ofRun = new Map<string, Counted>()

  /** How many runs are known here. */
  get runs(): number {
    return this.#ofRun.size
  }

  /** Whether the call is counted. */
  has(runId: string, call: Carried): boolean {
    const counted = this.#ofRun.get(runId)
    return counted !== undefined && (counted.epochs.has(call.epoch) || counted.calls.has(keyOf(call)))
  }

  /** The execution is made under the account, and these calls of earlier ones are carried over. */
  add(runId: string, epoch: number, calls: ReadonlyArray<Carried>): void {
    const counted = this.#ofRun.get(runId) ?? { epochs: new Set(), calls: new Set() }
    counted.epochs.add(epoch)
    for (const call of calls) counted.calls.add(keyOf(call))
    this.#ofRun.delete(runId)
    this.#ofRun.set(runId, counted)
    const [first] = this.#ofRun.size > most ? this.#ofRun.keys() : []
    if (first !== undefined) this.#ofRun.delete(first)
  }

  /** A completed run is not executed again. */
  forget(runId: string): void {
    this.#ofRun.delete(runId)
  }
}
