/** `cogito runs remove`: deletes what the ledger has of a run. */
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { described } from "../console/described.ts"
import { counted, plain, print, printJson } from "../console/output.ts"
import { scopedFlags } from "../memory/place.ts"
import { endRun } from "./end.ts"
import { busy } from "./failure.ts"
import { loadRun, openMemory } from "./ledger.ts"
import { thoughtOf } from "./run.ts"

export const removeCommand = Command.make(
  "remove",
  {
    ...scopedFlags,
    run: Argument.String("run").pipe(Argument.withDescription("Its id"))
  },
  Effect.fnUntraced(function* ({ run: id, ...place }) {
    const memory = yield* openMemory(place, "changed")
    const { calls, run, steps, waits } = yield* loadRun(memory, id)
    if (run.status === "running" || run.status === "pending")
      yield* endRun(memory, run, { status: "interrupted", error: undefined })
    // another process may have taken it meanwhile, or removed it
    const removed = yield* memory.ledger.remove(id)
    yield* removed
      ? Effect.void
      : Effect.flatMap(loadRun(memory, id), ({ run: left }) => Effect.fail(busy(id, left.leaseUntilMillis)))
    const thoughtId = thoughtOf(run)
    const counts = { steps: steps.filter(({ kind }) => kind !== "commit").length, calls: calls.length }
    if (place.json) {
      yield* printJson({ removed: id, ...counts, questions: waits.length, thoughtId })
      return
    }
    const open = waits.filter(({ answer }) => answer === undefined).length
    yield* print(
      `Removed the run ${plain(id)}: ${counted(counts.steps, "step")}, ${counted(counts.calls, "call")}, ` +
        `${counted(waits.length, "question")}${open === 0 || run.status === "completed" ? "" : ` (${open} open)`}.`
    )
    yield* print(`Its thought ${thoughtId} stays, with its notes.`)
  }, Effect.scoped)
).pipe(
  Command.withShortDescription("Delete what is kept of a run; its thought and notes stay"),
  Command.withDescription(
    described(
      "Delete what is kept of a run; its thought and notes stay.",
      "That is its steps, calls, answers and questions: it can be neither resumed, repeated nor shown any more.",
      "It asks for nothing. A run that another process has is refused."
    )
  ),
  Command.withExamples([
    { command: "npx cogito runs remove refund-17 --data-dir .cogito/memory", description: "By its id" }
  ])
)
