/** The source of ids of thoughts and notes: UUIDv7 (RFC 9562, section 5.7), replaceable in tests. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

export const IdSource = Context.Reference<(millis: number) => string>("cogito/IdSource", {
  defaultValue: () => uuidv7
})

/** An id and the time when it was made, in milliseconds since 1970. */
export const next: Effect.Effect<{ readonly id: string; readonly millis: number }> = Effect.gen(function* () {
  const make = yield* IdSource
  const millis = yield* Clock.currentTimeMillis
  return { id: make(millis), millis }
})

/** 48 bits of time, followed by version, variant and 74 random bits. */
const uuidv7 = (millis: number): string => {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(16))
  const view = new DataView(bytes.buffer)
  view.setUint16(0, Math.floor(millis / 2 ** 32))
  view.setUint32(2, millis % 2 ** 32)
  view.setUint8(6, (view.getUint8(6) & 0x0f) | 0x70)
  view.setUint8(8, (view.getUint8(8) & 0x3f) | 0x80)
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
