import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type * as Tool from "effect/ai/Tool"
import { hasProperty } from "effect/Predicate"
import { whole } from "../arguments/checked.ts"
import { callable, inCode, list, maybe, option, others, step } from "../arguments/forms.ts"
import * as kinds from "../arguments/kinds.ts"
import { need, taking } from "../arguments/taking.ts"
import { needed } from "../arguments/needed.ts"
import { Memory, type MemoryError } from "../Memory.ts"
import type { RunError } from "../pipeline/durable/errors.ts"
import type { PipelineError } from "../pipeline/run/PipelineError.ts"
import type { Unwrapped } from "../pipeline/run/wrap.ts"
import { quoted } from "../text/legible.ts"
import * as ids from "../thought/ids.ts"
import type { Thought } from "../thought/model.ts"
import type { Writes } from "../thought/types.ts"
import { type AgentDestroyed, InvalidConfig } from "./host/errors.ts"
import { type Presenter, presenting } from "./host/Presenter.ts"
import { type On, Subscriptions } from "./host/Subscriptions.ts"
import type { Agent } from "./make.ts"
import type { AnyEvent, Event } from "./model/events.ts"
import { receiving, resuming, type Turns } from "./turns.ts"

/** The events of an agent with these tools and this answer. */
type EventOf<K extends string, A, Tools extends Record<string, Tool.Any>> = Event<Tools, A, Thought<Writes<K, A>>>

/**
 * What running agents are made of. A plain value, which runs nothing.
 *
 * **Details**
 *
 * - `agent`: the agent, which may read `message` only
 * - `config`: the schema of a configuration, with fields
 * - `provide`: makes the layer with all that the agent needs, such as its provider and the handlers of its tools, from a configuration.
 *   `id` and `createdAt` are those of the running agent, also if the configuration has fields with these names
 * - `presenters`: named consumers of the events
 *
 * @category models
 */
export interface Definition<
  K extends string,
  A,
  E,
  R,
  Tools extends Record<string, Tool.Any>,
  C extends object,
  I,
  E2,
  R2
> {
  readonly agent: Agent<K, A, { readonly message: string }, E, R, Tools>
  readonly config: Schema.Codec<C, I>
  readonly provide: (
    config: Readonly<Omit<C, "id" | "createdAt">> & { readonly id: string; readonly createdAt: number }
  ) => Layer.Layer<NoInfer<Exclude<R, Memory>>, E2, R2>
  readonly presenters?: ReadonlyArray<Presenter<EventOf<NoInfer<K>, NoInfer<A>, NoInfer<Tools>>>>
}

/**
 * An agent that runs in a host.
 *
 * **Details**
 *
 * - `id`: unique
 * - `createdAt`: milliseconds since 1970
 * - `config`: the decoded configuration
 * - `receive`: says something to the agent, and emits what happens like `Agent.stream`. `thoughtId` is the session, which is a stored
 *   thought; without it a new one begins, and `Done` has its id. `user` is who says it, for documents of users. The run is interrupted
 *   if the reader stops: the session then ends with what the model had written and `(cancelled)`. Fails with `AgentDestroyed` once the
 *   agent was destroyed
 * - `resume`: goes on with a run that ended with `Suspended`, once its calls were approved, like `Agent.resume`
 * - `on`: calls a function for each event of a tag, or for each event, until the function that it returns is called. Those for the tag
 *   are called first. The run waits for them, but not for promises that they return. One that throws or rejects is logged, and
 *   disturbs nothing else
 *
 * @category models
 */
export interface Running<C, Ev extends { readonly _tag: string }, E = unknown> {
  readonly id: string
  readonly createdAt: number
  readonly config: Readonly<C>
  readonly receive: (
    text: string,
    thoughtId?: string,
    options?: { readonly user?: string }
  ) => Stream.Stream<Ev, E | AgentDestroyed>
  readonly resume: (runId: string) => Stream.Stream<Ev, E | AgentDestroyed>
  readonly on: On<Ev>
}

/** How a turn of an agent can fail. */
type Failures<E> = PipelineError<Unwrapped<E> | MemoryError> | RunError | MemoryError

