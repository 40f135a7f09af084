/** Programs as real pipelines, and a world that does to their leaves what the programs say. */
import { Cause, Clock, Context, Data, Duration, Effect, Exit, Schema } from "effect"
import { Memory, Note, Pipeline, Primitive, Provider, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import {
  type Accept,
  accepts,
  behaviourOf,
  callName,
  type Composite,
  isNamed,
  type Plain,
  type Leaf,
  leavesOf,
  nameOf,
  type Node,
  probabilityOf
} from "./program.ts"

/** How a leaf that asks no model fails. */
export class Fault extends Data.TaggedError("Fault")<{
  readonly call: string
  readonly isRetryable: boolean
  readonly retryAfter: Duration.Duration
}> {}

/** Which of several runs of the same pipeline this is. */
export const RunNumber = Context.Reference("test/RunNumber", { defaultValue: () => 0 })

/** The thought that the run began with, to which others may add. */
export const Root = Context.Reference("test/Root", { defaultValue: () => "" })

/** A leaf was called. */
export interface Call {
  readonly run: number
  readonly leaf: number
  readonly does: Leaf["does"]
  readonly call: number
  readonly at: number
  /** What the model was sent; nothing when no model was asked. */
  readonly messages: ReadonlyArray<Provider.Message> | undefined
  ended: "running" | "completed" | "failed" | "died" | "interrupted"
}

const failureOf = (call: string, fatal: boolean, retryAfter: Duration.Duration) =>
  new Provider.ProviderError({
    provider: "scripted",
    model: "script",
    reason: fatal ? { _tag: "Unsupported", message: call } : { _tag: "Overloaded", message: call, retryAfter }
  })

/** Leaves that do what their plans say, and a record of their calls. */
export const makeWorld = (root: Node) => {
  const calls: Array<Call> = []
  const leaves = new Map(leavesOf(root).map((leaf) => [leaf.id, leaf]))

  /** A call of a leaf, with the answer that it should give. */
  const called = <A, E>(
    leaf: Leaf,
    messages: Call["messages"],
    fails: (call: string, fatal: boolean, retryAfter: Duration.Duration) => E,
    answers: (call: string, wrong: boolean, number: number) => A
  ): Effect.Effect<A, E> =>
    Effect.gen(function* () {
      const run = yield* RunNumber
      const number = calls.filter((one) => one.leaf === leaf.id && one.run === run).length
      const at = yield* Clock.currentTimeMillis
      const call: Call = { run, leaf: leaf.id, does: leaf.does, call: number, at, messages, ended: "running" }
      calls.push(call)
      const { ends, takes } = behaviourOf(leaf, number)
      const name = callName(leaf, number)
      return yield* Effect.sleep(takes).pipe(
        Effect.andThen(
          Effect.suspend((): Effect.Effect<A, E> => {
            switch (ends) {
              case "never":
                return Effect.never
              case "die":
                return Effect.die(name)
              case "quit":
                return Effect.interrupt
              case "fail":
              case "fatal":
                return Effect.fail(fails(name, ends === "fatal", Duration.zero))
              case "busy":
                return Effect.fail(fails(name, false, Duration.millis(takes)))
              default:
                return Effect.sync(() => answers(name, ends === "wrong", number))
            }
          })
        ),
        Effect.onExit((exit) => Effect.sync(() => void (call.ended = endOf(exit))))
      )
    })

  /** The leaf of a question. Of one that looks back as a pipeline says, the leaf of the last question. */
  const asked = (instruction: string, messages: ReadonlyArray<Provider.Message> = []): Leaf => {
    const last = messages.flatMap(({ text }) => [...text.matchAll(/Question (\d+)/g)]).at(-1)?.[1]
    return leaves.get(Number(/\d+/.exec(instruction)?.[0] ?? last))!
  }
  const model = Testing.scripted(
    ({ messages, phase, task }) => {
      const leaf = asked(task.instruction, messages)
      return called(leaf, messages, failureOf, (call, wrong): string | object => {
        if (phase === "introspect") return call
        if (wrong) return { wrong: call }
        return leaf.does === "decide" ? { decision: true, confidence: 0.5, reasoning: [call] } : { topic: call }
      })
    },
    {
      decide: ({ messages, task }) => {
        const leaf = asked(task.instruction)
        return called(leaf, messages, failureOf, (_, __, number) => [
          { _tag: "Predicate" as const, name: "decision", probability: probabilityOf(leaf, number) }
        ])
      }
    }
  )
  /** What a leaf does that asks no model. */
  const work = (leaf: Leaf): Effect.Effect<string, Fault> =>
    called(
      leaf,
      undefined,
      (call, fatal, retryAfter) => new Fault({ call, isRetryable: !fatal, retryAfter }),
      (call) => call
    )
  return { calls, model, work }
}

export type World = ReturnType<typeof makeWorld>

const endOf = (exit: Exit.Exit<unknown, unknown>): Call["ended"] => {
  if (Exit.isSuccess(exit)) return "completed"
  return Cause.hasDies(exit.cause) ? "died" : Cause.hasFails(exit.cause) ? "failed" : "interrupted"
}

/** Any step of a random program: its types are not known. */
type Any = Step.Step<{}, {}, any, Provider.Provider | Memory.Memory | Pipeline.Supervisor>

const Topic = Schema.Struct({ topic: Schema.String })

const leafStep = (leaf: Leaf, world: World): Any => {
  const { does, id, key } = leaf
  const looksBack = leaf.introspect === true && { prompt: `What does the answer to question ${id} mean?` }
  const introspect = leaf.introspect === "open" ? {} : { introspect: looksBack }
  switch (does) {
    case "write":
      return Step.make(key, { schema: Schema.String, run: world.work(leaf) })
    case "look":
      return Step.make(key, { run: world.work(leaf) })
    case "append":
      return Step.make(key, {
        run: Effect.flatMap(world.work(leaf), (content) =>
          Effect.flatMap(Root, (id) => Effect.orDie(Memory.append(id, [{ key, content }])))
        )
      })
    case "tap":
      return Pipeline.tap(key, world.work(leaf))
    case "once":
      // its plan has no failure
      return Step.once(key, Effect.orDie(world.work(leaf)))
    case "analyze":
      return Primitive.analyze(key, { schema: Topic, prompt: `Question ${id}`, ...introspect })
    default:
      return Primitive.decide(key, {
        question: `Question ${id}`,
        via: does === "native" ? "native" : "text",
        ...introspect
      })
  }
}

const record = (prefix: string, steps: ReadonlyArray<Any>): Readonly<Record<string, Any>> =>
  Object.fromEntries(steps.map((step, i) => [`${prefix}${i}`, step]))

const accepting = (accept: Accept) => (thought: Thought.Thought) => accepts(accept, thought.length)

/** Whether an error is one that another attempt may help, as the library asks it of any error. */
const retryable = (error: { readonly isRetryable?: boolean }): boolean => error.isRetryable !== false

const message = Note.handle("message", Schema.String)

/** The pipeline that a program describes. */
export const build = (node: Node, world: World): Any => {
  if (node._tag === "Leaf") return leafStep(node, world)
  const children = "children" in node ? node.children.map((child) => build(child, world)) : []
  return "children" in node ? connect(node, children, world) : plainStep(node)
}

const plainStep = (node: Plain): Any => {
  switch (node._tag) {
    case "Truncate":
      return Primitive.truncate(nameOf(node), node)
    case "Checkpoint":
      return Primitive.checkpoint(node.name)
    case "Own": {
      const from: Note.Reader<{}, string> = {
        ...Note.from({}, () => ""),
        // what reads notes is given the whole thought
        read: (thought) => Effect.succeed((thought as Thought.Thought).id)
      }
      return Primitive.restore(nameOf(node), { from, session: node.session })
    }
    case "Mutate":
      // every thought of a program has the note
      return Pipeline.mutate(nameOf(node), {
        note: message,
        update: (text) => `${text}+${node.id}`,
        when: () => node.holds
      }) as Step.Any
    default:
      return Primitive.restore(nameOf(node), { from: { checkpoint: node.name }, session: node.session })
  }
}

const connect = (node: Composite, children: ReadonlyArray<Any>, world: World): Any => {
  const [step, second] = children as [Any, ...ReadonlyArray<Any>]
  const overwrite = { overwrite: true }
  // a chain has no name
  const name = isNamed(node) ? nameOf(node) : ""
  switch (node._tag) {
    case "Sequence":
      return Pipeline.sequence(name, children, overwrite) as Any
    case "AndThen":
      return children.reduce((all, one) => Step.andThen(all, one, overwrite))
    case "Gen":
      return Pipeline.gen(name, function* () {
        for (const one of children) yield* Pipeline.ask(one)
      }) as Any
    case "Introspect":
      return Pipeline.introspect(step, { prompt: "What does the answer mean?" })
    case "Inner":
      return Step.make(name, {
        run: (thought) =>
          Effect.flatMap(node.apart ? Thought.make("test", { message: "Hello" }) : Thought.fork(thought), (own) =>
            Effect.mapError(Pipeline.run(step, own as Thought.Thought), ({ cause }) => cause as Fault)
          ).pipe(Effect.asVoid)
      }) as Any
    case "Named":
      return Step.named(step, name)
    case "When":
      return step.pipe(Step.when(`when${node.id}`, () => node.holds, second!))
    case "Filter":
      return second === undefined
        ? Pipeline.filter(name, { when: () => node.holds, step })
        : Pipeline.filter(name, { when: () => node.holds, step, otherwise: second })
    case "Switch":
      return Pipeline.switch(name, {
        on: (): string => `way${node.choice}`,
        branches: record("way", children),
        default: "pass"
      }) as Any
    case "Gate":
      return Pipeline.gate(name, { check: () => node.verdict, step }) as Any
    case "Retry": {
      const options = { times: node.times, ...(node.always ? { while: () => true } : {}) }
      return node.piped ? Step.retry(step, options) : Step.retry(step, { ...options, name })
    }
    case "Backoff": {
      const { base, cap, factor, times } = node
      const options = { times, base, cap, factor, jitter: false, ...(node.always ? { while: () => true } : {}) }
      return node.piped ? Step.backoff(step, options) : Step.backoff(step, { ...options, name })
    }
    case "Timeout":
      return node.piped ? Step.timeout(step, node.limit) : Step.timeout(step, node.limit, { name })
    case "Fallback":
      return Pipeline.fallback(name, children as [Any, ...ReadonlyArray<Any>], {
        accept: accepting(node.accept),
        ...(node.always ? {} : { while: retryable })
      }) as Any
    case "Recover":
      return node.always
        ? Step.recover(step, second!, { name })
        : Step.recover(step, second!, { when: retryable, name })
    case "Handle": {
      const handler = world.work(node.children[1] as Leaf)
      return Step.handle(step, () => handler, { name })
    }
    case "Enrich": {
      const options = node.report ? { report: `report${node.id}` } : {}
      return node.piped ? Step.enrich(step, options) : (Step.enrich(step, { ...options, name }) as Any)
    }
    case "Race":
      return Pipeline.race(name, record("branch", children), { concurrency: node.concurrency }) as Any
    case "Contest":
      return Pipeline.contest(name, record("branch", children), {
        accept: accepting(node.accept),
        concurrency: node.concurrency
      }) as Any
    case "Concurrent":
      return Pipeline.concurrent(name, record("branch", children), {
        conflicts: node.conflicts,
        concurrency: node.concurrency,
        ...(node.minSuccesses === undefined ? {} : { minSuccesses: node.minSuccesses }),
        ...(node.report ? { report: `report${node.id}` } : {})
      } as {}) as Any
    case "RateLimit": {
      const options = { limit: 1, per: node.per, onExceeded: node.onExceeded }
      return node.piped ? Step.rateLimit(step, options) : Step.rateLimit(step, { ...options, name })
    }
    case "CircuitBreaker": {
      const options = { failures: node.failures, reset: node.reset }
      return node.piped ? Step.circuitBreaker(step, options) : Step.circuitBreaker(step, { ...options, name })
    }
    case "WorkerLimit":
      return node.piped
        ? Step.workerLimit(step, { workers: node.workers })
        : Step.workerLimit(step, { workers: node.workers, name })
    default:
      return Pipeline.scaffold(name, { step })
  }
}
