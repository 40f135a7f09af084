/** The durable runs of the in-memory store. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Ledger } from "../model/Ledger.ts"
import type { RunState, Tenant } from "./Row.ts"
import { byAge, byStart, isOpen, matches, newestFirst, sketchOf } from "./runLists.ts"
import { checked, checkStarts, enter } from "./runRows.ts"

export const ledger = (tenants: Map<string, Tenant>, tenantOf: (scope: string) => Tenant): Ledger => {
  const runsOf = (scope: string) => tenants.get(scope)?.runs ?? new Map<string, RunState>()
  return {
    exclusive: true,
    record: (scope, rows) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const tenant = tenants.get(scope)
        return Effect.fromResult(
          Result.flatMap(checked(tenant, rows), (own) =>
            Result.map(checkStarts(tenant, rows), () => {
              if (own === "held") enter(tenantOf(scope), rows, now)
            })
          )
        )
      }),
    claim: (scope, runId, { epoch, millis, owner, seize }) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const state = runsOf(scope).get(runId)
        if (state === undefined) return undefined
        const { run } = state
        const held = run.status === "running" && (run.leaseUntilMillis ?? 0) > now && !(seize && run.owner !== owner)
        const passed = epoch !== undefined && run.epoch !== epoch
        if (held || passed || run.status === "completed") return { run, claimed: false }
        state.muted = false
        state.run = {
          ...run,
          status: "running",
          owner,
          epoch: run.epoch + 1,
          leaseUntilMillis: now + millis,
          end: undefined,
          error: undefined,
          endedMillis: undefined
        }
        return { run: { ...state.run, status: run.status }, claimed: true }
      }),
    renew: (scope, runId, epoch, { millis }) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const state = runsOf(scope).get(runId)
        if (state?.run.epoch !== epoch || state.run.status !== "running") return false
        state.run = { ...state.run, leaseUntilMillis: now + millis }
        return true
      }),
    load: (scope, runId) =>
      Effect.sync(() => {
        const state = runsOf(scope).get(runId)
        if (state === undefined) return undefined
        const { calls, run, steps, waits } = state
        return {
          run,
          steps: [...steps.values()].toSorted(byStart),
          calls: [...calls.values()].toSorted(byStart),
          waits: [...waits.values()].toSorted(byAge)
        }
      }),
    sketches: (scope, runIds) =>
      Effect.sync(() => {
        const runs = runsOf(scope)
        return runIds.flatMap((id) => {
          const state = runs.get(id)
          return state === undefined ? [] : [sketchOf(state)]
        })
      }),
    runs: (scope, query) =>
      Effect.sync(() =>
        [...runsOf(scope).values()]
          .filter(matches(query))
          .map(({ run }) => run)
          .toSorted(newestFirst)
          .slice(0, query.limit)
      ),
    waits: (scope, { limit, runId }) =>
      Effect.sync(() =>
        [...runsOf(scope).values()]
          .filter(({ run }) => run.status !== "completed" && (runId === undefined || run.id === runId))
          .flatMap((state) => [...state.waits.values()].filter((wait) => isOpen(state, wait)))
          .toSorted(byAge)
          .slice(0, limit)
      ),
    answer: (scope, { frame, runId }, { by, json, millis }) =>
      Effect.sync(() => {
        const waits = runsOf(scope).get(runId)?.waits
        const wait = waits?.get(frame)
        if (waits === undefined || wait === undefined) return undefined
        if (wait.answer !== undefined) return { wait, first: false }
        const answered = { ...wait, answer: json, answeredBy: by, answeredMillis: millis }
        waits.set(frame, answered)
        return { wait: answered, first: true }
      }),
    remove: (scope, runId) =>
      Effect.sync(() => {
        const runs = runsOf(scope)
        const status = runs.get(runId)?.run.status
        return status !== undefined && status !== "running" && status !== "pending" && runs.delete(runId)
      })
  }
}
