/** The accounts of budgets: spent amounts, reservations and waiting calls. Every change is synchronous. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { now } from "../now.ts"
import { Executions } from "./Executions.ts"
import type { CallEnd, Meter } from "./meter.ts"

/** The amounts that a budget can limit. */
export type Limit = "calls" | "tokens" | "usd" | "time"

/** Limits, `Infinity` for none. Money is in whole billionths of a dollar, so that sums are exact. */
export interface Limits {
  readonly calls: number
  readonly tokens: number
  readonly nanos: number
  readonly millis: number
}

export interface Totals {
  calls: number
  tokens: number
  nanos: number
}

/** The most that one call may need. */
export interface Demand {
  /** Input tokens, at most. */
  readonly input: number
  /** Output tokens, at most. With less room, the call gets fewer, but never fewer than `least`. */
  readonly output: number
  readonly least: number
  /** The highest cost of the input and that many output tokens; undefined without prices. */
  readonly nanos: ((output: number) => number) | undefined
}

/** There is no room for a call, and waiting would not help. */
export interface Short {
  readonly _tag: "Short"
  readonly account: Account
  readonly limit: Limit
}

/** These accounts may have room later, or have room that belongs to earlier calls. */
interface Wait {
  readonly _tag: "Wait"
  readonly accounts: ReadonlyArray<Account>
  /** An account with too little room for now; undefined if the call only waits behind earlier ones. */
  readonly scarce: Short | undefined
}

/** A waiting call, in order of arrival. It is nudged when it must check again. */
class Waiter {
  static #arrivals = 0
  readonly arrival = ++Waiter.#arrivals
  /** The accounts whose queues it is in. */
  readonly at = new Set<Account>()
  nudged = Deferred.makeUnsafe<void>()
}

/** The account of one budget. */
export class Account {
  readonly name: string
  /** Whether calls wait for running calls to release room. */
  readonly waits: boolean
  limits: Limits
  readonly spent: Totals = { calls: 0, tokens: 0, nanos: 0 }
  readonly reserved: Totals = { calls: 0, tokens: 0, nanos: 0 }
  readonly #waiters = new Set<Waiter>()
  /** How many calls have ended. */
  ended = 0
  /** The executions of durable runs whose calls it counts. */
  readonly seen = new Executions()
  /** The arrival of the youngest call that has ever waited. */
  #youngest = 0
  #began: number | undefined

  constructor(name: string, limits: Limits, waits: boolean) {
    this.name = name
    this.limits = limits
    this.waits = waits
  }

  /** Starts the time, unless it has started. */
  begin(at: number): void {
    this.#began ??= at
  }

  elapsed(at: number): number {
    return this.#began === undefined ? 0 : at - this.#began
  }

  left(what: keyof Totals): number {
    return this.limits[what] - this.spent[what] - this.reserved[what]
  }

  /** Whether it limits the usage of a call, and not only the number or time of calls. */
  get measures(): boolean {
    return this.limits.tokens < Infinity || this.limits.nanos < Infinity
  }

  /** Whether it has no reservation and no waiting call. */
  get idle(): boolean {
    return this.reserved.calls === 0 && this.#waiters.size === 0
  }

  /** Forgets what was spent; reservations stay. */
  reset(): void {
    Object.assign(this.spent, { calls: 0, tokens: 0, nanos: 0 })
    this.#began = undefined
    this.nudge()
  }

  /** Raises the limits; `Infinity` leaves a limit as it is. */
  raise(more: Limits): void {
    const plus = (what: keyof Limits) => (more[what] === Infinity ? this.limits[what] : this.limits[what] + more[what])
    this.limits = { calls: plus("calls"), tokens: plus("tokens"), nanos: plus("nanos"), millis: plus("millis") }
    this.nudge()
  }

