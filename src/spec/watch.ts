import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as PubSub from "effect/PubSub"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import * as kinds from "../arguments/kinds.ts"
import { taking } from "../arguments/taking.ts"
import { quoted } from "../text/legible.ts"
import { Run } from "../run/run.ts"
import { makeTransparent } from "../step/runtime/make.ts"
import type * as Note from "../Note.ts"
import * as Step from "../Step.ts"
import type { Document, Read } from "./document/document.ts"
import { checkFirst } from "./io.ts"
import { type Kept, keeping, none, noting, type Declared, settle } from "./model/limits.ts"
import { readFileText, readText, type ReadText, textOf } from "./text/load.ts"
import { type Built, buildRead } from "./make.ts"
import type { Any, Registry } from "./model/registry.ts"
import { type Problem, SpecError } from "./model/SpecError.ts"

/**
 * Options of `Spec.watch`.
 *
 * @category models
 */
export interface WatchOptions {
  /** The interval between reads, above zero. Default: 500 milliseconds. */
  readonly every?: Duration.Input
  /** How long all files must stay unchanged before a version is accepted. Default: until two reads in a row agree. */
  readonly settle?: Duration.Input
  /**
   * Reads the texts. Default: from the file system.
   *
   * Each read may take 10 seconds. If it fails, throws, is interrupted or takes longer, the version in use stays.
   */
  readonly read?: ReadText
}

/**
 * A version of the watched files.
 *
 * @category models
 */
export interface Version {
  /** 1 for the first. */
  readonly version: number
  /** SHA-256 of the documents, as 64 hexadecimal digits. */
  readonly fingerprint: string
}

/** The document of one file. */
interface One {
  readonly document: Document
}

/** The documents of several files, by their names. */
interface Several {
  readonly documents: Readonly<Record<string, Document>>
}

/**
 * A change of the watched files: a version is now in use, or an edit was invalid and the old version stays.
 *
 * **Details**
 *
 * If an invalid edit is undone, the version in use is published again.
 *
 * @category models
 */
export type Change<D = One | Several> =
  | ({ readonly _tag: "Loaded" } & Version & D)
  | { readonly _tag: "Rejected"; readonly errors: ReadonlyArray<SpecError> }

interface Watching<D> {
  /** The version that a run started now would use. */
  readonly current: Effect.Effect<Version & D>
  /** The changes after subscription. Ends with the scope. */
  readonly changes: Stream.Stream<Change<D>>
}

/**
 * A watched file.
 *
 * **Details**
 *
 * Each run uses the version that is current when it first reaches `step`, and keeps it to the end.
 *
 * @category models
 */
export interface Watched<out S> extends Watching<One> {
  readonly step: S
}

/**
 * Watched files that change together.
 *
 * @category models
 */
export interface WatchedAll<out S> extends Watching<Several> {
  readonly steps: S
}

type Handles = ReadonlyArray<Note.Handle<any, any>>

/**
 * One of several files: its path, and what its pipeline reads and writes, for its type.
 *
 * @category models
 */
export interface File<In extends Handles = Handles, Out extends Handles = Handles> {
  readonly path: string
  readonly reads?: In
  readonly writes?: Out
}

/** The notes that may be read, also if the option is left out. */
type ReadsOf<F> = F extends { readonly reads?: infer In } ? Extract<In, Handles> : readonly []
type WritesOf<F> = F extends { readonly writes: infer Out extends Handles } ? Out : readonly []

