/**
 * One line for everything that can go wrong, with what to do about it.
 */
import { Data, Effect } from "effect"
import type { Embedder, Memory, Pipeline, Provider, Synapse } from "cogito"
import type { Meter } from "./meter.ts"
import type { InputError } from "./input.ts"
import type { UsageError } from "./options.ts"
import { plain } from "./screen.ts"

/** The job cannot go on, or did not go well. The message says what to do. */
export class JobError extends Data.TaggedError("JobError")<{ readonly message: string }> {}

export const noKey = (name: string): JobError =>
  new JobError({
    message: `there is no API key: set ${name}, or name a server that needs none with --base-url and --model`
  })

export const ofMemory = (folder: string, error: Memory.MemoryError | Embedder.EmbedderError): JobError =>
  new JobError({ message: `--data ${folder}: ${error.message}` })

export const ofRecording = (flag: string, path: string, error: Provider.ProviderError): JobError =>
  new JobError({ message: `${flag} ${path}: ${error.reason.message}` })

export const nothingIn = (folder: string): JobError =>
  new JobError({ message: `there is no folder ${folder}: run npm run triage first, or name another one with --data` })

export const ofTrace = (folder: string, error: Memory.MemoryError): JobError =>
  error.reason._tag === "NotFound"
    ? new JobError({ message: `${folder} has no such ticket: its id is what stands beside "Ticket 1", all of it` })
    : ofMemory(folder, error)

// ------------------------------------------------------------------------------------------------------- one ticket

type StepFailure = Pipeline.PipelineError<Provider.ProviderError | Synapse.ResponseError | Memory.MemoryError>

/** What ends a run of which not all steps were tried. */
type RunFailure =
  | Pipeline.OutcomeUnknown
  | Pipeline.PipelineChanged
  | Pipeline.ReplayMismatch
  | Pipeline.RunBusy
  | Pipeline.Suspended

type TicketFailure = StepFailure | RunFailure

const ownReasons: ReadonlySet<string> = new Set([
  "Refused",
  "ContextTooLong",
  "Truncated",
  "EmptyAnswer",
  "InvalidResponse",
  "Unsupported",
  "InvalidText",
  "TooLarge"
])

/** Why a provider could not read a ticket, such as "not read: German"; undefined if it failed otherwise. That is no failure of the job. */
export const unreadOf = (failure: TicketFailure): string | undefined => {
  if (failure._tag !== "PipelineError" || failure.cause._tag !== "ProviderError") return undefined
  const { reason } = failure.cause
  return reason._tag === "Refused" && reason.category === "language" ? plain(reason.message) : undefined
}

const mostInARow = 3

/** Why a ticket failed, as long as the next one may well succeed; else the job fails. */
export const ofTicket = (
  failure: TicketFailure,
  { failuresInARow, tickets }: Meter
): Effect.Effect<string, JobError> => {
  if (failure._tag !== "PipelineError") return goesNotOn(failure, tickets)
  const why = describe(failure)
  const stopped = `stopped, as ticket ${tickets} failed ${why}`
  if (!isTicketsOwn(failure)) return new JobError({ message: stopped })
  return failuresInARow < mostInARow
    ? Effect.succeed(why)
    : new JobError({ message: `${stopped} (as did the ${mostInARow - 1} before)` })
}

/** A job that was stopped before cannot go on as it is now. */
const goesNotOn = (failure: RunFailure, ticket: number): JobError =>
  new JobError({
    message:
      failure._tag === "ReplayMismatch" && failure.differs.includes("start")
        ? `ticket ${ticket} is not what it was when the job was stopped: put it back, or name another folder with --data`
        : `the job cannot go on at ticket ${ticket}: ${failure.message} Or begin anew with another folder of --data`
  })

/** How a job has ended, where no ticket says it. */
export const ofJob = (
  failure: Pipeline.PipelineError<JobError | InputError | Memory.MemoryError> | RunFailure
): JobError | InputError => {
  if (failure._tag !== "PipelineError") return new JobError({ message: failure.message })
  return failure.cause._tag === "MemoryError" ? new JobError({ message: failure.cause.message }) : failure.cause
}

/** Fails when a ticket did. */
export const ofRun = ({ failures, tickets }: Meter): Effect.Effect<void, JobError> =>
  failures === 0
    ? Effect.void
    : new JobError({ message: `${failures} of ${tickets} tickets failed; their reports say why` })

/** Whether a failure says something about one ticket only, so that the next one may well succeed. */
const isTicketsOwn = ({ cause }: StepFailure): boolean =>
  cause._tag === "ResponseError" || ownReasons.has(cause.reason._tag)

/** At which step it failed, and why. */
const describe = ({ cause, path }: StepFailure): string => plain(`at ${path.at(-1)}: ${inFlags(cause.message)}`)

/** The provider speaks of its options, which have other names on the command line. */
const inFlags = (text: string): string => text.replace(/\bbaseUrl\b/g, "--base-url")

// ---------------------------------------------------------------------------------------------------------- the end

/** Whatever ends the program before its end. */
export type Failure = UsageError | InputError | JobError | Provider.ProviderError | Embedder.EmbedderError

export const lineOf = (failure: Failure): string =>
  failure._tag === "UsageError"
    ? plain(`triage: ${failure.message}. "npm run triage -- --help" lists what there is.`)
    : plain(`triage: ${inFlags(failure.message)}`)

/** A mistake of this program. */
export const lineOfDefect = (defect: unknown): string =>
  plain(`triage: this is a defect, please report it: ${defect instanceof Error ? defect.message : String(defect)}`)
