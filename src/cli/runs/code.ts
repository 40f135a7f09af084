/** The code of a run: the steps of a module, or the document of a pipeline. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Flag from "effect/cli/Flag"
import { statSync } from "node:fs"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { fingerprint } from "../../Pipeline.ts"
import { withBackground } from "../../pipeline/durable/background.ts"
import { Spec } from "../../spec/index.ts"
import { buildUndeclared } from "../../spec/make.ts"
import * as Step from "../../Step.ts"
import type { Ledger } from "../../Store.ts"
import { quoted } from "../../text/legible.ts"
import { CommandError, UsageError } from "../console/failure.ts"
import { orNothingLeft } from "../console/nothingLeft.ts"

/** The flags that name the code. */
export const codeFlags = {
  steps: Flag.String("steps").pipe(
    Flag.withMetavar("module"),
    Flag.withDescription("Module that exports the run's pipeline, and a layer of what it needs"),
    Flag.optional
  ),
  spec: Flag.String("spec").pipe(
    Flag.withMetavar("file"),
    Flag.withDescription("Document of the run's pipeline (.json, .yaml), instead of one in the module"),
    Flag.optional
  )
}

export interface CodeFlags {
  readonly steps: Option.Option<string>
  readonly spec: Option.Option<string>
}

/** The steps that there are, and a layer of the services that they need. */
export interface Code {
  /** Where the steps are from, for messages. */
  readonly from: string
  readonly steps: ReadonlyArray<Step.Step<any, any, unknown, unknown>>
  readonly layer: Layer.Layer<unknown, unknown, unknown> | undefined
}

const isStep = (value: unknown): value is Step.Step<any, any, unknown, unknown> =>
  Predicate.hasProperty(value, Step.TypeId)

const firstLine = (error: unknown): string => {
  const message = error instanceof Error ? error.message : String(error)
  return message.split("\n", 1)[0] ?? ""
}

/** A module that Node cannot read as it is. */
const isForeign = (error: unknown): boolean =>
  Predicate.hasProperty(error, "code") && error.code === "ERR_UNKNOWN_FILE_EXTENSION"

/** Imports a module by its path. */
export const loadModule = Effect.fnUntraced(function* (
  path: string
): Effect.fn.Return<Readonly<Record<string, unknown>>, CommandError> {
  const file = resolve(path)
  const failed = (why: string, cause?: unknown) =>
    new CommandError({
      message: `The module ${path} cannot be loaded: ${why}`,
      ...(cause === undefined ? {} : { cause })
    })
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return yield* failed("there is no such file.")
  return yield* Effect.tryPromise({
    try: (): Promise<Readonly<Record<string, unknown>>> => import(pathToFileURL(file).href),
    catch: (cause) =>
      failed(`${firstLine(cause)}${isForeign(cause) ? ". Name a JavaScript file, or use a newer Node" : ""}`, cause)
  }).pipe(orNothingLeft(failed("it awaits something at its top level that never happens.").message))
})

const stepsOf = (exported: Readonly<Record<string, unknown>>): Code["steps"] => {
  const { default: main, ...named } = exported
  const listed: ReadonlyArray<unknown> = Array.isArray(main) ? main : [main]
  return [...new Set([...listed, ...Object.values(named)].filter(isStep))]
}

const empty =
  "The registry is empty: if the document needs one, name the module that exports it as registry with --steps."

/** The code that the flags name. A document may use what the module exports as `registry`. */
export const codeOf = Effect.fnUntraced(function* ({
  spec,
  steps
}: CodeFlags): Effect.fn.Return<Code, CommandError | UsageError> {
  if (Option.isNone(steps) && Option.isNone(spec)) {
    return yield* new UsageError({
      message: "Name the code of the pipeline: --steps for a module that exports it, or --spec for a document."
    })
  }
  const exported = Option.isSome(steps) ? yield* loadModule(steps.value) : {}
  const { layer } = exported
  if (layer !== undefined && !Layer.isLayer(layer)) {
    return yield* new CommandError({
      message: `The export "layer" of ${Option.getOrElse(steps, () => "")} is no Layer: export one of what the steps need.`
    })
  }
  if (Option.isNone(spec)) {
    return { from: Option.getOrElse(steps, () => ""), steps: stepsOf(exported), layer }
  }
  const given = exported["registry"] as Spec.Registry<unknown, unknown> | undefined
  const registry = given ?? Spec.registry({ background: true })
  const step = yield* Spec.load(registry, spec.value).pipe(
    Effect.flatMap((document) => buildUndeclared(registry, document)),
    Effect.mapError(
      ({ message }) => new CommandError({ message: given === undefined ? `${message}\n${empty}` : message })
    )
  )
  return { from: spec.value, steps: [step as Code["steps"][number]], layer }
})

/** The step that a run began with: that of its name, and if there are several, the one that has not changed. */
export const stepOf = Effect.fnUntraced(function* (
  { from, steps }: Code,
  { fingerprint: known, id, pipeline }: Ledger.RunRow
): Effect.fn.Return<Code["steps"][number], CommandError> {
  const named = [...withBackground(steps)].filter(({ name }) => name === pipeline) as Code["steps"]
  for (const step of named) if ((yield* fingerprint(step)) === known) return step
  const [first] = named
  if (first !== undefined) return first
  const names = steps.length === 0 ? "it exports no step" : `it has ${steps.map(({ name }) => quoted(name)).join(", ")}`
  return yield* new CommandError({
    message: `The run ${quoted(id)} is one of the pipeline ${quoted(pipeline)}, which ${from} does not have: ${names}.`
  })
})
