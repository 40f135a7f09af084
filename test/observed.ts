/** Everything that can be observed of a run of a step: what was sent, told, stored and given back. */
import { Cause, Effect, Exit, Fiber, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { Memory, Pipeline, type Provider, Session, Signal, type Step, Thought } from "cogito"
import { Testing } from "cogito/testing"

/** A request on few lines: messages that an earlier request had are named, and of the output form the name is shown. */
const shownBy = () => {
  const seen = new Map<string, string>()
  const text = (given: string) => {
    const known = seen.get(given)
    if (known === undefined && given.length > 60) seen.set(given, `(text ${seen.size + 1}, shown above)`)
    return known ?? given
  }
  const request = ({ messages, task, ...rest }: Provider.DecideRequest & Partial<Provider.Request>) => {
    const { context, output, ...others } = task
    return {
      messages: messages.map((one) => `${one.role}: ${text(one.role === "system" ? one.text.slice(0, 40) : one.text)}`),
      ...rest,
      task: {
        ...others,
        output: output?.name,
        context: context.map(
          ({ fresh, id, key, source, step, text: content, trust }) =>
            `${fresh ? "fresh" : "seen"} ${key} ${id} of ${source} in ${step || "no step"}, ${trust}: ${content.slice(0, 24)}`
        )
      }
    }
  }
  return { request, text }
}

export interface Observing {
  readonly replies?: ReadonlyArray<Testing.Reply> | ((request: Provider.Request) => Testing.Reply | undefined)
  readonly script?: Testing.ScriptOptions
  /** The thought that the step is run on. Default: one with two notes. */
  readonly thought?: Effect.Effect<Thought.Thought<any>, any, Memory.Memory>
  /** How often the step is run, each time on a fork of what came of it before. Default: once. */
  readonly again?: boolean
  /** Whether the clock goes on while the step waits. */
  readonly ticking?: boolean
}

export const start = Thought.make(
  "sort the mail",
  {
    message: { content: "I was charged twice.", metadata: { lang: "en" }, source: "mail" },
    customer: { content: "Ada, since 2019", trust: "trusted", source: "crm" }
  },
  { traceId: "trace-1", taskId: "task-1" }
)

/** The effect while its clock goes on by itself, by the times that are waited for. */
const ticking = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(effect)
    for (let i = 0; i < 500 && fiber.pollUnsafe() === undefined; i++) {
      // what is under way comes to where it waits
      for (let turn = 0; turn < 20; turn++) yield* Effect.promise(() => new Promise(setImmediate))
      yield* TestClock.adjust("1 second")
    }
    return yield* Fiber.join(fiber)
  })

const textOf = (thought: Thought.Thought<any>) => JSON.stringify(thought)

type Ran = Effect.Effect<Thought.Thought, Pipeline.PipelineError<unknown>, Memory.Memory>

/** Signals on few lines: when and where, and the ids only of another thought than the given one. */
const told = (given: Thought.Thought<any>, signals: ReadonlyArray<Signal.Signal>) =>
  signals.map(({ _tag, millis, path, runId: _runId, thoughtId, traceId, ...rest }) => ({
    _tag: `${_tag} at ${millis} in ${path.join("/") || "no step"}`,
    ...rest,
    ...(thoughtId === given.id ? {} : { thoughtId }),
    ...(traceId === given.traceId ? {} : { traceId })
  }))

/** A thought without what the given one has. */
const changesOf = (given: Thought.Thought<any>, texts: (text: string) => string) => (after: Thought.Thought<any>) => {
  const known = new Set(Thought.notes(given).map((note) => JSON.stringify(note)))
  const { id, intent, taskId, traceId } = given
  const same = after.id === id && after.intent === intent && after.taskId === taskId && after.traceId === traceId
  return {
    ...(same
      ? {}
      : { id: after.id, traceId: after.traceId, taskId: after.taskId, intent: after.intent, parent: after.parent }),
    ...(after.checkpoints.size === 0 ? {} : { checkpoints: after.checkpoints }),
    notes: Thought.notes(after).map((note) => (known.has(JSON.stringify(note)) ? `${note.key}, as given` : note)),
    unpublished: Thought.unpublished(after).map(({ key, seq }) => `${key} ${seq}`),
    conversation: Session.entries(after.session).map(({ text, ...entry }) => ({ ...entry, text: texts(text) })),
    next: `${after.session.nextIndex}, used ${JSON.stringify(after.session.usage)}`
  }
}

/** Runs a step and gives all that can be observed. */
export const observe = (
  step: Step.Step<any, any, any, any>,
  { again = false, replies = [], script = {}, thought = start, ticking: ticks = false }: Observing = {}
): Effect.Effect<object> =>
  Effect.gen(function* () {
    const model = Testing.scripted(replies, script)
    const { request, text } = shownBy()
    const signals: Array<Signal.Signal> = []
    const given = yield* thought
    const runOn = (one: Thought.Thought<any>) =>
      Pipeline.run(step, one).pipe(
        Signal.listen((signal) => void signals.push(signal)),
        Effect.provide(model.layer)
      ) as Ran
    const once = again ? Effect.flatMap(runOn(given), runOn) : runOn(given)
    const result = yield* Effect.exit(ticks ? ticking(once) : once)
    const requests = model.requests.map(request)
    const decisions = model.decisions.map(request)
    const changes = changesOf(given, text)
    const error = Exit.isFailure(result) ? Option.getOrUndefined(Cause.findErrorOption(result.cause)) : undefined
    const after = Exit.isSuccess(result) ? result.value : error?.thought
    const stored = yield* Effect.exit(Memory.load(after?.id ?? given.id))
    const isStored = after !== undefined && Exit.isSuccess(stored) && textOf(after) === textOf(stored.value)
    return {
      outline: Pipeline.outline(step),
      requests,
      decisions: decisions.length === 0 ? undefined : decisions,
      signals: told(given, signals),
      result: Exit.isSuccess(result) ? changes(result.value) : result.cause,
      json: error?.toJSON(),
      repliesLeft: model.remaining() === 0 ? undefined : model.remaining(),
      thoughtInError: error?.thought === undefined ? undefined : changes(error.thought),
      stored: isStored ? "what is shown" : Exit.isSuccess(stored) ? changes(stored.value) : stored
    }
  }).pipe(Effect.provide(Layer.merge(Testing.memory, Layer.fresh(Testing.ids))), Effect.orDie)
