/** Accounts made from options: one for everything, or one for each thought or scope. */
import * as Chunk from "effect/Chunk"
import * as Option from "effect/Option"
import { quoted } from "../../text/legible.ts"
import { stateOf } from "../../thought/state.ts"
import type { Thought } from "../../thought/model.ts"
import type { BudgetLimits, BudgetOptions, SharedBudgetOptions } from "./limits.ts"
import { time, whole } from "../../arguments/checked.ts"
import type { Place, Source } from "./inForce.ts"
import { Account, type Limits } from "./reservation.ts"

export const defaultName = "budget"
/** Accounts are kept in billionths of a dollar. */
export const perDollar = 1e9

/** Limits as numbers, `Infinity` for an omitted one. Throws if all are omitted, or one is out of range. */
export const limitsOf = (owner: string, { calls, time: duration, tokens, usd }: BudgetLimits): Limits => {
  if ([calls, tokens, usd, duration].every((limit) => limit === undefined)) {
    throw new Error(`${owner} needs at least one of calls, tokens, usd and time.`)
  }
  if (usd !== undefined && !(Number.isFinite(usd) && usd >= 0)) {
    throw new Error(`${owner} needs a finite number of dollars from 0 as usd, not ${quoted(usd)}.`)
  }
  return {
    calls: calls === undefined ? Infinity : whole(owner, "calls", 0, calls),
    tokens: tokens === undefined ? Infinity : whole(owner, "tokens", 0, tokens),
    // anything below a thousandth of a billionth is a rounding error
    nanos: usd === undefined ? Infinity : Math.floor(Math.round(usd * perDollar * 1e3) / 1e3),
    millis: duration === undefined ? Infinity : time(owner, "time", duration)
  }
}

/** Returns a function that opens accounts with these options. */
export const accountOf = (owner: string, options: BudgetOptions): (() => Account) => {
  const { name = defaultName, onShort = "wait" } = options
  if (typeof name !== "string" || name === "") throw new Error(`${owner} needs a non-empty string as name.`)
  // JavaScript callers may pass any value
  const isKnown: boolean = onShort === "wait" || onShort === "fail"
  if (!isKnown) throw new Error(`${owner} needs "wait" or "fail" as onShort, not ${quoted(onShort)}.`)
  const limits = limitsOf(owner, options)
  return () => new Account(name, limits, onShort === "wait")
}

export const sourceOf = (owner: string, options: SharedBudgetOptions): Source => {
  const { per, remember = 10_000 } = options
  const open = accountOf(owner, options)
  const most = whole(owner, "remember", 1, remember)
  if (per === undefined) {
    const account = open()
    return () => account
  }
  const keyOf = keys[per]
  if (keyOf === undefined) throw new Error(`${owner} needs "thought" or "scope" as per, not ${quoted(per)}.`)
  const accounts = new Map<string | undefined, Account>()
  return (place) => {
    const key = keyOf(place)
    const account = accounts.get(key) ?? open()
    // the least recently used account comes first
    accounts.delete(key)
    accounts.set(key, account)
    if (accounts.size > most) forgetOne(accounts, account)
    return account
  }
}

const keys: Readonly<Record<string, (place: Place) => string | undefined>> = {
  thought: ({ thought }) => thought && originOf(thought),
  scope: ({ scope }) => scope
}

/** The thought at the root of the forks: the one in which the first note was written. */
const originOf = (thought: Thought<any>): string => {
  const first = Chunk.head(stateOf(thought).log)
  return Option.isSome(first) ? first.value.thoughtId : (thought.parent?.id ?? thought.id)
}

/** Removes the least recently used account that has no reservation and no waiting call. */
const forgetOne = (accounts: Map<string | undefined, Account>, except: Account): void => {
  for (const [key, account] of accounts) {
    if (account !== except && account.idle) {
      accounts.delete(key)
      return
    }
  }
}
