/**
 * Triage of support tickets: every ticket becomes a thought that runs through one pipeline and is kept in a memory, where
 * later tickets find it.
 *
 * Each ticket is a durable run, and so is the job. Stop it with Ctrl-C, or with kill -9, and give the same command again: it goes
 * on, and no question that was answered is asked again. `npx cogito runs list --data-dir .cogito/triage` lists the runs.
 *
 * `npm run triage` needs no key and no server; `npm run triage -- --help` says what else it can do. What is asked of a
 * ticket is in support-triage/pipeline.ts, the tickets themselves are in support-triage/tickets.ts.
 */
import { Clock, Console, Effect, Layer, Stream } from "effect"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { type Embedder, Memory, Pipeline, Provider, Signal, Thought } from "cogito"
import { Anthropic } from "cogito/anthropic"
import { Local } from "cogito/local"
import { OpenAi } from "cogito/openai"
import { PgliteMemory } from "cogito/pglite"
import { existsSync } from "node:fs"
import { answersOf } from "./durable/calls.ts"
import * as Failure from "./support-triage/failure.ts"
import * as Input from "./support-triage/input.ts"
import * as Job from "./support-triage/job.ts"
import { Meter } from "./support-triage/meter.ts"
import * as Options from "./support-triage/options.ts"
import { taskId, triage } from "./support-triage/pipeline.ts"
import * as Progress from "./support-triage/progress.ts"
import * as Report from "./support-triage/report.ts"
import { json as toJson, lookOf } from "./support-triage/screen.ts"
import { tickets } from "./support-triage/tickets.ts"
import * as Trace from "./support-triage/trace.ts"

const look = lookOf(process.stdout, process.env)
const print = (text: string) => Effect.andThen(Effect.sync(Progress.clear), Console.log(text))

// ------------------------------------------------------------------------------------------- what the pipeline needs

type ModelFailure = Embedder.EmbedderError | Provider.ProviderError | Failure.JobError

/** Temporary failures are retried, and every attempt is recorded. */
const modelOf = ({ model, record }: Options.Job): Layer.Layer<Provider.Provider, ModelFailure> => {
  if (model._tag === "Replay") {
    return Provider.replay(model.path, { redact }).pipe(namedBy("--replay", model.path), Provider.retry())
  }
  const provider = providerOf(model)
  if (record === undefined) return provider.pipe(Provider.retry())
  // errors from building the provider itself are not about the file
  const recorded = Effect.map(Layer.build(provider), (built) =>
    Layer.succeedContext(built).pipe(Provider.record(record, { redact }), namedBy("--record", record))
  )
  return Layer.unwrap(recorded).pipe(Provider.retry())
}

/** If a recording cannot be opened, the error names the flag and the path. */
const namedBy =
  (flag: string, path: string) =>
  <A>(layer: Layer.Layer<A, Provider.ProviderError>): Layer.Layer<A, Failure.JobError> =>
    Layer.catch(layer, (error) => Layer.unwrap(Effect.fail(Failure.ofRecording(flag, path, error))))

const providerOf = (
  model: Exclude<Options.Model, { _tag: "Replay" }>
): Layer.Layer<Provider.Provider, ModelFailure> => {
  if (model._tag === "Extractive") return Local.extractive
  const { apiKey, baseUrl, keyName } = model
  if (apiKey === "" && baseUrl === "") return Layer.effect(Provider.Provider, Effect.fail(Failure.noKey(keyName)))
  const options = { model: model.model, baseUrl, apiKey }
  return model._tag === "OpenAi" ? OpenAi.layer(options) : Anthropic.layer(options)
}

/** Replaces what differs from run to run in the history of earlier tickets: their dates and the time in their trace ids. */
const redact = (text: string): string =>
  text
    .replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\b/g, "some time")
    .replaceAll(/\b(ticket-\d+)-[\da-z]+\b/g, "$1")

/** A memory in a folder, with an encoder that compares meanings in this process. */
const memoryIn = (folder: string) =>
  PgliteMemory.layer({ dataDir: folder }).pipe(
    Layer.provide(Local.embedder),
    Layer.catch((error) => Layer.effect(Memory.Memory, Effect.fail(Failure.ofMemory(folder, error))))
  )

// -------------------------------------------------------------------------------------------------------- one ticket

/** Begins the run of a ticket, or goes on with it. */
const triageTicket = Effect.fn(function* (message: string, traceId: string) {
  const thought = yield* Thought.make("triage a support ticket", { message }, { taskId, traceId })
  return yield* Pipeline.run(triage, thought, { durable: { id: traceId } })
})

// ------------------------------------------------------------------------------------------------------- all of them

const about = (model: Options.Model): string => {
  if (model._tag === "Extractive") return `: ${Local.extractiveDescription}`
  return model._tag === "Replay" ? `, replayed from ${model.path}` : ""
}

const headerOf = ({ data, model }: Options.Job) =>
  Effect.map(Provider.Provider, (provider) => {
    return `Provider: ${provider.name} (${provider.model})${about(model)}. Notes are kept in ${data}.\n`
  })

