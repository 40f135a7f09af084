/**
 * Random runs of agents end with equal notes and answers in all modes, also where sockets are refused and cut at random places.
 * `COGITO_MODE_RUNS=2000 vitest run test/modes/equal.test.ts` for more of them.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Hash, Layer, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { Pipeline, Primitive, Provider, type Step, Thought } from "cogito"
import { Agent } from "cogito/agent"
import { Testing } from "cogito/testing"
import { type Random, random } from "../../src/testing/contract/stage/random.ts"
import { making, type Options } from "./making.ts"
import { serveRealtime } from "./realtimeServer.ts"
import { type Fault, type Script, serveModes } from "./server.ts"

const runs = Number(process.env["COGITO_MODE_RUNS"] ?? 10)

const parameters = Schema.Struct({ n: Schema.Int })
const look = Tool.make("look", { parameters, success: Schema.String }).annotate(Tool.Readonly, true)
const fails = Tool.make("fails", { parameters, success: Schema.String, failure: Schema.String }).annotate(
  Tool.Readonly,
  true
)
const toolkit = Toolkit.make(look, fails)
const agent = Agent.make("agent", { instructions: "You look.", triage: false, toolkit, limits: { rounds: 6 } })
const compacting = Pipeline.compact(agent, { turns: 2 })

/** What the model says depends on the conversation alone, so it is the same in every mode. */
const speaking =
  (seed: number): Script["model"] =>
  (view, body) => {
    const rng = random(Hash.string(`${seed} ${view.join("\n")}`))
    if (body["tools"] === undefined || rng.below(3) === 0)
      return rng.pick(["done", "  spaces around  ", `answer ${rng.below(100)}`])
    const calls = Array.from({ length: 1 + rng.below(3) }, (_, i) => ({
      id: rng.below(5) === 0 ? "call_again" : `call_${view.length}_${i}`,
      name: rng.pick(["look", "look", "look", "fails", "nowhere"]),
      params: rng.below(8) === 0 ? rng.pick(["{bad", "[1]", "", "null"]) : JSON.stringify({ n: rng.below(50) })
    }))
    return {
      calls,
      ...(rng.below(2) === 0 ? { text: "Let me see. " } : {}),
      ...(rng.below(2) === 0 ? { thought: `I think of ${rng.below(100)}.` } : {})
    }
  }

/** Something that happens to a session between two messages. */
const between = (rng: Random, thought: Thought.Thought, n: number): Effect.Effect<Thought.Thought, any, any> => {
  const run = (step: Step.Any) => Pipeline.run(step, thought) as Effect.Effect<Thought.Thought, any, any>
  switch (rng.below(6)) {
    case 0:
      return run(Primitive.truncate(`truncate ${n}`, { first: rng.below(2), last: rng.below(3) }))
    case 1:
      return run(Primitive.compress(`compress ${n}`, { keep: rng.below(2) }))
    case 2:
      return Thought.fork(thought)
    default:
      return Effect.succeed(thought)
  }
}

const session = (rng: Random) =>
  Effect.gen(function* () {
    let thought: Thought.Thought = yield* Thought.make("session", { message: "message" })
    for (let n = 0; n < 3; n++) {
      const before = thought
      const said =
        n === 0
          ? (Pipeline.run(compacting, before as never) as Effect.Effect<Thought.Thought, any, any>)
          : Agent.say(agent, thought, `message ${n}`)
      thought = yield* Effect.catch(said, (error) => Effect.succeed(error.thought ?? before))
      thought = yield* Effect.catchCause(between(rng, thought, n), () => Effect.succeed(thought))
    }
    return thought
  })

const plain = (thought: Thought.Thought) =>
  Thought.notes(thought).map(({ content, key, metadata, source, trust }) => ({
    key,
    content,
    source,
    trust,
    tool: metadata["tool_call"] ?? metadata["tool_result"],
    failed: metadata["tool_failed"]
  }))

