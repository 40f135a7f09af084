import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { taking } from "../arguments/taking.ts"
import { emit } from "../run/run.ts"
import { now } from "./now.ts"
import { time, whole } from "../arguments/checked.ts"

/**
 * When a circuit opens and closes.
 *
 * @category models
 */
export interface CircuitOptions {
  /** The circuit opens after this many failures in a row: at least 1. Default: 5. */
  readonly failures?: number
  /** How long the circuit stays open before a run may try again: positive. Default: 60 seconds. */
  readonly reset?: Duration.Input
  /** The circuit closes after this many successful tries in a row: at least 1. Default: 1. */
  readonly successes?: number
}

/**
 * A closed circuit lets every run pass, an open one none, and a half-open one a single run at a time.
 *
 * @category models
 */
export type CircuitState = "closed" | "open" | "half-open"

/**
 * A circuit that several steps, or several provider layers, share.
 *
 * @category models
 */
export interface CircuitBreaker {
  /** For the library only. */
  readonly [BreakerId]: Circuit
  /** The state that the next run would find: an open circuit whose `reset` time is over is half-open. */
  readonly state: Effect.Effect<CircuitState>
  /** Closes the circuit and forgets the failures. The outcomes of runs that have already begun are ignored. */
  readonly reset: Effect.Effect<void>
  /**
   * Changes some or all options while the circuit is in use.
   *
   * State and counts stay. New counts apply when the next run ends; a new `reset` also applies to a circuit that is
   * already open. Invalid options are a defect and change nothing.
   */
  readonly configure: (options: CircuitOptions) => Effect.Effect<void>
}

export const BreakerId = "~cogito/CircuitBreaker"

/**
 * A step did not run because it has failed too often recently.
 *
 * **Details**
 *
 * `step` is the name of the step. `retryAfter` is how long the circuit stays open. It is undefined while another run is
 * testing whether the step works again.
 *
 * @category errors
 */
export class CircuitOpen extends Schema.TaggedError<CircuitOpen>()("CircuitOpen", {
  step: Schema.String,
  retryAfter: Schema.optionalKey(Schema.Duration)
}) {
  override get message(): string {
    return `${this.step} was not run: ${whyOpen("run", this.retryAfter)}. Try again later, or use an alternative, for example with Step.recover.`
  }
  get isRetryable(): boolean {
    return true
  }
}

/** The reason why an open circuit lets nothing pass. */
export const whyOpen = (what: string, retryAfter: Duration.Duration | undefined): string =>
  retryAfter === undefined
    ? `another ${what} is testing whether it works again`
    : `it failed too often, and the circuit stays open for ${Duration.format(retryAfter)}`

/**
 * Makes a circuit breaker that steps or provider layers can share, and that can be inspected, reset and configured.
 *
 * **Details**
 *
 * It is one circuit, closed at first. Pass it as `breaker` to `Step.circuitBreaker` or `Provider.circuitBreaker`, which
 * define what counts as a failure. Throws if an option is out of range.
 *
 * **Example** (Steps that share one circuit)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { CircuitBreaker, Pipeline, Primitive, Step } from "cogito"
 *
 * const breaker = CircuitBreaker.make({ failures: 3, reset: "30 seconds" })
 * const spam = Primitive.decide("spam", { question: "Is this spam?" }).pipe(Step.circuitBreaker({ breaker }))
 * const urgent = Primitive.decide("urgent", { question: "Is this urgent?" }).pipe(Step.circuitBreaker({ breaker }))
 * const both = Pipeline.sequence("both", [spam, urgent])
 *
 * assert.deepEqual(both.node.writes, ["spam", "urgent"])
 * assert.equal(await Effect.runPromise(breaker.state), "closed")
 * ```
 *
 * @category constructors
 */
export const make = taking("CircuitBreaker.make", {
  options: 0,
  known: ["failures", "reset", "successes"],
  optional: true
})((options: CircuitOptions = {}): CircuitBreaker => breakerOf("A circuit breaker", options))

/** Makes a circuit breaker. `owner` is the step or value named in messages. */
export const breakerOf = (owner: string, options: CircuitOptions): CircuitBreaker => {
  const circuit = new Circuit(owner, options)
  return {
    [BreakerId]: circuit,
    state: Effect.map(now, (at) => circuit.stateAt(at)),
    reset: Effect.suspend(() =>
      circuit.close() ? emit(undefined, { _tag: "CircuitChanged", state: "closed" }) : Effect.void
    ),
    configure: (changes) => Effect.sync(() => circuit.configure(changes))
  }
}

/** The verdict on a run: `neither` if the outcome does not show whether the step works. */
export type Verdict = "success" | "failure" | "neither"

