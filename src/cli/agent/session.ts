/** A session: the thought of a conversation, and the run on it that has not ended. */
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import { Agent } from "../../agent/index.ts"
import * as Memory from "../../Memory.ts"
import type { Ledger } from "../../Store.ts"
import * as Thought from "../../Thought.ts"
import { quoted } from "../../text/legible.ts"
import { CommandError, type WaitsForAnswer } from "../console/failure.ts"
import { plain } from "../console/output.ts"
import { endRun } from "../runs/end.ts"
import { busy } from "../runs/failure.ts"
import { thoughtOf } from "../runs/run.ts"
import type { AnyAgent } from "./module.ts"
import { answerAll, type Asking } from "./questions.ts"
import { doneSinceLast } from "./lasting.ts"
import { turn, type Turned } from "./turn.ts"

/** What the agent and its tools need is in the context, whatever it is. */
type Needs = any

type Failing = CommandError | WaitsForAnswer | Memory.MemoryError

export interface Session {
  readonly thought: () => Thought.Thought<any>
  /** Whether the thought can be loaded again. */
  readonly isStored: () => boolean
  /** The run that was cancelled, has failed or waits. */
  readonly open: () => Pick<Ledger.RunRow, "id" | "status"> | undefined
  /** Says something to the agent. A run that has not ended is given up first. */
  readonly say: (text: string) => Effect.Effect<Turned, Failing, Needs>
  /** Goes on with the run that has not ended. Undefined if every run has ended. */
  readonly goOn: Effect.Effect<Turned | undefined, Failing, Needs>
  /** Goes back to before the last message. Undefined before the first message. */
  readonly undo: Effect.Effect<Undone | undefined, Failing, Needs>
}

/** A message that was taken back. */
export interface Undone {
  readonly message: string
  /** The calls that were carried out since then, which stay done. */
  readonly calls: ReadonlyArray<string>
}

const newId = (): string => `chat-${randomUUID().replaceAll("-", "").slice(0, 12)}`

/** Loads the thought of a session. */
const loadSession = Effect.fnUntraced(function* (id: string) {
  const { ledger } = yield* Memory.Memory
  const missing = Effect.fnUntraced(function* () {
    const stored = yield* ledger.load(id)
    const why =
      stored === undefined
        ? "The program prints the id at the end of each session, and npx cogito runs list shows the thoughts of all runs."
        : `This is a run of the session ${thoughtOf(stored.run)}: go on with --resume ${thoughtOf(stored.run)}.`
    return yield* new CommandError({ message: `There is no session ${quoted(id)} in this scope. ${why}` })
  })
  return yield* Memory.load(id).pipe(Effect.catchReason("MemoryError", "NotFound", missing))
})

/** Opens a session on a thought, or on the stored one with this id. */
export const openSession = Effect.fnUntraced(function* (
  agent: AnyAgent,
  asking: (thoughtId: string) => Asking,
  stored: string | undefined
): Effect.fn.Return<Session, CommandError | Memory.MemoryError, Memory.Memory> {
  const memory = yield* Memory.Memory
  let thought: Thought.Thought<any> =
    stored === undefined ? yield* Thought.make(`chat with ${agent.name}`) : yield* loadSession(stored)
  let isStored = stored !== undefined
  const [latest] = isStored ? yield* memory.ledger.runs({ thoughtId: thought.id, limit: 1 }) : []
  let open: Ledger.RunRow | undefined = latest?.status === "completed" ? undefined : latest
  const now = () => asking(thought.id)

  /** Takes over what a run has left in the store. */
  const reload = Effect.fnUntraced(function* (runId: string) {
    open = (yield* memory.ledger.load(runId))?.run
    if (open === undefined) return
    thought = yield* Memory.load(thought.id)
    isStored = true
  })

  const answered = Effect.fnUntraced(function* (runId: string, events: ReturnType<typeof Agent.resume>) {
    const shown = (events: ReturnType<typeof Agent.resume>) => {
      const { lines, screen } = now()
      return lines.away(turn(screen, runId, events))
    }
    let result = yield* shown(events)
    while (result._tag === "Suspended") {
      yield* reload(runId)
      const asked = yield* answerAll(now(), runId)
      result =
        asked === "cancelled"
          ? { _tag: "Cancelled", asking: true }
          : yield* shown(Agent.resume(agent, runId) as typeof events)
    }
    if (result._tag === "Done") {
      thought = result.thought
      isStored = true
      open = undefined
    } else {
      yield* reload(runId)
    }
    return result
  })

  /** A run, to its end or to where it stops. If the program is ended during it, the session is known all the same. */
  const turned = (runId: string, events: ReturnType<typeof Agent.resume>) =>
    Effect.onInterrupt(answered(runId, events), () => Effect.ignore(reload(runId)))

  /** Ends a run whose message is taken back. */
  const end = Effect.gen(function* () {
    const run = open
    if (run === undefined) return
    if (run.status !== "failed") yield* endRun(memory, run, { status: "failed", error: "Undone" })
    thought = yield* Memory.load(thought.id)
    open = undefined
  })

  const giveUp = Effect.fnUntraced(function* () {
    const run = open
    if (run === undefined) return
    const ended =
      run.status === "failed"
        ? "before"
        : yield* Effect.as(Agent.cancel(run.id), "now" as const).pipe(
            Effect.catchTags({
              RunCompleted: () => Effect.succeed("before" as const),
              RunBusy: ({ leaseUntilMillis }) => busy(run.id, leaseUntilMillis)
            })
          )
    thought = yield* Memory.load(thought.id)
    open = undefined
    if (ended === "before") return
    yield* now().screen.report({ event: "GivenUp", runId: run.id }, `cogito: The run ${plain(run.id)} was given up.`)
  })

  return {
    thought: () => thought,
    isStored: () => isStored,
    open: () => open,
    say: Effect.fnUntraced(function* (text) {
      yield* giveUp()
      yield* now().screen.begin
      const id = newId()
      // an agent of any type takes a thought with a message
      return yield* turned(id, Agent.stream(agent, thought as never, text, { durable: { id } }) as never)
    }),
    goOn: Effect.suspend(() => {
      const run = open
      // the events of an agent of any type
      return run === undefined ? Effect.undefined : turned(run.id, Agent.resume(agent, run.id) as never)
    }),
    undo: Effect.gen(function* () {
      const stored = open === undefined ? undefined : yield* memory.ledger.load(open.id)
      yield* end
      const before = yield* Agent.undo(thought)
      if (before === undefined) return undefined
      const calls = yield* doneSinceLast(agent, thought, stored)
      thought = yield* Memory.commit(before.thought)
      yield* now().screen.begin
      return { message: before.message, calls }
    })
  }
})