/**
 * Builds the pipeline in a file, and builds it again whenever the file changes.
 *
 * **Details**
 *
 * - A run keeps the version that it began with.
 * - An invalid edit is logged as a warning and published in `changes`; the old version stays in use. An edit that
 *   breaks the declared reads and writes, or writes a note that the first version does not, is invalid too.
 * - Several files, given by name, change together or not at all.
 * - Outlines, diagrams and fingerprints of a surrounding pipeline show the first version.
 * - Limits keep their state across versions, by the name of their step.
 * - Replace files atomically, by a rename.
 *
 * Fails with `SpecError` if the first version is invalid. Watching ends with the scope; the steps remain usable.
 *
 * **Example** (A pipeline that can be edited)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { mkdtempSync, writeFileSync } from "node:fs"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 * import { Effect, Fiber, Stream } from "effect"
 * import { Spec } from "cogito/spec"
 *
 * const path = join(mkdtempSync(join(tmpdir(), "spec-")), "mail.json")
 * const asking = (question: string) =>
 *   JSON.stringify({ cogito: 1, name: "mail", step: { type: "decide", key: "spam", question } })
 * writeFileSync(path, asking("Is this spam?"))
 *
 * const program = Effect.gen(function*() {
 *   const { changes, current, step } = yield* Spec.watch(Spec.registry(), path, { every: "10 millis" })
 *   const next = yield* Effect.forkChild(Stream.runHead(changes), { startImmediately: true })
 *   writeFileSync(path, asking("Is this an advertisement?"))
 *   yield* Fiber.join(next)
 *   assert.equal((yield* current).version, 2)
 *   assert.equal(step.node.asks, "Is this an advertisement?")
 * })
 *
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @category building
 */
export const watch: {
  <E, R, B extends boolean, const In extends Handles = readonly [], const Out extends Handles = readonly []>(
    registry: Registry<E, R, B>,
    path: string,
    options?: WatchOptions & { readonly reads?: In; readonly writes?: Out }
  ): Effect.Effect<Watched<Built<E, R, B, In, Out>>, SpecError, Scope.Scope>
  <E, R, B extends boolean, const F extends Readonly<Record<string, string | File>>>(
    registry: Registry<E, R, B>,
    files: F,
    options?: WatchOptions
  ): Effect.Effect<
    WatchedAll<{ readonly [N in keyof F]: Built<E, R, B, ReadsOf<F[N]>, WritesOf<F[N]>> }>,
    SpecError,
    Scope.Scope
  >
} = taking("Spec.watch", {
  args: [kinds.registry, kinds.textOrObject],
  options: 2,
  optional: true,
  known: ["every", "settle", "read", "reads", "writes"]
})((
  registry: Any,
  given: string | Readonly<Record<string, string | File>>,
  options: WatchOptions & Omit<File, "path"> = {}
): Effect.Effect<any, SpecError, Scope.Scope> => {
  const { every, read = readFileText, settle, ...declared } = options
  const looking = { every: every ?? "500 millis", settle: settle ?? 0, read }
  if (typeof given === "string") {
    const watching = start(registry, new Map([[given, { ...declared, path: given }]]), looking)
    return Effect.map(watching, ({ changes, current, stepOf }) => ({
      step: stepOf(given),
      current: Effect.map(current, (version) => alone(version, given)),
      changes: Stream.map(changes, (change) => (change._tag === "Loaded" ? alone(change, given) : change))
    }))
  }
  const files = new Map(
    Object.entries(given).map(([name, file]) => [name, typeof file === "string" ? { path: file } : file])
  )
  return Effect.map(start(registry, files, looking), ({ stepOf, ...rest }) => ({
    ...rest,
    steps: Object.fromEntries([...files.keys()].map((name) => [name, stepOf(name)]))
  }))
})

/** The version of a single file: with `document` instead of `documents`. */
const alone = <V extends Several>({ documents, ...version }: V, name: string) => ({
  ...version,
  document: documents[name]
})

const located = ({ problems, source }: SpecError): ReadonlyArray<Problem> =>
  problems.map(({ message, path }) => ({ path: path === "" ? `${source}` : `${source}: ${path}`, message }))

/** Combines the errors of several files into one. */
const together = ([first, ...others]: readonly [SpecError, ...Array<SpecError>]): SpecError => {
  const [problem, ...more] = [first, ...others].flatMap(located)
  return others.length === 0 || problem === undefined ? first : new SpecError({ problems: [problem, ...more] })
}

type Files = ReadonlyMap<string, File>

/** A version in use: its steps and the state of its limits. */
interface Used {
  readonly version: Version & Several
  readonly steps: ReadonlyMap<string, Step.Any>
  readonly kept: ReadonlyMap<string, Kept>
}

