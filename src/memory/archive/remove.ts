/** Why a thought cannot be removed. */
import { fail } from "../model/error.ts"

export const hasForks = (thoughtId: string, forks: number) =>
  fail({
    _tag: "HasForks",
    thoughtId,
    forks,
    message:
      forks === 1
        ? `The thought ${thoughtId} has a fork: remove it first, or use the option materialize to leave it its notes.`
        : `The thought ${thoughtId} has ${forks} forks: remove them first, or use the option materialize to leave them their notes.`
  })
