/** The table of scripted replies in docs/testing.md: each reply is one that its question takes, of the kind that the table says. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Note, Pipeline, Primitive, Step, Synapse, Thought } from "cogito"
import { Agent } from "cogito/agent"
import { Testing } from "cogito/testing"

const root = join(import.meta.dirname, "../..")

const page = readFileSync(join(root, "docs/testing.md"), "utf8")

interface Row {
  readonly names: ReadonlyArray<string>
  readonly kind: string
  readonly reply: unknown
}

const cellsOf = (line: string) => Array.from(line.matchAll(/`([^`]+)`/g), ([, text = ""]) => text)

const rows: ReadonlyArray<Row> = page.split("\n").flatMap((line) => {
  const [, asks = "", kind = "", reply = ""] = line.split(/\s\|\s|^\|\s/)
  const [json] = cellsOf(reply)
  const [named] = cellsOf(kind)
  if (named === undefined || json === undefined || !/^["{[]/.test(json)) return []
  const names = cellsOf(asks)
  return [{ names: names.length === 0 ? [asks.trim()] : names, kind: named, reply: JSON.parse(json) as unknown }]
})

const agent = { instructions: "You plan trips.", toolkit: Toolkit.empty }
const yes = Step.make("then", { run: () => Effect.void })
const text = Note.handle("message", Schema.String)

const steps: Readonly<Record<string, Step.Any>> = {
  decide: Primitive.decide("x", { question: "Is it urgent?" }),
  sift: Primitive.sift("x", { question: "Is it urgent?", step: yes }),
  analyze: Primitive.analyze("x", { schema: Schema.Struct({ order: Schema.Finite }), prompt: "Extract the order" }),
  categorize: Primitive.categorize("x", {
    question: "What is it?",
    categories: { billing: "money", other: "the rest" }
  }),
  discern: Primitive.discern("x", {
    question: "Who answers?",
    routes: { billing: { when: "money", step: yes }, other: { when: "the rest", step: yes } }
  }),
  assess: Primitive.assess("x", { question: "How does the customer feel?" }),
  prioritize: Primitive.prioritize("x", { criteria: "urgency", items: ["refund the charge", "send the newsletter"] }),
  seek: Primitive.seek("x", { query: "a refund", summarize: true }),
  reflect: Primitive.reflect("x"),
  amplify: Primitive.amplify("x", { source: text, refine: "Say it shortly", criteria: "It is short", rounds: 1 }),
  converge: Primitive.converge("x", {
    branches: {
      pro: Step.make("pro", { schema: Schema.String, run: () => "It is short." }),
      con: Step.make("con", { schema: Schema.String, run: () => "It has no date." })
    },
    prompt: "What comes first?"
  }),
  "an agent": Agent.make("x", { ...agent, triage: false }),
  "the triage of an agent": Agent.make("x", agent)
}

const synapses: Readonly<Record<string, () => Effect.Effect<unknown, unknown, any>>> = {
  "Synapse.binary": () => Synapse.binary({ question: "Is it urgent?" })("Hurry!"),
  "Synapse.classification": () =>
    Synapse.classification({ question: "What is it?", categories: { billing: "money", other: "the rest" } })("Pay me."),
  "Synapse.ranking": () => Synapse.ranking({ criteria: "urgency" })(["send the newsletter", "refund the charge"]),
  "Synapse.sentiment": () => Synapse.sentiment({ question: "How does the customer feel?" })("I am angry."),
  "Synapse.extract": () => Synapse.extract(Schema.Struct({ order: Schema.Finite }), { prompt: "Extract" })("Order 17"),
  "Synapse.convert": () =>
    Synapse.convert(Schema.Struct({ text: Schema.String }), Schema.Struct({ order: Schema.Finite }), {
      prompt: "Convert"
    })({ text: "Order 17" }),
  "Synapse.transform": () => Synapse.transform({ prompt: "Say it shortly" })("I would like my money back."),
  "Synapse.analyze": () => Synapse.analyze(Schema.String, { prompt: "Say what is unusual" })("It was not paid.")
}

describe("the replies of a scripted provider in the documentation", () => {
  it("are those of every primitive and synapse that asks a model", () => {
    const named = rows.flatMap(({ names }) => names)
    assert.includeMembers(named, [...Object.keys(steps), ...Object.keys(synapses)])
    assert.strictEqual(new Set(named).size, named.length)
  })

  for (const { kind, names, reply } of rows) {
    for (const name of names) {
      it.effect(`fit what ${name} asks`, () => {
        const model = Array.isArray(reply)
          ? Testing.scripted(reply as ReadonlyArray<Testing.Reply>)
          : Testing.scripted(() => reply as Testing.Reply)
        return Effect.gen(function* () {
          const earlier = yield* Thought.make("earlier", { message: "I want a refund." })
          yield* Pipeline.run(Pipeline.sequence("keep", []), earlier)
          const step = steps[name]
          if (step !== undefined) yield* Pipeline.run(step, yield* Thought.make("now", { message: "I want a refund." }))
          const synapse = synapses[name]
          if (synapse !== undefined) yield* synapse()
          const kinds = new Set(model.requests.map(({ task }) => task.kind))
          assert.deepStrictEqual([...kinds], [kind])
          assert.lengthOf(model.requests, Array.isArray(reply) ? reply.length : 1)
        }).pipe(Effect.provide(Layer.merge(model.layer, Testing.memory))) as Effect.Effect<void, unknown>
      })
    }
  }
})
