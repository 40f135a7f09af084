/** What is made again because a redaction has emptied it. */
import { madeAgain } from "./frame.ts"
import type { Parts } from "./parts.ts"

/**
 * A call or a note of the frame is made again. The ledger has that from then on: what is made again may differ, and a later
 * execution comes to other calls and questions than those that were recorded, while nothing is empty any more.
 */
export const makeAgain = ({ createdMillis, earlier, epoch, writer }: Parts, frame: string): void => {
  if (!earlier.hasAgain) {
    writer.step({
      frame: madeAgain,
      kind: "commit",
      outcome: "committed",
      position: undefined,
      error: undefined,
      startedMillis: createdMillis,
      endedMillis: undefined,
      epoch
    })
  }
  earlier.makeAgain(frame)
}
