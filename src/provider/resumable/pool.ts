/** The open connections of a provider. Each has one conversation, and answers one call at a time. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { ProviderError } from "../ProviderError.ts"
import type { Response } from "../request.ts"
import { Conversation } from "../service.ts"
import { type Caller, disconnected, guarded } from "./guarded.ts"
import type { Connection, Protocol } from "./Protocol.ts"

/** What a connection has of a conversation. */
interface Held {
  readonly settings: string
  /** One text for each message, by which equal messages are found. */
  readonly keys: ReadonlyArray<string>
  /** The last answer. */
  readonly previous: Response
}

/** Every connection is in use, and no more may be opened. */
export const busy = Symbol("busy")

/** How many connections there are, and how long they live, in milliseconds. */
export interface Limits {
  readonly most: number
  readonly idle: number
  readonly life: number
  /** Whether calls fail instead of waiting for a connection. */
  readonly isImpatient?: boolean
}

interface Place<C> {
  readonly own: C
  readonly connection: ReturnType<typeof guarded>
  readonly since: number
  conversation: string | undefined
  held: Held | undefined
  isBusy: boolean
  isUsed: boolean
  usedAt: number
  timer: Fiber.Fiber<void> | undefined
}

/** A connection for one call. It is given back by `keep` or `drop`, of which the first counts. */
export interface Lease<C> {
  readonly own: C
  readonly connection: Connection
  /** How many of the messages the connection has. */
  readonly from: number
  readonly previous: Response | undefined
  /** Whether it was open before the call. */
  readonly isUsed: boolean
  /** Whether the connection had this conversation, which has changed since. */
  readonly hasChanged: boolean
  /** The connection stays open, with this conversation or with none. */
  readonly keep: (held: Held | undefined) => Effect.Effect<void>
  /** The connection is closed. */
  readonly drop: Effect.Effect<void>
}

type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** How many of the keys a connection has. Undefined if it has others, or nothing is lacking. */
const match = (held: Held | undefined, settings: string, keys: ReadonlyArray<string>): number | undefined =>
  held !== undefined &&
  held.settings === settings &&
  held.keys.length < keys.length &&
  held.keys.every((key, i) => key === keys[i])
    ? held.keys.length
    : undefined

export class Pool<C extends Connection> {
  readonly #places = new Set<Place<C>>()
  readonly #turns: Semaphore.Semaphore
  readonly #caller: Caller
  readonly #protocol: Pick<Protocol<C, never>, "connect" | "restarts">
  readonly #limits: Limits
  #opening = 0
  #isClosed = false

  constructor(caller: Caller, protocol: Pick<Protocol<C, never>, "connect" | "restarts">, limits: Limits) {
    this.#caller = caller
    this.#protocol = protocol
    this.#limits = limits
    this.#turns = Semaphore.makeUnsafe(limits.most)
  }

