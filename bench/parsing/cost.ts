/** The time that work takes: of the processor, which other programs on the machine change little. */

const time = (run: () => unknown, rounds: number): number => {
  const before = process.cpuUsage()
  for (let round = 0; round < rounds; round++) run()
  const { system, user } = process.cpuUsage(before)
  return (system + user) / 1000
}

/** The least milliseconds that each takes for so many rounds, of so many turns after one to warm up. */
export const best = (runs: ReadonlyArray<() => unknown>, rounds: number, turns = 9): ReadonlyArray<number> => {
  for (const run of runs) time(run, rounds)
  const taken = Array.from({ length: turns }, () => runs.map((run) => time(run, rounds)))
  return runs.map((_, i) => Math.min(...taken.map((turn) => turn[i] ?? Infinity)))
}

interface Growth {
  /** The milliseconds that the shorter text takes. */
  readonly millis: number
  /** How many times as long the longer one takes. */
  readonly ratio: number
}

interface GrowthOptions {
  readonly length: number
  /** How many times as long the longer text is. */
  readonly times: number
  readonly turns: number
  /** The milliseconds that one measurement of the shorter text takes at least: short ones are rough. */
  readonly millis: number
}

/** How the time grows with the text. */
export const growth = (
  read: (text: string) => unknown,
  make: (length: number) => string,
  { length, millis, times, turns }: GrowthOptions
): Growth => {
  const [short, long] = [make(length), make(times * length)]
  const rounds = Math.ceil(
    millis /
      Math.max(
        Math.min(
          time(() => read(short), 1),
          time(() => read(short), 1)
        ),
        0.02
      )
  )
  const [once = 0, then = 0] = best([() => read(short), () => read(long)], rounds, turns)
  // What is made is only about as long as is asked for.
  return { millis: once / rounds, ratio: ((then / once) * times * short.length) / long.length }
}
