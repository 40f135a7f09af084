/** Builds providers over connections that keep their conversations. */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { time, whole } from "../../arguments/checked.ts"
import { taking } from "../../arguments/taking.ts"
import { withDefaults } from "../capabilities.ts"
import { make } from "../Provider.ts"
import type { ProviderError } from "../ProviderError.ts"
import type { Message, Request, Response } from "../request.ts"
import type { Parts, Shape } from "../Shape.ts"
import { conversing } from "./conversing.ts"
import type { Limits } from "./pool.ts"
import type { Connection, Exchange, Protocol, Received } from "./Protocol.ts"
import { repeatedTokens, tokensOf } from "./tokens.ts"

/**
 * How many connections a provider opens, and how long they live.
 *
 * **Details**
 *
 * - `most`: how many there are at once, from 1. Default: 16. Further calls wait until one is free, or are made without a
 *   connection if there is such a way
 * - `idle`: how long a connection waits for the next call before it is closed. Default: 5 minutes
 * - `life`: after this time a connection takes no further call. Default: 55 minutes, as vendors end sessions after 60
 *
 * @category resuming
 */
export interface Connections {
  readonly most?: number
  readonly idle?: Duration.Input
  readonly life?: Duration.Input
}

/** The limits that options state. Throws if they are invalid. */
export const limitsOf = (owner: string, { idle, life, most = 16 }: Connections = {}): Limits => ({
  most: whole(owner, "connections.most", 1, most),
  idle: time(owner, "connections.idle", idle ?? "5 minutes"),
  life: time(owner, "connections.life", life ?? "55 minutes")
})

/**
 * The parts that `resumable` builds a provider from.
 *
 * **Details**
 *
 * - `connect`: opens a connection. What the vendor's protocol needs to remember of it may be in the object too. Its scope
 *   closes after the connection, and at once if `connect` fails or is interrupted
 * - `frames`: what to send for a request, of whose messages the connection lacks `lacking`. `previous` is the answer with
 *   which the other messages end; it is undefined if `lacking` is the whole conversation
 * - `read`: begins to read an answer, and returns a function that says of each frame what it means. `millis` is the time
 *   when it came, since 1970
 * - `settings`: what must be equal for a conversation to continue, as JSON. Default: the tools, the form of the answer, and
 *   the temperature and effort
 * - `restarts`: whether a connection that has one conversation can begin another one. Default: `false`, so each conversation
 *   that has changed gets a new connection
 * - `resumes`: whether the conversation can continue after an answer. Default: always
 * - `replay`: makes a call in another way if no connection can be opened, none is free, or it breaks before a part of the
 *   answer has been emitted. Default: such a call fails
 *
 * @category resuming
 */
type ResumableOptions<C extends Connection> = Omit<Parts, "complete" | "stream"> & {
  readonly connect: Effect.Effect<C, ProviderError, Scope.Scope>
  readonly frames: (
    request: Request,
    lacking: ReadonlyArray<Message>,
    previous: Response | undefined
  ) => ReadonlyArray<string>
  readonly read: (request: Request, connection: C) => (frame: string, millis: number) => Received
  readonly settings?: (request: Request) => unknown
  readonly restarts?: boolean
  readonly resumes?: (answer: Response) => boolean
  readonly replay?: Exchange<Request>
  readonly connections?: Connections
}

const usualSettings = ({ sampling: { effort, temperature }, task: { output }, tools }: Request): unknown => ({
  tools,
  form: output?.jsonSchema,
  temperature,
  effort
})

