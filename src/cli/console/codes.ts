/** The program's exit codes. */

export const codes = {
  done: 0,
  failed: 1,
  usage: 2,
  problems: 3,
  waiting: 4,
  SIGHUP: 129,
  SIGINT: 130,
  readerGone: 141,
  SIGTERM: 143
} as const

/** The meaning of each exit code, for the help. */
export const meanings: ReadonlyArray<readonly [code: number, meaning: string]> = [
  [codes.done, "Done"],
  [codes.failed, "Failed: a line on the standard error says why and what to do"],
  [codes.usage, "Invalid usage: nothing was read or changed"],
  [codes.problems, "verify has found problems, or replay a difference"],
  [codes.waiting, "agent has stopped at a call that somebody must approve"],
  [codes.SIGHUP, "The terminal was closed (SIGHUP)"],
  [codes.SIGINT, "Stopped with Ctrl-C (SIGINT)"],
  [codes.readerGone, "The reader closed the output"],
  [codes.SIGTERM, "Stopped with SIGTERM"]
]
