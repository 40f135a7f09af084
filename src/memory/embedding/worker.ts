/**
 * Embeds committed notes in the background: soon after the commit, in order, in turns with a bounded number of notes and
 * parts, so that a long note of one scope delays no other.
 *
 * The store is the real queue: a note without a vector is pending. A sweep reads these page by page and finds the notes that
 * had no place in this queue, that failed, or that another process left. There is one sweep at a time, and new notes wait for
 * at most one page.
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Latch from "effect/Latch"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import type * as Scope from "effect/Scope"
import type { PendingNote } from "../model/Store.ts"
import { both, nothing, type Report } from "./embed.ts"
import { fail, type MemoryError } from "../model/error.ts"
import { type Draft, keyOf } from "./job.ts"
import { makeQueue, type Queued } from "./queue.ts"
import { makeTickets } from "./tickets.ts"

/** Notes at a time. */
const pageNotes = 256
/** After this many pages of new notes a sweep continues, even if more notes wait. */
const pagesInARow = 4
const firstDelay = 1000
const longestDelay = 60_000
/** The time between sweeps, which find what other processes left; and the shorter time if some is known to be there. */
const restMillis = 300_000
const noticeMillis = 30_000
/** Such a sweep ignores newer notes: the process that committed them will embed them soon. */
const ownMillis = 60_000
/** How long a release waits for committed notes, in real time, even if a test stops the clock. */
const releaseMillis = 2000

type Cursor = Pick<PendingNote, "scope" | "id" | "createdMillis">

export interface Work {
  /** Embeds notes that were just committed. */
  readonly embed: (notes: ReadonlyArray<Draft>) => Effect.Effect<Report, MemoryError>
  /** Embeds notes that were found pending. */
  readonly makeUp: (notes: ReadonlyArray<Draft>) => Effect.Effect<Report, MemoryError>
  readonly pending: (page: {
    readonly limit: number
    readonly after: Cursor | undefined
  }) => Effect.Effect<ReadonlyArray<PendingNote>, MemoryError>
  /** Run before a sweep, which a failure calls off. */
  readonly ready: Effect.Effect<void, MemoryError>
  /** Run when a sweep has tried every note that was pending. */
  readonly swept: Effect.Effect<void, MemoryError>
}

export interface Worker {
  /** Accepts notes that were just committed, without waiting. No note is lost. */
  readonly offer: (scope: string, notes: ReadonlyArray<Omit<Draft, "scope">>) => void
  /** Waits until what was offered before is embedded or has failed. */
  readonly flush: Effect.Effect<void>
  /** The same for one scope's notes; nothing when there is nothing to wait for, or if they are of more commits than these. */
  readonly flushScope: (scope: string, commits: number) => Effect.Effect<void> | undefined
  /** Tries every pending note. `embedded` counts the notes of all sweeps since this call. */
  readonly sweep: Effect.Effect<Report, MemoryError>
  /** The keys of the notes that were offered and not yet tried, as far as there is room for them. */
  readonly offered: () => ReadonlySet<string>
  /** Reports that there are pending notes. */
  readonly notice: Effect.Effect<void>
}

interface Request {
  readonly done: Deferred.Deferred<Report, MemoryError>
  /** How many notes sweeps had embedded before. */
  readonly from: number
}

interface Sweep {
  readonly after: Cursor | undefined
  /** Notes before that whose parts are not all embedded yet. */
  readonly rest: ReadonlyArray<Draft>
  /** Whether every note so far was tried and none needs another try. */
  readonly clean: boolean
  readonly report: Report
  /** Notes created later are left alone. */
  readonly until: number
  readonly requests: ReadonlySet<Request>
}

