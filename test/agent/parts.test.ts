import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Schema } from "effect"
import { Tool } from "effect/ai"
import { Note, Pipeline, Primitive, Thought } from "cogito"
import { Agent } from "cogito/agent"
import { Testing } from "cogito/testing"
import { cutTo } from "../../src/agent/calls/conversation.ts"
import { type Changes, type Content, merged } from "../../src/agent/documents/fields.ts"
import { effortOf } from "../../src/agent/model/effort.ts"
import { keyOf } from "../../src/agent/model/keys.ts"
import { toolOf } from "../../src/agent/model/tools.ts"
import { verdictOf } from "../../src/agent/model/verdict.ts"
import { estimateTokens } from "../../src/thought/tokens.ts"
import { calls, guide, on, start, toolkit } from "./kit.ts"

const Known = Schema.Struct({
  style: Schema.String,
  goals: Schema.Array(Schema.String),
  projects: Schema.Record(Schema.String, Schema.String)
})

describe("a document", () => {
  it("accepts only whole limits from 1, for fields that it has", () => {
    const made = (limits: object) => () => Agent.document("known", Known, { of: "user", limits })
    assert.throws(made({ goals: 0 }), /limits\.goals/)
    assert.throws(made({ goals: 1.5 }), /limits\.goals/)
    assert.throws(made({ toString: 3 }), `The document "known" has no field "toString", for which a limit is set.`)
    assert.throws(made({ gaols: 3 }), `The document "known" has no field "gaols", for which a limit is set.`)
    assert.deepStrictEqual(
      made({ goals: 1, projects: 5 })().fields.map(({ kind, most, name }) => [name, kind, most]),
      [
        ["style", "text", 20],
        ["goals", "list", 1],
        ["projects", "record", 5]
      ]
    )
  })

  it("has the documented default limits for a user and a task", () => {
    const most = ({ fields }: typeof Agent.Profile | typeof Agent.Workspace) =>
      Object.fromEntries(fields.map((field) => [field.name, field.most]))
    assert.deepInclude(most(Agent.Profile), { preferences: 20, goals: 10, expertise: 15, projects: 10 })
    assert.deepInclude(most(Agent.Workspace), { actions: 15, facts: 20, insights: 10 })
  })

  it("has its id in its trace id, or a hash if the id is long", () => {
    const traceId = (key: string, length: number) =>
      Agent.document(key, Known, { of: "user" }).traceId("x".repeat(length))
    assert.strictEqual(traceId("known", 234), `known:${"x".repeat(234)}`)
    for (const [key, length] of [
      ["known", 235],
      ["k".repeat(100), 140],
      ["k".repeat(100), 1_000]
    ] as const) {
      assert.match(traceId(key, length), new RegExp(`^${key}:#[0-9a-zA-Z_-]{16,40}$`), `${length}`)
    }
    assert.strictEqual(traceId("k".repeat(100), 139), `${"k".repeat(100)}:${"x".repeat(139)}`)
  })

  const { fields } = Agent.document("known", Known, { of: "user", limits: { goals: 2, projects: 2 } })
  const before = { style: "brief", goals: ["a", "b"], projects: { one: "begun", two: "done" } }
  const rows: ReadonlyArray<readonly [string, changes: Changes, content: Content]> = [
    ["nothing", {}, before],
    ["null for each field", { style: null, goals: null, projects: null }, before],
    ["another text", { style: " long " }, { ...before, style: "long" }],
    ["an empty text", { style: "" }, { goals: before.goals, projects: before.projects }],
    ["an item", { goals: { add: ["c"], outdated: [] } }, { ...before, goals: ["b", "c"] }],
    ["an item again", { goals: { add: ["A "], outdated: [] } }, { ...before, goals: ["b", "A"] }],
    ["an outdated item", { goals: { add: [" "], outdated: ["B"] } }, { ...before, goals: ["a"] }],
    [
      "an entry",
      { projects: { set: [{ name: "three", value: "new" }], outdated: [] } },
      { ...before, projects: { two: "done", three: "new" } }
    ],
    [
      "an entry with an empty value or name",
      {
        projects: {
          set: [
            { name: "One", value: " " },
            { name: " ", value: "x" }
          ],
          outdated: []
        }
      },
      { ...before, projects: { two: "done" } }
    ],
    [
      "outdated entries",
      { projects: { set: [], outdated: ["TWO", "one"] } },
      { style: before.style, goals: before.goals }
    ]
  ]
  it.each(rows)("applies the changes that a model writes: %s", (_, changes, content) => {
    assert.deepStrictEqual(merged(fields, { content: before, order: {} }, changes).content, content)
  })
})

