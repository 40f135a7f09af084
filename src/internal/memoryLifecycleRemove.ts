/** Why a thought cannot be removed. */
import { fail } from "./memoryError.ts"

export const hasForks = (thoughtId: string, forks: number) =>
  fail({
    _tag: "HasForks",
    thoughtId,
    forks,
    message: `The thought ${thoughtId} is the parent of ${forks}: remove these first, or use the option materialize to leave them their notes.`
  })
