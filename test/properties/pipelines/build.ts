/** Programs as real pipelines, and a world that does to their leaves what the programs say. */
import { Cause, Clock, Context, Data, Effect, Exit, Schema } from "effect"
import { type Memory, Pipeline, Primitive, Provider, Step } from "cogito"
import { Testing } from "cogito/testing"
import { behaviourOf, callName, type Leaf, leavesOf, nameOf, type Node, probabilityOf } from "./program.ts"

/** How a leaf that asks no model fails. */
export class Fault extends Data.TaggedError("Fault")<{ readonly call: string; readonly isRetryable: boolean }> {}

/** Which of several runs of the same pipeline this is. */
export const RunNumber = Context.Reference("test/RunNumber", { defaultValue: () => 0 })

/** A leaf was called. */
export interface Call {
  readonly run: number
  readonly leaf: number
  readonly call: number
  readonly at: number
  /** What the model was sent; nothing when no model was asked. */
  readonly messages: ReadonlyArray<Provider.Message> | undefined
  ended: "running" | "completed" | "failed" | "died" | "interrupted"
}

const failureOf = (call: string, fatal: boolean) =>
  new Provider.ProviderError({
    provider: "scripted",
    model: "script",
    reason: { _tag: fatal ? "Unsupported" : "Connection", message: call }
  })

/** Leaves that do what their plans say, and a record of their calls. */
export const makeWorld = (root: Node) => {
  const calls: Array<Call> = []
  const leaves = new Map(leavesOf(root).map((leaf) => [leaf.id, leaf]))

  /** A call of a leaf, with the answer that it should give. */
  const called = <A, E>(
    leaf: Leaf,
    messages: Call["messages"],
    fails: (call: string, fatal: boolean) => E,
    answers: (call: string, wrong: boolean, number: number) => A
  ): Effect.Effect<A, E> =>
    Effect.gen(function* () {
      const run = yield* RunNumber
      const number = calls.filter((one) => one.leaf === leaf.id && one.run === run).length
      const at = yield* Clock.currentTimeMillis
      const call: Call = { run, leaf: leaf.id, call: number, at, messages, ended: "running" }
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
                return Effect.fail(fails(name, ends === "fatal"))
              default:
                return Effect.sync(() => answers(name, ends === "wrong", number))
            }
          })
        ),
        Effect.onExit((exit) => Effect.sync(() => void (call.ended = endOf(exit))))
      )
    })

  const asked = (instruction: string): Leaf => leaves.get(Number(/\d+/.exec(instruction)?.[0]))!
  const model = Testing.scripted(
    ({ messages, phase, task }) => {
      const leaf = asked(task.instruction)
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
      (call, fatal) => new Fault({ call, isRetryable: !fatal }),
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
type Any = Step.Step<{}, {}, any, Provider.Provider | Memory.Memory>

const Topic = Schema.Struct({ topic: Schema.String })

const leafStep = (leaf: Leaf, world: World): Any => {
  const { does, id, key } = leaf
  const introspect = leaf.introspect ? { prompt: `What does the answer to question ${id} mean?` } : false
  switch (does) {
    case "write":
      return Step.make(key, { schema: Schema.String, run: world.work(leaf) })
    case "look":
      return Step.make(key, { run: world.work(leaf) })
    case "analyze":
      return Primitive.analyze(key, { schema: Topic, prompt: `Question ${id}`, introspect })
    default:
      return Primitive.decide(key, {
        question: `Question ${id}`,
        via: does === "native" ? "native" : "text",
        introspect
      })
  }
}

const branchesOf = (steps: ReadonlyArray<Any>): Readonly<Record<string, Any>> =>
  Object.fromEntries(steps.map((step, i) => [`branch${i}`, step]))

/** The pipeline that a program describes. */
export const build = (node: Node, world: World): Any => {
  if (node._tag === "Leaf") return leafStep(node, world)
  const children = "children" in node ? node.children.map((child) => build(child, world)) : []
  const [first, second] = children as [Any, ...ReadonlyArray<Any>]
  const overwrite = { overwrite: true }
  switch (node._tag) {
    case "Truncate":
      return Primitive.truncate(nameOf(node), node)
    case "Checkpoint":
      return Primitive.checkpoint(node.name)
    case "Restore":
      return Primitive.restore(nameOf(node), { from: { checkpoint: node.name }, session: node.session })
    case "Sequence":
      return Pipeline.sequence(nameOf(node), children, overwrite) as Any
    case "AndThen":
      return children.reduce((all, step) => Step.andThen(all, step, overwrite))
    case "When":
      return first.pipe(Step.when(`when${node.id}`, () => node.holds, second!))
    case "Filter":
      return second === undefined
        ? Pipeline.filter(nameOf(node), { when: () => node.holds, step: first })
        : Pipeline.filter(nameOf(node), { when: () => node.holds, step: first, otherwise: second })
    case "Retry": {
      const options = { times: node.times, ...(node.always ? { while: () => true } : {}) }
      return node.piped ? Step.retry(first, options) : Pipeline.retry(nameOf(node), { ...options, step: first })
    }
    default:
      return Pipeline.race(nameOf(node), branchesOf(children), { concurrency: node.concurrency }) as Any
  }
}
