/**
 * The runner of all reasoning primitives.
 *
 * It does not depend on their kinds: a primitive declares its question, its schema and its wording. The runner shows
 * the model what it has not seen, asks, validates, and stores the answer.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { askedFrom, valueFrom } from "../../thought/gathered.ts"
import { stateOf, unpublished, withSession } from "../../thought/state.ts"
import { quoted } from "../../text/legible.ts"
import { currentAmong, shownIn, type Source, sourcesShown, unstoredSources } from "../../thought/origin.ts"
import { needed } from "../../arguments/needed.ts"
import { inOrder, request, type Shown } from "../../thought/render.ts"
import { commit, emit, finish } from "../../run/run.ts"
import { makeKeyed } from "../../step/runtime/make.ts"
import { worded, wording } from "./wording.ts"
import { write } from "../../run/write.ts"
import * as Note from "../../thought/Note.ts"
import type { ContextNote, Task } from "../../provider/task.ts"
import type { Message } from "../../provider/request.ts"
import { Provider } from "../../provider/service.ts"
import type { ProviderError } from "../../provider/ProviderError.ts"
import type { Shape as ProviderShape } from "../../provider/Shape.ts"
import type { Usage } from "../../thought/tokens.ts"
import * as Session from "../../thought/Session.ts"
import type { Keyed, Node } from "../../step/runtime/model.ts"
import { ask } from "../../synapse/ask.ts"
import { type Form, replyOf } from "../../synapse/form.ts"
import { askText } from "../../synapse/askInText.ts"
import type { Answered, Declaration } from "../../synapse/Declaration.ts"
import { askOptions } from "../../synapse/make.ts"
import type { ResponseError } from "../../synapse/answer/ResponseError.ts"
import { published } from "../../step/runtime/shows.ts"
import type { Thought } from "../../thought/model.ts"
import { checkSampling, checkText, checkWords, stepNamed } from "../../arguments/checked.ts"
import {
  checkView,
  compactIfSet,
  DefaultIntrospection,
  type Introspection,
  type Options,
  optionSettings
} from "./options.ts"
import { contextNote, provenance } from "./record.ts"
import { promptOf, type NodeSettings, settingsOf } from "./settings.ts"

export { contextNote, provenance } from "./record.ts"

const defaultReflection = {
  prompt: "Look back on your last answer.",
  how: "Say in a few sentences what it means, what it rests on, and what later steps should bear in mind."
}

/** A question of a step: what it reads and writes, and how to ask it about a thought. */
export interface Reasoner<K extends string, A, E, R> {
  readonly handle: Note.Handle<K, A>
  readonly node: Node
  /** Asks, writes the answer, reviews it if requested, and stores the thought. `store`: default `commit`, as a step may follow. */
  readonly ask: (
    thought: Thought<any>,
    store?: typeof commit
  ) => Effect.Effect<{ readonly thought: Thought<any>; readonly value: A }, E, R>
}

/** A question that is made from notes of the thought. */
export interface Posed<A, E, R> {
  readonly kind: string
  readonly declare: Note.Reader<any, Declaration<A>, E, R>
}

