/** The answers of a run that a rerun reuses. */
import * as Effect from "effect/Effect"
import type { MemoryError } from "../../memory/model/error.ts"
import type { CallKind, CallRow, NewRun, StoredRun, WaitRow } from "../../memory/model/Ledger.ts"
import type { LedgerShape } from "../../memory/model/LedgerShape.ts"
import type { RequestKey, Place, Written } from "../../run/journal.ts"
import type { Note } from "../../thought/Note.ts"
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

/** All notes of the thoughts that a run has come to. */
const notesOf = (
  ledger: Pick<LedgerShape, "history">,
  { run, steps }: StoredRun
): Effect.Effect<ReadonlyArray<Note>, MemoryError> => {
  const positions = [run.start, run.end, ...steps.map(({ position }) => position)]
  const thoughts = new Set(positions.flatMap((position) => (position === undefined ? [] : [position.thoughtId])))
  const histories = Effect.forEach(thoughts, (id) => ledger.history(id), { concurrency: 8 })
  // a thought that was removed has none
  return Effect.map(histories, (all) => all.flatMap((history) => history?.notes ?? []))
}

/** By its step and by its key, as a rerun may have another pipeline. */
const placesOf = ({ content, key, step }: Written): ReadonlyArray<string> => {
  // a branch may put its name before its keys
  const own = key.slice(key.lastIndexOf(".") + 1)
  return [JSON.stringify([content, step]), JSON.stringify([content, undefined, own])]
}

/** Gives the ids of the notes with the text of another one, and with its step or its key. */
const originalsOf = (notes: ReadonlyArray<Note>): ((note: Written) => ReadonlyArray<string>) => {
  const ids = new Map<string, Set<string>>()
  for (const note of notes) {
    if (note.step === "" || note.redacted !== undefined) continue
    for (const place of placesOf(note)) ids.set(place, (ids.get(place) ?? new Set()).add(note.id))
  }
  return (note) => [...new Set(placesOf(note).flatMap((place) => [...(ids.get(place) ?? [])]))]
}

const placeOf = ({ frame, n }: Place): string => JSON.stringify([frame, n])

export class Reuse {
  readonly #byRequest = new Map<string, Array<CallRow>>()
  readonly #byPlace = new Map<string, CallRow>()
  /** Effects that began and have no outcome to take, by place. */
  readonly #unknown = new Map<string, CallRow>()
  readonly #from: string | undefined
  #isPast = false
  #waits: ReadonlyArray<WaitRow> = []
  /** The ids of the notes of the run, of which this one is a copy. */
  originals = originalsOf([])
  /** Number of model calls whose answers were reused, and of those that were made. */
  reused = 0
  made = 0

  /** Answers are reused until the run enters the step `from`, a name or a path. */
  constructor(from: string | undefined) {
    this.#from = from
  }

  /**
   * Reads what the run has recorded. The rerun has begun by then: what is redacted before is not there, and a later redaction finds
   * the rerun. `before` are the calls that an earlier execution of the rerun has reused.
   */
  readonly fill = Effect.fnUntraced(function* (
    this: Reuse,
    ledger: Pick<LedgerShape, "history" | "load">,
    runId: string,
    before: ReadonlyArray<CallRow> = []
  ): Effect.fn.Return<void, MemoryError> {
    const known = yield* ledger.load(runId)
    if (known === undefined) return
    this.originals = originalsOf(yield* notesOf(ledger, known))
    // read after the notes, so that there is no answer whose note was redacted
    const { calls = [], waits = [] } = (yield* ledger.load(runId)) ?? {}
    this.#waits = waits
    for (const call of calls) {
      if (call.kind === "effect") (isFinished(call) ? this.#byPlace : this.#unknown).set(placeOf(call), call)
      else if (anywhere.has(call.kind) && isFinished(call)) {
        const key = `${call.kind} ${call.hash}`
        this.#byRequest.set(key, [...(this.#byRequest.get(key) ?? []), call])
      }
    }
    for (const { frame, hash, kind, n } of before) if (anywhere.has(kind)) this.#find(frame, n, kind, hash)
  })

  /** Called when a completed step is skipped together with the steps inside it. */
  passOver(frame: string, known: Iterable<string>): void {
    const { isPast } = this
    if (this.#from === undefined || isPast) return
    for (const one of known) if (isWithin(frame, one) && isNamed(one, this.#from)) this.#isPast = true
  }

  /** Called when a step is entered. */
  enter(frame: string): void {
    if (this.#from !== undefined && isNamed(frame, this.#from)) this.#isPast = true
  }

  /** Whether the run has entered the step `from`. */
  get isPast(): boolean {
    return this.#isPast
  }

  /**
   * What was recorded for an equal request. Answers to equal requests are taken in turn. Effects are those of the
   * same place, on the same notes.
   */
  take(frame: string, n: number, kind: CallKind, { hash }: RequestKey): CallRow | undefined {
    const found = this.#isPast ? undefined : this.#find(frame, n, kind, hash)
    if (kind === "complete" || kind === "decide") {
      if (found === undefined) this.made++
      else this.reused++
    }
    return found
  }

  /** This effect on the same notes, if the run began it and there is no outcome to take. */
  unknown(frame: string, n: number, { hash }: RequestKey): CallRow | undefined {
    const call = this.#isPast ? undefined : this.#unknown.get(placeOf({ frame, n }))
    return call?.hash === hash ? call : undefined
  }

  /** The kind of what was recorded at a place, if it was an effect with an outcome. */
  peek(frame: string, n: number): CallKind | undefined {
    return this.#isPast ? undefined : this.#byPlace.get(placeOf({ frame, n }))?.kind
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
    const call = this.#byPlace.get(placeOf({ frame, n }))
    return call?.kind === kind && call.hash === hash ? call : undefined
  }
}
