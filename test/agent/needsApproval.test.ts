import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { type Prompt, Tool, Toolkit } from "effect/ai"
import { Memory, Pipeline, Step, Thought } from "cogito"
import { Agent } from "cogito/agent"
import { Testing } from "cogito/testing"

/** Messages in a short form. */
const shortOf = (messages: ReadonlyArray<Prompt.Message>): ReadonlyArray<unknown> =>
  messages.map(({ content, role }) => [
    role,
    typeof content === "string"
      ? content
      : content.map((part) => {
          if (part.type === "text") return part.text
          if (part.type === "tool-call") return [part.name, part.params]
          return part.type === "tool-result" ? [part.name, part.isFailure, part.result] : part.type
        })
  ])

describe("the function `needsApproval` of a tool", () => {
  const seen: Array<ReadonlyArray<Prompt.Message>> = []
  const look = Tool.make("look", {
    parameters: Schema.Struct({ at: Schema.String }),
    success: Schema.Struct({ url: Schema.String }),
    failure: Schema.String
  }).annotate(Tool.Readonly, true)
  const open = Tool.make("open", {
    parameters: Schema.Struct({ url: Schema.String }),
    success: Schema.String,
    needsApproval: ({ url }, { messages }) => {
      seen.push(messages)
      return !JSON.stringify(messages.filter(({ role }) => role !== "assistant")).includes(url)
    }
  }).annotate(Tool.Readonly, true)
  const toolkit = Toolkit.make(look, open)
  const handlers = toolkit.toLayer({
    look: ({ at }) => (at === "nowhere" ? Effect.fail("not there") : Effect.succeed({ url: `found://${at}` })),
    open: ({ url }) => Effect.succeed(`[${url}]`)
  })
  const agent = Agent.make("agent", { instructions: "You look.", triage: false, toolkit })

  it.effect("gets what users wrote, what was called and what came of it, also of earlier runs", () =>
    Effect.gen(function* () {
      seen.length = 0
      const model = Testing.scripted([
        Testing.calls([
          { name: "look", params: { at: "b" } },
          { name: "look", params: { at: "nowhere" } }
        ]),
        "Looked.",
        Testing.calls([{ name: "open", params: { url: "a://1" } }]),
        Testing.calls([{ name: "open", params: { url: "found://b" } }]),
        Testing.calls([{ name: "open", params: { url: "made://up" } }])
      ])
      const program = Effect.gen(function* () {
        const first = yield* Agent.say(agent, yield* Thought.make("look"), "See a://1")
        const error = yield* Effect.flip(Agent.say(agent, first, "Go on", { durable: { id: "run" } }))
        assert.ok(error._tag === "Suspended")
        assert.deepStrictEqual(
          error.waits.map(({ prompt }) => prompt),
          [`May the agent «agent» call open with «{"url":"made://up"}»?`]
        )
      })
      yield* Effect.provide(program, Layer.mergeAll(model.layer, handlers, Testing.memory))
      const before = [
        ["user", ["See a://1"]],
        ["assistant", [["look", { at: "b" }]]],
        ["assistant", [["look", { at: "nowhere" }]]],
        ["tool", [["look", false, { url: "found://b" }]]],
        ["tool", [["look", true, "not there"]]],
        ["user", ["Go on"]]
      ]
      assert.deepStrictEqual(shortOf(seen[0] ?? []), [...before, ["assistant", [["open", { url: "a://1" }]]]])
      assert.deepStrictEqual(shortOf(seen[2] ?? []).slice(before.length), [
        ["assistant", [["open", { url: "a://1" }]]],
        ["tool", [["open", false, "[a://1]"]]],
        ["assistant", [["open", { url: "found://b" }]]],
        ["tool", [["open", false, "[found://b]"]]],
        ["assistant", [["open", { url: "made://up" }]]]
      ])
    })
  )

  it.effect("gets no message of a step as one of a user", () =>
    Effect.gen(function* () {
      seen.length = 0
      const model = Testing.scripted([Testing.calls([{ name: "open", params: { url: "made://up" } }])])
      const rewrite = Step.make("message", { schema: Schema.String, run: () => "See made://up" })
      const program = Effect.gen(function* () {
        const start = yield* Thought.make("look", { message: "Look" })
        const steps = Pipeline.sequence("steps", [rewrite, agent])
        const error = yield* Effect.flip(Pipeline.run(steps, start, { durable: true }))
        assert.ok(error._tag === "Suspended")
        const written = Thought.history(yield* Memory.load(error.thoughtId), "message")
        assert.deepStrictEqual(
          written.map(({ content, source }) => [content, source]),
          [
            ["Look", "user"],
            ["See made://up", "step"]
          ]
        )
      })
      yield* Effect.provide(program, Layer.mergeAll(model.layer, handlers, Testing.memory))
      assert.deepStrictEqual(shortOf(seen[0] ?? [])[0], ["user", ["Look"]])
      assert.strictEqual(seen[0]?.filter(({ role }) => role === "user").length, 1)
    })
  )
})

