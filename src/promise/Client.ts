/** The client. The types of its methods are those of `Cogito`. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import { Agent } from "../agent/index.ts"
import * as kinds from "../arguments/kinds.ts"
import { need } from "../arguments/taking.ts"
import * as Memory from "../Memory.ts"
import * as Pipeline from "../Pipeline.ts"
import { type Start, starting } from "../pipeline/run/starting.ts"
import type * as Step from "../Step.ts"
import * as Synapse from "../Synapse.ts"
import type { Thought } from "../thought/model.ts"
import { chat } from "./chat.ts"
import type { Cogito, Outcome } from "./model.ts"
import { check, type Method } from "./options.ts"
import type { CallOptions, Running, RunOptions } from "./running.ts"

// The types of `Cogito` say what each method takes, needs and gives. Inside, steps and programs are of any type.
type Begin = Start | Thought<any>
type Program<A> = Effect.Effect<A, any, any>
type By = CallOptions & { readonly by?: string }

/** The options of a call that are not those of every call. */
const own = <O extends CallOptions>({ onSignal: _s, onUsage: _u, scope: _t, signal: _a, ...others }: O) => others

export class Client implements Cogito<any> {
  readonly #running: Running
  readonly #defaults: CallOptions

  constructor(running: Running, defaults: CallOptions) {
    this.#running = running
    this.#defaults = defaults
  }

  /** The options of a call, with the tenant of the client. */
  #scoped(given: CallOptions = {}): CallOptions {
    const scope = given.scope ?? this.#defaults.scope
    return scope === undefined ? given : { ...given, scope }
  }

  /** Runs a program. What its making throws is a rejection, also that of an option that the method does not have. */
  async #promise<A>(method: Method, make: () => Program<A>, options?: CallOptions): Promise<A> {
    check(method, options)
    return this.#running.promise(make(), this.#scoped(options), this.#defaults)
  }

  run(step: Step.Any, begin: Begin, options: RunOptions = {}): Promise<any> {
    return this.#promise(
      "run",
      () => {
        need("Cogito.run", kinds.step, step)
        const { durable = false } = options
        return Effect.flatMap(begun("Cogito.run", begin), (thought) =>
          durable === false ? Pipeline.run(step, thought) : Pipeline.run(step, thought, { durable })
        )
      },
      options
    )
  }

  stream(
    asked: Step.Any | Synapse.Synapse<any, any, any, any>,
    begin: unknown,
    options: RunOptions = {}
  ): AsyncIterable<any> {
    check("stream", options)
    const { durable = false } = options
    if (typeof asked === "function") return this.#iterable(Synapse.stream(asked, begin), options)
    need("Cogito.stream", kinds.step, asked)
    const events = Effect.map(begun("Cogito.stream", begin as Begin), (thought) =>
      durable === false ? Pipeline.stream(asked, thought) : Pipeline.stream(asked, thought, { durable })
    )
    return this.#iterable(Stream.unwrap(events), options)
  }

  call<I>(synapse: (input: I) => Program<any>, input: I, options?: CallOptions): Promise<any> {
    return this.#promise(
      "call",
      () => {
        need("Cogito.call", kinds.callable, synapse)
        const called: unknown = synapse(input)
        if (Effect.isEffect(called)) return called
        throw new Error(`Cogito.call needs a synapse, but got a function that returns ${kinds.kindOf(called)}.`)
      },
      options
    )
  }

  chat(agent: Agent.Agent<any, any, any, any, any, any>, begin: Begin): any {
    need("Cogito.chat", kinds.step, agent)
    return chat(
      {
        iterable: (stream, options) => this.#iterable(stream, options),
        promise: (program, options) => this.#running.promise(program, this.#scoped(options), this.#defaults)
      },
      agent,
      isThought(begin) ? begin : undefined,
      begun("Cogito.chat", begin)
    )
  }

  resume(step: Step.Any, runId: string, options?: CallOptions): Promise<any> {
    return this.#promise("resume", () => Pipeline.resume(step, runId), options)
  }

  async resumeAll(
    steps: ReadonlyArray<Step.Any>,
    options: CallOptions & { readonly concurrency?: number | "unbounded" } = {}
  ): Promise<ReadonlyArray<Outcome>> {
    const resumed = await this.#promise("resumeAll", () => Pipeline.resumeAll(steps, own(options)), options)
    return resumed.map(({ exit, runId }) =>
      Exit.isSuccess(exit)
        ? { runId, status: "fulfilled", value: exit.value }
        : { runId, status: "rejected", reason: Cause.squash(exit.cause) }
    )
  }

  answer(runId: string, key: string, value: unknown, options: By = {}): Promise<void> {
    return this.#promise("answer", () => Pipeline.answer(runId, key, value, own(options)), options)
  }

  approve(runId: string, callId: string, decision: Agent.Decision, options: By = {}): Promise<void> {
    return this.#promise("approve", () => Agent.approve(runId, callId, decision, own(options)), options)
  }

  waiting(options: CallOptions & { readonly runId?: string } = {}): Promise<any> {
    return this.#promise("waiting", () => Pipeline.waiting(own(options)), options)
  }

  search(query: string, options: CallOptions & Memory.SearchOptions = {}): Promise<Memory.SearchResult> {
    return this.#promise("search", () => Memory.search(query, own(options)), options)
  }

  load(ref: string | { readonly traceId: string }, options?: CallOptions): Promise<Thought> {
    return this.#promise("load", () => Memory.load(ref), options)
  }

  append(
    ref: string | { readonly traceId: string },
    notes: ReadonlyArray<Memory.AppendedNote>,
    options?: CallOptions
  ): Promise<any> {
    return this.#promise("append", () => Memory.append(ref, notes), options)
  }

  effect<A>(effect: Program<A>, options?: CallOptions): Promise<A> {
    return this.#promise(
      "effect",
      () => {
        need("Cogito.effect", kinds.effect, effect)
        return effect
      },
      options
    )
  }

  iterable<A>(stream: Stream.Stream<A, any, any>, options?: CallOptions): AsyncIterable<A> {
    need("Cogito.iterable", kinds.stream, stream)
    check("iterable", options)
    return this.#iterable(stream, options)
  }

  #iterable<A>(stream: Stream.Stream<A, any, any>, options?: CallOptions): AsyncIterable<A> {
    return this.#running.iterable(stream, this.#scoped(options), this.#defaults)
  }

  withScope(scope: string): Cogito<any> {
    // refuses an empty scope
    Memory.withScope(scope)
    return new Client(this.#running, { ...this.#defaults, scope })
  }

  open(): Promise<void> {
    return this.#promise("open", () => Effect.void)
  }

  close(): Promise<void> {
    return this.#running.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

const isThought = (begin: Begin): begin is Thought<any> => kinds.thought.is(begin)

const begun = (owner: string, begin: Begin): Effect.Effect<Thought<any>> => {
  need(owner, kinds.start, begin)
  return isThought(begin) ? Effect.succeed(begin) : starting(owner, begin)
}
