import type { Essence } from "./asked.ts"
import { differences, plain } from "./difference.ts"
import type { Expanded } from "./expand.ts"

/** The recorded calls that a replay has not used yet. */
export class Left {
  readonly all: Set<Expanded>
  /** Calls with a complete request, by that request. */
  readonly #whole = new Map<string, Array<Expanded>>()

  /** Recorded calls have a complete request; those written by hand may not. */
  readonly #isWhole: (call: Expanded) => boolean

  constructor(calls: ReadonlyArray<Expanded>, source: "recorded" | "scripted") {
    this.all = new Set(calls)
    this.#isWhole = source === "recorded" ? () => true : saysAll
    for (const call of calls) {
      if (!this.#isWhole(call)) continue
      const key = plain(call.expected)
      this.#whole.set(key, [...(this.#whole.get(key) ?? []), call])
    }
  }

  take(now: Essence): Expanded | undefined {
    const found =
      this.#whole.get(plain(now))?.shift() ??
      [...this.all].find((call) => !this.#isWhole(call) && differences(call.expected, now).length === 0)
    if (found !== undefined) this.all.delete(found)
    return found
  }
}

const saysAll = ({ expected: { asked, messages, output, phase, wish } }: Expanded): boolean =>
  messages !== undefined &&
  (asked === "native" || (phase !== undefined && wish !== undefined && output?.schema !== undefined))
