/** `cogito runs rerun`: repeats a run with a change, beside it. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { isBound } from "../../logs/rows.ts"
import { amountsOf, boundOf, costOf, withCommas } from "../../logs/text.ts"
import { type Rerun, rerun } from "../../Pipeline.ts"
import { refuseUnknown } from "../../pipeline/stored/named.ts"
import { quoted } from "../../text/legible.ts"
import { described } from "../console/described.ts"
import { CommandError } from "../console/failure.ts"
import { block, counted, fold, plain, print, printJson, say } from "../console/output.ts"
import { during } from "../console/progress.ts"
import { openStore, scopedFlags, scopeOf } from "../memory/place.ts"
import { codeFlags, codeOf, stepOf } from "./code.ts"
import { asLine } from "./failure.ts"
import { loadFrom } from "./ledger.ts"
import { noteFlag, notesOf } from "./notes.ts"
import { waitingLines } from "./outcome.ts"
import { questionJson } from "./questions.ts"
import { exportLayer } from "./resume.ts"
import { runJson } from "./run.ts"
import { servicesOf, withoutDefects } from "./services.ts"

const sideBySide = ({ notes }: Rerun<unknown>): ReadonlyArray<string> => {
  const changed = notes.filter(({ isSame }) => !isSame)
  const same = notes.length - changed.length
  return [
    `${counted(changed.length, "note")} changed, ${same} ${same === 1 ? "is" : "are"} the same.`,
    ...changed.flatMap(({ after, before, key, step }) => [
      "",
      fold(`${plain(key)}  at ${plain(step)}`),
      ...(before === undefined ? ["before: not written"] : ["before:", block(before)]),
      ...(after === undefined ? ["after: not written"] : ["after:", block(after)])
    ])
  ]
}

export const rerunCommand = Command.make(
  "rerun",
  {
    ...scopedFlags,
    ...codeFlags,
    run: Argument.String("run").pipe(Argument.withDescription("Its id")),
    from: Flag.String("from").pipe(
      Flag.withMetavar("step"),
      Flag.withDescription("Name, path or frame of a step: it and everything after it is asked again"),
      Flag.optional
    ),
    note: noteFlag("A note that the run begins with, in place of that with the same key")
  },
  Effect.fnUntraced(function* ({ from, note, run: id, spec, steps, ...place }) {
    const scope = yield* scopeOf(place)
    const notes = yield* notesOf(note)
    const code = yield* codeOf({ spec, steps })
    const store = yield* openStore(place, "changed")
    const before = yield* loadFrom(store, scope, id)
    const step = yield* stepOf(code, before.run)
    const services = yield* servicesOf(code, store, { json: place.json, scope })
    const running = yield* Effect.try({
      try: () => {
        if (Option.isSome(from)) refuseUnknown(step, from.value, before)
        return rerun(step, id, { notes, ...(Option.isSome(from) ? { from: from.value } : {}) })
      },
      catch: (error) => new CommandError({ message: (error as Error).message })
    })
    // the steps that fail are those of the new run
    const again = `the run that repeats ${quoted(id)}`
    const outcome = yield* running.pipe(
      Effect.catchTag("Suspended", ({ runId }) => Effect.succeed({ runId })),
      Effect.mapError((error) => asLine(id, error, error._tag === "PipelineError" ? again : undefined)),
      withoutDefects(`The repetition of the run ${quoted(id)} has ended with a defect`, exportLayer),
      Effect.onInterrupt(() => say("cogito: Stopped. The run that was repeated is as it was.")),
      Effect.provideContext(services),
      during(place.json, "Repeating the run")
    )
    const made = yield* loadFrom(store, scope, outcome.runId)
    if (!("thought" in outcome)) {
      const open = made.waits.filter(({ answer }) => answer === undefined)
      if (place.json) yield* printJson({ run: runJson(made.run), repeats: id, questions: open.map(questionJson) })
      else for (const line of waitingLines(place, made)) yield* print(line)
      return
    }
    const { made: calls, reused } = outcome
    // reused answers cost nothing
    const amounts = amountsOf(made.calls.filter((call) => !isBound(call)))
    const bound = boundOf(made.calls)
    if (place.json) {
      yield* printJson({ run: runJson(made.run), repeats: id, reused, made: calls, ...amounts, notes: outcome.notes })
      return
    }
    yield* print(fold(`The run ${plain(outcome.runId)} repeats ${plain(id)}.`))
    yield* print(`Reused ${counted(reused, "answer")}; made ${withCommas([costOf(calls, amounts), bound])}.`)
    for (const line of sideBySide(outcome)) yield* print(line)
  }, Effect.scoped)
).pipe(
  Command.withShortDescription("Repeat a run with another note, or with changed steps, and compare the notes"),
  Command.withDescription(
    described(
      "Repeat a run with another note, or with changed steps, and compare the notes.",
      "The new run is on a fork; the first one stays as it is. Answers to equal requests are reused; only what the change affects is asked.",
      'The run must have kept its answers: durable: { keep: "answers" }. The code is named as for resume.'
    )
  ),
  Command.withExamples([
    {
      command:
        'npx cogito runs rerun t-1 --note "message=The site is down" --steps triage.ts --data-dir .cogito/memory',
      description: "With another text of a note"
    },
    {
      command: "npx cogito runs rerun t-1 --from urgent --steps triage.ts --data-dir .cogito/memory",
      description: "Asked again from a step on"
    }
  ])
)