/**
 * Builds a provider over connections that keep their conversation, so that each call sends only what is new in it.
 *
 * **Details**
 *
 * - Callers give the whole conversation, as for every provider. A connection continues one if its messages and the answer to them are the
 *   beginning of the request, by their contents, and the `settings` are equal. Otherwise all of the conversation is sent.
 * - A connection answers one call at a time. Calls of other conversations have connections of their own.
 * - A call that is interrupted, or fails in the middle of its answer, closes its connection. All connections close with the
 *   scope.
 * - If a connection turns out to be closed before anything of an answer has come, or has forgotten the conversation, all of
 *   it is sent once more over another connection.
 * - If a connection breaks later, the call fails with `Truncated`, unless there is `replay` and no part has been emitted.
 * - `sent` of an answer says about how many tokens were sent.
 *
 * Throws if a number or time in `connections` is out of range.
 *
 * **Example** (A vendor that keeps conversations)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Queue } from "effect"
 * import { Provider } from "cogito"
 *
 * // A server that keeps what it is sent, and answers how many lines that is after each "go".
 * const frames: Array<string> = []
 * const connect = Effect.gen(function*() {
 *   const answers = yield* Queue.unbounded<string>()
 *   let lines = 0
 *   const connection: Provider.Connection = {
 *     send: (frame) =>
 *       Effect.sync(() => {
 *         frames.push(frame)
 *         if (frame === "go") Queue.offerUnsafe(answers, `${lines} lines`)
 *         else lines++
 *       }),
 *     receive: Queue.take(answers),
 *     close: Effect.asVoid(Queue.shutdown(answers))
 *   }
 *   return connection
 * })
 *
 * const counting = Provider.resumable({
 *   name: "counting",
 *   model: "lines-1",
 *   connect,
 *   frames: (_, lacking) => [...lacking.map(({ text }) => text), "go"],
 *   read: () => (frame) => ({ _tag: "Done", response: { text: frame, usage: {} } })
 * })
 *
 * const asking = (...messages: ReadonlyArray<Provider.Message>): Provider.Request => ({
 *   messages,
 *   task: { kind: "count", instruction: "Count", questions: [], context: [] },
 *   phase: "reason",
 *   sampling: {}
 * })
 *
 * const program = Effect.gen(function*() {
 *   const provider = yield* counting
 *   const hello = { role: "user", text: "Hello" } as const
 *   const first = yield* provider.complete(asking(hello))
 *   const second = yield* provider.complete(asking(hello, { role: "assistant", text: first.text }, { role: "user", text: "More" }))
 *   assert.equal(second.text, "2 lines")
 *   assert.equal(second.sent?.what, "rest")
 * })
 * await Effect.runPromise(Effect.scoped(program))
 * assert.deepEqual(frames, ["Hello", "go", "More", "go"])
 * ```
 *
 * @category resuming
 */
export const resumable = taking("Provider.resumable", {
  options: 0,
  known: [
    "capabilities",
    "connect",
    "connections",
    "decide",
    "frames",
    "model",
    "name",
    "order",
    "read",
    "replay",
    "restarts",
    "resumes",
    "settings"
  ],
  needs: ["connect", "frames", "read"],
  texts: ["name", "model"]
})(<C extends Connection>(options: ResumableOptions<C>): Effect.Effect<Shape, never, Scope.Scope> => {
  const {
    connect,
    connections,
    frames,
    read,
    replay,
    restarts = false,
    resumes = () => true,
    settings = usualSettings,
    ...parts
  } = options
  const { model, name } = parts
  const protocol: Protocol<C, Request> = {
    connect,
    restarts,
    resumes,
    plan: (request) => ({
      messages: request.messages,
      settings: JSON.stringify(settings(request)) ?? "",
      tokens: (from) => tokensOf(request.messages.slice(from)) + repeatedTokens(request),
      frames: (lacking, previous) => frames(request, lacking, previous),
      reader: (connection) => read(request, connection)
    })
  }
  const limits = limitsOf("Provider.resumable", connections)
  const other = replay && {
    ...replay,
    capabilities: withDefaults(parts.capabilities),
    requestOf: (request: Request) => request,
    withRequest: (_: Request, request: Request) => request
  }
  return Effect.map(
    conversing({ name, model }, protocol, { limits, ...(other !== undefined && { replay: other }) }),
    (exchange) => make({ ...parts, ...exchange })
  )
})
