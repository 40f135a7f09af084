/**
 * Random sessions over the APIs of the vendors. The test keeps the conversation by itself: a server refuses what its vendor does, and
 * each request must have the calls, results, texts and thoughts that the session has had, no more and no less.
 *
 * `COGITO_AGENT_SESSIONS=10000 vitest run test/agent/sessions.test.ts` for more of them, `COGITO_AGENT_SEED=7` for one alone.
 */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Layer } from "effect"
import { Testing } from "cogito/testing"
import { random } from "../../src/testing/contract/stage/random.ts"
import type { Wire } from "./sessions/lines.ts"
import { modelsOver } from "./sessions/models.ts"
import { Play } from "./sessions/play.ts"
import { agentsOf, type Route, session, toolsOf } from "./sessions/session.ts"

const wires: ReadonlyArray<Wire> = ["chat", "responses", "messages"]

/** How many begin with a model of each API, and with one that writes its calls into its text. */
const count = Math.ceil(Number(process.env["COGITO_AGENT_SESSIONS"] ?? 500) / (wires.length + 1))
const alone = process.env["COGITO_AGENT_SEED"]

/** What the sessions are for. */
const states = [
  "a call: missing",
  "a call: unknown, interrupted",
  "a call: unknown, cancelled",
  "a call: unapproved",
  "a call: denied",
  "a call: no tool",
  "a call: misfit",
  "a call: refused answer",
  "an empty result",
  "several calls at once",
  "calls of several models",
  "a thought of the same model",
  "a thought of another model",
  "a failure of the model",
  "a summary of the calls of a run",
  "a summary before the calls of a run",
  "truncate",
  "compress",
  "remove",
  "undo message",
  ...["waits", "was interrupted"].flatMap((how) =>
    ["is given up", "is left for a fork", "is undone", "goes on"].map((end) => `a run that ${how} and ${end}`)
  )
]

/** Plays sessions that begin with a model of one of these APIs. */
const played = (begin: Wire, among: ReadonlyArray<Wire>) =>
  Effect.gen(function* () {
    const reached = new Map<string, number>()
    let play: Play | undefined
    let route: Route | undefined
    const now = () => play ?? assert.fail("no session goes on")
    const models = yield* modelsOver(among, now)
    const agents = agentsOf(() => route ?? assert.fail("no model is chosen"))
    const tools = yield* Layer.build(toolsOf(now))
    const seeds = alone === undefined ? Array.from({ length: count }, (_, i) => i + 1) : [Number(alone)]
    for (const seed of seeds) {
      const own = new Play(random(seed), (state) => reached.set(state, (reached.get(state) ?? 0) + 1))
      play = own
      yield* session(own, agents, models, begin, (next) => (route = next)).pipe(
        Effect.provide(Layer.fresh(Testing.memory)),
        Effect.provide(tools),
        Effect.catchCause((cause) => Effect.sync(() => own.problems.push(Cause.pretty(cause))))
      ) as Effect.Effect<void>
      const { problems, story } = own
      if (problems.length > 0) {
        assert.fail(`COGITO_AGENT_SEED=${seed} has it alone:\n${story.join(", ")}\n${problems.join("\n")}`)
      }
    }
    if (alone !== undefined) return
    const seldom = states.filter((state) => (reached.get(state) ?? 0) < Math.floor(count / 30))
    assert.deepStrictEqual(seldom, [], "states that too few sessions reach")
  }).pipe(Effect.scoped)

describe("random sessions of agents", () => {
  for (const wire of wires) {
    it.live(`send each model the conversation as it was, beginning over ${wire}`, () => played(wire, wires))
  }

  it.live("send each model the conversation as it was, with tools in text", () => played("text", ["text"]))
})