/** Makes the reasoner of a declared question, for primitives that use the answer themselves. */
export const reasoner = <const K extends string, A, const Q extends Note.Text, E = never, R = never>(
  key: K,
  schema: Schema.Codec<A, any>,
  declared: Declaration<A> | Posed<A, E, R>,
  text: Q,
  options: Options,
  settings: NodeSettings = {}
): Reasoner<K, A, ProviderError | ResponseError | Note.Text.Err<Q> | E, Provider | Note.Text.Req<Q> | R> => {
  const handle = Note.handle(key, schema)
  const { kind } = declared
  const reads = [...(Note.isReader(text) ? text.keys : []), ...("declare" in declared ? declared.declare.keys : [])]
  checkWords(stepNamed(key), "question or prompt", text)
  const asking = askOptions(options, stepNamed(key))
  checkView(key, options.view)
  const own = introspectionOf(key, options.introspect)
  const writes = own === undefined ? [key] : [key, own.summaryKey]
  return {
    handle,
    node: {
      name: key,
      kind,
      reads: [...new Set(reads)],
      writes,
      surely: own?.onFailure === "skip" ? [key] : writes,
      children: [],
      ...settingsOf(settings, optionSettings(options)),
      ...promptOf(text),
      ...(options.introspect === undefined ? { introspects: "default" as const } : {})
    },
    ask: Effect.fnUntraced(function* (given, store = commit) {
      const provider = options.provider ?? (yield* needed(Provider))
      const introspection = options.introspect === undefined ? introspectionOf(key, yield* DefaultIntrospection) : own
      if (introspection !== undefined) refuseTaken(given, key, introspection.summaryKey)
      const thought = options.compact === false ? given : yield* compactIfSet(given, provider)
      const posed =
        "declare" in declared ? yield* valueFrom(declared.declare, thought) : { value: declared, sources: [] }
      const declaration = posed.value
      const question = yield* wording(text, thought)
      const task = declaration.request(question.text)
      const fresh = unpublished(stateOf(thought))
      const shown = show(thought, fresh, task, options.view ?? "full")
      const read = [...posed.sources, ...question.sources]
      const answer = yield* askedFrom(
        read,
        ask(
          provider,
          declaration,
          {
            instruction: task.instruction,
            ...worded(question.trust),
            questions: task.questions,
            get context() {
              return shown.context
            },
            messages: shown.messages
          },
          { ...asking, key },
          thought
        )
      )
      const noted = yield* write(thought, kind, handle, answer.value, {
        from: [...shown.sources, ...read],
        written: answer.written,
        metadata: provenance(provider, answer)
      })
      const conversed =
        answer.via === "native" ? noted.thought : yield* converse(noted, shown.user, fresh, declaration.form)
      const answered = withUsage(conversed, answer)
      const reflected =
        introspection === undefined
          ? answered
          : yield* reflect(answered, kind, provider, answer.usage, introspection, options)
      return { thought: yield* store(reflected), value: answer.value }
    })
  }
}

/** Makes a primitive that asks the declared question and writes the answer under its key. `In`: the notes that it reads. */
export const makeReasoning = <const K extends string, A, const Q extends Note.Text, In = Note.Text.In<Q>>(
  key: K,
  schema: Schema.Codec<A, any>,
  declared: Declaration<A> | Posed<A, never, never>,
  text: Q,
  options: Options,
  settings: NodeSettings = {}
): Keyed<K, A, In, ProviderError | ResponseError | Note.Text.Err<Q>, Provider | Note.Text.Req<Q>> => {
  const { ask, handle, node } = reasoner(key, schema, declared, text, options, settings)
  return makeKeyed(handle, node, (thought) => Effect.map(ask(thought, finish), (answered) => answered.thought))
}

/** Throws if the key holds a note that something else wrote. No type lists the summary, so it must not replace one. */
const refuseTaken = (thought: Thought<any>, key: string, summaryKey: string): void => {
  const taken = thought.note(summaryKey)
  if (taken === undefined || taken.source.endsWith(introspected)) return
  throw new Error(
    `The step ${quoted(key)} would write its summary under ${quoted(summaryKey)}, which is already in use: ` +
      `give it another summaryKey.`
  )
}

const introspected = "-introspection"

// ------------------------------------------------------------------------------------------------------- rendering

/** The request, which shows the fresh notes after the conversation in view. */
const show = (
  thought: Thought<any>,
  fresh: ReadonlyArray<Note.Note>,
  asked: Omit<Shown, "notes">,
  view: Session.View
): {
  readonly user: string
  readonly messages: ReadonlyArray<Message>
  readonly context: ReadonlyArray<ContextNote>
  readonly sources: ReadonlyArray<Source>
} => {
  const { session } = thought
  const entries = Session.view(session, view)
  const { kept, text } = request({ ...asked, notes: inOrder(fresh) })
  let context: ReadonlyArray<ContextNote> | undefined
  return {
    user: text.slice(0, kept),
    messages: [...entries.map((entry) => ({ role: entry.role, text: entry.text })), { role: "user", text, kept }],
    // only models that take the notes as data need it
    get context() {
      return (context ??= contextOf(thought, entries, fresh))
    },
    sources: [...(view === "full" ? sourcesShown(thought) : shownIn(thought, entries)), ...fresh]
  }
}