describe("the annotations of a tool", () => {
  const tool = (name: string, options: { readonly needsApproval?: () => boolean | Effect.Effect<boolean> } = {}) =>
    Tool.make(name, { success: Schema.String, ...options })
  const no = { needsApproval: () => false }
  const look = tool("look").annotate(Tool.Readonly, true)
  const toolkit = Toolkit.make(
    look,
    tool("wipe", no).annotate(Tool.Destructive, true),
    tool("clear", { needsApproval: () => Effect.succeed(false) }).annotate(Tool.Destructive, true),
    tool("odd").annotate(Tool.Readonly, true).annotate(Tool.Destructive, true),
    tool("odder", no).annotate(Tool.Readonly, true).annotate(Tool.Destructive, true),
    tool("note", no),
    tool("open", no).annotate(Tool.Readonly, true),
    tool("careful", { needsApproval: () => Effect.succeed(true) }).annotate(Tool.Readonly, true)
  )
  const handlers = toolkit.toLayer(
    Object.fromEntries(Object.keys(toolkit.tools).map((name) => [name, () => Effect.succeed(name)])) as never
  )
  const agent = Agent.make("agent", { instructions: "You look.", triage: false, toolkit })

  for (const [names, asks] of [
    [["wipe"], true],
    [["clear"], true],
    [["odd"], true],
    [["odder"], true],
    [["careful"], true],
    [["open"], false],
    [["look", "open"], false],
    [["note"], false],
    [["look", "note"], true]
  ] as const) {
    it.effect(`${asks ? "ask" : "do not ask"} before ${names.join(", then ")}, whatever else the tool allows`, () => {
      const model = Testing.scripted([...names.map((name) => Testing.calls([{ name, params: {} }])), "Done."])
      return Effect.gen(function* () {
        const said = yield* Effect.result(Agent.say(agent, yield* Thought.make("look"), "Look"))
        assert.strictEqual(
          said._tag === "Failure" ? said.failure._tag : said.success.get("answer"),
          asks ? "Suspended" : "Done."
        )
      }).pipe(Effect.provide(Layer.mergeAll(model.layer, handlers, Testing.memory)))
    })
  }

  it("say whether the agent may stand where no step can wait", () => {
    const having = (...names: ReadonlyArray<string>) =>
      Toolkit.make(...names.flatMap((name) => Object.values(toolkit.tools).filter((one) => one.name === name)))
    const standing = (kit: Toolkit.Toolkit<any>, policy?: () => Agent.Verdict) => () =>
      Step.timeout(
        Agent.make("agent", {
          instructions: "You look.",
          triage: false,
          toolkit: kit,
          ...(policy === undefined ? {} : { policy })
        }) as Step.Any,
        "1 second"
      )
    for (const name of ["wipe", "clear", "odd", "odder", "note", "careful"]) {
      assert.throws(standing(having("look", name)), /The step "agent" waits for an answer/, name)
    }
    standing(having("look"))()
    standing(Toolkit.empty)()
    // a policy may ask before any call
    assert.throws(
      standing(having("look"), () => "allow"),
      /The step "agent" waits for an answer/
    )
  })
})
