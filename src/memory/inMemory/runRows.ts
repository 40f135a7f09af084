/** Writing rows of durable runs. */
import * as Result from "effect/Result"
import type { CallRow, Lease, LedgerRows, NewRun } from "../model/Ledger.ts"
import { type MemoryError, notStored } from "../model/error.ts"
import { isPlace, namedIn } from "../model/named.ts"
import { spent } from "../model/spent.ts"
import { type Refused, refusalOf, type Standing, standingOf } from "../model/standing.ts"
import type { RunState, Tenant } from "./Row.ts"

const callKey = ({ frame, n }: { readonly frame: string; readonly n: number }): string => JSON.stringify([frame, n])

const begun = ({ lease, ...run }: NewRun & { readonly lease?: Lease }, epoch: number, now: number): RunState => ({
  run: {
    ...run,
    owner: lease?.owner,
    epoch,
    leaseUntilMillis: lease && now + lease.millis,
    end: undefined,
    error: undefined,
    endedMillis: undefined
  },
  muted: false,
  steps: new Map(),
  calls: new Map(),
  waits: new Map()
})

/** Whether the rows must be written, are already stored, or must be refused. */
export const checked = (
  tenant: Tenant | undefined,
  rows: LedgerRows
): Result.Result<Exclude<Standing, Refused>, MemoryError> => {
  const standing = standingOf(rows, (id) => tenant?.runs.get(id)?.run)
  return standing === "lost" || standing === "taken" ? Result.fail(refusalOf(standing, rows)) : Result.succeed(standing)
}

/** Fails if a run is to begin on a thought that is not stored. */
export const checkStarts = (
  tenant: Tenant | undefined,
  { begins = [] }: LedgerRows,
  isStored = (thoughtId: string) => tenant?.rows.has(thoughtId) === true
): Result.Result<void, MemoryError> => {
  if (begins.every(({ id, start }) => tenant?.runs.has(id) === true || isStored(start.thoughtId))) return Result.void
  return Result.fail(notStored())
}

/** The fields that may repeat notes. */
export const textsOf = ({ request = "", response = "" }: CallRow): string => `${request} ${response}`

export const withoutTexts = (call: CallRow): CallRow => ({
  ...call,
  hash: "",
  parts: {},
  request: undefined,
  response: isPlace(call) ? call.response : undefined
})

export const unanswered = { answer: undefined, answeredBy: undefined, answeredMillis: undefined }

/** Writes the rows of a run that is held. */
export const enter = (tenant: Tenant, rows: LedgerRows, now: number): void => {
  for (const one of rows.begins ?? []) {
    const epoch = one.id === rows.runId ? rows.epoch : one.lease === undefined ? 0 : 1
    if (!tenant.runs.has(one.id)) tenant.runs.set(one.id, begun(one, epoch, now))
  }
  const state = tenant.runs.get(rows.runId)
  if (state === undefined) return
  const stepped = new Set(rows.steps?.map(({ frame }) => frame))
  for (const frame of rows.passes ?? []) {
    if (!stepped.has(frame) && state.steps.get(frame)?.kind === "commit") state.steps.delete(frame)
  }
  for (const step of rows.steps ?? []) {
    const { startedMillis = step.startedMillis } = state.steps.get(step.frame) ?? {}
    state.steps.set(step.frame, { ...step, startedMillis })
  }
  for (const call of rows.calls ?? []) {
    const isKept = !state.muted && !namedIn(textsOf(call)).some((id) => tenant.redacted.has(id))
    state.calls.set(callKey(call), isKept ? call : withoutTexts(call))
  }
  const asked = new Set<string>()
  for (const wait of rows.waits ?? []) {
    if (asked.has(wait.frame)) continue
    asked.add(wait.frame)
    const prompt = state.muted ? "" : wait.prompt
    const known = state.waits.get(wait.frame)
    if (known === undefined) state.waits.set(wait.frame, { ...wait, ...unanswered, prompt })
    else if (known.prompt === "" && known.answer === undefined) {
      const { createdMillis, dueMillis } = known
      state.waits.set(wait.frame, { ...wait, ...unanswered, prompt, createdMillis, dueMillis })
    }
  }
  for (const drop of rows.drops ?? []) {
    const call = state.calls.get(callKey(drop))
    if (call !== undefined) state.calls.set(callKey(drop), spent(call))
  }
  if (rows.ends !== undefined) state.run = { ...state.run, ...rows.ends, leaseUntilMillis: undefined }
}
