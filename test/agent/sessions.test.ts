/**
 * Random sessions over the wires of the vendors, whose servers refuse a call or a result alone, a thought of another model, an
 * empty text and messages out of turn. `COGITO_AGENT_SESSIONS=10000 vitest run test/agent/sessions.test.ts` for more of them.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { Pipeline, Primitive, Provider, type Step, Thought } from "cogito"
import { Agent } from "cogito/agent"
import { Testing } from "cogito/testing"
import { type Random, random } from "../../src/testing/contract/stage/random.ts"
import { speaking, vendors } from "../calls/vendor.ts"

const sessions = Math.ceil(Number(process.env["COGITO_AGENT_SESSIONS"] ?? 500) / vendors.length)

const parameters = Schema.Struct({ n: Schema.Int })
const look = Tool.make("look", { parameters, success: Schema.String }).annotate(Tool.Readonly, true)
const fails = Tool.make("fails", { parameters, success: Schema.String, failure: Schema.String }).annotate(
  Tool.Readonly,
  true
)
const ends = Tool.make("ends", { parameters, success: Schema.String }).annotate(Tool.Readonly, true)
const toolkit = Toolkit.make(look, fails, ends)
const tools = toolkit.toLayer({
  look: ({ n }) => Effect.succeed(n % 3 === 0 ? "" : `seen ${n}`),
  fails: ({ n }) => Effect.fail(`no ${n}`),
  ends: () => Effect.interrupt
})
const agent = Agent.make("agent", { instructions: "You look.", triage: false, toolkit, limits: { rounds: 6 } })
const other = Agent.make("other", {
  instructions: "You look too.",
  triage: false,
  toolkit: Toolkit.make(look),
  output: Schema.Struct({ n: Schema.Finite }),
  key: "number"
})

/** What the model does in a round: mostly calls, some of them odd, and at some time an answer. */
const acts = (rng: Random, dialect: string, round: number, body: any) => {
  const forced = JSON.stringify(body.tool_choice ?? "").includes("answer")
  const hasAnswer = JSON.stringify(body.tools ?? []).includes('"answer"')
  if (hasAnswer && (forced || rng.below(3) === 0)) {
    return { calls: [{ id: `call_${round}`, name: "answer", params: rng.below(4) === 0 ? `{"n":"x"}` : `{"n":1}` }] }
  }
  if (rng.below(3) === 0 || body.tools === undefined) return `answer ${rng.below(100)}`
  const calls = Array.from({ length: 1 + rng.below(3) }, (_, i) => ({
    // some ids come again
    id: rng.below(4) === 0 ? "call_again" : `call_${round}_${i}`,
    name: rng.pick(["look", "look", "look", "fails", "nowhere", "ends"]),
    params:
      dialect !== "messages" && rng.below(8) === 0
        ? rng.pick(["{bad", "[1]", "", "null"])
        : JSON.stringify({ n: rng.below(50) })
  }))
  return {
    calls,
    ...(rng.below(2) === 0 ? { text: "Let me see." } : {}),
    ...(rng.below(2) === 0 ? { thought: `I think of ${rng.below(100)}.` } : {})
  }
}

/** The same of a model that writes its calls into its text. */
const actsInText = (rng: Random, round: number, body: any): string => {
  const prompt = JSON.stringify(body)
  const tools = prompt.includes("The tools, one in a line") ? prompt.replaceAll("\\", "") : "[]"
  const forced = prompt.includes("Call the tool answer now") ? "answer" : undefined
  const act = acts(rng, "text", round, {
    tools: tools.includes('"name":"answer","description"') ? ["answer"] : [],
    tool_choice: forced
  })
  if (typeof act === "string") return rng.below(2) === 0 ? act : `§RESPOND\n${act}\n§YIELD`
  const { thought } = act as { readonly thought?: string }
  const calls = act.calls.map(({ name, params }) => `{"name":"${name}","args":${params}}`)
  return `${thought === undefined ? "" : `§THINK\n${thought}\n`}§CALLS\n[${calls.join(",")}]\n§YIELD\nIt is done.`
}