describe("the effort of a round", () => {
  const of = (effort: Agent.Effort, mode: "fast" | "deep" | undefined, round: number, failures = 0) =>
    effortOf(effort, mode, { round, failures }).effort
  it("is the one that is set, or increases after more rounds or a failure", () => {
    assert.deepStrictEqual(
      (["fast", "deep"] as const).map((effort) => [of(effort, "deep", 9, 1), of(effort, "fast", 1)]),
      [
        ["low", "low"],
        ["high", "high"]
      ]
    )
    assert.deepStrictEqual(
      [1, 3, 4].map((round) => [of("adapt", undefined, round), of("adapt", "fast", round), of("adapt", "deep", round)]),
      [
        [undefined, "low", "high"],
        [undefined, "low", "high"],
        ["high", "high", "high"]
      ]
    )
    assert.deepStrictEqual([of("adapt", undefined, 2, 1), of("adapt", "fast", 2, 1)], ["high", "high"])
  })
})

describe("a tool", () => {
  const empty = Tool.make("empty", { description: "Does it", success: Schema.String })

  it("is sent under the name that its toolkit gives it, even if another toolkit uses another name", () => {
    const sent = (name: string) => toolOf(name, empty).name
    assert.deepStrictEqual([sent("one"), sent("two"), sent("one")], ["one", "two", "one"])
  })

  it("is sent with an object schema, even without parameters", () => {
    const bare = Tool.make("bare", { parameters: Schema.Struct({}), success: Schema.String })
    assert.deepStrictEqual(
      [toolOf("empty", empty), toolOf("bare", bare)],
      [
        { name: "empty", description: "Does it", parameters: { type: "object", additionalProperties: false } },
        {
          name: "bare",
          description: "",
          parameters: { type: "object", properties: {}, additionalProperties: false }
        }
      ]
    )
    assert.deepInclude(toolOf("weather", toolkit.tools.weather).parameters, { type: "object", required: ["city"] })
  })

  it("has its own key for its calls only if the agent has the tool", () => {
    const key = (name: string) => keyOf({ name: "guide", toolkit: toolkit as any }, { name })
    assert.deepStrictEqual(["weather", "answer", "toString", "other"].map(key), [
      "guide.weather",
      "guide.answer",
      "guide.unknown",
      "guide.unknown"
    ])
  })

  it.effect("needs approval depending on its annotations and on whether the model has seen a result", () =>
    Effect.gen(function* () {
      const annotations = { Readonly: Tool.Readonly, Destructive: Tool.Destructive }
      const tool = (needsApproval: any, ...flags: ReadonlyArray<"Readonly" | "Destructive">) =>
        flags.reduce<any>(
          (made, flag) => made.annotate(annotations[flag], true),
          Tool.make("act", { success: Schema.String, needsApproval })
        )
      const verdicts = (one: Tool.Any) =>
        Effect.forEach([false, true], (seen) => verdictOf(one, { id: "c", params: {} }, () => [], seen))
      for (const [one, unseen, seen] of [
        [tool(false), "allow", "ask"],
        [tool(false, "Readonly"), "allow", "allow"],
        [tool(true, "Readonly"), "ask", "ask"],
        [tool(true), "ask", "ask"],
        [tool(false, "Destructive"), "ask", "ask"],
        [tool(false, "Readonly", "Destructive"), "ask", "ask"],
        [tool(() => true, "Readonly"), "ask", "ask"],
        [tool(() => Effect.succeed(false)), "allow", "ask"]
      ] as const) {
        assert.deepStrictEqual(yield* verdicts(one), [unseen, seen])
      }
    })
  )

  it("has its results cut if they have more tokens than the limit", () => {
    for (const text of [
      "A plain sentence of words, and another one. ".repeat(8),
      "日本語のテキスト".repeat(20),
      "x1".repeat(90)
    ]) {
      const size = estimateTokens(text)
      assert.strictEqual(cutTo(text, size), text)
      const short = cutTo(text, size - 1)
      const [, left = "0"] = /\n\[… (\d+) characters were left out …\]\n/.exec(short) ?? []
      assert.isAbove(Number(left), 0)
    }
  })
})

