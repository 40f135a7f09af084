/** Adds up what the calls of a program use. */
import * as Context from "effect/Context"
import { addUsage, type Usage } from "../../thought/tokens.ts"

/**
 * What the calls of a program have used. A count that no provider reported is absent, not 0.
 *
 * @category models
 */
export interface Used extends Usage {
  /** How many calls were made, failed ones and those that were tried again included. */
  readonly calls: number
  /** How many of them failed or were interrupted. */
  readonly failed: number
  /** How many of them may have used tokens that their provider did not report, such as interrupted ones. */
  readonly unreported: number
  /** What they cost in US dollars. Absent if the cost of a call is not known. */
  readonly usd?: number
}

/** How a call has ended. Without usage it may have used anything. */
export interface CallEnd {
  readonly failed: boolean
  readonly usage: Usage | undefined
  readonly usd: number | undefined
}

export class Meter {
  #calls = 0
  #failed = 0
  #unreported = 0
  #usage: Usage = {}
  #usd: number | undefined = 0

  add({ failed, usage, usd }: CallEnd): void {
    this.#calls += 1
    if (failed) this.#failed += 1
    if (usage === undefined) this.#unreported += 1
    else this.#usage = addUsage(this.#usage, usage)
    this.#usd = usd === undefined || this.#usd === undefined ? undefined : this.#usd + usd
  }

  get used(): Used {
    return {
      calls: this.#calls,
      failed: this.#failed,
      unreported: this.#unreported,
      ...this.#usage,
      // sums of prices have rounding errors far below a billionth of a dollar
      ...(this.#usd !== undefined && { usd: Math.round(this.#usd * 1e12) / 1e12 })
    }
  }
}

/** The meters of the running program, the outermost first. */
export const Meters = Context.Reference<ReadonlyArray<Meter>>("cogito/Meters", { defaultValue: () => [] })