/**
 * Runs agents side by side. Made by `Host.layer`.
 *
 * **Details**
 *
 * - `create`: makes a running agent of a definition. A configuration that does not fit its schema fails with `InvalidConfig`, before
 *   anything is made. Then the layer of `provide` is built, once for the running agent; its failure is that of `create`
 * - `get`: a running agent, or undefined if no agent has this id any more
 * - `destroy`: interrupts what the agent does, stores what it had written, lets presenters take what is in their buffers (for a second
 *   at most), and releases its layer. Its sessions stay in the memory. Returns whether it was there; false if another fiber destroys it
 *   already, for which it waits
 *
 * @category services
 */
export class Host extends Context.Service<
  Host,
  {
    readonly create: <K extends string, A, E, R, Tools extends Record<string, Tool.Any>, C extends object, I, E2, R2>(
      definition: Definition<K, A, E, R, Tools, C, I, E2, R2>,
      config: NoInfer<I>
    ) => Effect.Effect<Running<C, EventOf<K, A, Tools>, Failures<E>>, InvalidConfig | E2, Exclude<R2, Memory>>
    readonly get: (id: string) => Effect.Effect<Running<unknown, AnyEvent> | undefined>
    readonly destroy: (id: string) => Effect.Effect<boolean>
  }
>()("cogito/agent/Host") {}

const schema: kinds.Kind = { named: "a schema", is: Schema.isSchema }

const presenterKind: kinds.Kind = {
  named: "presenters with a name and a function `present`",
  is: (value) =>
    hasProperty(value, "name") &&
    typeof value.name === "string" &&
    hasProperty(value, "present") &&
    typeof value.present === "function"
}

/**
 * Checks a definition, and gives its functions their types.
 *
 * @category constructors
 */
export const define = taking("Host.define", {
  options: 0,
  needs: ["agent", "config", "provide"],
  known: {
    ...others("config"),
    agent: option("The agent.", step),
    provide: option("Makes what the agent needs.", callable),
    presenters: maybe("Consumers of the events.", list("a list of presenters", inCode))
  }
})(<K extends string, A, E, R, Tools extends Record<string, Tool.Any>, C extends object, I, E2 = never, R2 = never>(
  definition: Definition<K, A, E, R, Tools, C, I, E2, R2>
): Definition<K, A, E, R, Tools, C, I, E2, R2> => {
  need("The option config of Host.define", schema, definition.config)
  need("The option provide of Host.define", kinds.callable, definition.provide)
  for (const presenter of definition.presenters ?? []) {
    need("The option presenters of Host.define", presenterKind, presenter)
    whole(`The presenter ${quoted(presenter.name)}`, "buffer", 1, presenter.buffer ?? 1)
  }
  return definition
})

/** The agents of a host. The types of each are known where it is created. */
interface Entry {
  readonly running: Running<any, any>
  readonly scope: Scope.Closeable
  /** The fiber that closes the scope. Of its own: what waits for it may run in that scope, and is interrupted then. */
  closing: Fiber.Fiber<void> | undefined
  isOpen: boolean
}

/**
 * A host. Its sessions are those of the memory. When its scope closes, it destroys its agents.
 *
 * **Example** (Two agents of one definition)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Layer, Schema, Stream } from "effect"
 * import { Toolkit } from "effect/ai"
 * import { Agent, Host } from "cogito/agent"
 * import { Testing } from "cogito/testing"
 *
 * const definition = Host.define({
 *   agent: Agent.make("greeter", { instructions: "You greet people.", toolkit: Toolkit.empty, triage: false }),
 *   config: Schema.Struct({ greeting: Schema.String }),
 *   // a scripted model in place of a real one
 *   provide: ({ greeting }) => Testing.scripted([`${greeting}!`]).layer
 * })
 *
 * const program = Effect.gen(function*() {
 *   const host = yield* Host.Host
 *   const english = yield* host.create(definition, { greeting: "Hello" })
 *   const french = yield* host.create(definition, { greeting: "Bonjour" })
 *   const answers: Array<string> = []
 *   for (const agent of [english, french]) {
 *     agent.on("Done", ({ answer }) => answers.push(answer))
 *     yield* Stream.runDrain(agent.receive("Hi"))
 *   }
 *   assert.deepEqual(answers, ["Hello!", "Bonjour!"])
 *   assert.equal(yield* host.destroy(english.id), true)
 *   assert.equal(yield* host.get(english.id), undefined)
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Layer.provideMerge(Host.layer, Testing.memory))))
 * ```
 *
 * @category layers
 */
