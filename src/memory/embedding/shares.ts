/** The parts that are embedded in one turn: a bounded number, with the same share for every scope. */
import type { Job } from "./job.ts"

/** Most parts, and most tokens of all of them, in a turn; each scope's share is rounded up to whole parts. */
const turnParts = 256
const turnTokens = 200_000

/** So many numbers of vectors may be held of long notes that are begun, 64 MB; of one note in any case. */
const heldNumbers = 16_000_000

/** Sums of shares are not exact. */
const rounding = 1e-9

/** Takes parts of jobs and gives the jobs that it took some of, those of each scope in order. */
export const takeTurn = (jobs: ReadonlyArray<Job>, dimensions: number): ReadonlyArray<Job> => {
  const touched = new Set<Job>()
  let held = jobs.reduce((sum, job) => (job.begun ? sum + job.size : sum), 0) * dimensions
  let left = 1
  /** Whether it can be copied when another one is done. */
  const isRepeated = ({ note }: Job) =>
    [...touched].some((other) => other.note.scope === note.scope && other.note.content === note.content)
  let waiting = [...Map.groupBy(jobs, ({ note }) => note.scope).values()].map((own) => [...own])

  /** Takes parts of a scope's jobs until they fill a share. Returns how much they fill. */
  const takeShare = (own: Array<Job>, share: number): number => {
    let spent = 0
    for (let [job] = own; job !== undefined && spent < share - rounding; [job] = own) {
      if (!job.begun && job.size > 1) {
        const size = job.size * dimensions
        if (isRepeated(job) || (held > 0 && held + size > heldNumbers)) return spent
        held += size
      }
      const text = job.take()
      if (text !== undefined) {
        touched.add(job)
        spent += Math.max(1 / turnParts, job.tokensOf(text) / turnTokens)
      }
      if (job.taken) own.shift()
    }
    return spent
  }

  while (waiting.length > 0 && left > rounding) {
    const share = left / waiting.length
    const spent = waiting.map((own) => takeShare(own, share))
    left -= spent.reduce((sum, one) => sum + one, 0)
    waiting = waiting.filter((own, i) => own.length > 0 && spent[i] !== 0)
  }
  return [...touched]
}
