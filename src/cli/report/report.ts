/** `cogito report`: a page about a thought, or about a durable run. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { Memory, type MemoryError, type Shape } from "../../Memory.ts"
import { collect, type CollectOptions } from "../../report/collect.ts"
import { html } from "../../report/html.ts"
import type { RunReport } from "../../report/model.ts"
import { described } from "../console/described.ts"
import { UsageError } from "../console/failure.ts"
import { counted, print, printJson, printPart, say } from "../console/output.ts"
import { writeWhole } from "../console/writeWhole.ts"
import { scopedFlags, scopeOf } from "../memory/place.ts"
import { unknown } from "../memory/unknown.ts"
import { openMemory } from "../runs/ledger.ts"
import { thoughtOf } from "../runs/run.ts"

const tooLong = Effect.fail(
  new UsageError({
    message: "The page is too long for a terminal: write it to a file with > run.html or --out run.html."
  })
)

/** By the id of a run, which the caller may have chosen like a trace id; then of a thought; then by a trace id. */
const reportOf = Effect.fnUntraced(function* (
  memory: Shape,
  ref: string,
  limit: number
): Effect.fn.Return<RunReport | undefined, MemoryError> {
  const stored = yield* memory.ledger.load(ref)
  const read = (of: string | { readonly traceId: string }, options: CollectOptions) =>
    collect(of, options).pipe(
      Effect.catchReason("MemoryError", "NotFound", () => Effect.undefined),
      Effect.provideService(Memory, memory)
    )
  return stored === undefined
    ? ((yield* read(ref.toLowerCase(), { limit })) ?? (yield* read({ traceId: ref }, { limit })))
    : yield* read(thoughtOf(stored.run), { limit, runId: ref })
})

export const reportCommand = Command.make(
  "report",
  {
    ...scopedFlags,
    ref: Argument.String("thought-or-run").pipe(
      Argument.withDescription("The id of a run or a thought, or a trace id")
    ),
    out: Flag.String("out").pipe(
      Flag.withMetavar("file"),
      Flag.withDescription("Write the page to this file instead of the standard output"),
      Flag.optional
    ),
    limit: Flag.Int("limit").pipe(
      Flag.withMetavar("count"),
      Flag.withDescription("Most thoughts and most runs in the report, from 1 to 500 (default: 50)"),
      Flag.filter(
        (limit) => limit >= 1 && limit <= 500,
        () => "The limit must be a whole number from 1 to 500."
      ),
      Flag.withDefault(50)
    )
  },
  Effect.fnUntraced(function* ({ json, limit, out, ref, ...place }) {
    const file = Option.getOrUndefined(Option.filter(out, (name) => name !== "-"))
    yield* file === undefined && !json && process.stdout.isTTY ? tooLong : Effect.void
    const memory = yield* openMemory(place)
    const report = (yield* reportOf(memory, ref, limit)) ?? (yield* unknown(yield* scopeOf(place), ref))
    if (file === undefined) {
      yield* json ? printJson(report) : printPart(html(report))
      return
    }
    yield* Effect.onInterrupt(
      writeWhole(file, (write) => write(json ? JSON.stringify(report) : html(report))),
      () => say("cogito: Stopped. No file was written.")
    )
    const { notes, runs } = report
    yield* json
      ? printJson({ file, notes: notes.length, runs: runs.length })
      : print(
          `Wrote ${counted(notes.length, "note")} and ${counted(runs.length, "run")} to ${file}. Open it in a browser.`
        )
  }, Effect.scoped)
).pipe(
  Command.withShortDescription("Write a page that shows a run: steps, calls, costs, answers, notes"),
  Command.withDescription(
    described(
      "Write a page that shows a run: steps, calls, costs, answers, notes.",
      "It only reads. The page is one file that opens in a browser, loads nothing, and needs no server.",
      "It contains the texts of the notes: whoever has the file can read them. --json prints the data instead.",
      "A run shows its times and costs if it is durable, and its requests and answers if it keeps them."
    )
  ),
  Command.withExamples([
    { command: "npx cogito report refund-17 --data-dir .cogito/memory > run.html", description: "A durable run" },
    {
      command: "npx cogito report ticket-7 --out ticket-7.html --scope acme",
      description: "By a trace id, on a server"
    }
  ])
)