  /** How many output tokens fit beside the `held` amounts. Negative if not even the input fits. */
  room({ input, nanos, output }: Demand, held: Totals): number {
    const tokens = Math.min(output, Math.floor(this.limits.tokens - this.spent.tokens - held.tokens - input))
    const money = this.limits.nanos - this.spent.nanos - held.nanos
    if (nanos === undefined || money === Infinity || tokens < 0 || nanos(tokens) <= money) return tokens
    let [fits, over] = [-1, tokens]
    while (over - fits > 1) {
      const middle = Math.floor((fits + over) / 2)
      if (nanos(middle) <= money) fits = middle
      else over = middle
    }
    return fits
  }

  /** Whether tokens or money are too scarce for the call. */
  shortOf({ input, least }: Demand, held: Totals): Limit {
    return this.limits.tokens - this.spent.tokens - held.tokens < input + least ? "tokens" : "usd"
  }

  /** Whether an earlier call is waiting here. */
  isBefore(waiter: Waiter): boolean {
    const [first] = this.#waiters
    return first !== undefined && first.arrival < waiter.arrival
  }

  /** Adds a call to the queue, in order of arrival. */
  join(waiter: Waiter): void {
    const isLast = waiter.arrival > this.#youngest
    const younger = isLast ? [] : [...this.#waiters].filter((other) => other.arrival > waiter.arrival)
    for (const other of younger) this.#waiters.delete(other)
    for (const other of [waiter, ...younger]) this.#waiters.add(other)
    this.#youngest = Math.max(this.#youngest, waiter.arrival)
    waiter.at.add(this)
  }

  leave(waiter: Waiter): void {
    waiter.at.delete(this)
    if (this.#waiters.delete(waiter)) this.nudge()
  }

  /** Lets the call that has waited longest check again. */
  nudge(): void {
    const [first] = this.#waiters
    if (first !== undefined) Deferred.doneUnsafe(first.nudged, Effect.void)
  }
}

/** A reservation for one call, made in all accounts at once. */
export class Reservation {
  readonly _tag = "Reservation"
  readonly accounts: ReadonlyArray<Account>
  readonly input: number
  /** The number of output tokens that the call may use. */
  readonly output: number
  readonly nanos: number
  /** The account that shortened the output, and by which limit. */
  readonly tight: Omit<Short, "_tag"> | undefined
  /** Counts the call when it is booked. */
  made: { calls: number } | undefined
  /** Told how the call has ended. */
  meters: ReadonlyArray<Meter> = []
  #open = true

  constructor(accounts: ReadonlyArray<Account>, demand: Demand, output: number, at: number) {
    this.accounts = accounts
    this.input = demand.input
    this.output = output
    this.nanos = demand.nanos?.(output) ?? 0
    const tight =
      output < demand.output ? accounts.find((account) => account.room(demand, account.reserved) <= output) : undefined
    // the limit that one more token would exceed
    const more = { ...demand, least: output + 1 }
    this.tight = tight && { account: tight, limit: tight.shortOf(more, tight.reserved) }
    for (const account of accounts) {
      account.begin(at)
      this.#hold(account, 1)
    }
  }

  /** Books the usage of the call and releases the rest. */
  settle(tokens: number, nanos: number, end: CallEnd): void {
    if (this.#open) {
      if (this.made !== undefined) this.made.calls++
      for (const meter of this.meters) meter.add(end)
    }
    this.#close((account) => {
      account.spent.calls += 1
      account.spent.tokens += tokens
      account.spent.nanos += nanos
    })
  }

  /** Releases everything, including the call itself. */
  cancel(): void {
    this.#close(() => {})
  }

  #close(book: (account: Account) => void): void {
    if (!this.#open) return
    this.#open = false
    for (const account of this.accounts) {
      this.#hold(account, -1)
      account.ended += 1
      book(account)
    }
    for (const account of this.accounts) account.nudge()
  }

  #hold({ reserved }: Account, sign: 1 | -1): void {
    reserved.calls += sign
    reserved.tokens += sign * (this.input + this.output)
    reserved.nanos += sign * this.nanos
  }
}

