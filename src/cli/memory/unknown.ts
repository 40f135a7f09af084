/** What a command says of an id that nothing has. */
import { quoted } from "../../text/legible.ts"
import { CommandError } from "../console/failure.ts"

/** For commands that take the id of a run or of a thought, or a trace id. */
export const unknown = (scope: string, ref: string): CommandError =>
  new CommandError({
    message: `No run, thought or trace has the id ${quoted(ref)} in the scope ${quoted(scope)}: check the id and --scope.`
  })

/** For the id of a run whose thought was removed. */
export const removed = (scope: string, run: string): CommandError =>
  new CommandError({ message: `The thought of the run ${quoted(run)} was removed from the scope ${quoted(scope)}.` })