/** Something that happens to a session between two messages. */
const between = (rng: Random, thought: Thought.Thought, n: number): Effect.Effect<Thought.Thought, any, any> => {
  const run = (step: Step.Any) => Pipeline.run(step, thought) as Effect.Effect<Thought.Thought, any, any>
  switch (rng.below(7)) {
    case 0:
      return run(Primitive.truncate(`truncate ${n}`, { first: rng.below(2), last: rng.below(3) }))
    case 1:
      return run(Primitive.compress(`compress ${n}`, { keep: rng.below(2) }))
    case 2:
      return run(Primitive.reset(`reset ${n}`))
    case 3:
      return Thought.fork(thought)
    default:
      return Effect.succeed(thought)
  }
}

/** One session. The thought that a failed run has stored goes on. */
const session = (rng: Random) =>
  Effect.gen(function* () {
    let thought: Thought.Thought = yield* Thought.make("session")
    for (let n = 0; n < 4; n++) {
      const step = rng.below(4) === 0 ? other : agent
      const said = Agent.say(step as typeof agent, thought, `message ${n}`, { durable: { id: `run ${n}` } })
      const before = thought
      thought = yield* Effect.catchTag(said, "PipelineError", (error) => Effect.succeed(error.thought ?? before)).pipe(
        Effect.catchCause(() => Effect.succeed(before))
      )
      thought = yield* Effect.catchCause(between(rng, thought, n), () => Effect.succeed(thought))
    }
  })

/** Sessions with a server of a vendor, which must refuse none of its calls. */
const sessionsOver = (
  { dialect, make }: (typeof vendors)[number],
  act: (rng: Random, round: number, body: any) => ReturnType<typeof acts>,
  around: (layer: Layer.Layer<Provider.Provider>) => Layer.Layer<Provider.Provider>
) =>
  Effect.gen(function* () {
    let rng = random(1)
    let calls = 0
    const server = yield* speaking(dialect, (body, n) => {
      calls++
      return act(rng, n, body)
    })
    const provider = yield* make(server.host)
    const refused: Array<string> = []
    const heard: Provider.Shape = {
      ...provider,
      complete: (request) =>
        Effect.tapError(provider.complete(request), (error) =>
          Effect.sync(() => {
            if (error.reason._tag === "InvalidRequest") refused.push(error.message)
          })
        )
    }
    for (let seed = 1; seed <= sessions; seed++) {
      rng = random(seed)
      const services = Layer.mergeAll(
        around(Layer.succeed(Provider.Provider, heard)),
        tools,
        Layer.fresh(Testing.memory)
      )
      yield* Effect.provide(session(rng), services) as Effect.Effect<void>
      assert.deepStrictEqual(refused, [], `seed ${seed}`)
    }
    assert.isAbove(calls, 4 * sessions)
    return server.recorded.map(({ body }): any => body)
  }).pipe(Effect.scoped)

describe("random sessions of agents", () => {
  for (const vendor of vendors) {
    const { name } = vendor.dialect
    it.live(`are never refused over ${name}`, () =>
      sessionsOver(
        vendor,
        (rng, round, body) => acts(rng, name, round, body),
        (layer) => layer
      )
    )
  }

  it.live("are never refused over messages with tools in text", () =>
    Effect.gen(function* () {
      const vendor = vendors.find(({ dialect }) => dialect.name === "messages") ?? assert.fail()
      const bodies = yield* sessionsOver(vendor, actsInText, Provider.toolsInText())
      const sent = bodies.map((body) => JSON.stringify(body))
      for (const body of sent) assert.notMatch(body, /"(?:tools|tool_choice|tool_use|tool_result)"/)
      assert.isAbove(sent.filter((body) => body.includes("The results of the calls")).length, sessions)
    })
  )
})
