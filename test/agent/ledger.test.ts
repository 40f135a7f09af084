/** What an agent's run has in the ledger: while it may have to go on, and once it is completed. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { Memory, Pipeline, Session, Step, Thought } from "cogito"
import { Agent } from "cogito/agent"
import { Testing } from "cogito/testing"
import { calls } from "./kit.ts"

const City = Schema.Struct({ city: Schema.String })
const page = Tool.make("page", { parameters: City, success: Schema.String }).annotate(Tool.Readonly, true)
const book = Tool.make("book", { parameters: City, success: Schema.String }).annotate(Tool.Destructive, true)
const judged = Tool.make("judged", { parameters: City, success: Schema.String, needsApproval: () => false }).annotate(
  Tool.Readonly,
  true
)
const toolkit = Toolkit.make(page, book, judged)
const options = { instructions: "You plan trips.", triage: false, toolkit } as const
const guide = Agent.make("guide", options)
const tools = toolkit.toLayer({
  page: ({ city }) => Effect.succeed(`${city} has a harbour.`),
  book: ({ city }) => Effect.succeed(`${city} is booked.`),
  judged: ({ city }) => Effect.succeed(`${city} is warm.`)
})

const on = (...answers: ReadonlyArray<object | string>) =>
  Effect.provide(Layer.mergeAll(Testing.scripted(answers).layer, tools, Testing.memory))

const rowsOf = (runId: string) => Effect.flatMap(Memory.Memory, ({ ledger }) => ledger.load(runId))

const commitsOf = (runId: string) =>
  Effect.map(rowsOf(runId), (run) =>
    run?.steps.flatMap(({ frame, kind }) => (kind === "commit" ? [frame] : [])).toSorted()
  )

const start = Thought.make("trip")

describe("the ledger of an agent", () => {
  it.effect("has what it has stored in each round until the run is completed, and goes on from there", () =>
    Effect.gen(function* () {
      const suspended = yield* Effect.flip(Agent.say(guide, yield* start, "Book Porto.", { durable: { id: "r" } }))
      assert.strictEqual(suspended._tag, "Suspended")
      assert.deepStrictEqual(yield* commitsOf("r"), ["/guide^0", "/guide^1", "/guide^2", "^0"])
      const [waiting] = yield* Agent.waiting({ runId: "r" })
      yield* Agent.approve("r", waiting?.callId ?? "", "yes")
      const done = yield* Pipeline.resume(guide, "r")
      assert.strictEqual(done.get("answer"), "It is booked.")
      assert.deepStrictEqual(yield* commitsOf("r"), ["^0"])
      const again = yield* Pipeline.resume(guide, "r")
      assert.deepStrictEqual(Session.entries(again.session), Session.entries(done.session))
      assert.deepStrictEqual((yield* Memory.load(done.id)).length, done.length)
    }).pipe(on(calls(["page", "Porto"]), calls(["book", "Porto"]), "It is booked."))
  )

  it.effect("is left with what was asked and stored if it keeps answers", () =>
    Effect.gen(function* () {
      yield* Agent.say(guide, yield* start, "Is Porto warm?", { durable: { id: "r", keep: "answers" } })
      assert.deepStrictEqual(yield* commitsOf("r"), ["/guide^0", "/guide^1", "^0"])
      const run = yield* rowsOf("r")
      const asked = run?.calls.filter(({ kind }) => kind === "complete")
      assert.isTrue(asked?.every(({ hash, parts }) => hash !== "" && Object.keys(parts).length > 0))
      const again = yield* Pipeline.rerun(guide, "r")
      assert.deepStrictEqual([again.reused, again.made], [2, 0])
    }).pipe(on(calls(["page", "Porto"]), "It is."))
  )

  it.effect("has no hashes of what was asked once a step is stored, while the run goes on", () => {
    const trip = Pipeline.sequence("trip", [guide, Step.make("stop", { run: Effect.fail("stopped") })])
    return Effect.gen(function* () {
      const thought = yield* Thought.make("trip", { message: "Is Porto warm?" })
      yield* Effect.exit(Pipeline.run(trip, thought, { durable: { id: "r" } }))
      const run = yield* rowsOf("r")
      const made = run?.calls.filter(({ kind }) => kind === "complete" || kind === "effect") ?? []
      assert.deepStrictEqual(
        made.filter(({ frame }) => frame.startsWith("/trip/guide")).map(({ hash, parts }) => [hash, parts]),
        [
          ["-", {}],
          ["-", {}],
          ["-", {}]
        ]
      )
      assert.isTrue((yield* commitsOf("r"))?.includes("/trip/guide^0"))
    }).pipe(on(calls(["page", "Porto"]), "It is."))
  })

  it.effect("has the verdicts that do not follow from the annotations of a tool", () =>
    Effect.gen(function* () {
      yield* Effect.flip(Agent.say(guide, yield* start, "Book Porto.", { durable: { id: "r" } }))
      const verdictsOf = (runId: string) =>
        Effect.map(rowsOf(runId), (run) =>
          run?.calls.flatMap(({ frame, kind, response }) => (kind === "decision" ? [[frame, response]] : []))
        )
      assert.deepStrictEqual(yield* verdictsOf("r"), [
        ["/guide/policy judged", `"allow"`],
        ["/guide/policy book", `"ask"`]
      ])
      const ruled = Agent.make("ruled", { ...options, policy: () => "allow" })
      yield* Effect.exit(Agent.say(ruled, yield* start, "Show Ulm.", { durable: { id: "s", keep: "answers" } }))
      assert.deepStrictEqual(yield* verdictsOf("s"), [["/ruled/policy page", `"allow"`]])
    }).pipe(on(calls(["page", "Porto"], ["judged", "Porto"], ["book", "Porto"]), calls(["page"]), "Here it is."))
  )
})