/** A possible next version. Nothing in use has been changed for it. */
type Candidate = ReadonlyMap<string, { readonly read: Read; readonly declared: Declared }>

/** The options of watching, with defaults applied. */
type Looking = Required<WatchOptions>

/** The duration in milliseconds. Dies with a message that says which durations are allowed. */
const millisOf = (
  name: string,
  input: Duration.Input,
  least: "above zero" | "of zero or more"
): Effect.Effect<number> => {
  const millis = Option.match(Duration.fromInput(input), { onNone: () => NaN, onSome: Duration.toMillis })
  return Number.isFinite(millis) && (least === "above zero" ? millis > 0 : millis >= 0)
    ? Effect.succeed(millis)
    : Effect.die(new Error(`Spec.watch: \`${name}\` must be a finite duration ${least}.`))
}

/** The texts, once two reads in a row agree. The settling time passes between the two. */
const settled = (texts: Effect.Effect<Texts>, every: number, settle: number): Effect.Effect<Texts> =>
  Effect.gen(function* () {
    let last = yield* texts
    while (true) {
      if (settle > 0) yield* Effect.sleep(settle)
      const now = yield* texts
      if (same(now, last)) return now
      last = now
      yield* Effect.sleep(every)
    }
  })

const start = Effect.fnUntraced(function* (registry: Any, files: Files, looking: Looking) {
  const every = yield* millisOf("every", looking.every, "above zero")
  const settle = yield* millisOf("settle", looking.settle, "of zero or more")
  const texts = readAll(files, looking.read)
  const first = yield* settled(texts, every, settle)
  const candidate = candidateOf(registry, files, first)
  if (Result.isFailure(candidate)) return yield* together(candidate.failure)
  let used = yield* use(registry, files, candidate.success, undefined)
  const writes = new Map([...used.steps].map(([name, { node }]) => [name, new Set(node.writes)]))
  let taken = first
  let seen = first
  let since = yield* Clock.currentTimeMillis
  let refused = false

  const hub = yield* Effect.acquireRelease(PubSub.sliding<Change<Several>>(256), PubSub.shutdown)
  const take = Effect.fnUntraced(function* (now: Texts) {
    const at = yield* Clock.currentTimeMillis
    const changing = !same(now, seen)
    seen = now
    if (changing) since = at
    if (changing || at - since < settle || same(now, taken)) return
    taken = now
    const candidate = candidateOf(registry, files, now, writes)
    if (Result.isFailure(candidate)) {
      refused = true
      const errors = candidate.failure
      yield* Effect.logWarning(`An edit was refused. ${errors.map(({ message }) => message).join("\n")}`)
      yield* PubSub.publish(hub, { _tag: "Rejected", errors })
      return
    }
    const changed = fingerprintOf(documentsOf(candidate.success)) !== used.version.fingerprint
    if (changed) used = yield* use(registry, files, candidate.success, used)
    else if (!refused) return
    refused = false
    yield* PubSub.publish(hub, { _tag: "Loaded", ...used.version })
  })
  const look = Effect.andThen(
    Effect.sleep(every),
    // a failed read does not end the watching
    Effect.flatMap(texts, (now) =>
      Effect.uninterruptible(take(now)).pipe(
        Effect.catchDefect((defect) =>
          Effect.ignoreCause(Effect.logError("An error occurred while watching. Watching continues.", defect))
        )
      )
    )
  )
  yield* Effect.forkScoped(Effect.forever(look))

  /** The version that each run began with. */
  const begun = new WeakMap<object, Used>()
  const usedBy = (id: object | undefined): Used => {
    if (id === undefined) return used
    const known = begun.get(id)
    if (known !== undefined) return known
    begun.set(id, used)
    return used
  }
  return {
    current: Effect.sync(() => used.version),
    changes: Stream.fromPubSub(hub),
    stepOf: (name: string): Step.Any => {
      const entering = makeTransparent<any, any, any, any>(stepIn(used, name).node, (thought) =>
        Effect.flatMap(Run, ({ id }) => stepIn(usedBy(id), name)[Step.TypeId].run(thought) as Effect.Effect<never>)
      )
      return Object.defineProperty(entering, "node", { enumerable: true, get: () => stepIn(used, name).node })
    }
  }
})

