/** How sure a mean is: the bootstrap, with numbers that are the same in every run. */

/** Numbers in [0, 1) that the seed alone decides (mulberry32). */
export const numbers = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export interface Interval {
  readonly mean: number
  /** Bounds between which the middle 95 % of the resampled means are. */
  readonly low: number
  readonly high: number
}

const resamples = 1000

const mean = (values: ReadonlyArray<number>): number =>
  values.length === 0 ? 0 : values.reduce((total, value) => total + value, 0) / values.length

/** A mean and its 95 % interval, from 1,000 resamples of as many values. Given differences in pairs, that of those. */
export const bootstrap = (values: ReadonlyArray<number>, seed = 1): Interval => {
  const next = numbers(seed)
  const means = Array.from({ length: resamples }, () =>
    mean(values.map(() => values[Math.floor(next() * values.length)]!))
  ).toSorted((a, b) => a - b)
  return { mean: mean(values), low: means[resamples * 0.025]!, high: means[resamples * 0.975 - 1]! }
}
