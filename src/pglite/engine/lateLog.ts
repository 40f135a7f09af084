/**
 * Flushes of the database's log that wait for the next one.
 *
 * What is written has reached the system, so it survives the end of this process. Postgres takes the log for flushed: it may then
 * write pages of its tables that the log describes. So the log is flushed before anything but the log is changed.
 */
export class LateLog<File> {
  /** Whether flushes wait. */
  mayWait = false
  readonly #files = new Set<File>()
  readonly #flush: (file: File) => void

  constructor(flush: (file: File) => void) {
    this.#flush = flush
  }

  /** Adds a file that is to be flushed. */
  add(file: File): void {
    this.#files.add(file)
  }

  has(file: File): boolean {
    return this.#files.has(file)
  }

  /** Flushes what was added. A flush that fails is still due. */
  flush(): void {
    for (const file of this.#files) {
      this.#flush(file)
      this.#files.delete(file)
    }
  }
}

const zeros = new Uint8Array(8192)

/** Whether only zeros are written, as where a table grows: the log does not describe such a page yet. */
export const isZero = ({ buffer, byteOffset }: Uint8Array | Int8Array, offset: number, length: number): boolean => {
  for (let at = 0; at < length; at += zeros.length) {
    const size = Math.min(zeros.length, length - at)
    const part = new Uint8Array(buffer, byteOffset + offset + at, size)
    if (Buffer.compare(part, zeros.subarray(0, size)) !== 0) return false
  }
  return true
}