/** A run that may begin: `begun` signals a change of state, `end` takes the outcome. */
interface Entered {
  readonly begun: Effect.Effect<void>
  readonly end: (judge: () => Verdict) => Effect.Effect<void>
}

/** How long the circuit stays open, if known. */
interface Refused {
  readonly retryAfter: Duration.Duration | undefined
}

/**
 * Lets a run begin: returns the effects for its beginning and its end, which also signal changes of state. If the run may
 * not begin, returns how long the circuit stays open, if that is known.
 */
export const enter = (
  { [BreakerId]: circuit }: CircuitBreaker,
  signal: (state: CircuitState) => Effect.Effect<void>
): Effect.Effect<Entered | Refused> =>
  Effect.map(now, (at) => {
    const entered = circuit.enter(at)
    if (!("generation" in entered)) {
      return { retryAfter: entered.left === undefined ? undefined : Duration.millis(entered.left) }
    }
    return {
      begun: entered.changed ? signal("half-open") : Effect.void,
      end: (judge) => {
        let verdict: Verdict = "neither"
        return Effect.ensuring(
          Effect.sync(() => {
            verdict = judge()
          }),
          // the place is released even if `judge` throws
          Effect.flatMap(now, (at) => {
            const state = circuit.leave(entered.generation, verdict, at)
            return state === undefined ? Effect.void : signal(state)
          })
        )
      }
    }
  })

type State =
  | { readonly _tag: "closed"; readonly failures: number }
  | { readonly _tag: "open"; readonly since: number }
  | { readonly _tag: "half-open"; readonly successes: number; readonly trying: boolean }

const closed: State = { _tag: "closed", failures: 0 }

/** The state machine. Every change starts a generation; outcomes of runs from earlier generations are ignored. */
class Circuit {
  readonly #owner: string
  #options: Checked
  #state: State = closed
  #generation = 0

  constructor(owner: string, options: CircuitOptions) {
    this.#owner = owner
    this.#options = checked(owner, { failures: 5, reset: 60_000, successes: 1 }, options)
  }

  /** The options with defaults applied. */
  get settings(): Checked {
    return this.#options
  }

  configure(changes: CircuitOptions): void {
    this.#options = checked(this.#owner, this.#options, changes)
  }

  stateAt(at: number): CircuitState {
    return this.#state._tag === "open" && this.#left(this.#state.since, at) === 0 ? "half-open" : this.#state._tag
  }

  /** Lets a run begin, or returns how long the circuit stays open, if known. */
  enter(
    at: number
  ): { readonly generation: number; readonly changed: boolean } | { readonly left: number | undefined } {
    let changed = false
    if (this.#state._tag === "open") {
      const left = this.#left(this.#state.since, at)
      if (left > 0) return { left }
      this.#change({ _tag: "half-open", successes: 0, trying: false })
      changed = true
    }
    if (this.#state._tag === "half-open") {
      if (this.#state.trying) return { left: undefined }
      this.#state = { ...this.#state, trying: true }
    }
    return { generation: this.#generation, changed }
  }

  /** Records the outcome of a run. Returns the new state if it has changed. */
  leave(generation: number, verdict: Verdict, at: number): CircuitState | undefined {
    const state = this.#state
    if (generation !== this.#generation || state._tag === "open") return undefined
    if (state._tag === "closed") {
      if (verdict === "neither") return undefined
      const failures = verdict === "failure" ? state.failures + 1 : 0
      if (failures >= this.#options.failures) return this.#change({ _tag: "open", since: at })
      this.#state = { _tag: "closed", failures }
      return undefined
    }
    if (verdict === "failure") return this.#change({ _tag: "open", since: at })
    const successes = state.successes + (verdict === "success" ? 1 : 0)
    if (successes >= this.#options.successes) return this.#change(closed)
    this.#state = { _tag: "half-open", successes, trying: false }
    return undefined
  }

  /** Closes the circuit. Returns whether it was not closed before. */
  close(): boolean {
    const changed = this.#state._tag !== "closed"
    this.#change(closed)
    return changed
  }

  #change(state: State): CircuitState {
    this.#state = state
    this.#generation += 1
    return state._tag
  }

  #left(since: number, at: number): number {
    return Math.max(0, since + this.#options.reset - at)
  }
}

interface Checked {
  readonly failures: number
  /** In milliseconds. */
  readonly reset: number
  readonly successes: number
}

const checked = (owner: string, before: Checked, options: CircuitOptions): Checked => {
  const { failures = before.failures, successes = before.successes } = options
  return {
    failures: whole(owner, "failures", 1, failures),
    reset: options.reset === undefined ? before.reset : time(owner, "reset", options.reset, { endless: true }),
    successes: whole(owner, "successes", 1, successes)
  }
}
