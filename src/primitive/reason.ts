/**
 * The one runner of all reasoning primitives. It knows nothing of their kinds: a primitive declares its question, its
 * schema and its wording, and the runner shows the model what it has not seen, asks, validates, and keeps the answer.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { fenceOf, message } from "../internal/render.ts"
import { commit, emit } from "../internal/run.ts"
import { makeKeyed } from "../internal/step.ts"
import { write } from "../internal/write.ts"
import * as Note from "../Note.ts"
import {
  type ContextNote,
  type Message,
  Provider,
  type ProviderError,
  type Shape as ProviderShape,
  type Usage
} from "../Provider.ts"
import * as Session from "../Session.ts"
import type { Keyed } from "../Step.ts"
import { ask, type Asked, askText, type Declaration } from "../synapse/ask.ts"
import { askOptions } from "../synapse/make.ts"
import type { ResponseError } from "../synapse/ResponseError.ts"
import { current, type Thought, unpublished, withSession } from "../Thought.ts"
import type { Introspection, Options } from "./options.ts"

const defaultReflection =
  "Look back on your last answer. Say in a few sentences what it means, what it rests on, and " +
  "what the steps that follow should bear in mind. Give conclusions and reasons, not a record of your thinking."

/** A primitive that asks the declared question and writes the answer under its key. */
export const makeReasoning = <const K extends string, A, const Q extends Note.Text>(
  key: K,
  schema: Schema.Codec<A, any>,
  declaration: Declaration<A>,
  text: Q,
  options: Options
): Keyed<K, A, Note.Text.In<Q>, ProviderError | ResponseError | Note.Text.Err<Q>, Provider | Note.Text.Req<Q>> => {
  const handle = Note.handle(key, schema)
  const { kind } = declaration
  checkOptions(key, text, options)
  const asking = askOptions(options)
  const introspection = introspectionOf(key, options.introspect)
  const writes = introspection === undefined ? [key] : [key, introspection.summaryKey]
  const reads = Note.isReader(text) ? text.keys : []
  return makeKeyed(handle, { name: key, kind, reads, writes, children: [] }, (thought) =>
    Effect.gen(function* () {
      const provider = options.provider ?? (yield* Provider)
      if (introspection !== undefined) refuseTaken(thought, key, introspection.summaryKey)
      const put = declaration.put(yield* Note.text(text, thought))
      const fresh = unpublished(thought)
      const shown = show(thought, fresh, put.sections, options.view ?? "full")
      const answer = yield* ask(
        provider,
        declaration,
        {
          instruction: put.instruction,
          questions: put.questions,
          context: shown.context,
          messages: shown.messages
        },
        asking,
        thought
      )
      const noted = yield* write(thought, kind, handle, answer.value, { metadata: provenance(provider, answer) })
      const conversed = answer.via === "native" ? noted.thought : yield* converse(noted, shown.user, fresh)
      const answered = withUsage(conversed, answer)
      const reflected =
        introspection === undefined
          ? answered
          : yield* reflect(answered, kind, provider, answer.usage, introspection, options)
      return yield* commit(reflected)
    })
  )
}

/** Throws, naming the step, when an option cannot be meant. */
const checkOptions = (key: string, text: unknown, { sampling = {}, view = "full" }: Options): void => {
  const refuse = (why: string): never => {
    throw new Error(`The step ${JSON.stringify(key)} ${why}.`)
  }
  if (typeof text === "string" ? text.trim() === "" : !Note.isReader(text)) {
    refuse("needs its question or prompt as text that is not empty, or as a reader of notes")
  }
  const count = view === "full" ? 0 : "recent" in view ? view.recent : view.summaryAndRecent
  if (!Number.isInteger(count) || count < 0) refuse("has a view whose number of turns is no whole number from 0")
  const { temperature = 0 } = sampling
  if (!(Number.isFinite(temperature) && temperature >= 0)) refuse("has a temperature that is no number from 0")
}

/** A summary is text and in no type: it must not take the place of a note that something else wrote. */
const refuseTaken = (thought: Thought<any>, key: string, summaryKey: string): void => {
  const taken = thought.note(summaryKey)
  if (taken === undefined || taken.source.endsWith(introspected)) return
  throw new Error(
    `The step ${JSON.stringify(key)} would write its summary under ${JSON.stringify(summaryKey)}, a key that is taken: ` +
      `give it another summaryKey.`
  )
}

const introspected = "-introspection"

// ------------------------------------------------------------------------------------------------------- rendering

