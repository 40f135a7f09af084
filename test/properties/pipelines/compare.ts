/** What the interpreter says and what was seen, in the same plain form. */
import { Cause, Exit } from "effect"
import { Pipeline, type Provider, Session, Thought } from "cogito"
import { readRequest } from "../request.ts"
import type { Call } from "./build.ts"
import type { Event, ModelFailure, Outcome } from "./outcome.ts"
import { callName } from "./program.ts"
import { endOf, type Observation } from "./run.ts"
import type { ModelEntry, ModelThought } from "./thought.ts"

/** A note or a message as text. */
type Line = string

export interface PlainThought {
  readonly notes: ReadonlyArray<Line>
  readonly session: ReadonlyArray<Line>
}

const noteLine = (note: { readonly key: string; readonly content: string; readonly source: string }): Line =>
  `${note.key} (${note.source}): ${note.content}`

const requestLine = (notes: ReadonlyArray<Parameters<typeof noteLine>[0]>): Line =>
  `asked with [${notes.map(noteLine).join(" | ")}]`

/** A request is read back: its notes count, not its wording. */
const messageLine = ({ role, text }: Provider.Message): Line =>
  role === "user" && !text.startsWith("[Earlier messages") ? requestLine(readRequest(text).notes) : `${role}: ${text}`

const entryLine = ({ role, shows, text }: ModelEntry): Line =>
  text === undefined ? requestLine(shows) : `${role}: ${text}`

export const plainThought = (thought: Thought.Thought<any>): PlainThought => ({
  notes: Thought.notes(thought).map((note) => `${note.step} wrote ${noteLine(note)}`),
  session: Session.entries(thought.session).map(messageLine)
})

const plainModel = ({ log, session }: ModelThought): PlainThought => ({
  notes: log.map((note) => `${note.step} wrote ${noteLine(note)}`),
  session: session.map(entryLine)
})

// ---------------------------------------------------------------------------------------------------------- ends

export const causeOf = (cause: unknown): string => {
  const error = cause as {
    readonly _tag: string
    readonly call?: string
    readonly reason?: { readonly message: string }
  }
  if (error._tag === "ProviderError") return `ProviderError ${error.reason!.message}`
  return error._tag === "Fault" ? `Fault ${error.call}` : error._tag
}

const plainFailure = ({ before, beside, cause, durationMillis, path }: Pipeline.Failure): ModelFailure => ({
  path,
  cause: causeOf(cause),
  durationMillis,
  before: before.map(plainFailure),
  beside: beside.map(plainFailure)
})

/** What a limit cut short at the same time has no order. */
const unordered = (failure: ModelFailure): ModelFailure => {
  const before = failure.before.map(unordered)
  return {
    ...failure,
    before: failure.cause === "TimeoutError" ? before.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)) : before,
    beside: failure.beside.map(unordered)
  }
}

const keyOf = (failure: ModelFailure): string => JSON.stringify(failure)

/** How a run ended. */
export const plainExit = ({ exit }: Observation): unknown => {
  if (Exit.isSuccess(exit)) return plainThought(exit.value)
  const end = endOf(exit)
  if (end === "Interrupted") return end
  const [reason, ...more] = exit.cause.reasons.filter(({ _tag }) => _tag !== "Interrupt")
  if (more.length > 0) return `more than one end: ${Cause.pretty(exit.cause)}`
  if (reason?._tag === "Die") return { defect: reason.defect }
  const error = reason?._tag === "Fail" ? reason.error : undefined
  if (!(error instanceof Pipeline.PipelineError)) return `no PipelineError: ${Cause.pretty(exit.cause)}`
  return {
    ...unordered(plainFailure(error)),
    thought: error.thought === undefined ? undefined : plainThought(error.thought)
  }
}

export const plainEnd = ({ at, end, events }: Outcome): unknown => {
  switch (end._tag) {
    case "Done":
      return plainModel(end.thought)
    case "Failed": {
      const last = commitsOf(events).findLast(({ dispatched, inner = false }) => dispatched === undefined && !inner)
      return {
        ...unordered(end.failure),
        // of the whole run
        durationMillis: at,
        thought: last === undefined ? undefined : plainModel(last.thought)
      }
    }
    case "Died":
      return { defect: end.defect }
    default:
      return "Interrupted"
  }
}

// --------------------------------------------------------------------------------------------------------- events

export const commitsOf = (events: ReadonlyArray<Event>) => events.filter((event) => event._tag === "Commit")
export const callsOf = (events: ReadonlyArray<Event>) => events.filter((event) => event._tag === "Call")

/**
 * What the store should hold: of each thought, in the order in which they were first stored, what was written last, and
 * what was added from outside to the first of them.
 */
export const plainStore = (events: ReadonlyArray<Event>): ReadonlyArray<PlainThought> => {
  const thoughts = new Map<number, ModelThought>()
  for (const event of events) {
    if (event._tag === "Commit") for (const one of event.writes) thoughts.set(one.id, one)
    if (event._tag !== "Appended") continue
    const [root] = thoughts.values()
    if (root !== undefined) thoughts.set(root.id, { ...root, log: [...root.log, event.note] })
  }
  return [...thoughts.values()].map(plainModel)
}

/** Calls in an order that does not hang on what happens at the same moment. */
const inOrder = <A extends { readonly at: number; readonly call: string }>(calls: ReadonlyArray<A>) =>
  calls.toSorted((a, b) => a.at - b.at || (a.call < b.call ? -1 : 1))

/** A repair is known by what it begins with. */
const sentLine = (message: Provider.Message): Line => {
  if (message.role === "user" && message.text.startsWith("Your answer does not have the form")) return "asked to repair"
  return message.role === "assistant" && message.text.startsWith('{"wrong":') ? "a wrong answer" : messageLine(message)
}

export const plainCalls = (calls: ReadonlyArray<Call>): unknown =>
  inOrder(
    calls.map(({ at, call, leaf, messages }) => ({
      at,
      call: `${leaf}#${call}`,
      sent: messages === undefined ? [] : messages.slice(1).map(sentLine)
    }))
  )

export const plainEvents = (events: ReadonlyArray<Event>): unknown =>
  inOrder(
    callsOf(events).map(({ at, call, leaf, request }) => ({
      at,
      call: callName(leaf, call),
      sent: request === undefined ? [] : sentFor(request)
    }))
  )

const sentFor = ({ conversation, repairs, shows }: NonNullable<Extract<Event, { _tag: "Call" }>["request"]>) => [
  ...conversation.map(entryLine),
  requestLine(shows),
  ...Array.from({ length: repairs }, () => ["a wrong answer", "asked to repair"]).flat()
]
