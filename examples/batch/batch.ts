/** Does something for many rows, some at a time. */

interface Row {
  readonly id: string
  readonly text: string
}

interface Progress {
  readonly done: number
  readonly failed: number
  readonly total: number
}

interface Options {
  readonly concurrency: number
  readonly signal: AbortSignal
  readonly onProgress: (progress: Progress) => void
}

/**
 * The value of each row, in the order of the rows, and the rows that failed: run the batch again to try these again. Rejects if the
 * signal is aborted.
 */
export const batch = async <A>(
  rows: ReadonlyArray<Row>,
  one: (row: Row) => Promise<A>,
  { concurrency, onProgress, signal }: Options
) => {
  const results: Array<{ readonly id: string; readonly value: A } | undefined> = []
  const failures: Array<{ readonly id: string; readonly error: unknown }> = []
  let done = 0
  const rest = rows.entries()
  const worker = async (): Promise<void> => {
    // all workers take from one iterator, so that there are never more runs than workers
    for (const [index, row] of rest) {
      try {
        results[index] = { id: row.id, value: await one(row) }
        done++
      } catch (error) {
        if (signal.aborted) throw error
        failures.push({ id: row.id, error })
      }
      onProgress({ done, failed: failures.length, total: rows.length })
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  return { results: results.filter((result) => result !== undefined), failures }
}
