/** `cogito runs check`: builds pipelines, and says what they read and write. */
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import { described } from "../console/described.ts"
import { CommandError } from "../console/failure.ts"
import { fold, plain, print, printJson } from "../console/output.ts"
import { placeFlags } from "../memory/place.ts"
import { codeFlags, codeOf } from "./code.ts"

const listed = (keys: ReadonlyArray<string>): string => (keys.length === 0 ? "nothing" : keys.map(plain).join(", "))

export const checkCommand = Command.make(
  "check",
  { ...codeFlags, json: placeFlags.json },
  Effect.fnUntraced(function* ({ json, ...flags }) {
    const { steps } = yield* Effect.filterOrFail(
      codeOf(flags),
      (code) => code.steps.length > 0,
      ({ from }) => new CommandError({ message: `${from} exports no step.` })
    )
    const pipelines = steps.map(({ name, node: { reads, writes } }) => ({ name, reads, writes }))
    if (json) {
      yield* printJson({ pipelines })
      return
    }
    for (const { name, reads, writes } of pipelines) {
      yield* print(fold(`${plain(name)} reads ${listed(reads)} and writes ${listed(writes)}.`))
    }
  })
).pipe(
  Command.withShortDescription("Build a pipeline without running it, and say what it reads and writes"),
  Command.withDescription(
    described(
      "Build a pipeline without running it, and say what it reads and writes.",
      "All problems of a document are reported, each with its place, and the exit code is 1.",
      "Names of readers, handles, schemas and providers are those of the registry that the module of --steps exports."
    )
  ),
  Command.withExamples([
    { command: "npx cogito runs check --spec triage.yaml --steps services.ts", description: "A document" }
  ])
)
