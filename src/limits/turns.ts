/** A queue for tokens: first come, first served. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { now } from "./now.ts"
import type { Bucket } from "./Bucket.ts"

/** A number of tokens for each bucket. */
type Counts = ReadonlyArray<number>

/** A place in the queue. It is nudged when it has its tokens, or when it is first and must look at the clock. */
interface Waiter {
  readonly counts: Counts
  readonly patience: number
  nudged: Deferred.Deferred<void>
  served: boolean
}

/** How a caller waits for its turn. */
interface Waiting {
  /** The longest time to be held back, in milliseconds. Default: no limit. */
  readonly patience?: number
  /** The interruptible region in which it waits. Default: that of the caller. */
  readonly restore?: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** Gives the first in the queue its tokens from all buckets together, as soon as every bucket has enough. */
export class Turns {
  readonly #buckets: ReadonlyArray<Bucket>
  readonly #waiters = new Set<Waiter>()
  /** How many tokens of each bucket the whole queue is waiting for. */
  #wanted: Counts
  #heldUntil = 0

  constructor(buckets: ReadonlyArray<Bucket>) {
    this.#buckets = buckets
    this.#wanted = buckets.map(() => 0)
  }

  /** Takes tokens. If there are too few or the queue is not empty, takes none and returns the expected wait. */
  take(at: number, counts: Counts): number | undefined {
    this.#fill(at)
    if (this.#waiters.size === 0 && this.#spend(at, counts)) return undefined
    return this.#waitMillis(at, added(this.#wanted, counts, 1))
  }

  /**
   * Takes tokens, and waits in the queue for them if necessary. If it would be held back for longer than its patience,
   * it takes none and returns that time.
   */
  acquire<E, R>(
    counts: Counts,
    throttled: (waitMillis: number | undefined) => Effect.Effect<void, E, R>,
    { patience = Infinity, restore }: Waiting = {}
  ): Effect.Effect<number | undefined, E, R> {
    return Effect.uninterruptibleMask((own) =>
      Effect.flatMap(now, (at) => {
        const millis = this.take(at, counts)
        if (millis === undefined) return Effect.undefined
        const held = this.#held(at)
        if (held > patience) return Effect.succeed(held)
        const waiter: Waiter = { counts, patience, nudged: Deferred.makeUnsafe(), served: false }
        this.#waiters.add(waiter)
        this.#wanted = added(this.#wanted, counts, 1)
        return throttled(Number.isFinite(millis) ? millis : undefined).pipe(
          Effect.andThen(this.#wait(waiter)),
          restore ?? own,
          Effect.onError(() => this.#leave(waiter))
        )
      })
    )
  }

  /** Gives tokens to the queue, in order, and nudges the one that is first now. */
  serve(at: number): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.#fill(at)
      const nudged: Array<Waiter> = []
      for (const waiter of this.#waiters) {
        if (!this.#spend(at, waiter.counts)) {
          nudged.push(waiter)
          break
        }
        this.#drop(waiter)
        waiter.served = true
        nudged.push(waiter)
      }
      return nudge(nudged)
    })
  }

  /** Gives out nothing before that time. Everyone in the queue checks whether to go on waiting. */
  hold(until: number): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (until <= this.#heldUntil) return Effect.void
      this.#heldUntil = until
      return nudge([...this.#waiters])
    })
  }

  /** Returns tokens that were not needed. A negative count takes more tokens, as a debt. */
  give(counts: Counts): Effect.Effect<void> {
    return Effect.flatMap(now, (at) => {
      this.#fill(at)
      for (const [i, bucket] of this.#buckets.entries()) bucket.give(counts[i] ?? 0)
      return this.serve(at)
    })
  }

  /** The first in the queue looks at the clock; the others wait until they are nudged. */
  #wait(waiter: Waiter): Effect.Effect<number | undefined> {
    return Effect.gen({ self: this }, function* () {
      for (;;) {
        const at = yield* now
        if (waiter.served) return undefined
        const held = this.#held(at)
        if (held > waiter.patience) {
          yield* this.#leave(waiter)
          return held
        }
        this.#fill(at)
        const [first] = this.#waiters
        const enough = this.#buckets.map((bucket, i) => bucket.enough(waiter.counts[i] ?? 0))
        const millis = first === waiter ? this.#waitMillis(at, enough) : Infinity
        if (millis === 0) yield* this.serve(at)
        else {
          waiter.nudged = Deferred.makeUnsafe()
          const nudged = Deferred.await(waiter.nudged)
          yield* millis === Infinity ? nudged : Effect.timeoutOption(nudged, millis)
        }
      }
    })
  }

  /** Returns the tokens, or leaves the queue, so that those behind move up. */
  #leave(waiter: Waiter): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.#drop(waiter)
      return this.give(waiter.served ? waiter.counts : [])
    })
  }

  #drop(waiter: Waiter): void {
    if (this.#waiters.delete(waiter)) this.#wanted = added(this.#wanted, waiter.counts, -1)
  }

  #fill(at: number): void {
    for (const bucket of this.#buckets) bucket.fill(at)
  }

  #spend(at: number, counts: Counts): boolean {
    if (this.#held(at) > 0 || !this.#buckets.every((bucket, i) => bucket.has(counts[i] ?? 0))) return false
    for (const [i, bucket] of this.#buckets.entries()) bucket.give(-(counts[i] ?? 0))
    return true
  }

  /** How long nothing is given out, in milliseconds. */
  #held(at: number): number {
    return Math.max(0, this.#heldUntil - at)
  }

  #waitMillis(at: number, counts: Counts): number {
    return Math.max(this.#held(at), ...this.#buckets.map((bucket, i) => bucket.waitMillis(counts[i] ?? 0)))
  }
}

const added = (self: Counts, that: Counts, sign: 1 | -1): Counts =>
  self.map((count, i) => count + sign * (that[i] ?? 0))

const nudge = (waiters: ReadonlyArray<Waiter>): Effect.Effect<void> =>
  Effect.forEach(waiters, ({ nudged }) => Deferred.succeed(nudged, undefined), { discard: true })
