import type { Essence } from "./essence.ts"
import { differences, plain } from "./difference.ts"
import type { Expanded } from "./expand.ts"

/** The recorded calls that a replay has not used yet. */
export class Left {
  readonly all: Set<Expanded>
  /** Calls with a complete request, by that request. */
  readonly #whole = new Map<string, Array<Expanded>>()

  readonly #isByHand: boolean

  constructor(calls: ReadonlyArray<Expanded>, source: "recorded" | "scripted") {
    this.all = new Set(calls)
    this.#isByHand = source === "scripted"
    for (const call of calls) {
      // recorded calls have a complete request; those written by hand may not
      if (this.#isByHand && !saysAll(call)) continue
      const key = plain(call.expected)
      this.#whole.set(key, [...(this.#whole.get(key) ?? []), call])
    }
  }

  take(now: Essence): Expanded | undefined {
    const found =
      this.#next(this.#whole.get(plain(now)) ?? []) ??
      (this.#isByHand ? [...this.all].find((call) => differences(call.expected, now).length === 0) : undefined)
    if (found !== undefined) this.all.delete(found)
    return found
  }

  /** The first of these calls that is left. One without tools may have been given to a request with some. */
  #next(same: Array<Expanded>): Expanded | undefined {
    let call = same.shift()
    while (call !== undefined && !this.all.has(call)) call = same.shift()
    return call
  }
}

const saysAll = ({ expected: { asked, messages, output, phase, wish } }: Expanded): boolean =>
  messages !== undefined &&
  (asked === "native" || (phase !== undefined && wish !== undefined && output?.schema !== undefined))
