/** What two sides cost, in turn. */
import { bootstrap } from "../retrieval/statistics.ts"

export interface Cost {
  readonly cpu: number
  readonly wall: number
}

export const cost = async (run: () => Promise<unknown>): Promise<Cost> => {
  const [cpu, wall] = [process.cpuUsage(), performance.now()]
  await run()
  const { system, user } = process.cpuUsage(cpu)
  return { cpu: (system + user) / 1000, wall: performance.now() - wall }
}

export const median = (all: ReadonlyArray<number>): number =>
  all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0

export const print = (line: string) => process.stdout.write(`${line}\n`)

export type Pair = readonly [a: Cost, b: Cost]

/** One run of each side, the first of each round changing. */
export const pair = async (
  round: number,
  a: (round: number) => Promise<unknown>,
  b: (round: number) => Promise<unknown>
): Promise<Pair> => {
  const first = await cost(() => (round % 2 === 0 ? a : b)(round))
  const second = await cost(() => (round % 2 === 0 ? b : a)(round))
  return round % 2 === 0 ? [first, second] : [second, first]
}

/** The cost of one side by that of the other, with its 95 % interval. The first two pairs are for warming up. */
export const show = (what: string, pairs: ReadonlyArray<Pair>, measures: ReadonlyArray<keyof Cost>): void => {
  for (const measure of measures) {
    const kept = pairs.length > 4 ? pairs.slice(2) : pairs
    const { high, low, mean } = bootstrap(kept.map(([left, right]) => Math.log(left[measure] / right[measure])))
    const [left, right] = [median(kept.map(([x]) => x[measure])), median(kept.map(([, x]) => x[measure]))]
    print(
      `${what.padEnd(62)} ${measure.padEnd(4)} ${Math.exp(mean).toFixed(2)} x [${Math.exp(low).toFixed(2)}, ` +
        `${Math.exp(high).toFixed(2)}]  ${left.toFixed(1)} ms : ${right.toFixed(1)} ms`
    )
  }
}