/** Runs after the model and the memory were opened, so that the header is correct. */
const triageAll = Effect.fn(function* (texts: Input.Texts, options: Options.Job, started: number) {
  const { json } = options
  const meter = new Meter()
  const found = yield* Effect.mapError(Job.find(options, started), (error) => Failure.ofMemory(options.data, error))
  if (!json) yield* print(yield* headerOf(options))
  if (!json && found.isResumed)
    yield* print("Going on with the job that was stopped: what was answered is not asked.\n")

  let last: string | undefined
  const next = Effect.fn(function* (message: string) {
    const number = meter.next()
    const traceId = `ticket-${number}-${found.id}`
    last = traceId
    const saved = yield* Effect.mapError(answersOf(traceId), (error) => Failure.ofMemory(options.data, error))
    meter.save(saved)
    const [spent, outcome] = yield* Effect.timed(Effect.result(triageTicket(message, traceId)))
    if (outcome._tag === "Success") {
      meter.answered()
      const report = yield* Report.reportOf(number, outcome.success, meter)
      yield* print(json ? toJson(report) : Report.render(report, look))
      yield* Progress.finished(number, "answered", spent)
      return
    }
    const unread = Failure.unreadOf(outcome.failure)
    if (unread !== undefined) {
      meter.couldNotRead()
      const report = { number, traceId, message, unread }
      yield* print(json ? toJson(report) : Report.renderUnread(report, look))
      yield* Progress.finished(number, "not read", spent)
    } else {
      meter.failed()
      const error = yield* Failure.ofTicket(outcome.failure, meter)
      const report = { number, traceId, message, error }
      yield* print(json ? toJson(report) : Report.renderFailed(report, look))
      yield* Progress.finished(number, "failed", spent)
    }
  })

  const all = Effect.gen(function* () {
    yield* Stream.runForEach(texts, next).pipe(Signal.listen(meter.listener), Signal.listen(Progress.listener(meter)))
    if (!json) yield* print(Report.totals(meter, (yield* Clock.currentTimeMillis) - started))
    if (!json && last !== undefined) yield* print(Report.pageOf(last, options.data))
    yield* Failure.ofRun(meter)
  })
  yield* Effect.mapError(Job.run(found, all), Failure.ofJob)
})

const job = Effect.fnUntraced(function* (options: Options.Job) {
  const { data, file, limit } = options
  const started = yield* Clock.currentTimeMillis
  const texts = file === undefined ? Stream.fromIterable(tickets) : yield* Input.open(file.path, file.format)
  yield* Effect.gen(function* () {
    Progress.show(existsSync(data) ? "opening the memory …" : "setting up the memory, this once …")
    yield* triageAll(Stream.take(texts, limit), options, started).pipe(Effect.provide(memoryIn(data)))
  }).pipe(Effect.provide(modelOf(options)))
}, Effect.scoped)

// ------------------------------------------------------------------------------------------------------ command line

const trace = ({ data, id, json }: Options.Trace) =>
  Memory.load(/^[0-9a-f-]{36}$/.test(id) ? id : { traceId: id }).pipe(
    Effect.mapError((error) => Failure.ofTrace(data, error)),
    Effect.flatMap((thought) => print(json ? Trace.toJson(thought) : Trace.render(thought, look))),
    Effect.provide(memoryIn(data))
  )

const run = (command: Options.Command): Effect.Effect<void, Failure.Failure> => {
  if (command._tag === "Help") return print(Options.help)
  if (command._tag === "Job") return job(command)
  return existsSync(command.data) ? trace(command) : Effect.fail(Failure.nothingIn(command.data))
}

const say = (line: string) => Effect.andThen(Effect.sync(Progress.clear), Console.error(line))

/** Ends when nobody reads the output any more, as in `npm run triage | head`. */
const outputClosed = Effect.callback<0>((resume) => {
  const onError = () => resume(Effect.succeed(0))
  process.stdout.once("error", onError)
  return Effect.sync(() => process.stdout.off("error", onError))
})

const setExitCode = (code: number) =>
  Effect.sync(() => {
    process.exitCode = code
  })

/** Gives the exit code; Ctrl-C ends with 130 by itself. */
const program = Options.parse(process.argv.slice(2), process.env).pipe(
  Effect.flatMap(run),
  Effect.as(0),
  Effect.catch((failure) => Effect.as(say(Failure.lineOf(failure)), failure._tag === "UsageError" ? 2 : 1)),
  Effect.catchDefect((defect) => Effect.as(say(Failure.lineOfDefect(defect)), 1)),
  Effect.raceFirst(outputClosed)
)

const stopping = "triage: stopping. All answers so far are stored; press Ctrl-C again to exit immediately."

let stopped = false

/** The first signal is reported before the program ends in order; the second one does not wait. */
const stop = (): void => {
  if (stopped) process.exit(130)
  stopped = true
  Progress.clear()
  process.stderr.write(`${stopping}\n`)
}
process.on("SIGINT", stop)
process.on("SIGTERM", stop)

NodeRuntime.runMain(Effect.flatMap(program, setExitCode), { disableErrorReporting: true })
