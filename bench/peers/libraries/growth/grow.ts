/** A conversation that grows by ten decisions at a time. */
export interface Growing {
  /** Builds the next ten steps, which is not measured, and returns what asks them and checks the answers. */
  readonly next: () => () => Promise<void>
  /** Answers so far. */
  readonly length: () => number
}

export interface Grown {
  readonly start: () => Promise<Growing>
  readonly close: () => Promise<void>
}

/** Prepares an empty store, or one that holds so many other thoughts. */
export type Grow = (others: number) => Promise<Grown>
