/** Random numbers from a seed (mulberry32), so that a failing run can be repeated. */
export interface Random {
  /** A whole number from 0, below `bound`. */
  readonly below: (bound: number) => number
  readonly pick: <A>(values: ReadonlyArray<A>) => A
  readonly list: <A>(most: number, make: (i: number) => A) => ReadonlyArray<A>
}

export const random = (seed: number): Random => {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (bound: number) => Math.floor(next() * bound)
  return {
    below,
    pick: (values) => {
      const index = below(values.length)
      const value = values[index]
      if (value === undefined && !(index in values)) throw new Error("there is nothing to pick from")
      return value as (typeof values)[number]
    },
    list: (most, make) => Array.from({ length: below(most + 1) }, (_, i) => make(i))
  }
}