const nothing: Totals = { calls: 0, tokens: 0, nanos: 0 }

const short = (account: Account, limit: Limit): Short => ({ _tag: "Short", account, limit })

/** Reserves in all accounts or in none. Asks to wait where room may be released later or earlier calls come first. */
const attempt = (
  accounts: ReadonlyArray<Account>,
  demand: Demand,
  waiter: Waiter,
  at: number
): Reservation | Short | Wait => {
  for (const account of accounts) {
    if (account.elapsed(at) >= account.limits.millis) return short(account, "time")
    if (account.left("calls") < 1) return short(account, "calls")
  }
  let most = demand.output
  for (const account of accounts) {
    const room = account.room(demand, nothing)
    if (room < demand.least) return short(account, account.shortOf(demand, nothing))
    most = Math.min(most, room)
  }
  const rooms = accounts.map((account) => ({ account, room: account.room(demand, account.reserved) }))
  const scarce = rooms.filter(({ room }) => room < most).map(({ account }) => account)
  const behind = accounts.filter((account) => account.isBefore(waiter))
  if (scarce.length + behind.length === 0) return new Reservation(accounts, demand, most, at)
  // there is no room for all that the call wants, though there may be some
  const shorts = scarce.map((account) => short(account, account.shortOf({ ...demand, least: most }, account.reserved)))
  const impatient = shorts.find(({ account }) => !account.waits)
  if (impatient === undefined) {
    return { _tag: "Wait", accounts: [...new Set([...scarce, ...behind])], scarce: shorts[0] }
  }
  const free = Math.min(...rooms.map(({ room }) => room))
  return free < demand.least || behind.length > 0 ? impatient : new Reservation(accounts, demand, free, at)
}

/** The longest delay of a timer, in milliseconds. */
export const longestTimer = 2 ** 31 - 1

/** How long to wait while no call ends, in milliseconds: the running calls may be waiting themselves. */
const patience = 600_000

/**
 * Reserves room for one call in all accounts, in the order of arrival. Returns which limit is short if the call cannot fit,
 * may not wait, or no call has ended for 10 minutes. Calls never deadlock. An interruption leaves nothing reserved. Must
 * run uninterruptibly; `restore` makes the waits interruptible.
 */
export const reserve = (
  accounts: ReadonlyArray<Account>,
  demand: Demand,
  restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>,
  throttled: Effect.Effect<void>
): Effect.Effect<Reservation | Short> =>
  Effect.suspend(() => {
    const waiter = new Waiter()
    const looking = Effect.gen(function* () {
      let [ended, since] = [-1, 0]
      for (let isFirst = true; ; isFirst = false) {
        const at = yield* now
        const sum = accounts.reduce((total, account) => total + account.ended, 0)
        if (sum !== ended) [ended, since] = [sum, at]
        waiter.nudged = Deferred.makeUnsafe()
        const outcome = attempt(accounts, demand, waiter, at)
        if (outcome._tag !== "Wait") return outcome
        const { scarce } = outcome
        const left = scarce === undefined ? Infinity : since + patience - at
        if (scarce !== undefined && left <= 0) return scarce
        for (const account of waiter.at) if (!outcome.accounts.includes(account)) account.leave(waiter)
        for (const account of outcome.accounts) if (!waiter.at.has(account)) account.join(waiter)
        if (isFirst) yield* restore(throttled)
        const millis = Math.min(left, ...accounts.map((account) => account.limits.millis - account.elapsed(at)))
        // a nudged call runs immediately: without the yield, waiting calls would be admitted recursively
        const nudged = Effect.andThen(Deferred.await(waiter.nudged), Effect.yieldNow)
        yield* restore(millis > longestTimer ? nudged : Effect.timeoutOption(nudged, millis))
      }
    })
    return Effect.ensuring(
      looking,
      Effect.sync(() => {
        for (const account of waiter.at) account.leave(waiter)
      })
    )
  })
