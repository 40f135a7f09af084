/** Hashes at once, so that a test that sets the clock need not wait for the threads that hash. */
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"

const { subtle } = globalThis.crypto

const digest: SubtleCrypto["digest"] = (_, data) => {
  const bytes = ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : data
  return Promise.resolve(new Uint8Array(createHash("sha256").update(new Uint8Array(bytes)).digest()).buffer)
}

/** The effect, during which SHA-256 takes no time. */
export const soonHashed = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.sync(() => Object.defineProperty(subtle, "digest", { value: digest, configurable: true })),
    () => effect,
    () => Effect.sync(() => Reflect.deleteProperty(subtle, "digest"))
  )
