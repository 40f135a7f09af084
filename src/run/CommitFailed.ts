import type { MemoryError } from "../memory/model/error.ts"

/** The store's failure on its way out, as a defect: no step's business, so none can take it for an error of its own. */
export class CommitFailed {
  readonly error: MemoryError
  constructor(error: MemoryError) {
    this.error = error
  }
}
