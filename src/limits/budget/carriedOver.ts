/** Counts in budgets what earlier executions of a durable run have used. */
import * as Effect from "effect/Effect"
import type { CallRow } from "../../memory/model/Ledger.ts"
import type { Journal } from "../../run/journal.ts"
import { perDollar } from "./accounts.ts"
import { place, type Source } from "./inForce.ts"
import type { Account } from "./reservation.ts"

const isCall = ({ kind }: CallRow): boolean => kind === "complete" || kind === "decide"

const add = ({ spent }: Account, { attempt, usage = {}, usd = 0 }: CallRow): void => {
  spent.calls += attempt
  spent.tokens += (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0)
  spent.nanos += Math.round(usd * perDollar)
}

/**
 * Counts the calls within a frame in the budgets. An account does not count calls of an execution that was made under it, nor
 * calls that it has carried over before, as for a step around this one. Calls whose process ended before their answers count with
 * the most that they can have used.
 *
 * `all` are the budgets that may be concerned, `of` those in which a call counts. Default: all of them.
 */
export const carryOver = (
  { callsWithin, epoch, holders, runId }: Pick<Journal, "callsWithin" | "epoch" | "holders" | "runId">,
  frame: string,
  all: ReadonlyArray<Source>,
  of: (call: CallRow) => ReadonlyArray<Source> = () => all
): Effect.Effect<void> =>
  all.length === 0
    ? Effect.void
    : Effect.map(place, (where) => {
        const calls = callsWithin(frame).filter(isCall)
        const accountsOf = (sources: ReadonlyArray<Source>) => new Set(sources.map((source) => source(where)))
        const carried = new Map(Array.from(accountsOf(all), (account) => [account, new Array<CallRow>()]))
        for (const call of calls) {
          for (const account of accountsOf(of(call))) {
            if (!account.seen.has(runId, call)) carried.get(account)?.push(call)
          }
        }
        for (const [account, unseen] of carried) {
          for (const call of unseen) add(account, call)
          account.seen.add(runId, epoch, unseen)
          holders.add(account.seen)
        }
      })
