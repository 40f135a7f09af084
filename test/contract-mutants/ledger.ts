/** Stores whose durable runs have one fault each. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { MemoryError } from "../../src/Memory.ts"
import type { Ledger, Store } from "../../src/Store.ts"
import type { Mutant } from "./mutants.ts"

type Runs = Store["ledger"]

/** The store with some operations of its runs changed. */
export const onLedger = (store: Store, change: (ledger: Runs) => Partial<Runs>): Store => ({
  ...store,
  ledger: { ...store.ledger, ...change(store.ledger) }
})

/** The store with what it loads of a run changed. */
const onRun = (store: Store, change: (stored: Ledger.StoredRun, scope: string) => Ledger.StoredRun): Store =>
  onLedger(store, ({ load }) => ({
    load: (scope, runId) => Effect.map(load(scope, runId), (stored) => stored && change(stored, scope))
  }))

const isLost = ({ reason }: MemoryError) => reason._tag === "LeaseLost"
const isTaken = ({ reason }: MemoryError) => reason._tag === "Query" && reason.code === "23505"

// --------------------------------------------------------------------------------------------------------- writing

/** `where scope = $1 and id = $2 and status = 'running'`. */
const epochUnchecked = (store: Store): Store =>
  onLedger(store, ({ load, record }) => ({
    record: (scope, rows) =>
      Effect.flatMap(load(scope, rows.runId), (stored) =>
        record(scope, { ...rows, epoch: stored?.run.status === "running" ? stored.run.epoch : rows.epoch })
      )
  }))

/** Checks first, and writes then: somebody may have taken the run in between. */
const commitUnfenced = (store: Store): Store => ({
  ...store,
  commit: (scope, { ledger, ...commit }) =>
    Effect.tap(store.commit(scope, commit), () =>
      ledger === undefined ? Effect.void : Effect.catchIf(store.ledger.record(scope, ledger), isLost, () => Effect.void)
    )
})

const rowsApart = (store: Store): Store => ({
  ...store,
  commit: (scope, { ledger, ...commit }) =>
    ledger === undefined || ledger.begins !== undefined
      ? store.commit(scope, ledger === undefined ? commit : { ...commit, ledger })
      : Effect.andThen(store.ledger.record(scope, ledger), store.commit(scope, commit))
})

/** `on conflict do nothing`. */
const takenPassedOver = (store: Store): Store =>
  onLedger(store, ({ record }) => ({
    record: (scope, rows) => Effect.catchIf(record(scope, rows), isTaken, () => Effect.void)
  }))

const repeatsRefused = (store: Store): Store =>
  onLedger(store, ({ load, record }) => ({
    record: (scope, { begins = [], ...rows }) =>
      Effect.gen(function* () {
        for (const { id, seed } of begins) {
          if ((yield* load(scope, id))?.run.seed !== seed) continue
          return yield* record(scope, { ...rows, begins: [{ ...begins[0]!, id, seed: `not ${seed}` }] })
        }
        return yield* record(scope, { ...rows, begins })
      })
  }))

/** `started_at = excluded.started_at`. */
const stepsBeginAnew = (store: Store): Store => {
  const began = new Map<string, number>()
  return onLedger(store, ({ load, record }) => ({
    record: (scope, rows) =>
      Effect.tap(record(scope, rows), () =>
        Effect.sync(() => {
          for (const { frame, startedMillis } of rows.steps ?? []) began.set(`${rows.runId} ${frame}`, startedMillis)
        })
      ),
    load: (scope, runId) =>
      Effect.map(
        load(scope, runId),
        (stored) =>
          stored && {
            ...stored,
            steps: stored.steps.map((step) => ({
              ...step,
              startedMillis: began.get(`${runId} ${step.frame}`) ?? step.startedMillis
            }))
          }
      )
  }))
}

const dropsWhole = (store: Store): Store => {
  const dropped = new Set<string>()
  return onLedger(store, ({ load, record }) => ({
    record: (scope, rows) => {
      for (const { frame, n } of rows.drops ?? []) dropped.add(`${rows.runId} ${frame} ${n}`)
      return record(scope, rows)
    },
    load: (scope, runId) =>
      Effect.map(
        load(scope, runId),
        (stored) =>
          stored && { ...stored, calls: stored.calls.filter(({ frame, n }) => !dropped.has(`${runId} ${frame} ${n}`)) }
      )
  }))
}