export const layer: Layer.Layer<Host, never, Memory> = Layer.effect(
  Host,
  Effect.gen(function* () {
    const memory = yield* needed(Memory)
    const scope = yield* Effect.scope
    const services = yield* Effect.context()
    const entries = new Map<string, Entry>()
    return Host.of({
      create: (definition, config) =>
        Effect.suspend(() => {
          const checked = define(definition)
          return Effect.flatMap(decoded(checked, config), (read) => created(checked, read, { memory, scope, entries }))
        }),
      get: (id) =>
        Effect.sync(() => {
          const entry = entries.get(id)
          return entry?.isOpen === true ? entry.running : undefined
        }),
      destroy: (id) =>
        Effect.suspend(() => {
          const entry = entries.get(id)
          if (entry === undefined) return Effect.succeed(false)
          if (entry.closing !== undefined) return Effect.as(Fiber.join(entry.closing), false)
          const closed = Effect.ensuring(
            Scope.close(entry.scope, Exit.void),
            Effect.sync(() => entries.delete(id))
          )
          entry.isOpen = false
          entry.closing = Effect.runForkWith(services)(closed)
          return Effect.as(Fiber.join(entry.closing), true)
        })
    })
  })
)

const returned = { ...kinds.layer, named: "to return a layer" }

/** A definition of any agent. The types of its agent, its events and its services are known where it is created. */
interface AnyDefinition<C extends object, E2, R2> {
  readonly agent: Turns["agent"]
  readonly config: Schema.Codec<C, any>
  readonly provide: (config: any) => Layer.Layer<any, E2, R2>
  readonly presenters?: ReadonlyArray<Presenter<any>>
}

const decoded = <C extends object>(
  { agent, config }: Pick<AnyDefinition<C, unknown, unknown>, "agent" | "config">,
  given: unknown
): Effect.Effect<C, InvalidConfig> =>
  Effect.mapError(
    Schema.decodeUnknownEffect(config)(given, { errors: "all" }),
    ({ message }) => new InvalidConfig({ definition: agent.name, issue: message })
  )

const created = <C extends object, E2, R2>(
  { agent, presenters = [], provide }: AnyDefinition<C, E2, R2>,
  config: C,
  {
    entries,
    memory,
    scope: around
  }: {
    readonly memory: Memory["Service"]
    readonly scope: Scope.Scope
    readonly entries: Map<string, Entry>
  }
): Effect.Effect<Running<C, any, any>, E2, Exclude<R2, Memory>> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const { id, millis: createdAt } = yield* ids.next
      const scope = yield* Scope.fork(around)
      // a memo map of its own: no other agent shares what the layer makes
      const building = Effect.suspend(() => {
        const layer = provide({ ...config, id, createdAt })
        need("The function `provide` of a definition", returned, layer)
        return Layer.buildWithMemoMap(layer, Layer.makeMemoMapUnsafe(), scope)
      })
      const services = yield* restore(Effect.provideService(building, Memory, memory)).pipe(
        Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
      )
      const present = yield* presenting(presenters as ReadonlyArray<Presenter<AnyEvent>>, scope)
      const warn = Effect.runForkWith(yield* Effect.context())
      const subscriptions = new Subscriptions<AnyEvent>((error) =>
        warn(Effect.logWarning(`A function for the events of the agent ${id} has failed.`, error))
      )
      yield* Scope.addFinalizer(
        scope,
        Effect.sync(() => subscriptions.clear())
      )
      const runs = yield* Scope.provide(FiberSet.make<void>(), scope)
      const turns: Turns = {
        id,
        agent,
        memory,
        runs,
        services: Context.add(services, Memory, memory),
        isOpen: () => entry.isOpen,
        emit: (event, place) => {
          subscriptions.emit(event, place)
          present(event, place)
        }
      }
      const running: Running<C, any, any> = Object.freeze({
        id,
        createdAt,
        config: Object.freeze({ ...config }),
        receive: receiving(turns),
        resume: resuming(turns),
        on: subscriptions.on
      })
      const entry: Entry = { running, scope, isOpen: true, closing: undefined }
      entries.set(id, entry)
      yield* Scope.addFinalizer(
        scope,
        Effect.sync(() => (entry.isOpen = false))
      )
      return running
    })
  )