export const makeWorker = Effect.fnUntraced(function* ({
  embed,
  makeUp,
  pending,
  ready,
  swept
}: Work): Effect.fn.Return<Worker, never, Scope.Scope> {
  const wake = Latch.makeUnsafe(true)
  const queue = makeQueue()
  let inWork: ReadonlyArray<Queued> = []
  /** The first tickets by scope: of notes in work, of notes that found no place before the current sweep, and of those since. */
  let working = new Map<string, number>()
  let missed = new Map<string, number>()
  let missedSince = new Map<string, number>()
  /** Whether a sweep is due, of all notes or of those that other processes left. The first one, at the start, is of all. */
  let due: "all" | "left" | undefined = "all"
  let sweep: Sweep | undefined
  let requests = new Set<Request>()
  let sweptUp = 0
  let pages = 0
  /** Whether notes have failed that may succeed later; whether because the embedder was out of order. */
  let failing = false
  let down = false
  let delay = firstDelay
  /** Until the next sweep: twice as long each time that nothing was embedded. */
  let pause = restMillis
  /** When failed notes are tried again, and when others are looked for. */
  let retryAt: number | undefined
  let nextAt = Number.POSITIVE_INFINITY
  /** Whether the last sweep left notes pending, so that reporting them is useless. */
  let left = false
  let ended = false

  const tickets = makeTickets((scope) =>
    ended
      ? Number.POSITIVE_INFINITY
      : [working, missed, missedSince].reduce(
          (first, of) => Math.min(first, of.get(scope) ?? first),
          queue.first(scope) ?? Number.POSITIVE_INFINITY
        )
  )

  const offer: Worker["offer"] = (scope, notes) => {
    if (notes.length === 0 || ended) return
    const from = tickets.take(scope, notes.length)
    for (const [i, { content, id }] of notes.entries()) {
      const ticket = from + i
      if (queue.add({ scope, id, content, ticket })) continue
      const first = sweep === undefined ? missed : missedSince
      if (!first.has(scope)) first.set(scope, ticket)
      due = "all"
    }
    wake.openUnsafe()
  }

  /** Notes that fail for any reason stay pending. No failure ends the worker. */
  const attempt = Effect.fnUntraced(function* (embedding: Effect.Effect<Report, MemoryError>) {
    const exit = yield* Effect.exit(embedding)
    const stopped = !Exit.isSuccess(exit) || exit.value.down
    const clean = !stopped && exit.value.error?.retryable !== true
    if (!clean) failing = true
    return { stopped, clean, exit }
  })

  const embedQueue = Effect.fnUntraced(function* () {
    const page: ReadonlyArray<Queued> = queue.take(pageNotes)
    inWork = page
    // of each scope the first one is the last to be set
    working = new Map(page.toReversed().map(({ scope, ticket }) => [scope, ticket]))
    const { exit, stopped } = yield* attempt(embed(page))
    if (Exit.isSuccess(exit)) {
      const unfinished = new Set(exit.value.unfinished.map(keyOf))
      queue.giveBack(page.filter((note) => unfinished.has(keyOf(note))))
    }
    // the embedder works again: notes that failed meanwhile can be tried again
    if (down && !stopped) due = "all"
    down = stopped
    inWork = []
    working = new Map()
    tickets.release()
  })

  const begin = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const until = due === "left" && requests.size === 0 ? now - ownMillis : Number.POSITIVE_INFINITY
    sweep = { after: undefined, rest: [], clean: true, report: nothing, until, requests }
    requests = new Set()
    due = undefined
    failing = false
    retryAt = undefined
    const checked = yield* Effect.exit(ready)
    if (Exit.isSuccess(checked)) return
    failing = true
    yield* end(sweep, checked)
  })

  const end = Effect.fnUntraced(function* ({ report, requests }: Sweep, exit: Exit.Exit<void, MemoryError>) {
    missed = missedSince
    missedSince = new Map()
    left = report.failed > 0 || !Exit.isSuccess(exit)
    // notes that are always refused cost money at each sweep
    if (report.embedded > 0) pause = restMillis
    nextAt = (yield* Clock.currentTimeMillis) + pause * (yield* Random.nextBetween(0.8, 1.2))
    sweep = undefined
    for (const { done, from } of requests) {
      Deferred.doneUnsafe(
        done,
        Exit.map(exit, () => ({ ...report, embedded: sweptUp - from }))
      )
    }
    tickets.release()
  })

  const sweepOn = Effect.fnUntraced(function* (under: Sweep) {
    const page = yield* Effect.exit(pending({ limit: pageNotes, after: under.after }))
    const next = Exit.isSuccess(page) ? page.value.at(-1) : undefined
    if (!Exit.isSuccess(page)) {
      failing = true
      yield* end(under, Exit.asVoid(page))
    } else if (next === undefined) {
      const done = under.clean ? yield* Effect.exit(swept) : Exit.void
      if (!Exit.isSuccess(done)) failing = true
      if (!failing) delay = firstDelay
      yield* end(under, done)
    } else {
      const queued = new Set(queue.notes().map(keyOf))
      const ripe = page.value.filter(({ createdMillis }) => createdMillis <= under.until)
      const clean = under.clean && ripe.length === page.value.length
      const due = ripe.filter((note) => !queued.has(keyOf(note)))
      yield* makeUpFor({ ...under, after: next, clean }, due)
    }
  })

  const makeUpFor = Effect.fnUntraced(function* (under: Sweep, notes: ReadonlyArray<Draft>) {
    const { clean, exit, stopped } = yield* attempt(makeUp(notes))
    down = stopped
    const report = Exit.isSuccess(exit) ? exit.value : nothing
    sweptUp += report.embedded
    sweep = {
      ...under,
      rest: report.unfinished,
      clean: under.clean && clean,
      report: both(under.report, { ...report, unfinished: [] })
    }
    if (stopped) yield* end(sweep, Exit.asVoid(exit))
  })

  /** Waits for notes; until failed ones are to be tried again, or others looked for. */
  const rest = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    if (failing) retryAt ??= now + delay
    const woken = yield* Effect.timeoutOption(wake.await, Math.max(0, Math.min(retryAt ?? Infinity, nextAt) - now))
    // what is committed in the same turn of the event loop is embedded together
    if (Option.isSome(woken)) {
      yield* Effect.yieldNow
      return
    }
    if (retryAt === undefined) pause *= 2
    else delay = Math.min(2 * delay, longestDelay)
    due ??= retryAt === undefined ? "left" : "all"
  })

  const loop = Effect.gen(function* () {
    while (true) {
      wake.closeUnsafe()
      const isSwept = sweep !== undefined || due !== undefined || requests.size > 0
      if (queue.size() > 0 && (!isSwept || pages < pagesInARow)) {
        pages++
        yield* embedQueue()
        continue
      }
      pages = 0
      if (sweep !== undefined) yield* sweep.rest.length > 0 ? makeUpFor(sweep, sweep.rest) : sweepOn(sweep)
      else if (isSwept) yield* begin
      else yield* rest
    }
  })

  const close = Effect.sync(() => {
    ended = true
    const closed = fail({
      _tag: "Query",
      message: "The memory is closed. Pending notes will be embedded when it is opened again."
    })
    for (const { done } of [...requests, ...(sweep?.requests ?? [])]) Deferred.doneUnsafe(done, closed)
    tickets.release()
  })

  yield* Effect.addFinalizer(() => close)
  yield* Effect.forkScoped(loop)
  yield* Effect.addFinalizer(() =>
    tickets.all.pipe(
      Effect.timeoutOption(releaseMillis),
      Effect.interruptible,
      Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())
    )
  )
  return {
    offer,
    flush: tickets.all,
    flushScope: tickets.of,
    sweep: Effect.suspend(() => {
      const request: Request = { done: Deferred.makeUnsafe(), from: sweptUp }
      requests.add(request)
      if (ended) return Effect.andThen(close, Deferred.await(request.done))
      wake.openUnsafe()
      return Deferred.await(request.done)
    }),
    offered: () => new Set([...inWork, ...queue.notes()].map(keyOf)),
    notice: Effect.gen(function* () {
      if (queue.size() > 0 || working.size > 0 || sweep !== undefined || due !== undefined || failing || left) return
      const at = (yield* Clock.currentTimeMillis) + noticeMillis * (yield* Random.nextBetween(0.8, 1.2))
      if (at >= nextAt) return
      nextAt = at
      wake.openUnsafe()
    })
  }
})
