/** Conversations with agents. */
import * as Chunk from "effect/Chunk"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import type * as Tool from "effect/ai/Tool"
import { Agent } from "../agent/index.ts"
import * as Memory from "../Memory.ts"
import * as Pipeline from "../Pipeline.ts"
import * as ids from "../thought/ids.ts"
import type { Thought } from "../thought/model.ts"
import { handleOf, noteOf, stateOf, withHandles } from "../thought/state.ts"
import type { Writes } from "../thought/types.ts"
import { check } from "./options.ts"
import type { CallOptions, RunOptions } from "./running.ts"

/**
 * Options of a message. `user` is who says it, and `durable` is that of `Agent.say`.
 *
 * @category models
 */
export interface SayOptions extends RunOptions {
  readonly user?: string
}

/**
 * A conversation with an agent. It goes on from the thought of the last message.
 *
 * **Details**
 *
 * - `thought`: the conversation so far. Later, `Cogito.chat` goes on with what `load` gives for its id. Undefined before the
 *   first message
 * - `say`: says something, and resolves to the answer
 * - `stream`: says something, and gives the events as they come. The last one is `Done`, with the answer
 * - `resume`: goes on with a run that waited for an approval, and resolves to the answer
 * - `resumeStream`: does the same, and gives the events of the whole run, as `Agent.resume` does
 * - `cancel`: stops the answer that is being written here, whose promise or stream fails with an `AbortError`, and gives up every
 *   run of the conversation that is not over, as `Agent.cancel` does. Resolves to whether there was one
 * - `undo`: does the same, and goes back to before the last message, as `Agent.undo` does. Resolves to that message, or to undefined if
 *   the chat has no message. The conversation goes on with another id: that of `thought`
 *
 * The conversation is stored at the first message, and takes one message at a time. While another is being answered, or its run waits or
 * was interrupted, `say` and `stream` fail with `RunBusy`, which has the id of that run, before anything is paid: `resume` goes on with
 * it, and `cancel` gives it up.
 * A run that was left may have completed all the same: then the next message comes after its answer.
 *
 * If somebody must approve a call of a tool, `say` rejects with `Suspended`, which has the id of the run. Decide with
 * `Cogito.approve`, then `resume`.
 *
 * @category models
 */
export interface Chat<A, Event> {
  readonly thought: Thought | undefined
  readonly say: (text: string, options?: SayOptions) => Promise<A>
  readonly stream: (text: string, options?: SayOptions) => AsyncIterable<Event>
  readonly resume: (runId: string, options?: CallOptions) => Promise<A>
  readonly resumeStream: (runId: string, options?: CallOptions) => AsyncIterable<Event>
  readonly cancel: (options?: CallOptions) => Promise<boolean>
  readonly undo: (options?: CallOptions) => Promise<string | undefined>
}

/**
 * The chat of an agent.
 *
 * @category types
 */
export type ChatOf<K extends string, A, Tools extends Record<string, Tool.Any>> = Chat<
  A,
  Agent.Event<Tools, A, Thought<Writes<K, A>>>
>

/**
 * The chat of an agent, by the type of the agent: what `Cogito.chat` returns for it. For a `Map` of chats, or a field of a class.
 *
 * **Example** (Chats by their users)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Toolkit } from "effect/ai"
 * import { Agent } from "cogito/agent"
 * import { Cogito } from "cogito/promise"
 * import { Testing } from "cogito/testing"
 *
 * const clerk = Agent.make("clerk", { instructions: "You sell chairs.", toolkit: Toolkit.empty, triage: false })
 * const chats = new Map<string, Cogito.ChatWith<typeof clerk>>()
 *
 * await using ai = Cogito.make(Testing.scripted(["Hello Ann."]).layer)
 * const chat = chats.get("ann") ?? ai.chat(clerk, { intent: "sell" })
 * chats.set("ann", chat)
 * assert.equal(await chat.say("I am Ann."), "Hello Ann.")
 * ```
 *
 * @category types
 */
export type ChatWith<G extends Agent.Agent<any, any, any, any, any, any>> =
  G extends Agent.Agent<infer K, infer A, any, any, any, infer Tools> ? ChatOf<K, A, Tools> : never

/** A run in one of these states is not over. */
const open = ["pending", "running", "waiting", "interrupted"] as const

/** The stored value of a thought with the types of the other one, which stays if it has what is not stored yet. */
const newer = (from: Thought<any>, stored: Thought<any>): Thought<any> => {
  const [known, now] = [stateOf(from), stateOf(stored)]
  const last = Option.getOrUndefined(Chunk.last(known.log))
  const hasAll = last === undefined || noteOf(now, last.id) !== undefined
  if (now.stored.version <= known.stored.version || !hasAll) return from
  const typed = Array.from(now.log).flatMap((note) => {
    const handle = handleOf(known, note)
    return handle === undefined ? [] : [[note, handle] as const]
  })
  return withHandles(stored, typed)
}

