/** Rows of durable runs for tests of stores, with defaults. */
import type { Ledger } from "../../../Store.ts"

type Begin = NonNullable<Ledger.LedgerRows["begins"]>[number]
/** A question as it is written. */
export type NewWait = NonNullable<Ledger.LedgerRows["waits"]>[number]

export const hour = 3_600_000

/** Some moment. */
export const noon = 1_700_000_000_000

let made = 0

export const position = (thoughtId: string, more: Partial<Ledger.Position> = {}): Ledger.Position => ({
  thoughtId,
  seq: 0,
  version: 1,
  nextIndex: 0,
  usage: undefined,
  ...more
})

/** A run that begins, with a lease of an hour. */
export const newRun = (thoughtId: string, more: Partial<Begin> = {}): Begin => {
  const number = ++made
  return {
    id: `run ${number}`,
    seed: `seed ${number}`,
    pipeline: "triage",
    fingerprint: "f00d",
    outline: "triage\n  ticket\n  mood",
    start: position(thoughtId),
    startHash: "beef",
    fork: false,
    parent: undefined,
    keep: "nothing",
    onInterrupted: undefined,
    status: "running",
    createdMillis: noon,
    lease: { owner: "a", millis: hour },
    ...more
  }
}

/** A run that is stored and not begun. */
export const pendingRun = (thoughtId: string, more: Partial<Ledger.NewRun> = {}): Begin => {
  const { lease: _lease, ...run } = newRun(thoughtId, { status: "pending", ...more })
  return run
}

/** A run as a store returns it once it has begun. The end of its lease is the store's own. */
export const begun = (
  { lease, ...run }: Begin,
  more: Partial<Ledger.RunRow> = {}
): Omit<Ledger.RunRow, "leaseUntilMillis"> => ({
  ...run,
  owner: lease?.owner,
  epoch: lease === undefined ? 0 : 1,
  end: undefined,
  error: undefined,
  endedMillis: undefined,
  ...more
})

/** A run without the end of its lease. */
export const withoutLease = (run: Ledger.RunRow | undefined): Omit<Ledger.RunRow, "leaseUntilMillis"> | undefined => {
  if (run === undefined) return undefined
  const { leaseUntilMillis: _lease, ...rest } = run
  return rest
}

export const step = (frame: string, more: Partial<Ledger.StepRow> = {}): Ledger.StepRow => ({
  frame,
  kind: "decide",
  outcome: "running",
  position: undefined,
  error: undefined,
  startedMillis: noon,
  endedMillis: undefined,
  epoch: 1,
  ...more
})

/** A call whose outcome is not known. */
export const call = (frame: string, n: number, more: Partial<Ledger.CallRow> = {}): Ledger.CallRow => ({
  frame,
  n,
  kind: "complete",
  attempt: 1,
  hash: `hash of ${frame} ${n}`,
  parts: { question: "1234" },
  state: "begun",
  request: undefined,
  response: undefined,
  provider: undefined,
  model: undefined,
  usage: undefined,
  usd: undefined,
  startedMillis: noon,
  endedMillis: undefined,
  epoch: 1,
  ...more
})

/** The same call with an answer. */
export const answered = (frame: string, n: number, more: Partial<Ledger.CallRow> = {}): Ledger.CallRow =>
  call(frame, n, {
    state: "answered",
    attempt: 2,
    request: `{"messages":["question of ${frame} ${n}"]}`,
    response: `{"text":"answer of ${frame} ${n}"}`,
    provider: "cloud",
    model: "large",
    usage: { inputTokens: 12, outputTokens: 0 },
    usd: 0.000123,
    endedMillis: noon + 5,
    ...more
  })

/** What is left of a call once its response is no longer needed. */
export const spent = (row: Ledger.CallRow): Ledger.CallRow => ({ ...row, response: undefined, hash: "-", parts: {} })

export const wait = (runId: string, thoughtId: string, frame: string, more: Partial<NewWait> = {}): NewWait => ({
  runId,
  thoughtId,
  frame,
  key: "approval",
  prompt: "May this be refunded?",
  schema: { type: "object", properties: { approved: { type: "boolean" } } },
  bound: "cafe",
  createdMillis: noon,
  dueMillis: undefined,
  ...more
})

/** A wait as a store returns it before it is answered. */
export const open = (wait: NewWait): Ledger.WaitRow => ({
  ...wait,
  answer: undefined,
  answeredBy: undefined,
  answeredMillis: undefined
})
