/** Answers by the hash of what was asked: those that are there, and those that are on their way. */
import * as Cache from "effect/Cache"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Exit from "effect/Exit"
import * as Hash from "effect/Hash"
import type { Answered } from "./calls.ts"
import type { ProviderError } from "./ProviderError.ts"

/** An answer, and whether it was there before this process asked for it. */
export interface Kept {
  readonly answer: Answered
  readonly isOld: boolean
}

/** Nobody read a stream to its end, so that there is no answer: the next one asks again. */
export const dropped = Symbol("dropped")

/** A failure that is only about the one who asked: others ask for themselves. */
export class Own {
  readonly error: ProviderError

  constructor(error: ProviderError) {
    this.error = error
  }
}

/** Why there is no answer. */
export type Missed = ProviderError | Own | typeof dropped

type Asking = Effect.Effect<Kept, Missed>

/** Equal to others of the same hash. The first one asks, and then holds nothing of the request any more. */
export class Key implements Equal.Equal {
  readonly #hash: string
  #ask: Asking | undefined
  /** Whether it is this one that asked. */
  asked = false

  constructor(hash: string, ask: Asking) {
    this.#hash = hash
    this.#ask = ask
  }

  take(): Asking {
    const ask = this.#ask ?? Effect.die(new Error("A key asks once."))
    this.#ask = undefined
    this.asked = true
    return ask
  }

  [Equal.symbol](that: Equal.Equal): boolean {
    return that instanceof Key && that.#hash === this.#hash
  }

  [Hash.symbol](): number {
    return Hash.string(this.#hash)
  }
}

/**
 * The least recently used goes first. Failures are shared by those who wait for them, and not kept; nor are answers of
 * before, of which only the store knows how old they are.
 */
export const makeAnswers = (capacity: number, timeToLive: Duration.Duration) =>
  Effect.runSync(
    Cache.makeWith((key: Key) => key.take(), {
      capacity,
      timeToLive: (exit) => (Exit.isSuccess(exit) && !exit.value.isOld ? timeToLive : Duration.zero)
    })
  )

export type Answers = ReturnType<typeof makeAnswers>
