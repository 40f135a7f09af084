/** The rounds of an agent: the model is asked, its calls are carried out, and it sees their results, until it answers. */
import * as Effect from "effect/Effect"
import type { Request, Response } from "../../Provider.ts"
import { needed } from "../../arguments/needed.ts"
import { compactIfSet } from "../../primitive/reasoning/options.ts"
import { withIds } from "../../provider/carry.ts"
import { ProviderError } from "../../provider/ProviderError.ts"
import { Provider } from "../../provider/service.ts"
import type { Shape } from "../../provider/Shape.ts"
import { commit, finish } from "../../run/run.ts"
import { write, writeAll } from "../../run/write.ts"
import { call as askModel, unusable, type Watched, Watching } from "../../synapse/call.ts"
import { usdOf } from "../../synapse/observed.ts"
import { answeredBy } from "../../synapse/Declaration.ts"
import { withCalls } from "../../thought/callLines.ts"
import type { Thought } from "../../thought/model.ts"
import type { Usage } from "../../thought/tokens.ts"
import { sourcesShown } from "../../thought/origin.ts"
import { inOrder, message } from "../../thought/render.ts"
import * as Session from "../../thought/Session.ts"
import { unpublished, withSession } from "../../thought/Thought.ts"
import { AgentStopped } from "../model/AgentStopped.ts"
import { TriageFailed } from "../model/TriageFailed.ts"
import { readAnswer } from "./answer.ts"
import { carryOut } from "../calls/batch.ts"
import { callMetadata, hasResults } from "../calls/conversation.ts"
import { CallIds, distinct } from "../calls/ids.ts"
import { Messages } from "../calls/messages.ts"
import { learningAfter } from "../documents/learning.ts"
import { isDocument } from "../model/Document.ts"
import { type Listener, Listening, tell } from "../model/events.ts"
import { instructed } from "./instructions.ts"
import { lostIn } from "./lost.ts"
import { type Opening, opening, refusal } from "./opening.ts"
import { refuseDiscarding, refuseUnhandled } from "./refusing.ts"
import { preparedFor } from "./prepared.ts"
import { requestOf, type Round, task } from "./round.ts"
import { handleOf } from "../model/keys.ts"
import type { Prepared, Settings, Work, Working } from "../model/settings.ts"
import { withUnanswered } from "./unanswered.ts"
import { watcherOf } from "./watching.ts"

const kind = "agent"

/** Runs an agent on a thought until it has an answer. */
export const run = (settings: Settings) =>
  Effect.fnUntraced(function* (given: Thought<any>): Working<Thought<any>> {
    const { instructions } = settings
    yield* refuseDiscarding(settings)
    yield* refuseUnhandled(settings)
    const provider = settings.provider ?? (yield* needed(Provider))
    // a redaction may have taken it while the run waited
    if (given.note("message") === undefined) return yield* stopped(settings, "message", 0, "")
    const opened = yield* Effect.catchIf(
      opening(settings, provider, yield* compacted(withUnanswered(given, settings.handle.key), provider)),
      (error: unknown): error is TriageFailed => error instanceof TriageFailed && isExceeded(error.cause),
      (error: TriageFailed) => stopped(settings, "budget", 0, error.message)
    )
    const { answer, safe = true } = opened.judgement ?? {}
    if (!safe) {
      yield* commit(
        withSession(opened.thought, conversed(opened.thought, opened.aside, { text: refusal, carries: [] }))
      )
      return yield* stopped(settings, "refused", 0, refusal)
    }
    if (answer !== undefined) return yield* answeredAtOnce(settings, provider, opened, answer)
    return yield* rounds(settings, provider, opened, yield* instructed(instructions, opened.thought))
  })

