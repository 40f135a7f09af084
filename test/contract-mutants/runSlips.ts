/** Stores with a fault in durable runs so small that one line of the contract alone finds it. */
import * as Effect from "effect/Effect"
import type { MemoryError } from "../../src/Memory.ts"
import type { Ledger, Store } from "../../src/Store.ts"
import { onLedger } from "./ledger.ts"
import type { Mutant } from "./mutants.ts"

const isLost = ({ reason }: MemoryError) => reason._tag === "LeaseLost"

/** `on conflict (scope, run_id, frame) do update set key = excluded.key where answer is null`. */
const questionsReplaced = (store: Store): Store => {
  const keys = new Map<string, string>()
  return onLedger(store, ({ load, record }) => ({
    record: (scope, rows) =>
      Effect.tap(record(scope, rows), () =>
        Effect.sync(() => {
          for (const { frame, key } of rows.waits ?? []) keys.set(`${scope} ${rows.runId} ${frame}`, key)
        })
      ),
    load: (scope, runId) =>
      Effect.map(load(scope, runId), (stored) => {
        const now = (wait: Ledger.WaitRow): Ledger.WaitRow =>
          wait.answer === undefined ? { ...wait, key: keys.get(`${scope} ${runId} ${wait.frame}`) ?? wait.key } : wait
        return stored && { ...stored, waits: stored.waits.map(now) }
      })
  }))
}

/** `where answered_at is null or answered_at > $1`. */
const earliestAnswer = (store: Store): Store =>
  onLedger(store, ({ answer }) => ({
    answer: (scope, place, given) =>
      Effect.map(answer(scope, place, given), (taken) =>
        taken !== undefined && given.millis < (taken.wait.answeredMillis ?? 0)
          ? {
              wait: { ...taken.wait, answer: given.json, answeredBy: given.by, answeredMillis: given.millis },
              first: true
            }
          : taken
      )
  }))

/** `where $1 or lease_until <= now()`. */
const ownSeized = (store: Store): Store =>
  onLedger(store, ({ claim, load }) => ({
    claim: (scope, runId, lease) =>
      Effect.gen(function* () {
        const before = (yield* load(scope, runId))?.run
        if (lease.seize && lease.epoch === undefined && before?.owner === lease.owner) {
          yield* claim(scope, runId, { ...lease, owner: `not ${lease.owner}` })
        }
        return yield* claim(scope, runId, lease)
      })
  }))

/** Nothing to write is nothing to do. */
const nothingUnfenced = (store: Store): Store =>
  onLedger(store, ({ record }) => ({
    record: (scope, rows) =>
      Object.keys(rows).some((name) => name !== "runId" && name !== "epoch")
        ? record(scope, rows)
        : Effect.catchIf(record(scope, rows), isLost, () => Effect.void)
  }))

/** `where run_id = $1 and epoch = $2`. */
const renewedInAnyScope = (store: Store): Store => {
  const scopes = new Map<string, string>()
  return onLedger(store, ({ record, renew }) => ({
    record: (scope, rows) => {
      for (const { id } of rows.begins ?? []) scopes.set(id, scope)
      return record(scope, rows)
    },
    renew: (scope, runId, epoch, lease) =>
      Effect.flatMap(renew(scope, runId, epoch, lease), (done) =>
        done ? Effect.succeed(true) : renew(scopes.get(runId) ?? scope, runId, epoch, lease)
      )
  }))
}

export const runSlipMutants: ReadonlyArray<Mutant> = [
  {
    name: "questions replaced",
    breaks: "A question that is there stays as it is: an open one gets the new key.",
    mutate: questionsReplaced
  },
  {
    name: "earliest answer",
    breaks: "The first answer counts: one of an earlier time counts instead.",
    mutate: earliestAnswer
  },
  {
    name: "own seized",
    breaks: "seize takes runs of other owners: it takes the own one again.",
    mutate: ownSeized
  },
  {
    name: "nothing unfenced",
    breaks: "record fails where the run is lost, whatever it writes: if it writes nothing, it succeeds.",
    mutate: nothingUnfenced
  },
  {
    name: "renewed in any scope",
    breaks: "renew stays in its scope: it renews a run of another one.",
    mutate: renewedInAnyScope
  }
]