describe("a round", () => {
  const durable = { durable: true } as const
  const last = (model: Testing.Scripted, i: number) => model.requests[i]

  it.effect("uses the sampling of the agent, overridden by what prepare sets for the round", () =>
    Effect.gen(function* () {
      const model = Testing.scripted(["Yes."])
      const agent = Agent.make("guide", {
        instructions: "You plan trips.",
        triage: false,
        toolkit,
        sampling: { temperature: 0.1, maxTokens: 50, effort: "low" },
        prepare: () => ({ sampling: { temperature: 0.9, effort: "medium" } })
      })
      yield* on(model)(Effect.flatMap(start, (thought) => Pipeline.run(agent, thought, durable)))
      assert.deepInclude(last(model, 0)?.wish, { temperature: 0.9, maxTokens: 50, effort: "medium" })
    })
  )

  it.effect("fails if prepare names a tool that the agent lacks, even the name of a method of all objects", () =>
    Effect.gen(function* () {
      for (const name of ["toString", "constructor", "other"]) {
        const agent = Agent.make("guide", {
          instructions: "You plan trips.",
          triage: false,
          toolkit,
          // a name that the types reject
          prepare: () => ({ tools: [name as "weather"] })
        })
        const exit = yield* on(Testing.scripted(["Yes."]))(
          Effect.exit(Effect.flatMap(start, (thought) => Pipeline.run(agent, thought, durable)))
        )
        const message = `The agent "guide" has no tool "${name}", which \`prepare\` names.`
        assert.include(Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "", message)
      }
    })
  )

  it.effect("fails if prepare gives anything else than its fields, which would lift what it restricts", () =>
    Effect.gen(function* () {
      const wrong: Readonly<Record<string, readonly [given: unknown, message: string]>> = {
        "a promise": [Promise.resolve({ tools: [] }), "must give an object, or an effect of one, but gave a promise."],
        nothing: [undefined, "must give an object, or an effect of one, but gave nothing."],
        "a typo": [{ tool: ["weather"] }, 'has no option "tool". Did you mean "tools"?'],
        "one name": [{ tools: "weather" }, "must give an array of names as tools, but gave a string."],
        "another choice": [
          { toolChoice: "never" },
          'must give "auto", "none", "required" or { tool } as toolChoice, not "never".'
        ],
        "no choice": [
          { toolChoice: null },
          'must give "auto", "none", "required" or { tool } as toolChoice, not null.'
        ],
        "a choice without a tool": [
          { toolChoice: {} },
          'must give "auto", "none", "required" or { tool } as toolChoice, not object.'
        ],
        "the choice of a tool that is not among those of the round": [
          { tools: ["weather"], toolChoice: { tool: "book" } },
          'demands the tool "book", which is not among its tools.'
        ],
        "the choice of a tool that it lacks": [
          { toolChoice: { tool: "other" } },
          'The agent "guide" has no tool "other", which `prepare` names.'
        ],
        "no number": [{ sampling: { temperature: Number.NaN } }, "needs a finite number from 0 as sampling.temperature"]
      }
      for (const [name, [given, message]] of Object.entries(wrong)) {
        const agent = Agent.make("guide", {
          instructions: "You plan trips.",
          triage: false,
          toolkit,
          // values that the types reject
          prepare: () => given as {}
        })
        const model = Testing.scripted(["Yes."])
        const exit = yield* on(model)(
          Effect.exit(Effect.flatMap(start, (thought) => Pipeline.run(agent, thought, durable)))
        )
        assert.include(Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "", message, name)
        assert.strictEqual(model.requests.length, 0)
      }
    })
  )

  it.effect("carries out no call of another tool than the one that prepare demands", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([calls(["weather"]), "Yes."])
      const agent = Agent.make("guide", {
        instructions: "You plan trips.",
        triage: false,
        toolkit,
        prepare: (round) => (round === 1 ? { toolChoice: { tool: "book" } } : {})
      })
      const done = yield* on(model)(Effect.flatMap(start, (thought) => Pipeline.run(agent, thought, durable)))
      assert.deepStrictEqual(last(model, 0)?.toolChoice, { tool: "book" })
      const results = Thought.history(done, "guide.weather").map(({ content }) => content)
      assert.strictEqual(results[1], 'There is no tool "weather". There are: book.')
    })
  )

  it.effect("has the task, even if an earlier step has already shown the message", () =>
    Effect.gen(function* () {
      const message = Note.handle("message", Schema.String)
      const first = Primitive.decide("warm", { question: Note.prompt`Is this about weather: ${message}?` })
      const model = Testing.scripted([
        { decision: true, confidence: 1, reasoning: ["So."] },
        calls(["weather"]),
        "Yes."
      ])
      yield* on(model)(
        Effect.flatMap(start, (thought) => Pipeline.run(Pipeline.sequence("all", [first, guide]), thought, durable))
      )
      const tasks = model.requests
        .slice(1)
        .map(
          ({ messages }) =>
            messages.filter(({ role, text }) => role === "user" && text.includes('Do what the note "message" asks.'))
              .length
        )
      assert.deepStrictEqual(tasks, [1, 1])
    })
  )

  it.effect("requires the structured answer in the last round, and after a round that answered with text", () =>
    Effect.gen(function* () {
      const agent = Agent.make("guide", {
        instructions: "You plan trips.",
        triage: false,
        toolkit,
        output: Schema.Struct({ warm: Schema.Boolean }),
        limits: { rounds: 4 }
      })
      const answer = Testing.calls([{ name: "answer", params: { warm: true } }])
      const model = Testing.scripted(["It is warm.", calls(["weather"]), calls(["weather"]), answer])
      const done = yield* on(model)(Effect.flatMap(start, (thought) => Pipeline.run(agent, thought, durable)))
      assert.deepStrictEqual(done.get("answer"), { warm: true })
      const demand = { tool: "answer" }
      assert.deepStrictEqual(
        model.requests.map(({ toolChoice }) => toolChoice),
        [undefined, demand, undefined, demand]
      )
    })
  )
})