/** The request that shows the fresh notes at the end of the conversation in view. */
const show = (
  thought: Thought<any>,
  fresh: ReadonlyArray<Note.Note>,
  sections: Parameters<typeof message>[0]["sections"],
  view: Session.View
): {
  readonly user: string
  readonly messages: ReadonlyArray<Message>
  readonly context: ReadonlyArray<ContextNote>
} => {
  const { session } = thought
  const entries = Session.view(session, view)
  const user = message({
    notes: fresh,
    fence: fenceOf(thought.id, session.nextIndex),
    sections,
    conversed: entries.length > 0
  })
  const seen = new Set(entries.flatMap((entry) => entry.carries))
  return {
    user,
    messages: [...entries.map(({ role, text }) => ({ role, text })), { role: "user", text: user }],
    context: [
      ...current(thought)
        .filter((note) => seen.has(note.id))
        .map((note) => contextNote(note, false)),
      ...fresh.map((note) => contextNote(note, true))
    ]
  }
}

const contextNote = (note: Note.Note, isFresh: boolean): ContextNote => ({
  id: note.id,
  key: note.key,
  text: note.content,
  source: note.source,
  step: note.step,
  trust: note.trust,
  fresh: isFresh
})

/** The conversation after an answer: the request carries the notes it showed, the reply its own note. */
const converse = (
  noted: { readonly thought: Thought<any>; readonly note: Note.Note },
  user: string,
  fresh: ReadonlyArray<Note.Note>
): Effect.Effect<Thought<any>> => {
  const { note, thought } = noted
  const session = Session.append(
    thought.session,
    { role: "user", text: user, carries: fresh.map((item) => item.id) },
    { role: "assistant", text: note.content, carries: [note.id] }
  )
  const signal = emit(thought, { _tag: "NotesPublished", published: fresh.length + 1 })
  return Effect.as(signal, withSession(thought, session))
}

const withUsage = (thought: Thought<any>, { usage }: Asked<unknown>): Thought<any> =>
  withSession(thought, Session.withUsage(thought.session, usage))

// ------------------------------------------------------------------------------------------------------ provenance

/** What was really used: a sampling that was not sent is not claimed. */
const provenance = (provider: ProviderShape, answer: Asked<unknown>): Record<string, string> => ({
  provider: provider.name,
  model: answer.model,
  via: answer.via,
  ...(answer.sampling.temperature === undefined ? {} : { temperature: String(answer.sampling.temperature) }),
  ...(answer.sampling.effort === undefined ? {} : { effort: answer.sampling.effort })
})

// --------------------------------------------------------------------------------------------------- introspection

type Resolved = Required<Pick<Introspection, "prompt" | "summaryKey" | "onFailure" | "sampling">>

const introspectionOf = (key: string, option: Options["introspect"]): Resolved | undefined => {
  if (option === undefined || option === false) return undefined
  const given = option === true ? {} : option
  const summaryKey = Note.checkKey(given.summaryKey ?? `${key}_summary`)
  if (summaryKey === key) throw new Error(`The step ${JSON.stringify(key)} needs another key for its summary.`)
  return {
    prompt: given.prompt ?? defaultReflection,
    summaryKey,
    onFailure: given.onFailure ?? "fail",
    sampling: given.sampling ?? {}
  }
}

/** Asks the model to look back, on the same conversation, and keeps what it says as a note of its own. */
const reflect = (
  thought: Thought<any>,
  kind: string,
  provider: ProviderShape,
  spent: Usage,
  introspection: Resolved,
  options: Options
): Effect.Effect<Thought<any>, ProviderError> => {
  const looking = Effect.gen(function* () {
    const fresh = unpublished(thought)
    // the answer itself is in view already: as the last reply, or as a note that is shown now
    const sections = [{ heading: "Task", body: introspection.prompt }]
    const shown = show(thought, fresh, sections, options.view ?? "full")
    const task = { kind: "introspect", instruction: introspection.prompt, questions: [], context: shown.context }
    const reply = yield* askText(
      provider,
      { messages: shown.messages, task },
      {
        phase: "introspect",
        sampling: introspection.sampling,
        spent
      },
      thought
    )
    const handle = Note.handle(introspection.summaryKey, Schema.String)
    const metadata = provenance(provider, reply)
    const noted = yield* write(thought, `${kind}${introspected}`, handle, reply.value, { metadata })
    yield* emit(noted.thought, { _tag: "IntrospectionCompleted", size: reply.value.length })
    return withUsage(yield* converse(noted, shown.user, fresh), reply)
  })
  return introspection.onFailure === "fail" ? looking : Effect.orElseSucceed(looking, () => thought)
}
