/**
 * Counts what a run does, by listening to its signals.
 */
import { Provider, type Signal } from "cogito"

interface Count {
  readonly calls: number
  readonly usage: Provider.Usage
}

const none: Count = { calls: 0, usage: {} }

/** Counts of the current ticket, and of all of them. */
export class Meter {
  tickets = 0
  failures = 0
  failuresInARow = 0
  current = none
  total = none

  /** Starts the next ticket and gives its number. */
  next(): number {
    this.current = none
    return ++this.tickets
  }

  answered(): void {
    this.failuresInARow = 0
  }

  failed(): void {
    this.failures++
    this.failuresInARow++
  }

  readonly listener = (signal: Signal.Signal): void => {
    if (signal._tag !== "CallCompleted" && signal._tag !== "CallFailed") return
    const add = ({ calls, usage }: Count): Count => ({
      calls: calls + 1,
      usage: Provider.addUsage(usage, signal.usage)
    })
    this.current = add(this.current)
    this.total = add(this.total)
  }
}
