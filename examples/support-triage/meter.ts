/**
 * Counts what a run does, by listening to its signals.
 */
import { Provider, type Signal } from "cogito"
import { isCall } from "../durable/calls.ts"

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
  /** Tickets that the provider could not read, as in another language. */
  unread = 0
  /** Calls that were made now. */
  current = none
  total = none
  /** Answers that the ledger had from an earlier process. */
  savedNow = 0
  saved = 0

  /** Starts the next ticket and gives its number. */
  next(): number {
    this.current = none
    this.savedNow = 0
    return ++this.tickets
  }

  save(calls: number): void {
    this.savedNow += calls
    this.saved += calls
  }

  answered(): void {
    this.failuresInARow = 0
  }

  couldNotRead(): void {
    this.unread++
    this.failuresInARow = 0
  }

  failed(): void {
    this.failures++
    this.failuresInARow++
  }

  readonly listener = (signal: Signal.Signal): void => {
    if (!isCall(signal)) return
    const add = ({ calls, usage }: Count): Count => ({
      calls: calls + 1,
      usage: Provider.addUsage(usage, signal.usage)
    })
    this.current = add(this.current)
    this.total = add(this.total)
  }
}
