/** The source of ids of thoughts and notes: UUIDv7 (RFC 9562, section 5.7), replaceable in tests. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"

export const IdSource = Context.Reference<(millis: number) => string>("cogito/IdSource", {
  defaultValue: () => uuidv7
})

/** An id and the time when it was made, in milliseconds since 1970. */
export const next: Effect.Effect<{ readonly id: string; readonly millis: number }> = Effect.withFiber((fiber) =>
  Effect.succeed(nextOf(fiber))
)

/** The same, in code that has the fiber. */
export const nextOf = (fiber: Fiber.Fiber<unknown, unknown>): { readonly id: string; readonly millis: number } => {
  const millis = fiber.getRef(Clock.Clock).currentTimeMillisUnsafe()
  return { id: fiber.getRef(IdSource)(millis), millis }
}

/** Random bytes for the next ids. Drawing them one id at a time would cost a system call each. */
const drawn = new Uint8Array(10 * 256)
let used = drawn.length

const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))

const random = (): number => drawn[used++] ?? 0
const byte = (value: number): string => hex[value & 0xff] ?? ""

/** 48 bits of time, followed by version, variant and 74 random bits. */
export const uuidv7 = (millis: number): string => {
  if (used === drawn.length) {
    globalThis.crypto.getRandomValues(drawn)
    used = 0
  }
  const [high, low] = [Math.floor(millis / 2 ** 32), millis % 2 ** 32]
  const time = byte(high >> 8) + byte(high) + byte(low >>> 24) + byte(low >>> 16)
  const rest = byte(random()) + byte(random()) + byte(random()) + byte(random()) + byte(random()) + byte(random())
  const version = byte((random() & 0x0f) | 0x70) + byte(random())
  const variant = byte((random() & 0x3f) | 0x80) + byte(random())
  return `${time}-${byte(low >>> 8)}${byte(low)}-${version}-${variant}-${rest}`
}
