/** The answers of a run that a rerun reuses. */
import type { CallKind, CallRow, NewRun, StoredRun, WaitRow } from "../../memory/model/Ledger.ts"
import type { Asked } from "../../run/journal.ts"
import { isFinished } from "./earlier.ts"
import { isNamed, isWithin } from "./frame.ts"

type Parent = NonNullable<NewRun["parent"]>

const prefix = "from "

/** The `parent` of a rerun. The frame of a background run starts with `/`, so the two are distinct. */
export const repeating = (runId: string, from: string | undefined): Parent => ({
  runId,
  frame: from === undefined ? "" : `${prefix}${from}`
})

/** The run that a rerun repeats, and its `from`. Undefined if the run is not a rerun. */
export const repeated = (
  parent: NewRun["parent"]
): { readonly runId: string; readonly from: string | undefined } | undefined => {
  if (parent === undefined || parent.frame.startsWith("/")) return undefined
  const { frame, runId } = parent
  return { runId, from: frame === "" ? undefined : frame.slice(prefix.length) }
}

/** Calls whose answer depends on nothing but the request, wherever it is made. */
const anywhere: ReadonlySet<CallKind> = new Set(["complete", "decide", "search"])

export class Reuse {
  readonly #byRequest = new Map<string, Array<CallRow>>()
  readonly #byPlace = new Map<string, CallRow>()
  readonly #from: string | undefined
  #isPast = false
  readonly #waits: ReadonlyArray<WaitRow>
  /** Number of model calls whose answers were reused, and of those that were made. */
  reused = 0
  made = 0

  /**
   * Answers are reused until the run enters the step `from`, a name or a path. `before` are the calls that an earlier execution
   * of the rerun has reused.
   */
  constructor(
    { calls, waits }: Pick<StoredRun, "calls" | "waits">,
    from: string | undefined,
    before: ReadonlyArray<CallRow> = []
  ) {
    this.#from = from
    this.#waits = waits
    for (const call of calls.filter(isFinished)) {
      if (anywhere.has(call.kind)) {
        const key = `${call.kind} ${call.hash}`
        this.#byRequest.set(key, [...(this.#byRequest.get(key) ?? []), call])
      } else if (call.kind === "effect") this.#byPlace.set(JSON.stringify([call.frame, call.n]), call)
    }
    for (const { frame, hash, kind, n } of before) if (anywhere.has(kind)) this.#find(frame, n, kind, hash)
  }

  /** Called when a completed step is skipped together with the steps inside it. */
  passOver(frame: string, known: Iterable<string>): void {
    const { isPast } = this
    if (this.#from === undefined || isPast) return
    for (const one of known) if (isWithin(frame, one) && isNamed(one, this.#from)) this.#isPast = true
  }

  /** Called when a step is entered. */
  enter(path: string, name: string): void {
    if (this.#from === name || this.#from === path) this.#isPast = true
  }

  /** Whether the run has entered the step `from`. */
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
      if (found === undefined) this.made++
      else this.reused++
    }
    return found
  }

  /** The answered question, if it is equal. */
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