const hashesStay = (store: Store): Store => {
  const hashes = new Map<string, Pick<Ledger.CallRow, "hash" | "parts">>()
  const placeOf = (runId: string, { frame, n }: Pick<Ledger.CallRow, "frame" | "n">) => `${runId} ${frame} ${n}`
  const kept = onLedger(store, ({ record }) => ({
    record: (scope, rows) => {
      for (const call of rows.calls ?? []) hashes.set(placeOf(rows.runId, call), call)
      return record(scope, rows)
    }
  }))
  return onRun(kept, (stored) => ({
    ...stored,
    calls: stored.calls.map((call) => {
      const { hash = "", parts = {} } = hashes.get(placeOf(stored.run.id, call)) ?? {}
      return call.hash === "-" && call.response === undefined && call.request !== undefined
        ? { ...call, hash, parts }
        : call
    })
  }))
}

const passedStay = (store: Store): Store =>
  onLedger(store, ({ record }) => ({ record: (scope, { passes: _passes, ...rows }) => record(scope, rows) }))

/** Not only the rows of commits. */
const passesAny = (store: Store): Store => {
  const passed = new Set<string>()
  const noted = onLedger(store, ({ record }) => ({
    record: (scope, rows) => {
      for (const frame of rows.passes ?? []) passed.add(`${rows.runId} ${frame}`)
      for (const { frame } of rows.steps ?? []) passed.delete(`${rows.runId} ${frame}`)
      return record(scope, rows)
    }
  }))
  return onRun(noted, (stored) => ({
    ...stored,
    steps: stored.steps.filter(({ frame }) => !passed.has(`${stored.run.id} ${frame}`))
  }))
}

const responsesAsUtf8 = (store: Store): Store =>
  onLedger(store, ({ record }) => ({
    record: (scope, rows) =>
      record(scope, {
        ...rows,
        calls: (rows.calls ?? []).map((call) => ({ ...call, response: call.response?.toWellFormed() }))
      })
  }))

/** An index of frames has room for 900 bytes. */
const framesCut = (store: Store): Store =>
  onLedger(store, ({ record }) => ({
    record: (scope, rows) =>
      record(scope, {
        ...rows,
        calls: (rows.calls ?? []).map((call) => ({ ...call, frame: call.frame.slice(0, 900) }))
      })
  }))

// ---------------------------------------------------------------------------------------------------------- leases

/** Reads the run, and updates it then. */
const twoWinners = (store: Store): Store =>
  onLedger(store, ({ claim, load }) => ({
    claim: (scope, runId, lease) =>
      Effect.gen(function* () {
        const { leaseUntilMillis = Infinity } = (yield* load(scope, runId))?.run ?? {}
        const free = leaseUntilMillis <= (yield* Clock.currentTimeMillis)
        yield* Effect.yieldNow
        const taken = yield* claim(scope, runId, lease)
        return taken && { ...taken, claimed: taken.claimed || (free && taken.run.owner !== lease.owner) }
      })
  }))

const seizeIgnored = (store: Store): Store =>
  onLedger(store, ({ claim }) => ({ claim: (scope, runId, lease) => claim(scope, runId, { ...lease, seize: false }) }))

/** `owner is distinct from $1`, whatever the lease says. */
const alwaysSeized = (store: Store): Store =>
  onLedger(store, ({ claim }) => ({ claim: (scope, runId, lease) => claim(scope, runId, { ...lease, seize: true }) }))

const statusForgotten = (store: Store): Store =>
  onLedger(store, ({ claim }) => ({
    claim: (scope, runId, lease) =>
      Effect.map(claim(scope, runId, lease), (taken) =>
        taken?.claimed === true ? { ...taken, run: { ...taken.run, status: "running" } } : taken
      )
  }))

const renewsAny = (store: Store): Store =>
  onLedger(store, ({ load, renew }) => ({
    renew: (scope, runId, epoch, lease) =>
      Effect.flatMap(load(scope, runId), (stored) => renew(scope, runId, stored?.run.epoch ?? epoch, lease))
  }))

