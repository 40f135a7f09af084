/** Answers by the hash of their request: those that are kept, and those of calls under way. */
import * as Cache from "effect/Cache"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Exit from "effect/Exit"
import * as Hash from "effect/Hash"
import type { Answered } from "./calls.ts"
import type { ProviderError } from "./ProviderError.ts"

/** An answer, and whether it came from the store instead of a call. */
export interface Kept {
  readonly answer: Answered
  readonly isOld: boolean
}

/** There is no answer, because nobody read the stream to its end. The next caller makes the call again. */
export const dropped = Symbol("dropped")

/** A failure that concerns only its caller. Others make the call themselves. */
export class Own {
  readonly error: ProviderError

  constructor(error: ProviderError) {
    this.error = error
  }
}

/** Why there is no answer. */
export type Missed = ProviderError | Own | typeof dropped

type Asking = Effect.Effect<Kept, Missed>

/** Equals other keys of the same hash. The first key makes the call, and then holds nothing of the request any more. */
export class Key implements Equal.Equal {
  readonly #hash: string
  #ask: Asking | undefined
  /** Whether this key made the call. */
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
 * A cache that evicts the least recently used answer first. Those who wait for a call share its failure, which is not
 * kept. Answers from the store are not kept here either, as only the store knows their age.
 */
export const makeAnswers = (capacity: number, timeToLive: Duration.Duration) =>
  Effect.runSync(
    Cache.makeWith((key: Key) => key.take(), {
      capacity,
      timeToLive: (exit) => (Exit.isSuccess(exit) && !exit.value.isOld ? timeToLive : Duration.zero)
    })
  )

export type Answers = ReturnType<typeof makeAnswers>