/** A run of a session with a provider: what remains of it, and what was done. */
const running = (seed: number, provider: Provider.Shape) =>
  Effect.gen(function* () {
    const done: Array<string> = []
    const tools = toolkit.toLayer({
      look: ({ n }) => Effect.sync(() => (done.push(`look ${n}`), n % 3 === 0 ? "" : `seen ${n}`)),
      fails: ({ n }) =>
        Effect.andThen(
          Effect.sync(() => done.push(`fails ${n}`)),
          Effect.fail(`no ${n}`)
        )
    })
    const services = Layer.mergeAll(Layer.succeed(Provider.Provider, provider), tools, Layer.fresh(Testing.memory))
    const thought = yield* Effect.provide(session(random(seed)), services) as Effect.Effect<Thought.Thought>
    return { notes: plain(thought), done }
  })

/** The same in a mode, and what the server has seen. */
const run = (seed: number, options: Options, script: Omit<Script, "model"> = {}) =>
  Effect.gen(function* () {
    const server = yield* serveModes({ model: speaking(seed), ...script })
    const provider = yield* making(server.baseUrl, options)
    return { ...(yield* running(seed, provider)), server }
  }).pipe(Effect.scoped)

/** The same over sessions of the Realtime API. */
const runRealtime = (seed: number) =>
  Effect.gen(function* () {
    const views: Array<ReadonlyArray<string>> = []
    const server = yield* serveRealtime({
      model: (items, { instructions, tools }) => {
        const view = [...(instructions === "" ? [] : [`system: ${instructions}`]), ...items]
        views.push(view)
        return speaking(seed)(view, tools.length === 0 ? {} : { tools })
      },
      isLate: true
    })
    const provider = yield* making(server.baseUrl, { api: "realtime", mode: "auto" })
    return { ...(yield* running(seed, provider)), views }
  }).pipe(Effect.scoped)

const views = ({ requests }: { readonly requests: ReadonlyArray<{ readonly view: ReadonlyArray<string> }> }) =>
  requests.map(({ view }) => view)

/** Without what was sent again. */
const distinct = (all: ReadonlyArray<ReadonlyArray<string>>) =>
  all.filter((view, i) => view.join() !== all[i - 1]?.join())

describe("random runs of agents", () => {
  it.live("end equally in resume, replay and auto, and over Realtime sessions", () =>
    Effect.gen(function* () {
      const seen = { rest: 0, again: 0, http: 0, cut: 0, calls: 0 }
      for (let seed = 1; seed <= runs; seed++) {
        const replay = yield* run(seed, { mode: "replay" })
        const resume = yield* run(seed, { mode: "resume" })
        const rng = random(seed)
        const fault = (): Fault | undefined => {
          if (rng.below(4) > 0) return undefined
          seen.cut++
          return rng.below(8) === 0
            ? { _tag: "Error", code: "websocket_connection_limit_reached", status: 400, closes: true }
            : { _tag: "Cut", after: rng.below(20) }
        }
        const auto = yield* run(
          seed,
          { mode: "auto", connections: { most: 1 + rng.below(2) } },
          { fault, isLate: true, refuse: () => (rng.below(20) === 0 ? { status: 503 } : undefined) }
        )
        assert.deepStrictEqual(views(resume.server), views(replay.server), `seed ${seed}`)
        const realtime = yield* runRealtime(seed)
        assert.deepStrictEqual(realtime.views, views(replay.server), `seed ${seed}`)
        for (const other of [resume, auto, realtime]) {
          assert.deepStrictEqual(other.notes, replay.notes, `seed ${seed}`)
          assert.deepStrictEqual(other.done, replay.done, `seed ${seed}`)
        }
        assert.deepStrictEqual(distinct(views(auto.server)), distinct(views(replay.server)), `seed ${seed}`)
        assert.strictEqual(resume.server.opened(), new Set(resume.server.requests.map(({ socket }) => socket)).size)
        const isRest = ({ body }: { readonly body: Readonly<Record<string, unknown>> }) =>
          body["previous_response_id"] !== undefined
        seen.calls += resume.server.requests.length
        seen.rest += resume.server.requests.filter(isRest).length
        seen.again += resume.server.requests.filter((request) => !isRest(request)).length
        seen.http += auto.server.requests.filter(({ over }) => over === "http").length
      }
      // all of it really happens
      assert.isAbove(seen.rest, runs)
      assert.isAbove(seen.again, runs)
      assert.isAbove(seen.http, runs / 4)
      assert.isAbove(seen.cut, runs / 4)
    }).pipe(Effect.scoped)
  )
})
