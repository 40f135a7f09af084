/** What happens in a random session: messages, runs that stop, and changes of the conversation between them. */
import { Cause, Effect, Exit, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { Memory, Pipeline, Primitive, Provider, Session, type Step, Thought } from "cogito"
import { Agent } from "cogito/agent"
import type { Model, Play } from "./play.ts"

const parameters = Schema.Struct({ n: Schema.Int })
const reading = { parameters, success: Schema.String }
const toolkit = Toolkit.make(
  Tool.make("look", reading).annotate(Tool.Readonly, true),
  Tool.make("fails", { ...reading, failure: Schema.String }).annotate(Tool.Readonly, true),
  Tool.make("ends", reading).annotate(Tool.Readonly, true),
  Tool.make("breaks", reading),
  Tool.make("asks", reading).annotate(Tool.Destructive, true)
)

const yields = (times: number) =>
  Effect.forEach(Array.from({ length: times }), () => Effect.yieldNow, { discard: true })

/** The tools of the session that goes on. */
export const toolsOf = (play: () => Play) => {
  const gives = (n: number, outcome: string) => Effect.sync(() => (play().runs(n, outcome), outcome))
  /** What may be carried out only once. */
  const acts = (n: number, outcome: string) =>
    Effect.sync(() => {
      if (!play().runs(n, outcome)) play().problems.push(`The call ${n} is carried out once more`)
      return outcome
    })
  // so long that the calls beside it have ended
  const interrupts = (n: number) => {
    play().interrupts(n)
    return Effect.andThen(yields(30), Effect.interrupt)
  }
  return toolkit.toLayer({
    // the first ones end last
    look: ({ n }) => {
      play().begins(n)
      return Effect.andThen(yields(9 - (n % 3) * 4), gives(n, n % 5 === 0 ? "" : `seen ${n}`))
    },
    fails: ({ n }) => Effect.andThen(gives(n, `no ${n}`), Effect.fail(`no ${n}`)),
    ends: ({ n }) =>
      Effect.suspend(() => (play().runs(n, `ended ${n}`) ? interrupts(n) : Effect.succeed(`ended ${n}`))),
    breaks: ({ n }) =>
      Effect.andThen(
        acts(n, "unknown, interrupted"),
        Effect.suspend(() => interrupts(n))
      ),
    asks: ({ n }) => acts(n, `did ${n}`)
  })
}

/** Which model is asked in a round. */
export type Route = (round: number) => Provider.Shape

/** The agents of all sessions. */
export const agentsOf = (route: () => Route) => {
  const limits = { rounds: 4 }
  const prepare = (round: number) => ({ provider: route()(round) })
  const words = Agent.make("words", { instructions: "You look.", triage: false, toolkit, limits, prepare })
  const form = Agent.make("form", {
    instructions: "You look too.",
    triage: false,
    toolkit: Toolkit.make(toolkit.tools.look),
    output: Schema.Struct({ n: Schema.Finite }),
    key: "number",
    limits,
    prepare
  })
  return {
    words: { agent: "words" as const, keep: undefined, step: words },
    form: { agent: "form" as const, keep: undefined, step: form },
    // they summarise within a run as well
    all: { agent: "words" as const, keep: 0, step: Pipeline.compact(words, { turns: 2, keep: 0 }) },
    older: { agent: "words" as const, keep: 1, step: Pipeline.compact(words, { turns: 3, keep: 1 }) }
  }
}

type Ran = Effect.Effect<Thought.Thought, any, any>

/** The thought that a run leaves, whatever becomes of it. */
const left = Effect.fnUntraced(function* (
  play: Play,
  step: Step.Any,
  runId: string,
  run: Ran,
  before: Thought.Thought
): Effect.fn.Return<Thought.Thought, any, any> {
  const { conversation, rng } = play
  const exit = yield* Effect.exit(run)
  if (Exit.isSuccess(exit)) {
    conversation.settle(play.results)
    return exit.value
  }
  const error: any = Cause.squash(exit.cause)
  const isInterrupted = Cause.hasInterrupts(exit.cause)
  const isWaiting = error?._tag === "Suspended"
  if (!isInterrupted && !isWaiting) {
    conversation.settle(play.results)
    const { cause } = error as { readonly cause?: { readonly _tag?: string } }
    if (cause?._tag !== "AgentStopped" && !play.hasFailed)
      play.problems.push(`The run failed with ${String(cause ?? error)}`)
    return error?.thought ?? before
  }
  const pending = isWaiting ? yield* Agent.waiting({ runId }) : []
  const open = isWaiting ? new Set(pending.map(({ params }) => (params as { readonly n: number }).n)) : undefined
  const how = isWaiting ? "waits" : "was interrupted"
  switch (rng.below(5)) {
    case 0: {
      play.tells(`a run that ${how} and is given up`)
      const thought = yield* Agent.cancel(runId)
      conversation.cancelled(play.resultsOfCancelled(open))
      return thought
    }
    case 1: {
      play.tells(`a run that ${how} and is left for a fork`)
      conversation.abandon()
      return yield* Thought.fork(yield* Memory.load(before.id))
    }
    case 2: {
      play.tells(`a run that ${how} and is undone`)
      return yield* undone(play, yield* Memory.load(before.id))
    }
    default:
      play.tells(`a run that ${how} and goes on`)
  }
  for (const { callId, params } of pending) {
    const { n } = params as { readonly n: number }
    const decision = rng.pick<Agent.Decision>(["yes", "yes", { no: "not now" }, { params: { n: n + 1000 } }])
    if (typeof decision === "object" && "no" in decision) play.denies(n)
    if (typeof decision === "object" && "params" in decision) play.changes(n, n + 1000)
    yield* Agent.approve(runId, callId, decision)
  }
  return yield* left(play, step, runId, Pipeline.resume(step, runId) as Ran, before)
})

const undone = Effect.fnUntraced(function* (play: Play, thought: Thought.Thought) {
  const found = yield* Agent.undo(thought)
  if (found === undefined) return thought
  play.tells(`undo ${found.message}`)
  play.conversation.undo(Number(/\d+/.exec(found.message)?.[0]))
  return found.thought
})

/** Something that happens to a conversation between two messages. */
const between = Effect.fnUntraced(function* (
  play: Play,
  thought: Thought.Thought,
  n: number
): Effect.fn.Return<Thought.Thought, any, any> {
  const { conversation, rng } = play
  const run = (step: Step.Any) => Pipeline.run(step, thought) as Ran
  const what = rng.below(10)
  switch (what) {
    case 0:
    case 1: {
      const [first, last] = [rng.below(4), rng.below(6)]
      play.tells(`truncate ${first} ${last}`)
      conversation.truncate(first, last)
      return yield* run(Primitive.truncate(`truncate ${n}`, { first, last }))
    }
    case 2: {
      const keep = rng.below(3)
      play.tells(`compress ${keep}`)
      conversation.compress(keep)
      return yield* run(Primitive.compress(`compress ${n}`, { keep }))
    }
    case 3:
      return yield* undone(play, thought)
    case 4:
    case 5: {
      if (thought.session.length === 0) return thought
      const position = rng.below(thought.session.length)
      play.tells(`remove ${position}`)
      conversation.remove(position)
      return Thought.withSession(thought, yield* Session.remove(thought.session, position))
    }
    case 6:
      return yield* Thought.fork(thought)
    case 7:
      return yield* Memory.load((yield* Memory.commit(thought)).id)
    case 8:
      if (rng.below(3) > 0) return thought
      play.tells("reset")
      conversation.reset()
      return yield* run(Primitive.reset(`reset ${n}`))
    default:
      return thought
  }
})

/** One session. */
export const session = Effect.fnUntraced(function* (
  play: Play,
  agents: ReturnType<typeof agentsOf>,
  models: ReadonlyArray<Model>,
  begin: Model["wire"],
  route: (route: Route) => void
): Effect.fn.Return<void, any, any> {
  const { conversation, rng } = play
  let thought: Thought.Thought = yield* Thought.make("session")
  let home = rng.pick(models.filter(({ wire }) => wire === begin))
  for (let n = 0; n < 3 && play.problems.length === 0; n++) {
    if (rng.below(3) === 0) home = rng.pick(models)
    const rounds = rng.below(3) === 0 ? Array.from({ length: 4 }, () => rng.pick(models)) : [home]
    route((round) => (rounds[(round - 1) % rounds.length] ?? home).provider)
    const { agent, keep, step } = rng.pick([agents.words, agents.words, agents.form, agents.all, agents.older])
    play.agent = agent
    play.keep = keep
    play.hasFailed = false
    play.tells(`message ${n} to ${agent} ${keep ?? ""}`)
    conversation.begin(n)
    const runId = `run ${n}`
    const before = thought
    thought = yield* Effect.gen(function* () {
      const said = Agent.say(step as typeof agents.words.step, before, `message ${n};`, { durable: { id: runId } })
      const after = yield* left(play, step, runId, said, before)
      const problem = conversation.problemIn(after.session)
      if (problem !== undefined) play.problems.push(`After message ${n} ${problem}`)
      play.keep = undefined
      return play.problems.length === 0 ? yield* between(play, after, n) : after
    }).pipe(Effect.provideService(Provider.Provider, home.provider))
    const problem = conversation.problemIn(thought.session)
    if (problem !== undefined) play.problems.push(`Before message ${n + 1} ${problem}`)
  }
})