const rounds = Effect.fnUntraced(function* (
  settings: Settings,
  asker: Shape,
  { aside, documents, judgement, names: selected, thought: begun }: Opening,
  instructed: Round["instructed"]
): Working<Thought<any>> {
  const { form, handle, limits } = settings
  const hidden = new Set(aside.map(({ id }) => id))
  const seen = new Map<string, number>()
  const conversation = new Messages(limits.resultTokens)
  const ids = new CallIds()
  let thought = begun
  let isTainted = false
  let mustAnswer = false
  let failures = 0
  let called = 0
  const listener = yield* Listening

  for (let round = 1; ; round++) {
    const isLast = round >= limits.rounds
    const prepared = yield* preparedFor(settings, round, thought)
    const provider = prepared.provider ?? asker
    // before the first round it was done for triage
    const before = thought
    if (round > 1) thought = yield* compacted(thought, provider)
    const lost = lostIn(before, thought, limits.resultTokens)
    const carried = [...lost, ...unpublished(thought)]
    const fresh = carried.filter((note) => !hidden.has(note.id) && !isDocument(note))
    const names = prepared.tools === undefined ? selected : selected.filter((name) => prepared.tools?.includes(name))
    const { kept, request } = requestOf(settings, provider, thought, fresh, {
      number: round,
      isLast,
      mustAnswer,
      failures,
      instructed,
      mode: judgement?.mode,
      names,
      prepared,
      conversation,
      documents
    })
    const known = ids.of(thought)
    const { response, watched } = yield* replied(settings, provider, request, thought, { listener, round, known })
    const { usage } = response
    const usd = usdOf(provider, response)
    if (listener !== undefined) {
      yield* listener.tell({ _tag: "Round", round, usage, ...(usd === undefined ? {} : { usd }) })
    }
    const given = response.calls ?? []
    const calls = distinct(known, given)
    const carry = response.carry && withIds(response.carry, given, calls)
    const text = response.text.trim()
    const from = [...sourcesShown(thought), ...documents, ...fresh, ...instructed.sources]
    const asking =
      kept === undefined ? [] : [{ role: "user" as const, text: kept, carries: carried.map(({ id }) => id) }]
    const answer = yield* readAnswer(form, text, calls)
    if (answer._tag === "Answered") {
      yield* watched.accepted(answer.value)
      const metadata = {
        provider: response.provider ?? provider.name,
        model: response.model ?? provider.model,
        ...answeredBy(response)
      }
      const noted = yield* write(thought, kind, handle, answer.value, {
        from,
        written: answer.written,
        metadata: stringsOf(metadata)
      })
      const session = Session.append(thought.session, ...asking, {
        role: "assistant",
        text: answer.text,
        carries: [noted.note.id]
      })
      const after = withSession(noted.thought, Session.withUsage(session, usage))
      return yield* finish(yield* learningAfter(settings, asker, after, { rounds: round, calls: called }))
    }
    yield* watched.discarded
    if (calls.length === 0) {
      if (text === "") {
        yield* unusable(response)
        return yield* empty(provider, usage)
      }
      yield* tell({ _tag: "Discarded", round })
      // a text where the answer has a form: the tool for it is demanded next
      mustAnswer = true
      const session = Session.append(thought.session, ...asking, { role: "assistant", text })
      thought = yield* commit(withSession(thought, Session.withUsage(session, usage)))
      if (isLast) return yield* stopped(settings, "rounds", round, text)
      continue
    }

    // in the last round nobody would read the results
    if (isLast)
      return yield* stopped(
        settings,
        "rounds",
        round,
        `It would have called ${calls.map((one) => one.name).join(", ")}.`
      )
    const { notes, thought: noted } = yield* writeAll(
      thought,
      kind,
      calls.map((one, i) => {
        const metadata = callMetadata(one, round, i === 0 ? carry : undefined)
        return { handle: handleOf(settings, one), value: one.params, from, metadata }
      })
    )
    const session = Session.append(thought.session, ...asking, {
      role: "assistant",
      text: withCalls(text, calls),
      carries: notes.map(({ id }) => id)
    })
    // results stay in the thought
    isTainted ||= hasResults(thought)
    thought = yield* commit(withSession(noted, Session.withUsage(session, usage)))
    const callable = callableIn(prepared, names)
    const batch = { ...settings, calls, names: callable, isTainted, refused: answer.refusal, from }
    const done = yield* carryOut(batch, thought)
    thought = yield* commit(done.thought)
    mustAnswer = false

    const { outcomes } = done
    called += outcomes.length
    failures = outcomes.every(({ isFailure }) => isFailure) ? failures + 1 : 0
    const signs = new Set(calls.map(({ name, params }, i) => JSON.stringify([name, params, outcomes[i]?.text])))
    for (const sign of signs) {
      const times = (seen.get(sign) ?? 0) + 1
      seen.set(sign, times)
      if (times >= limits.repeats) return yield* stopped(settings, "stuck", round, `The call was ${sign}.`)
    }
    if (failures >= limits.failures) {
      return yield* stopped(settings, "failures", round, outcomes.at(-1)?.text ?? "")
    }
  }
})

