/** The answers of a run, for another one that repeats it with a change. */
import type { CallKind, CallRow, StoredRun, WaitRow } from "../../memory/model/Ledger.ts"
import type { Asked } from "../../run/journal.ts"
import { isFinished } from "./earlier.ts"

/** Calls whose answer depends on nothing but the request, wherever it is made. */
const anywhere: ReadonlySet<CallKind> = new Set(["complete", "decide", "search"])

export class Reuse {
  readonly #byRequest = new Map<string, Array<CallRow>>()
  readonly #byPlace = new Map<string, CallRow>()
  readonly #from: string | undefined
  #isPast = false
  readonly #waits: ReadonlyArray<WaitRow>
  /** How many calls of models were taken, and how many were made. */
  taken = 0
  asked = 0

  /** From the first entry into the step `from` on, nothing is taken. It is the name of a step, or its path. */
  constructor({ calls, waits }: StoredRun, from: string | undefined) {
    this.#from = from
    this.#waits = waits
    for (const call of calls.filter(isFinished)) {
      if (anywhere.has(call.kind)) {
        const key = `${call.kind} ${call.hash}`
        this.#byRequest.set(key, [...(this.#byRequest.get(key) ?? []), call])
      } else if (call.kind === "effect") this.#byPlace.set(JSON.stringify([call.frame, call.n]), call)
    }
  }

  /** Notices that a step is entered. */
  enter(path: string, name: string): void {
    if (this.#from === name || this.#from === path) this.#isPast = true
  }

  /** Whether the step from which on everything is asked again was entered. */
  get isPast(): boolean {
    return this.#isPast
  }

  /**
   * What was recorded for an equal request. Answers to equal requests are taken in turn. Effects are those of the
   * same place, on the same notes.
   */
  take(frame: string, n: number, kind: CallKind, { hash }: Asked): CallRow | undefined {
    const found = this.#isPast ? undefined : this.#find(frame, n, kind, hash)
    if (kind === "complete" || kind === "decide") {
      if (found === undefined) this.asked++
      else this.taken++
    }
    return found
  }

  /** The question as it was answered, if it is the same. */
  wait({ bound, key }: Pick<WaitRow, "bound" | "key">): WaitRow | undefined {
    if (this.#isPast) return undefined
    return this.#waits.find((wait) => wait.key === key && wait.bound === bound && wait.answer !== undefined)
  }

  #find(frame: string, n: number, kind: CallKind, hash: string): CallRow | undefined {
    if (anywhere.has(kind)) {
      const known = this.#byRequest.get(`${kind} ${hash}`)
      return known !== undefined && known.length > 1 ? known.shift() : known?.[0]
    }
    const call = this.#byPlace.get(JSON.stringify([frame, n]))
    return call?.kind === kind && call.hash === hash ? call : undefined
  }
}
