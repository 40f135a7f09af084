/**
 * What the command line says.
 */
import { Data, Effect } from "effect"
import { parseArgs } from "node:util"

export const help = `Decides on requests for refunds, and prints the log of notes as an audit trail.
Refunds above 100 EUR wait until a person approves.

Usage: npm run refund-approval -- [options]

  --data FOLDER   where the runs and their notes are kept, default
                  .cogito/refunds. After Ctrl-C, or when a person has answered,
                  the same command goes on where it stopped; delete the folder
                  to start over
  --slow          a second for each answer of the model, so that there is time
                  for Ctrl-C
  --help          print this`

export interface Options {
  readonly data: string
  readonly slow: boolean
  readonly help: boolean
}

export class UsageError extends Data.TaggedError("UsageError")<{ readonly message: string }> {}

/** Reads the command line. */
export const parse = (args: ReadonlyArray<string>): Effect.Effect<Options, UsageError> =>
  Effect.try({
    try: () => {
      const { values } = parseArgs({
        args: [...args],
        options: {
          data: { type: "string", default: ".cogito/refunds" },
          slow: { type: "boolean", default: false },
          help: { type: "boolean", short: "h", default: false }
        }
      })
      return values
    },
    catch: (error) => new UsageError({ message: error instanceof Error ? error.message : String(error) })
  })