// ----------------------------------------------------------------------------------------------------------- lists

const dueByStatus = (store: Store): Store =>
  onLedger(store, ({ runs }) => ({
    runs: (scope, { dueMillis, ...query }) =>
      Effect.map(runs(scope, { ...query, ...(dueMillis === undefined ? {} : { dueMillis }), limit: 1000 }), (found) =>
        found.filter(({ status }) => dueMillis === undefined || status !== "waiting").slice(0, query.limit)
      )
  }))

/** Due as long as an answer is there, though the run has gone on from it. */
const dueForEver = (store: Store): Store =>
  onLedger(store, ({ load, runs }) => ({
    runs: (scope, query) =>
      Effect.gen(function* () {
        const { dueMillis, ...rest } = query
        if (dueMillis === undefined) return yield* runs(scope, query)
        const due = new Set((yield* runs(scope, query)).map(({ id }) => id))
        const all = yield* Effect.forEach(yield* runs(scope, rest), ({ id }) => load(scope, id))
        return all.flatMap((stored) =>
          stored !== undefined &&
          (due.has(stored.run.id) ||
            (stored.run.status === "waiting" && stored.waits.some(({ answer }) => answer !== undefined)))
            ? [stored.run]
            : []
        )
      })
  }))

const ofTheirStartOnly = (store: Store): Store =>
  onLedger(store, ({ runs }) => ({
    runs: (scope, query) =>
      Effect.map(runs(scope, query), (found) =>
        found.filter(({ start }) => query.thoughtId === undefined || start.thoughtId === query.thoughtId)
      )
  }))

/** `where created < after.created`. */
const runsAfterAMoment = (store: Store): Store =>
  onLedger(store, ({ runs }) => ({
    runs: (scope, { after, limit, ...query }) =>
      Effect.map(runs(scope, { ...query, limit: 1000 }), (found) =>
        found.filter(({ createdMillis }) => after === undefined || createdMillis < after.createdMillis).slice(0, limit)
      )
  }))

const sketchesByAge = (store: Store): Store =>
  onLedger(store, ({ sketches }) => ({
    sketches: (scope, runIds) =>
      Effect.map(sketches(scope, runIds), (found) =>
        found.toSorted((a, b) => a.run.createdMillis - b.run.createdMillis || (a.run.id < b.run.id ? 1 : -1))
      )
  }))

const inOrderOfFrames = (store: Store): Store =>
  onRun(store, (stored) => ({
    ...stored,
    steps: stored.steps.toSorted((a, b) => (a.frame < b.frame ? -1 : 1)),
    calls: stored.calls.toSorted((a, b) => (a.frame < b.frame ? -1 : 1))
  }))

const answeredListed = (store: Store): Store =>
  onLedger(store, ({ load, runs, waits }) => ({
    waits: (scope, query) =>
      Effect.gen(function* () {
        const open = yield* waits(scope, query)
        const all = yield* Effect.forEach(yield* runs(scope, { limit: 1000 }), ({ id }) => load(scope, id))
        return [...open, ...all.flatMap((one) => one?.waits.filter(({ answer }) => answer !== undefined) ?? [])]
      })
  }))

// --------------------------------------------------------------------------------------------------------- answers

const lastAnswer = (store: Store): Store => {
  const last = new Map<string, Partial<Ledger.WaitRow>>()
  const later = (wait: Ledger.WaitRow): Ledger.WaitRow => ({ ...wait, ...last.get(`${wait.runId} ${wait.frame}`) })
  return onLedger(
    onRun(store, (stored) => ({ ...stored, waits: stored.waits.map(later) })),
    ({ answer }) => ({
      answer: (scope, wait, given) =>
        Effect.map(answer(scope, wait, given), (known) => {
          if (known === undefined) return undefined
          last.set(`${wait.runId} ${wait.frame}`, {
            answer: given.json,
            answeredBy: given.by,
            answeredMillis: given.millis
          })
          return { ...known, wait: later(known.wait) }
        })
    })
  )
}

const everyAnswerFirst = (store: Store): Store =>
  onLedger(store, ({ answer }) => ({
    answer: (scope, wait, given) =>
      Effect.map(answer(scope, wait, given), (known) => known && { ...known, first: true })
  }))

