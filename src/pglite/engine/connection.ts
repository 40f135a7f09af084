/** A database that runs one statement after the other: in this thread, or in a thread of its own. */

/** What is known of a database's disk. */
export interface DiskState {
  /** Whether a write has failed because there was no space. */
  readonly full: boolean
  /** How many new files of the log were made since the start; reused ones do not count. */
  readonly segments: number
}

export interface Result {
  readonly rows: ReadonlyArray<unknown>
  readonly affectedRows: number | undefined
}

export interface Connection {
  /**
   * Rejects with `Stopped` after a failure that the database cannot recover from. With `late`, what the statement commits reaches
   * the system, and the disk with the next commit.
   */
  readonly query: (
    statement: string,
    values: ReadonlyArray<unknown>,
    options?: { readonly late: boolean }
  ) => Promise<Result>
  /** Sends values of the type with this number as the bytes that they are. */
  readonly sendBytes: (type: number) => Promise<void>
  readonly close: () => Promise<void>
  /** As of the last statement. */
  readonly disk: () => DiskState
}

export interface Settings {
  /** The folder of the files. Without it the rows live in memory. */
  readonly folder: string | undefined
  /** An archive of a fresh database, which saves making one. */
  readonly template: Blob | undefined
}

/** The database has stopped, because it could not write or its thread has ended. */
export class Stopped extends Error {
  override readonly name = "Stopped"
}