/** The tools that may be called in a round, whatever the model does. */
const callableIn = ({ toolChoice }: Prepared, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (toolChoice === "none") return []
  return typeof toolChoice === "object" ? names.filter((name) => name === toolChoice.tool) : names
}

const compacted = (thought: Thought<any>, provider: Shape) =>
  Effect.tap(compactIfSet(thought, provider), (after) =>
    after.session === thought.session ? Effect.void : tell({ _tag: "Compacted" })
  )

/** Whether a budget has no room for a call. */
const isExceeded = (error: unknown): error is ProviderError =>
  error instanceof ProviderError && error.reason._tag === "BudgetExceeded"

/** The reply of the model in a round. */
const replied = (
  settings: Settings,
  provider: Shape,
  request: Request,
  thought: Thought<any>,
  {
    known,
    listener,
    round
  }: { readonly round: number; readonly known: ReadonlySet<string>; readonly listener: Listener | undefined }
): Work<{ readonly response: Response; readonly watched: Watched }> => {
  const asking = askModel(provider, request, { spent: {}, form: undefined, key: undefined, thought })
  // who listens to the agent keeps the text of rounds with calls
  const watching =
    listener === undefined
      ? asking
      : Effect.provideService(
          Effect.map(asking, ({ response, watched }) => ({
            response,
            watched: { ...watched, discarded: Effect.void }
          })),
          Watching,
          watcherOf(listener, round, known)
        )
  return Effect.catchIf(watching, isExceeded, (error) => stopped(settings, "budget", round - 1, error.message))
}

/** The conversation with the message and a reply to it. */
const conversed = (
  thought: Thought<any>,
  aside: Opening["aside"],
  reply: { readonly text: string; readonly carries: ReadonlyArray<string> }
): Session.Session => {
  const carried = unpublished(thought).filter(({ id }) => !reply.carries.includes(id))
  const hidden = new Set(aside.map(({ id }) => id))
  const notes = inOrder(carried.filter(({ id }) => !hidden.has(id)))
  return Session.append(
    thought.session,
    { role: "user", text: message({ task, notes }), carries: carried.map(({ id }) => id) },
    { role: "assistant", ...reply }
  )
}

/** Takes the answer that triage has given. */
const answeredAtOnce = Effect.fnUntraced(function* (
  settings: Settings,
  provider: Shape,
  { aside, documents, thought }: Opening,
  answer: string
): Working<Thought<any>> {
  yield* tell({ _tag: "Text", round: 0, delta: answer })
  const from = [...sourcesShown(thought), ...documents, ...unpublished(thought)]
  const { metadata } = aside[0] ?? { metadata: {} }
  const noted = yield* write(thought, kind, settings.handle, answer, { from, metadata })
  const reply = { text: answer, carries: [noted.note.id] }
  const after = withSession(noted.thought, conversed(noted.thought, aside, reply))
  return yield* finish(yield* learningAfter(settings, provider, after, { rounds: 0, calls: 0 }))
})

const empty = ({ model, name }: Shape, usage: Usage) =>
  Effect.fail(
    new ProviderError({
      provider: name,
      model,
      reason: { _tag: "EmptyAnswer", message: "the answer to an agent has neither text nor calls" },
      usage
    })
  )

const longestDetail = 500

const stopped = ({ name }: Settings, reason: AgentStopped["reason"], rounds: number, detail: string) =>
  Effect.fail(new AgentStopped({ agent: name, reason, rounds, detail: detail.slice(0, longestDetail) }))

const stringsOf = (fields: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([key, value]) => (typeof value === "string" ? [[key, value]] : []))
  )