// --------------------------------------------------------------------------------------------------------- erasure

/** The texts that runs were given, put back where they are missing. */
const remembering = (
  store: Store,
  isKept: (row: { readonly frame: string }, when: "before" | "after") => boolean
): Store => {
  const responses = new Map<string, string>()
  const prompts = new Map<string, string>()
  let redacted = false
  const put = onRun(store, (stored) => ({
    ...stored,
    calls: stored.calls.map((call) => ({
      ...call,
      response: call.response ?? responses.get(`${stored.run.id} ${call.frame} ${call.n}`)
    })),
    waits: stored.waits.map((wait) => ({
      ...wait,
      prompt: wait.prompt === "" ? (prompts.get(`${stored.run.id} ${wait.frame}`) ?? "") : wait.prompt
    }))
  }))
  return {
    ...onLedger(put, ({ record }) => ({
      record: (scope, rows) => {
        const when = redacted ? "after" : "before"
        for (const call of rows.calls ?? []) {
          const key = `${rows.runId} ${call.frame} ${call.n}`
          if (call.response !== undefined && isKept(call, when)) responses.set(key, call.response)
          else responses.delete(key)
        }
        for (const { frame, n } of rows.drops ?? []) responses.delete(`${rows.runId} ${frame} ${n}`)
        for (const wait of rows.waits ?? []) {
          if (isKept({ frame: "wait" }, when)) prompts.set(`${rows.runId} ${wait.frame}`, wait.prompt)
        }
        return record(scope, rows)
      }
    })),
    redact: (scope, ...rest) => {
      redacted = true
      return store.redact(scope, ...rest)
    }
  }
}

const questionsStay = (store: Store): Store =>
  remembering(store, ({ frame }, when) => frame === "wait" && when === "before")

const lateTextsStay = (store: Store): Store => remembering(store, (_, when) => when === "after")

const foundTextsStay = (store: Store): Store => remembering(store, ({ frame }) => frame === "/find@0")

const runningRemoved = (store: Store): Store =>
  onLedger(store, ({ load, record, remove }) => ({
    remove: (scope, runId) =>
      Effect.gen(function* () {
        const run = (yield* load(scope, runId))?.run
        if (run?.status === "running") {
          const ends = { status: "failed", end: undefined, error: undefined, endedMillis: 0 } as const
          yield* record(scope, { runId, epoch: run.epoch, ends })
        }
        return yield* remove(scope, runId)
      })
  }))

// --------------------------------------------------------------------------------------------------------- history

const removedJustNow = (store: Store): Store => ({
  ...store,
  history: (scope, id) =>
    Effect.map(
      store.history(scope, id),
      (stored) => stored && { ...stored, removed: stored.removed.map((one) => ({ ...one, version: stored.version })) }
    )
})

/** A reply is stored as a reference to its note, which is followed for live entries only. */
const removedWithoutText = (store: Store): Store => ({
  ...store,
  history: (scope, id) =>
    Effect.map(
      store.history(scope, id),
      (stored) =>
        stored && {
          ...stored,
          removed: stored.removed.map(({ entry, version }) => ({
            version,
            entry: stored.notes.some(({ content }) => content === entry.text) ? { ...entry, text: "" } : entry
          }))
        }
    )
})

const ofAnyScope = (store: Store): Store => {
  const scopes = new Set<string>()
  return onLedger(store, ({ load, record }) => ({
    record: (scope, rows) => {
      scopes.add(scope)
      return record(scope, rows)
    },
    load: (scope, runId) =>
      Effect.gen(function* () {
        const own = yield* load(scope, runId)
        if (own !== undefined) return own
        for (const other of scopes) {
          const found = yield* load(other, runId)
          if (found !== undefined) return found
        }
        return undefined
      })
  }))
}