/** Whether a run has stored nothing because its thought is outdated or was removed. */
const isOutdated = (error: unknown): boolean =>
  error instanceof Pipeline.PipelineError &&
  error.thought === undefined &&
  error.cause instanceof Memory.MemoryError &&
  error.cause.reason._tag === "ConcurrencyConflict"

/** What is being answered in a chat. */
interface Answering {
  runId: string | undefined
  /** What the model has written in this round. The conversation has the text of rounds that have ended. */
  written: string
  readonly stop: Deferred.Deferred<never, DOMException>
  readonly ended: Deferred.Deferred<void>
}

/** The most runs of a conversation that are given up at once: one is open, unless something else runs on its thought. */
const mostOpen = 1000

type AnyAgent = Agent.Agent<any, any, any, any, any, any>
type AnyEvent = Agent.Event<any, any, Thought<any>>

/** How a client runs streams and programs. */
interface Runner {
  readonly iterable: <A>(stream: Stream.Stream<A, any, any>, options: CallOptions) => AsyncIterable<A>
  readonly promise: <A>(program: Effect.Effect<A, any, any>, options: CallOptions) => Promise<A>
}

/** A chat that begins with a thought, which is made at the first message unless there is one. */
export const chat = (
  { iterable, promise }: Runner,
  agent: AnyAgent,
  thought: Thought<any> | undefined,
  begun: Effect.Effect<Thought<any>>
): Chat<any, AnyEvent> => {
  let current = thought
  /** The id of the run that is in progress. */
  let busy: string | undefined
  /** The id of a run that may have stored more than the chat has seen, such as one whose stream was left. */
  let unseen: string | undefined
  const answering = new Set<Answering>()
  /** The last answer of which something has come. */
  let latest: Answering | undefined
  /** What is answered, until `cancel` stops it. */
  const stoppable = (events: (one: Answering) => Stream.Stream<AnyEvent, unknown, any>) =>
    Stream.suspend(() => {
      const one: Answering = {
        runId: undefined,
        written: "",
        stop: Deferred.makeUnsafe(),
        ended: Deferred.makeUnsafe()
      }
      answering.add(one)
      return events(one).pipe(
        Stream.tap((event) =>
          Effect.sync(() => {
            latest = one
            if (event._tag === "Text") one.written += event.delta
            if (event._tag === "Round" || event._tag === "Discarded") one.written = ""
          })
        ),
        Stream.interruptWhen(Deferred.await(one.stop)),
        Stream.ensuring(
          Effect.suspend(() => {
            answering.delete(one)
            return Deferred.succeed(one.ended, undefined)
          })
        )
      )
    })
  // a second one waits: a run that is being given up is in progress
  const turns = Semaphore.makeUnsafe(1)
  const cancelling = Effect.gen(function* () {
    const stopped = [...answering]
    for (const one of stopped) {
      yield* Deferred.fail(one.stop, new DOMException("The answer was cancelled.", "AbortError"))
      yield* Deferred.await(one.ended)
    }
    if (current === undefined) return stopped.length > 0
    const { ledger } = yield* Memory.Memory
    const runs = yield* ledger.runs({ thoughtId: current.id, status: open, limit: mostOpen })
    for (const { id } of runs) {
      const written = latest?.runId === id ? latest.written : ""
      const ended = yield* Effect.catchTag(Agent.cancel(id, { written }), "RunCompleted", () => Effect.undefined)
      // somebody who resumes the run may have it for a moment, until they see that it has ended
      if (ended !== undefined) current = newer(current, ended)
    }
    // a run that was stopped may have completed all the same
    if (runs.length > 0 || stopped.length > 0) current = yield* onward(current)
    return runs.length > 0 || stopped.length > 0
  })
  const undoing = Effect.gen(function* () {
    yield* cancelling
    if (current === undefined) return undefined
    const undone = yield* Agent.undo(unseen === undefined ? current : yield* onward(current))
    if (undone === undefined) return undefined
    current = yield* Memory.commit(undone.thought)
    return undone.message
  })
  const followed = (events: Stream.Stream<AnyEvent, unknown, any>) =>
    events.pipe(
      Stream.tap((event) =>
        Effect.sync(() => {
          if (event._tag !== "Done") return
          current = event.thought
          unseen = undefined
        })
      ),
      Stream.tapError((error) => {
        if (error instanceof Pipeline.RunBusy) unseen = error.runId
        if (error instanceof Pipeline.PipelineError && error.thought !== undefined) {
          current = error.thought
          unseen = undefined
        }
        // an id of an earlier run goes on with that run, on its own thought
        if (!(error instanceof Pipeline.Suspended) || error.thoughtId === current?.id) return Effect.void
        return Effect.ignore(Effect.map(Memory.load(error.thoughtId), (waiting) => (current = waiting)))
      })
    )
  /** A thought of the conversation with what was stored of it since, unless a run of it is open, which goes on with it itself. */
  const onward = Effect.fnUntraced(function* (from: Thought<any>) {
    const { ledger } = yield* Memory.Memory
    const [run] = yield* ledger.runs({ thoughtId: from.id, status: open, limit: 1 })
    if (run !== undefined) return from
    const stored = yield* Effect.catchIf(
      Memory.load(from.id),
      ({ reason }) => reason._tag === "NotFound",
      () => Effect.succeed(from)
    )
    unseen = undefined
    return newer(from, stored)
  })
  /**
   * The thought of the conversation for a run. It is stored before the first message, so that every message is said to the same one. A
   * run that is begun again takes the thought that it began with.
   */
  const conversation = Effect.fnUntraced(function* (runId: string) {
    if (current === undefined) current = yield* Effect.flatMap(begun, Memory.commit)
    else if (unseen !== undefined && unseen !== runId) current = yield* onward(current)
    unseen ??= runId
    return current
  })
  /** Begins to answer a message, unless another one is being answered, until the scope ends. */
  const alone = (durable: boolean | Pipeline.DurableOptions) =>
    Effect.acquireRelease(
      Effect.flatMap(ids.next, ({ id }) => {
        if (busy !== undefined) return Effect.fail(new Pipeline.RunBusy({ runId: busy }))
        const own = typeof durable === "object" ? { id, ...durable } : { id }
        busy = own.id
        return Effect.succeed({ runId: own.id, durable: durable === false ? false : own })
      }),
      () => Effect.sync(() => (busy = undefined))
    )
  const said = Effect.fnUntraced(function* (
    one: Answering,
    text: string,
    given: boolean | Pipeline.DurableOptions,
    user?: string
  ) {
    const { durable, runId } = yield* alone(given)
    one.runId = runId
    const from = yield* conversation(runId)
    // the types of `Cogito.chat` have checked that the thought has what the agent reads
    const saidTo = (thought: Thought<any>): Stream.Stream<AnyEvent, any, any> =>
      Agent.stream(agent, thought as never, text, user === undefined ? { durable } : { durable, user })
    let hasBegun = false
    return saidTo(from).pipe(
      Stream.tap(() => Effect.sync(() => (hasBegun = true))),
      Stream.catchIf(
        // nothing was asked: somebody else has changed what is stored
        (error) => !hasBegun && isOutdated(error),
        (error) =>
          Stream.unwrap(
            Effect.map(Memory.load(from.id), (stored) => {
              const now = newer(from, stored)
              return now === from ? Stream.fail(error) : saidTo(now)
            })
          )
      )
    )
  })
  const saying = (text: string, { durable = true, user, ...options }: SayOptions) =>
    iterable(
      stoppable((one) => followed(Stream.unwrap(said(one, text, durable, user)))),
      options
    )
  /** The run may be an earlier one, which others have followed. */
  const resuming = (runId: string, options: CallOptions) =>
    iterable(
      stoppable((one) => {
        one.runId = runId
        return Stream.ensuring(
          followed(Agent.resume(agent, runId)),
          Effect.sync(() => (unseen = runId))
        )
      }),
      options
    )
  const answerOf = async (events: AsyncIterable<AnyEvent>): Promise<unknown> => {
    let answer: unknown
    for await (const event of events) if (event._tag === "Done") answer = event.answer
    return answer
  }
  return {
    get thought() {
      return current
    },
    stream: (text, options = {}) => {
      check("chat.stream", options)
      return saying(text, options)
    },
    say: async (text, options = {}) => {
      check("chat.say", options)
      return answerOf(saying(text, options))
    },
    resume: async (runId, options = {}) => {
      check("chat.resume", options)
      return answerOf(resuming(runId, options))
    },
    resumeStream: (runId, options = {}) => {
      check("chat.resumeStream", options)
      return resuming(runId, options)
    },
    cancel: async (options = {}) => {
      check("chat.cancel", options)
      return promise(turns.withPermit(cancelling), options)
    },
    undo: async (options = {}) => {
      check("chat.undo", options)
      return promise(turns.withPermit(undoing), options)
    }
  }
}
