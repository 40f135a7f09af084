/** The value below which a part of the values lies, by the nearest rank. `part` is in (0, 1]. */
export const percentile = (values: ReadonlyArray<number>, part: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const value = sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)]
  if (value === undefined) throw new Error("There is no percentile of no values.")
  return value
}

/** The middle value, or the mean of the two in the middle. */
export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]]
  if (low === undefined || high === undefined) throw new Error("There is no median of no values.")
  return (low + high) / 2
}

/** Figures of one round by their names. */
export type Figures = Readonly<Record<string, number>>

/** The median of each figure over all rounds. A figure that a round lacks is left out of that round. */
export const medians = (rounds: ReadonlyArray<Figures>): Figures => {
  const names = new Set(rounds.flatMap((round) => Object.keys(round)))
  return Object.fromEntries(
    Array.from(names, (name) => [name, median(rounds.flatMap((round) => round[name] ?? []))] as const)
  )
}