export const ledgerMutants: ReadonlyArray<Mutant> = [
  {
    name: "epoch unchecked",
    breaks: "record is refused to whoever has lost the run: it passes with any epoch.",
    mutate: epochUnchecked
  },
  {
    name: "commit unfenced",
    breaks: "A commit of a run is refused to whoever has lost it: only its rows are.",
    mutate: commitUnfenced
  },
  {
    name: "rows apart",
    breaks: "The rows of a run are written with the commit: they stay if the thought has changed.",
    mutate: rowsApart
  },
  {
    name: "taken runs passed over",
    breaks: "A run whose id is taken is refused: it is left out without a word.",
    mutate: takenPassedOver
  },
  {
    name: "repeats refused",
    breaks: "A record that is repeated after a lost answer changes nothing: the run is said to be another one.",
    mutate: repeatsRefused
  },
  {
    name: "steps begin anew",
    breaks: "A step keeps when it began: it begins with the last row.",
    mutate: stepsBeginAnew
  },
  { name: "drops whole calls", breaks: "drops takes responses: it takes the calls.", mutate: dropsWhole },
  { name: "hashes stay", breaks: "drops takes the hashes of what was asked: they stay.", mutate: hashesStay },
  { name: "passed stay", breaks: "Rows of commits that are passed are deleted: they stay.", mutate: passedStay },
  { name: "passes any", breaks: "Only rows of commits are passed: any step is.", mutate: passesAny },
  {
    name: "responses as UTF-8",
    breaks: "Texts come back exactly: half a surrogate pair in a response becomes U+FFFD.",
    mutate: responsesAsUtf8
  },
  { name: "frames cut", breaks: "Frames differ by their last character: they are cut.", mutate: framesCut },
  { name: "two winners", breaks: "One of those that claim a run at once has it: two do.", mutate: twoWinners },
  { name: "seize ignored", breaks: "seize takes the run of another process: it does not.", mutate: seizeIgnored },
  {
    name: "always seized",
    breaks: "A run that a process has is not taken before its lease has ended: it is.",
    mutate: alwaysSeized
  },
  {
    name: "status forgotten",
    breaks: "A claim says what the run was: it says that it runs.",
    mutate: statusForgotten
  },
  { name: "renews any", breaks: "A lease is renewed by its holder alone: anybody may.", mutate: renewsAny },
  { name: "never due", breaks: "A run that waits is due once it is answered: it never is.", mutate: dueByStatus },
  {
    name: "due for ever",
    breaks: "A run is not due for what it has gone on from: an old answer makes it due again.",
    mutate: dueForEver
  },
  {
    name: "of their start only",
    breaks: "Runs are listed by all thoughts that they have come to: only by the first.",
    mutate: ofTheirStartOnly
  },
  {
    name: "runs after a moment",
    breaks: "A page has the runs that come after one: those of the same moment are passed over.",
    mutate: runsAfterAMoment
  },
  {
    name: "sketches by age",
    breaks: "Sketches come in the order of the ids that were asked for: they come by their age.",
    mutate: sketchesByAge
  },
  {
    name: "in order of frames",
    breaks: "Steps and calls come in the order in which they began: they come by their frames.",
    mutate: inOrderOfFrames
  },
  {
    name: "answered listed",
    breaks: "waits has the questions without an answer: it has all.",
    mutate: answeredListed
  },
  { name: "last answer", breaks: "The first answer counts: the last one does.", mutate: lastAnswer },
  {
    name: "every answer first",
    breaks: "An answer says whether it was the first: it always was.",
    mutate: everyAnswerFirst
  },
  { name: "questions stay", breaks: "redact empties the questions of a run: they stay.", mutate: questionsStay },
  {
    name: "late texts stay",
    breaks: "A run that has seen a redacted note brings its text no more: its next answer does.",
    mutate: lateTextsStay
  },
  {
    name: "found texts stay",
    breaks: "redact empties responses that name the note: those of searches stay.",
    mutate: foundTextsStay
  },
  { name: "running removed", breaks: "A run that a process has is not removed: it is.", mutate: runningRemoved },
  {
    name: "removed just now",
    breaks: "history says at which version an entry was removed: it says the last one.",
    mutate: removedJustNow
  },
  {
    name: "removed without text",
    breaks: "history has the text of a removed entry: that of a reply is lost.",
    mutate: removedWithoutText
  },
  {
    name: "runs of any scope",
    breaks: "No call crosses a scope: load finds the run of another one.",
    mutate: ofAnyScope
  }
]
