/** `cogito runs start`: begins a run, in this process. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { run as runPipeline } from "../../Pipeline.ts"
import { quoted } from "../../text/legible.ts"
import { make as makeThought } from "../../Thought.ts"
import { described } from "../console/described.ts"
import { CommandError, UsageError } from "../console/failure.ts"
import { say } from "../console/output.ts"
import { during } from "../console/progress.ts"
import { openStore, scopedFlags, scopeOf } from "../memory/place.ts"
import { type Code, codeFlags, codeOf } from "./code.ts"
import { asLine } from "./failure.ts"
import { loadFrom } from "./ledger.ts"
import { noteFlag, notesOf } from "./notes.ts"
import { printOutcome } from "./outcome.ts"
import { exportLayer } from "./resume.ts"
import { servicesOf, withoutDefects } from "./services.ts"

/** The pipeline of this name, or the only one. */
const pipelineOf = Effect.fnUntraced(function* (
  { from, steps }: Code,
  name: Option.Option<string>
): Effect.fn.Return<Code["steps"][number], CommandError | UsageError> {
  const [first, ...others] = steps.filter((step) => Option.isNone(name) || step.name === name.value)
  if (first !== undefined && others.length === 0) return first
  const names = steps.map((step) => quoted(step.name)).join(", ")
  if (steps.length === 0) return yield* new CommandError({ message: `${from} exports no step.` })
  return first === undefined
    ? yield* new UsageError({
        message: `${from} has no pipeline ${quoted(Option.getOrElse(name, () => ""))}: it has ${names}.`
      })
    : yield* new UsageError({ message: `${from} has several pipelines: name one with --pipeline: ${names}.` })
})

/** Fails if the pipeline reads notes that are not given. */
const refuseMissing = (
  { name, node: { reads } }: Code["steps"][number],
  notes: Readonly<Record<string, string>>
): Effect.Effect<void, UsageError> => {
  const missing = reads.filter((key) => !Object.hasOwn(notes, key))
  if (missing.length === 0) return Effect.void
  const keys = missing.map((key) => quoted(key)).join(", ")
  const flags = missing.map((key) => `--note ${quoted(`${key}=…`)}`).join(" ")
  return Effect.fail(new UsageError({ message: `The pipeline ${quoted(name)} reads ${keys}: add ${flags}.` }))
}

export const startCommand = Command.make(
  "start",
  {
    ...scopedFlags,
    ...codeFlags,
    note: noteFlag("A note that the run begins with"),
    pipeline: Flag.String("pipeline").pipe(
      Flag.withMetavar("name"),
      Flag.withDescription("Which pipeline of the module, if it exports several"),
      Flag.optional
    ),
    run: Flag.String("run").pipe(
      Flag.withMetavar("id"),
      Flag.withDescription(
        "Its id (default: a new one). With that of a run that began with the same notes, it goes on"
      ),
      Flag.optional
    ),
    intent: Flag.String("intent").pipe(
      Flag.withMetavar("text"),
      Flag.withDescription("What the thought is about (default: the name of the pipeline)"),
      Flag.optional
    ),
    keepAnswers: Flag.Boolean("keep-answers").pipe(
      Flag.withDescription("Keep the answers of models after the end, so that the run can be repeated with a change"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* ({ intent, keepAnswers, note, pipeline, run: name, spec, steps, ...place }) {
    const scope = yield* scopeOf(place)
    const notes = yield* notesOf(note)
    const code = yield* codeOf({ spec, steps })
    const step = yield* pipelineOf(code, pipeline)
    yield* refuseMissing(step, notes)
    const store = yield* openStore(place, "changed")
    const id = Option.getOrElse(name, () => globalThis.crypto.randomUUID())
    const before = yield* store.ledger.load(scope, id)
    const services = yield* servicesOf(code, store, { json: place.json, scope })
    const thought = yield* makeThought(
      Option.getOrElse(intent, () => step.name),
      notes
    )
    yield* runPipeline(step, thought, { durable: { id, ...(keepAnswers ? { keep: "answers" } : {}) } }).pipe(
      Effect.catchTag("Suspended", () => Effect.void),
      Effect.mapError((error) => asLine(id, error)),
      withoutDefects(`The run ${quoted(id)} has ended with a defect`, exportLayer),
      Effect.onInterrupt(() => say(`cogito: Stopped. Go on with: cogito runs resume ${id}, and the same code.`)),
      Effect.provideContext(services),
      during(place.json, "Running the pipeline")
    )
    yield* printOutcome(place, before?.run, yield* loadFrom(store, scope, id))
  }, Effect.scoped)
).pipe(
  Command.withShortDescription("Begin a run of a pipeline, with these notes"),
  Command.withDescription(
    described(
      "Begin a run of a pipeline, with these notes.",
      "The code is named as for resume. A document needs no program: its model and other services come from the layer of --steps.",
      "Problems are reported before anything is stored or paid; check reports them without a memory."
    )
  ),
  Command.withExamples([
    {
      command:
        'npx cogito runs start --spec triage.yaml --steps services.ts --note "message=The site is down" --data-dir .cogito/memory',
      description: "Of a document"
    },
    {
      command: 'npx cogito runs start --run t-1 --steps triage.ts --note "message=Charged twice" --scope acme',
      description: "Of a module, with an id"
    }
  ])
)
