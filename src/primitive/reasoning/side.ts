/**
 * Side sessions: single calls with messages of their own, outside the thought's conversation. The result becomes an
 * ordinary note, unpublished until the next main call.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { askedFrom } from "../../thought/gathered.ts"
import * as ids from "../../thought/ids.ts"
import { message, type Section, type Shown } from "../../thought/render.ts"
import { makeNote, stateOf } from "../../thought/state.ts"
import { type Wording, worded } from "./wording.ts"
import type * as Note from "../../thought/Note.ts"
import type { Source } from "../../thought/origin.ts"
import { addUsage, type Usage } from "../../thought/tokens.ts"
import type { ContextNote, Task } from "../../provider/task.ts"
import { ProviderError } from "../../provider/ProviderError.ts"
import type { Sampling } from "../../provider/request.ts"
import type { Shape as ProviderShape } from "../../provider/Shape.ts"
import { ask } from "../../synapse/ask.ts"
import { askText } from "../../synapse/askInText.ts"
import type { Answered, AskOptions, Declaration } from "../../synapse/Declaration.ts"
import { ResponseError } from "../../synapse/answer/ResponseError.ts"
import type { Thought } from "../../thought/model.ts"
import { contextNote } from "./reason.ts"

/** What a side session shows: notes, of this thought or others, then the instruction, and sections. */
export interface Aside {
  readonly kind: string
  readonly wants: NonNullable<Task["wants"]>
  readonly instruction: string
  /** Trust of the instruction. Default: `"trusted"`. */
  readonly trust?: Note.Trust
  /** What the instruction and the sections were made from. Default: nothing. */
  readonly sources?: ReadonlyArray<Source>
  readonly notes: ReadonlyArray<Note.Note>
  readonly sections?: ReadonlyArray<Section>
}

const shownTo = (notes: ReadonlyArray<Note.Note>, shown: Omit<Shown, "notes">) => {
  const context: ReadonlyArray<ContextNote> = notes.map((note) => contextNote(note, true))
  const user = message({ ...shown, notes })
  return { context, messages: [{ role: "user" as const, text: user }] }
}

/** Shows text like a note: fenced and with its trust. It is in no log, so its number is 0. */
export const shown = (
  thought: Thought<any>,
  draft: Pick<Note.Note, "key" | "content" | "source" | "trust">
): Effect.Effect<Note.Note> =>
  Effect.map(ids.next, ({ id, millis }) => ({
    ...makeNote(stateOf(thought), id, DateTime.makeUnsafe(millis), { ...draft, step: "" }),
    seq: 0
  }))

/** Requests text, such as a summary or a refinement. */
export const askAside = (
  provider: ProviderShape,
  thought: Thought<any>,
  aside: Aside,
  sampling: Sampling = {}
): Effect.Effect<Answered<string>, ProviderError> => {
  const { instruction, kind, notes, sections = [], sources = [], trust = "trusted", wants } = aside
  const { context, messages } = shownTo(notes, { task: instruction, sections })
  const task = { kind, wants, instruction, ...worded(trust), questions: [], context }
  const reply = askText(provider, { messages, task }, { phase: "reason", sampling, spent: {} }, thought)
  return askedFrom(sources, reply)
}

/** Asks a declared question. */
export const decideAside = <A>(
  provider: ProviderShape,
  thought: Thought<any>,
  declaration: Declaration<A>,
  question: Wording,
  notes: ReadonlyArray<Note.Note>,
  options: AskOptions
): Effect.Effect<Answered<A>, ProviderError | ResponseError> => {
  const { instruction, questions, ...shown } = declaration.request(question.text)
  const { context, messages } = shownTo(notes, shown)
  const given = { instruction, ...worded(question.trust), questions, context, messages }
  return askedFrom(question.sources ?? [], ask(provider, declaration, given, options, thought))
}

/** Runs one of several calls of a step. If it fails, the failure includes the usage of the earlier calls. */
export const withSpent = <A, E extends ProviderError | ResponseError, R>(
  self: Effect.Effect<A, E, R>,
  spent: Usage
): Effect.Effect<A, E, R> =>
  // the failure keeps its class
  Effect.mapError(self, (error) => charge(error, spent) as E)

const charge = (error: ProviderError | ResponseError, spent: Usage): ProviderError | ResponseError => {
  const usage = addUsage(spent, error.usage ?? {})
  if (error._tag === "ResponseError") {
    const { attempts, issues, kind, model, provider } = error
    return new ResponseError({ kind, provider, model, attempts, issues, usage })
  }
  const { cause, model, provider, reason, requestId } = error
  const known = { ...(requestId === undefined ? {} : { requestId }), ...(cause === undefined ? {} : { cause }) }
  return new ProviderError({ provider, model, reason, usage, ...known })
}