const stepIn = ({ steps }: Used, name: string): Step.Any => {
  const step = steps.get(name)
  if (step === undefined) throw new Error(`no file is named ${quoted(name)}`)
  return step
}

type Texts = ReadonlyMap<string, Result.Result<string, Problems>>

const readAll = (files: Files, read: ReadText): Effect.Effect<Texts> =>
  Effect.map(
    Effect.forEach(files, ([name, { path }]) => Effect.map(textOf(read, path), (text) => [name, text] as const)),
    (entries) => new Map(entries)
  )

const same = (one: Texts, other: Texts): boolean =>
  [...one].every(([name, text]) => wordsOf(text) === wordsOf(other.get(name)))

/** The text, or undefined for a failure: messages of failures may differ each time. */
const wordsOf = (text: Result.Result<string, unknown> | undefined): string | undefined =>
  text === undefined || Result.isFailure(text) ? undefined : text.success

/** Reads and builds all files, to check that they are valid. */
const candidateOf = (
  registry: Any,
  files: Files,
  texts: Texts,
  first: ReadonlyMap<string, ReadonlySet<string>> = new Map()
): Result.Result<Candidate, readonly [SpecError, ...Array<SpecError>]> => {
  const errors: Array<SpecError> = []
  const candidate = new Map<string, { readonly read: Read; readonly declared: Declared }>()
  for (const [name, file] of files) {
    const text = texts.get(name)
    if (text === undefined) continue
    const declared = noting()
    const built = Result.flatMap(text, (text) =>
      attempted(() => buildText(registry, file, text, declared, first.get(name)))
    )
    if (Result.isSuccess(built)) candidate.set(name, { read: built.success, declared })
    else errors.push(new SpecError({ source: file.path, problems: built.failure }))
  }
  const [error, ...others] = errors
  return error === undefined ? Result.succeed(candidate) : Result.fail([error, ...others])
}

const buildText = (
  registry: Any,
  file: File,
  text: string,
  declared: Declared,
  first: ReadonlySet<string> | undefined
): Result.Result<Read, Problems> =>
  Result.flatMap(readText(registry, file.path, text), (read) =>
    Result.flatMap(buildRead(registry, read, file, declared), (step) => {
      const [problem, ...others] = first === undefined ? [] : checkFirst(registry, read, step, first)
      return problem === undefined ? Result.succeed(read) : Result.fail([problem, ...others])
    })
  )

type Problems = readonly [Problem, ...Array<Problem>]

/** Turns an exception into a problem, so the version in use stays. */
const attempted = <A>(build: () => Result.Result<A, Problems>): Result.Result<A, Problems> =>
  Result.getOrElse(Result.try(build), (error) =>
    Result.fail([
      { path: "", message: `This cannot be built: ${error instanceof Error ? error.message : String(error)}` }
    ])
  )

const documentsOf = (candidate: Candidate): Readonly<Record<string, Document>> =>
  Object.fromEntries([...candidate].map(([name, { read }]) => [name, read.document]))

const fingerprintOf = (documents: Readonly<Record<string, Document>>): string =>
  createHash("sha256").update(JSON.stringify(documents)).digest("hex")

/** Puts a candidate into use. Only now do the limits take their new numbers. */
const use = (registry: Any, files: Files, candidate: Candidate, before: Used | undefined): Effect.Effect<Used> =>
  Effect.gen(function* () {
    const kept = new Map<string, Kept>()
    const steps = new Map<string, Step.Any>()
    for (const [name, { read, declared }] of candidate) {
      const limits = yield* settle(before?.kept.get(name) ?? none, declared)
      kept.set(name, limits)
      // a candidate that was built can be built again
      steps.set(name, Result.getOrThrow(buildRead(registry, read, files.get(name) ?? {}, keeping(limits))))
    }
    const documents = documentsOf(candidate)
    const version = {
      version: (before?.version.version ?? 0) + 1,
      fingerprint: fingerprintOf(documents),
      documents
    }
    return { version, steps, kept }
  })
