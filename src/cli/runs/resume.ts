/** `cogito runs resume`: goes on with a run, in this process. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { resume } from "../../Pipeline.ts"
import { quoted } from "../../text/legible.ts"
import { described } from "../console/described.ts"
import { say } from "../console/output.ts"
import { during } from "../console/progress.ts"
import { openStore, scopedFlags, scopeOf } from "../memory/place.ts"
import { codeFlags, codeOf, stepOf } from "./code.ts"
import { asLine } from "./failure.ts"
import { loadFrom } from "./ledger.ts"
import { printOutcome } from "./outcome.ts"
import { servicesOf, withoutDefects } from "./services.ts"

/** Adds what a module must export to a message that some service is missing. */
export const exportLayer = "If a service is missing, export it from the module of --steps, as a layer named layer."

export const resumeCommand = Command.make(
  "resume",
  {
    ...scopedFlags,
    ...codeFlags,
    run: Argument.String("run").pipe(Argument.withDescription("Its id")),
    onInterrupted: Flag.Literals("on-interrupted", ["rerun", "fail"]).pipe(
      Flag.withMetavar("what"),
      Flag.withDescription("Repeat effects whose outcome is not known, or fail (default: once is not repeated)"),
      Flag.optional
    )
  },
  Effect.fnUntraced(function* ({ onInterrupted, run: id, spec, steps, ...place }) {
    const scope = yield* scopeOf(place)
    const code = yield* codeOf({ spec, steps })
    const store = yield* openStore(place, "changed")
    const load = loadFrom(store, scope, id)
    const before = yield* load
    const step = yield* stepOf(code, before.run)
    const services = yield* servicesOf(code, store, { json: place.json, scope })
    const how = Option.isSome(onInterrupted) ? { onInterrupted: onInterrupted.value } : {}
    yield* resume(step, id, how).pipe(
      Effect.catchTag("Suspended", () => Effect.void),
      Effect.mapError((error) => asLine(id, error)),
      withoutDefects(`The run ${quoted(id)} has ended with a defect`, exportLayer),
      Effect.onInterrupt(() => say(`cogito: Stopped. The same command goes on with the run.`)),
      Effect.provideContext(services),
      during(place.json, "Going on with the run")
    )
    yield* printOutcome(place, before.run, yield* load)
  }, Effect.scoped)
).pipe(
  Command.withShortDescription("Go on with a run that was interrupted, has failed, or was answered"),
  Command.withDescription(
    described(
      "Go on with a run that was interrupted, has failed, or was answered.",
      "What was finished is not asked again. --steps names a module that exports the pipeline: as a step, or in a list by default.",
      "If it exports a layer, that provides the model and other services; the memory is that of the command.",
      "A document of --spec is built with the registry that the module of --steps exports, if there is one."
    )
  ),
  Command.withExamples([
    {
      command: "npx cogito runs resume refund-17 --steps src/pipelines.ts --data-dir .cogito/memory",
      description: "With the code of a module"
    },
    {
      command: "npx cogito runs resume refund-17 --spec refund.yaml --steps src/services.ts --scope acme",
      description: "With a document"
    }
  ])
)
