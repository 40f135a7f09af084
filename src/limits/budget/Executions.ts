/** The executions of durable runs whose calls an account counts. */

/** How many runs that are not completed are known; the one that was executed longest ago goes first. */
const most = 10_000

export class Executions {
  /** The executions by run, the run that was executed last at the end. */
  readonly #ofRun = new Map<string, Set<number>>()

  /** How many runs have executions here. */
  get runs(): number {
    return this.#ofRun.size
  }

  has(runId: string, epoch: number): boolean {
    return this.#ofRun.get(runId)?.has(epoch) === true
  }

  add(runId: string, epoch: number): void {
    const epochs = this.#ofRun.get(runId) ?? new Set()
    epochs.add(epoch)
    this.#ofRun.delete(runId)
    this.#ofRun.set(runId, epochs)
    const [first] = this.#ofRun.size > most ? this.#ofRun.keys() : []
    if (first !== undefined) this.#ofRun.delete(first)
  }

  /** A completed run is not executed again. */
  forget(runId: string): void {
    this.#ofRun.delete(runId)
  }
}
