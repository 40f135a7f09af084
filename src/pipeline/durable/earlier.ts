/** What earlier executions of a run have recorded, looked up by frame. */
import * as Effect from "effect/Effect"
import { isNotUndefined } from "effect/Predicate"
import type { LedgerShape } from "../../memory/model/LedgerShape.ts"
import { fail, type MemoryError } from "../../memory/model/error.ts"
import type { CallKind, CallRow, Position, StepRow, StoredRun, WaitRow } from "../../memory/model/Ledger.ts"
import type { Place } from "../../run/journal.ts"
import { quoted } from "../../text/legible.ts"
import { framesAround, isPassing, isWithin, madeAgain } from "./frame.ts"

export const unknownRun = (runId: string): Effect.Effect<never, MemoryError> =>
  fail({ _tag: "NotFound", message: `There is no run ${quoted(runId)} in this scope.` })

export const loaded = (ledger: Pick<LedgerShape, "load">, runId: string): Effect.Effect<StoredRun, MemoryError> =>
  Effect.filterOrElse(ledger.load(runId), isNotUndefined, () => unknownRun(runId))

/** Whether the outcome of a call is known, and still in the ledger. */
export const isFinished = ({ response, state }: CallRow): boolean =>
  response !== undefined && (state === "answered" || state === "failed")

/** Whether a redaction has removed what a call gave. */
export const isEmptied = ({ hash, response, state }: CallRow): boolean =>
  hash === "" && response === undefined && (state === "answered" || state === "failed")

/** A step that returned, so that what failed within it was dealt with. */
const isOver = ({ outcome }: StepRow): boolean => outcome === "completed" || outcome === "committed"

/** In the parts of a call whose answer was of no use. A failed run that is resumed asks again. */
export const unusable = "unusable"

/** An effect after a commit is not made again, however it ended. */
const isFailure = ({ kind, parts, response, state }: CallRow): boolean =>
  (state === "failed" && kind !== "once") ||
  parts[unusable] !== undefined ||
  (kind === "decision" && response?.includes('"succeeded":false') === true)

/** The calls to take. In a failed run, the calls that made it fail are left out, so that they are made again. */
const holding = ({ calls, run, steps }: StoredRun): ReadonlyArray<CallRow> => {
  if (run.status !== "failed") return calls
  const over = new Set(steps.filter(isOver).map(({ frame }) => frame))
  return calls.filter((call) => !isFailure(call) || framesAround(call.frame).some((frame) => over.has(frame)))
}

/** Whether it is an effect after a commit that has not begun, or that began and has no recorded outcome. */
const isDue = ({ kind, state }: CallRow): boolean => kind === "once" && (state === "due" || state === "begun")

/** Values that were taken from an earlier execution. */
const values = new WeakSet<object>()

/** Marks a value as taken from an earlier execution. */
export const asReplayed = <A>(value: A): A => {
  if (typeof value === "object" && value !== null) values.add(value)
  return value
}

export const isReplayed = (value: object): boolean => values.has(value)

export class Earlier {
  readonly #calls = new Map<string, Map<number, CallRow>>()
  readonly #steps: ReadonlyMap<string, StepRow>
  readonly #waits: ReadonlyMap<string, WaitRow>
  readonly #known = new Set<string>()
  /** Frames, with the number of effects inside that wait for a commit and have not been carried out. */
  readonly #due = new Map<string, number>()
  /** Calls whose responses the ledger still has. */
  readonly #kept = new Set<CallRow>()
  /** Frames with calls or notes that are made again, as a redaction has emptied them. */
  readonly #again = new Set<string>()
  readonly all: ReadonlyArray<CallRow>
  /** Calls that made a failed run fail, which are to be made again. */
  readonly outdated: ReadonlyArray<CallRow>
  readonly #recorded: ReadonlyMap<string, CallRow>

  constructor(stored: StoredRun | undefined) {
    const { steps = [], waits = [] } = stored ?? {}
    this.all = stored?.calls ?? []
    this.#recorded = new Map(this.all.map((call) => [JSON.stringify([call.frame, call.n]), call]))
    for (const call of this.all) if (call.response !== undefined) this.#kept.add(call)
    this.#steps = new Map(steps.map((step) => [step.frame, step]))
    this.#waits = new Map(waits.map((wait) => [wait.frame, wait]))
    const held = new Set(stored === undefined ? [] : holding(stored))
    this.outdated = this.all.filter((call) => !held.has(call))
    for (const call of held) {
      const known = this.#calls.get(call.frame) ?? new Map<number, CallRow>()
      this.#calls.set(call.frame, known.set(call.n, call))
      if (isDue(call)) this.#count(call.frame, 1)
      this.#know(call.frame)
    }
    for (const { frame } of [...steps, ...waits]) this.#know(frame)
  }

