/**
 * Embeds in the background what was committed: soon after, in order, a bounded number of notes at a time.
 *
 * The store is the real queue: a note without a vector is pending. What has no place here, what failed and what an earlier
 * process left is found there by a sweep, page by page, to which new notes never wait behind more than a page.
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Latch from "effect/Latch"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { PendingNote } from "../Memory.ts"
import type { Draft, Report } from "./memoryEmbedding.ts"
import type { MemoryError } from "./memoryError.ts"

const mostNotes = 4096
const mostCharacters = 8_000_000
/** Notes at a time. */
const pageNotes = 256
const firstDelay = 1000
const longestDelay = 60_000
/** How long a release waits for what was committed; real time, also where a test stops the clock. */
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
  /** Run when a sweep has tried every note that was pending. */
  readonly swept: Effect.Effect<void, MemoryError>
}

export interface Worker {
  /** Takes notes that were just committed; never waits, and loses none. */
  readonly offer: (scope: string, notes: ReadonlyArray<Omit<Draft, "scope">>) => void
  /** Waits until what was offered before is embedded or has failed. */
  readonly flush: Effect.Effect<void>
  /** The same for one scope's notes; nothing when there is nothing to wait for. */
  readonly flushScope: (scope: string) => Effect.Effect<void> | undefined
}

interface Queued extends Draft {
  readonly ticket: number
}

export const makeWorker = Effect.fnUntraced(function* ({
  embed,
  makeUp,
  pending,
  swept
}: Work): Effect.fn.Return<Worker, never, Scope.Scope> {
  const wake = Latch.makeUnsafe(true)
  let queue: ReadonlyArray<Queued> = []
  let working: ReadonlyArray<Queued> = []
  let characters = 0
  /** Numbers what was offered: the last number, also by scope. */
  let last = 0
  const lastOf = new Map<string, number>()
  /** The first that found no place in the queue, before the sweep that is under way began and since then. */
  let missed = Number.POSITIVE_INFINITY
  let missedSince = Number.POSITIVE_INFINITY
  /** Whether a sweep is to begin. What an earlier process left is swept up at the start. */
  let due = true
  let sweep: { readonly after: Cursor | undefined; readonly clean: boolean } | undefined
  /** Whether notes have failed that may succeed later; whether because the embedder was out of order. */
  let failing = false
  let down = false
  let delay = firstDelay
  let waiting: ReadonlyArray<{ readonly ticket: number; readonly done: Deferred.Deferred<void> }> = []

  const isDone = (ticket: number) =>
    Math.min(...[...working.slice(0, 1), ...queue.slice(0, 1)].map((one) => one.ticket), missed, missedSince) > ticket

  const release = () => {
    for (const { done, ticket } of waiting) if (isDone(ticket)) Deferred.doneUnsafe(done, Exit.void)
    waiting = waiting.filter(({ ticket }) => !isDone(ticket))
    for (const [scope, ticket] of lastOf) if (isDone(ticket)) lastOf.delete(scope)
  }

  const waitFor = (ticket: number) =>
    Effect.suspend(() => {
      if (isDone(ticket)) return Effect.void
      const done = Deferred.makeUnsafe<void>()
      waiting = [...waiting, { ticket, done }]
      return Deferred.await(done)
    })

  const offer: Worker["offer"] = (scope, notes) => {
    if (notes.length === 0) return
    const taken: Array<Queued> = []
    for (const { content, id } of notes) {
      last++
      if (queue.length + taken.length < mostNotes && characters + content.length <= mostCharacters) {
        taken.push({ scope, id, content, ticket: last })
        characters += content.length
        continue
      }
      if (sweep === undefined) missed = Math.min(missed, last)
      else missedSince = Math.min(missedSince, last)
      due = true
    }
    queue = [...queue, ...taken]
    lastOf.set(scope, last)
    wake.openUnsafe()
  }

  /** Notes that fail, whatever the reason, stay pending; nothing that goes wrong ends the worker. */
  const attempt = Effect.fnUntraced(function* (embedding: Effect.Effect<Report, MemoryError>) {
    const exit = yield* Effect.exit(embedding)
    const stopped = !Exit.isSuccess(exit) || exit.value.down
    const clean = !stopped && exit.value.error?.retryable !== true
    if (!clean) failing = true
    return { stopped, clean }
  })

  const embedQueue = Effect.fnUntraced(function* () {
    working = queue.slice(0, pageNotes)
    queue = queue.slice(pageNotes)
    characters = queue.reduce((sum, { content }) => sum + content.length, 0)
    const { stopped } = yield* attempt(embed(working))
    // it is in order again: what failed meanwhile can be made up for
    if (down && !stopped) due = true
    down = stopped
    working = []
    release()
  })

  const begin = () => {
    due = false
    failing = false
    sweep = { after: undefined, clean: true }
  }

  const end = () => {
    missed = missedSince
    missedSince = Number.POSITIVE_INFINITY
    sweep = undefined
    release()
  }

  const sweepOn = Effect.fnUntraced(function* ({ after, clean }: NonNullable<typeof sweep>) {
    const page = yield* Effect.exit(pending({ limit: pageNotes, after }))
    const next = Exit.isSuccess(page) ? page.value.at(-1) : undefined
    if (!Exit.isSuccess(page)) {
      failing = true
      end()
    } else if (next === undefined) {
      if (clean && !Exit.isSuccess(yield* Effect.exit(swept))) failing = true
      if (!failing) delay = firstDelay
      end()
    } else {
      const queued = new Set(queue.map(({ id, scope }) => JSON.stringify([scope, id])))
      const done = yield* attempt(
        makeUp(page.value.filter(({ id, scope }) => !queued.has(JSON.stringify([scope, id]))))
      )
      down = done.stopped
      if (done.stopped) end()
      else sweep = { after: next, clean: clean && done.clean }
    }
  })

  /** Waits for notes; where some have failed for now, not longer than until they are to be tried again. */
  const rest = Effect.gen(function* () {
    const woken = failing ? yield* Effect.timeoutOption(wake.await, delay) : Option.some(yield* wake.await)
    if (Option.isSome(woken)) return
    delay = Math.min(2 * delay, longestDelay)
    due = true
  })

  const loop = Effect.gen(function* () {
    while (true) {
      wake.closeUnsafe()
      if (queue.length > 0) yield* embedQueue()
      else if (sweep !== undefined) yield* sweepOn(sweep)
      else if (due) begin()
      else yield* rest
    }
  })

  const flush = Effect.suspend(() => waitFor(last))
  const flushScope: Worker["flushScope"] = (scope) => {
    const ticket = lastOf.get(scope)
    return ticket === undefined ? undefined : waitFor(ticket)
  }

  yield* Effect.forkScoped(loop)
  yield* Effect.addFinalizer(() =>
    flush.pipe(
      Effect.timeoutOption(releaseMillis),
      Effect.interruptible,
      Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())
    )
  )
  return { offer, flush, flushScope }
})