  /** Closes all connections, and opens none any more. */
  get close(): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.#isClosed = true
      return this.#closeAll([...this.#places])
    })
  }

  /**
   * A connection that has the beginning of the conversation, or one for all of it. While all are busy, it waits, or fails if
   * the pool is impatient. Run it uninterruptibly: what may be interrupted is in `restore`.
   */
  lease(
    settings: string,
    keys: ReadonlyArray<string>,
    isWhole: boolean,
    restore: Restore
  ): Effect.Effect<Lease<C>, ProviderError | typeof busy> {
    return Effect.gen({ self: this }, function* () {
      const turn = yield* Scope.make()
      const release = Scope.close(turn, Exit.void)
      if (this.#limits.isImpatient === true) {
        if (!(yield* this.#turns.takeIfAvailable(1))) return yield* Effect.fail(busy)
        yield* Scope.addFinalizer(turn, this.#turns.release(1))
      } else {
        yield* Effect.onError(restore(Scope.provide(this.#turns.takeScoped(1), turn)), () => release)
      }
      const conversation = yield* Conversation
      return yield* Effect.onError(
        this.#find(settings, isWhole ? [] : keys, conversation, release, restore),
        () => release
      )
    })
  }

  #find(
    settings: string,
    keys: ReadonlyArray<string>,
    conversation: string | undefined,
    release: Effect.Effect<void>,
    restore: Restore
  ): Effect.Effect<Lease<C>, ProviderError> {
    return Effect.gen({ self: this }, function* () {
      if (this.#isClosed) return yield* disconnected(this.#caller, "the layer of this provider is closed")
      const now = yield* Clock.currentTimeMillis
      const isOver = (place: Place<C>) => !place.connection.isOpen() || now - place.since >= this.#limits.life
      yield* this.#closeAll(this.#idle().filter(isOver))
      const idle = this.#idle()
      const [best] = idle
        .flatMap((place) => {
          const from = match(place.held, settings, keys)
          return from === undefined ? [] : [{ place, from }]
        })
        .toSorted((a, b) => b.from - a.from)
      if (best !== undefined) return this.#taken(best.place, conversation, best.from, false, release)
      const own = conversation === undefined ? undefined : idle.find((place) => place.conversation === conversation)
      const spare =
        own ??
        idle.find(({ held }) => held === undefined) ??
        (this.#places.size + this.#opening < this.#limits.most
          ? undefined
          : idle.toSorted((a, b) => a.usedAt - b.usedAt)[0])
      const hasChanged = own?.held !== undefined
      if (spare !== undefined && this.#protocol.restarts)
        return this.#taken(spare, conversation, 0, hasChanged, release)
      if (spare !== undefined) yield* this.#closeAll([spare])
      return this.#taken(yield* this.#open(restore), conversation, 0, hasChanged, release)
    })
  }

  #idle(): ReadonlyArray<Place<C>> {
    return [...this.#places].filter(({ isBusy }) => !isBusy)
  }

  #open(restore: Restore): Effect.Effect<Place<C>, ProviderError> {
    return Effect.gen({ self: this }, function* () {
      this.#opening++
      const scope = yield* Scope.make()
      // an interruption may come when the connection is open already
      const own = yield* restore(Scope.provide(this.#protocol.connect, scope)).pipe(
        Effect.onError(() => Scope.close(scope, Exit.void)),
        Effect.ensuring(Effect.sync(() => this.#opening--))
      )
      const closing = Effect.andThen(own.close, Scope.close(scope, Exit.void))
      const connection = guarded(own, closing, this.#caller)
      const since = yield* Clock.currentTimeMillis
      const place: Place<C> = {
        own,
        connection,
        since,
        conversation: undefined,
        held: undefined,
        isBusy: false,
        isUsed: false,
        usedAt: since,
        timer: undefined
      }
      this.#places.add(place)
      if (!this.#isClosed) return place
      yield* this.#closeAll([place])
      return yield* disconnected(this.#caller, "the layer of this provider is closed")
    })
  }

  #taken(
    place: Place<C>,
    conversation: string | undefined,
    from: number,
    hasChanged: boolean,
    release: Effect.Effect<void>
  ): Lease<C> {
    const { connection, held, isUsed, own, timer } = place
    timer?.interruptUnsafe()
    place.isBusy = true
    place.isUsed = true
    place.held = undefined
    place.conversation = conversation
    let isBack = false
    const back = (then: () => Effect.Effect<void>): Effect.Effect<void> =>
      Effect.suspend(() => {
        if (isBack) return Effect.void
        isBack = true
        place.isBusy = false
        return Effect.andThen(then(), release)
      })
    const drop = back(() => this.#closeAll([place]))
    return {
      own,
      connection,
      from,
      previous: from === 0 ? undefined : held?.previous,
      isUsed,
      hasChanged,
      keep: (kept) =>
        this.#isClosed || (kept === undefined && !this.#protocol.restarts) || !connection.isOpen()
          ? drop
          : back(() => this.#rest(place, kept)),
      drop
    }
  }

  /** The connection waits for its next call, for a while. */
  #rest(place: Place<C>, held: Held | undefined): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      place.held = held
      place.usedAt = yield* Clock.currentTimeMillis
      const { idle } = this.#limits
      place.timer = yield* Effect.forkDetach(
        Effect.delay(
          Effect.suspend(() => {
            place.timer = undefined
            return place.isBusy ? Effect.void : this.#closeAll([place])
          }),
          idle
        )
      )
    })
  }

  #closeAll(places: ReadonlyArray<Place<C>>): Effect.Effect<void> {
    return Effect.suspend(() => {
      for (const place of places) {
        this.#places.delete(place)
        place.timer?.interruptUnsafe()
      }
      return Effect.forEach(places, ({ connection }) => connection.close, { discard: true })
    })
  }
}