  #know(key: string): void {
    for (const frame of framesAround(key)) {
      if (this.#known.has(frame)) return
      this.#known.add(frame)
    }
  }

  #count(key: string, by: number): void {
    for (const frame of framesAround(key)) this.#due.set(frame, (this.#due.get(frame) ?? 0) + by)
  }

  isKnown(frame: string): boolean {
    return this.#known.has(frame)
  }

  /** Whether an effect within the frame is still due. */
  isDue(frame: string): boolean {
    return (this.#due.get(frame) ?? 0) > 0
  }

  /** The effect at this place is dealt with. */
  settle(place: Place): void {
    const call = this.call(place)
    if (call !== undefined && isDue(call)) this.#count(call.frame, -1)
  }

  /** A call or a note of the frame is made again. */
  makeAgain(frame: string): void {
    this.#again.add(frame)
  }

  /** Whether anything is made again, or was in an earlier execution. */
  get hasAgain(): boolean {
    return this.#again.size > 0 || this.#steps.has(madeAgain)
  }

  /** Whether something within the frame is made again. */
  isMadeAgain(frame: string): boolean {
    return [...this.#again].some((inner) => isWithin(frame, inner))
  }

  /** The frames of all steps. */
  get frames(): Iterable<string> {
    return this.#steps.keys()
  }

  step(frame: string): StepRow | undefined {
    return this.#steps.get(frame)
  }

  /** Places of what agents have stored on their way that have ended. */
  get passed(): ReadonlyArray<string> {
    return [...this.#steps.values()].flatMap(({ frame, kind }) => {
      const [key = ""] = frame.split("^", 1)
      const around = this.#steps.get(key)
      const isPassed = around !== undefined && isPassing(around.kind) && around.outcome === "completed"
      return kind === "commit" && isPassed ? [frame] : []
    })
  }

  get unanswered(): ReadonlyArray<WaitRow> {
    return [...this.#waits.values()].filter(({ answer }) => answer === undefined)
  }

  wait(frame: string): WaitRow | undefined {
    return this.#waits.get(frame)
  }

  call({ frame, n }: Place): CallRow | undefined {
    return this.#calls.get(frame)?.get(n)
  }

  /** What was recorded at a place, also where it no longer holds. */
  recorded({ frame, n }: Place): CallRow | undefined {
    return this.#recorded.get(JSON.stringify([frame, n]))
  }

  /** The calls within a frame whose responses the ledger still had. */
  keptIn(frame: string): ReadonlyArray<Place> {
    return [...this.#kept].filter((call) => isWithin(frame, call.frame))
  }

  /** The same, each call once. */
  takeKept(frame: string): ReadonlyArray<Place> {
    const found = [...this.#kept].filter((call) => isWithin(frame, call.frame))
    for (const call of found) this.#kept.delete(call)
    return found
  }

  /** Takes an answered call of this kind and hash, whatever its number. */
  take(frame: string, kind: CallKind, hash: string): CallRow | undefined {
    const known = this.#calls.get(frame)
    for (const [n, call] of known ?? []) {
      if (call.kind !== kind || call.hash !== hash || call.response === undefined) continue
      known?.delete(n)
      return call
    }
    return undefined
  }

  /** The number after those of all calls of a frame. */
  next(frame: string): number {
    return Math.max(-1, ...(this.#calls.get(frame)?.keys() ?? [])) + 1
  }
}

/** The position at which a run began: for a run on a fork, that of the fork. */
export const firstOf = ({ run, steps }: StoredRun): Position =>
  steps.find(({ frame }) => frame === "^0")?.position ?? run.start

/** The last position that a run has stored. Thoughts of tools, within the frame of an agent that has stored another one, are not its own. */
export const lastOf = ({ run, steps }: StoredRun): Position => {
  if (run.end !== undefined) return run.end
  const stored = new Map<string, string>()
  for (const { frame, position } of steps) {
    const [key = "", commit] = frame.split("^")
    if (commit !== undefined && key !== "" && position !== undefined) stored.set(key, position.thoughtId)
  }
  const isApart = (frame: string, { thoughtId }: Position): boolean =>
    framesAround(frame)
      .slice(1)
      .some((outer) => (stored.get(outer) ?? thoughtId) !== thoughtId)
  return steps.reduce(
    (last, { frame, position }) =>
      position !== undefined && position.version > last.version && !isApart(frame, position) ? position : last,
    run.start
  )
}