const contextOf = (
  thought: Thought<any>,
  entries: ReadonlyArray<Session.Entry>,
  fresh: ReadonlyArray<Note.Note>
): ReadonlyArray<ContextNote> => {
  const seen = new Set(entries.flatMap((entry) => entry.carries))
  return [
    ...currentAmong(thought, seen).map((note) => contextNote(note, false)),
    ...fresh.map((note) => contextNote(note, true))
  ]
}

/**
 * The conversation after an answer. The request carries the notes it showed, and the reply its own note, in the form of
 * the answer.
 */
const converse = (
  noted: { readonly thought: Thought<any>; readonly note: Note.Note },
  user: string,
  fresh: ReadonlyArray<Note.Note>,
  form?: Form<unknown>
): Effect.Effect<Thought<any>> => {
  const { note, thought } = noted
  const session = Session.append(
    thought.session,
    { role: "user", text: user, carries: fresh.map((item) => item.id) },
    { role: "assistant", text: replyOf(note, form), carries: [note.id] }
  )
  return published(withSession(thought, session), fresh.length + 1)
}

const withUsage = (thought: Thought<any>, { usage }: Answered<unknown>): Thought<any> =>
  withSession(thought, Session.withUsage(thought.session, usage))

// --------------------------------------------------------------------------------------------------- introspection

interface Resolved extends Required<Pick<Introspection, "prompt" | "summaryKey" | "onFailure" | "sampling">> {
  readonly how: string | undefined
}

const introspectionOf = (key: string, option: Options["introspect"]): Resolved | undefined => {
  if (option === undefined || option === false) return undefined
  const given = option === true ? {} : option
  const summaryKey = Note.checkKey(given.summaryKey ?? `${key}_summary`)
  if (summaryKey === key) throw new Error(`The step ${quoted(key)} needs another key for its summary.`)
  const { sampling = {} } = given
  const { how, prompt } = given.prompt === undefined ? defaultReflection : { how: undefined, prompt: given.prompt }
  checkText(stepNamed(key), "introspect.prompt", prompt)
  checkSampling(stepNamed(key), sampling, "introspect.sampling")
  return {
    prompt,
    how,
    summaryKey,
    onFailure: given.onFailure ?? "fail",
    sampling
  }
}

/** Asks the model to review its answer, in the same conversation, and writes the reply as a note. */
const reflect = (
  thought: Thought<any>,
  kind: string,
  provider: ProviderShape,
  spent: Usage,
  introspection: Resolved,
  options: Options
): Effect.Effect<Thought<any>, ProviderError> => {
  const looking = Effect.gen(function* () {
    const fresh = unpublished(stateOf(thought))
    // the answer is already in view: as the last reply, or as a note that is shown now
    const { how, prompt } = introspection
    const shown = show(thought, fresh, { task: prompt, how }, options.view ?? "full")
    const instruction = how === undefined ? prompt : `${prompt} ${how}`
    const task: Task = {
      kind: "introspect",
      instruction,
      questions: [],
      get context() {
        return shown.context
      }
    }
    const { sampling } = introspection
    const request = { messages: shown.messages, task }
    // the conversation repeats what the question and the answer were made from
    const made = unstoredSources(stateOf(thought)).map((id) => ({ id, trust: "untrusted" as const }))
    const asking = askText(provider, request, { phase: "introspect", sampling, spent }, thought)
    const reply = yield* askedFrom(made, asking)
    const handle = Note.handle(introspection.summaryKey, Schema.String)
    const metadata = provenance(provider, reply)
    const noted = yield* write(thought, `${kind}${introspected}`, handle, reply.value, {
      from: shown.sources,
      metadata
    })
    yield* emit(noted.thought, { _tag: "IntrospectionCompleted", size: reply.value.length })
    return withUsage(yield* converse(noted, shown.user, fresh), reply)
  })
  return introspection.onFailure === "fail" ? looking : Effect.orElseSucceed(looking, () => thought)
}
