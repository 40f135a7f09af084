import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type * as Tool from "effect/ai/Tool"
import type { Agent } from "../agent/index.ts"
import type { Begun, WithMessage } from "../agent/say.ts"
import type * as Memory from "../Memory.ts"
import type * as Pipeline from "../Pipeline.ts"
import type { Event } from "../pipeline/stream.ts"
import type { Drafts, Fitting, Start, Startable } from "../pipeline/run/starting.ts"
import type * as Step from "../Step.ts"
import type * as Synapse from "../Synapse.ts"
import type { Thought } from "../thought/model.ts"
import type { Note } from "../thought/Note.ts"
import type { Merge, Read, Simplify, Texts } from "../thought/types.ts"
import type { ChatOf } from "./chat.ts"
import type { CallOptions, RunOptions } from "./running.ts"

/**
 * How a resumed run has ended.
 *
 * @category models
 */
export type Outcome =
  | { readonly runId: string; readonly status: "fulfilled"; readonly value: Thought }
  | { readonly runId: string; readonly status: "rejected"; readonly reason: unknown }

type After<N, Out> = Thought<Simplify<Merge<N, Out>>>

/**
 * A client whose services are built once.
 *
 * **Details**
 *
 * - `run`: runs a step from an intent and notes, or on a thought, and resolves to the thought with its notes
 * - `stream`: the same with the model's answers while they are written; also of a synapse
 * - `call`: asks a synapse, and resolves to its value
 * - `chat`: a conversation with an agent
 * - `resume`, `resumeAll`, `answer`, `approve`, `waiting`: durable runs, as in `Pipeline` and `Agent`
 * - `search`, `load`, `append`: the memory, as in `Memory`
 * - `effect`, `iterable`: any other program of cogito, such as `Pipeline.rerun` or `Memory.exportLines`
 * - `withScope`: the same client for a tenant. It is closed together with this one
 * - `open`: builds the services, as the first call would. Rejects if that fails
 * - `close`: interrupts what runs, and releases the services. `await using` calls it
 *
 * A loop over a stream that ends early interrupts its run. `return` of its iterator does so at once, also while a `next` waits.
 *
 * @category models
 */
export interface Cogito<in R> extends AsyncDisposable {
  run<S extends Step.Step<any, any, any, R>, N>(
    step: S,
    thought: Fitting<Step.In<S>, N>,
    options?: RunOptions
  ): Promise<After<N, Step.Out<S>>>
  run<S extends Step.Step<any, any, any, R>, const N extends Drafts = {}>(
    step: Startable<S, N>,
    start: Start<N>,
    options?: RunOptions
  ): Promise<After<Texts<N>, Step.Out<S>>>
  stream<A, I, D, E>(
    synapse: Synapse.Synapse<A, I, D, E> & ((input: I) => Effect.Effect<A, any, R>),
    input: NoInfer<I>,
    options?: CallOptions
  ): AsyncIterable<Synapse.Part<A>>
  stream<S extends Step.Step<any, any, any, R>, const N extends Drafts = {}>(
    step: Startable<S, N>,
    start: Start<N>,
    options?: RunOptions
  ): AsyncIterable<Event<Step.Out<S>, After<Texts<N>, Step.Out<S>>>>
  stream<S extends Step.Step<any, any, any, R>, N>(
    step: S,
    thought: Fitting<Step.In<S>, N>,
    options?: RunOptions
  ): AsyncIterable<Event<Step.Out<S>, After<N, Step.Out<S>>>>
  call<A, I>(synapse: (input: I) => Effect.Effect<A, any, R>, input: NoInfer<I>, options?: CallOptions): Promise<A>
  chat<K extends string, A, In, Tools extends Record<string, Tool.Any>, const N extends Drafts = {}>(
    agent: Agent.Agent<K, A, In, any, R, Tools>,
    start: WithMessage<Texts<N>> extends Read<In> ? Start<N> : never
  ): ChatOf<K, A, Tools>
  chat<K extends string, A, In, Tools extends Record<string, Tool.Any>, N>(
    agent: Agent.Agent<K, A, In, any, R, Tools>,
    thought: Begun<In, N>
  ): ChatOf<K, A, Tools>
  resume<S extends Step.Step<any, any, any, R>>(
    step: S,
    runId: string,
    options?: CallOptions
  ): Promise<Thought<Step.Out<S>>>
  resumeAll(
    steps: ReadonlyArray<Step.Step<any, any, any, R>>,
    options?: CallOptions & { readonly concurrency?: number | "unbounded" }
  ): Promise<ReadonlyArray<Outcome>>
  answer(runId: string, key: string, value: unknown, options?: CallOptions & { readonly by?: string }): Promise<void>
  approve(
    runId: string,
    callId: string,
    decision: Agent.Decision,
    options?: CallOptions & { readonly by?: string }
  ): Promise<void>
  waiting(options?: CallOptions & { readonly runId?: string }): Promise<ReadonlyArray<Waiting>>
  search(query: string, options?: CallOptions & Memory.SearchOptions): Promise<Memory.SearchResult>
  load(ref: string | { readonly traceId: string }, options?: CallOptions): Promise<Thought>
  append(
    ref: string | { readonly traceId: string },
    notes: ReadonlyArray<Memory.AppendedNote>,
    options?: CallOptions
  ): Promise<ReadonlyArray<Note>>
  effect<A>(effect: Effect.Effect<A, any, R>, options?: CallOptions): Promise<A>
  iterable<A>(stream: Stream.Stream<A, any, R>, options?: CallOptions): AsyncIterable<A>
  withScope(scope: string): Cogito<R>
  open(): Promise<void>
  close(): Promise<void>
}

/** A question that a run waits for. */
type Waiting = Effect.Success<ReturnType<typeof Pipeline.waiting>>[number]
