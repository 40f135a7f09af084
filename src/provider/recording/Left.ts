import type { Essence } from "./asked.ts"
import { differences, plain } from "./difference.ts"
import type { Expanded } from "./expand.ts"

/** Recorded calls that have not been made again yet. */
export class Left {
  readonly all: Set<Expanded>
  /** Those that say everything of their request, by that. */
  readonly #whole = new Map<string, Array<Expanded>>()

  constructor(calls: ReadonlyArray<Expanded>) {
    this.all = new Set(calls)
    for (const call of calls) {
      if (!isWhole(call)) continue
      const key = plain(call.expected)
      this.#whole.set(key, [...(this.#whole.get(key) ?? []), call])
    }
  }

  take(now: Essence): Expanded | undefined {
    const found =
      this.#whole.get(plain(now))?.shift() ??
      [...this.all].find((call) => !isWhole(call) && differences(call.expected, now).length === 0)
    if (found !== undefined) this.all.delete(found)
    return found
  }
}

const isWhole = ({ expected: { asked, messages, phase, sampling } }: Expanded): boolean =>
  messages !== undefined && (asked === "native" || (phase !== undefined && sampling !== undefined))
