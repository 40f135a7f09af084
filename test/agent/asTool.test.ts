import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Schema, Stream } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { Memory, Note, Pipeline, Primitive, Step, Thought } from "cogito"
import { Agent } from "cogito/agent"
import { Testing } from "cogito/testing"
import { calls, Done, on, toolkit } from "./kit.ts"

const inner = Agent.make("scout", { instructions: "You look around.", toolkit, triage: false })
const scout = Agent.asTool("scout", inner, {
  description: "Looks around",
  parameters: Schema.Struct({ message: Schema.String })
})
const outerKit = Toolkit.make(scout.tool)
const outer = Agent.make("lead", { instructions: "You lead.", toolkit: outerKit, triage: false })
const sends = (message: string) => ({ name: "scout", params: { message } })
const durable = { durable: { id: "run" } } as const

describe("a step as a tool", () => {
  it.effect("runs on a thought of its own, and its answer is the result", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([Testing.calls([sends("Ulm?")]), calls(["weather"]), "Cold.", "It is cold there."])
      const done = new Done()
      yield* on(
        model,
        done
      )(
        Effect.gen(function* () {
          const thought = yield* Agent.say(outer, yield* Thought.make("trip"), "Is Ulm warm?", durable)
          assert.strictEqual(thought.get("answer"), "It is cold there.")
          assert.deepStrictEqual(
            Thought.history(thought, "lead.scout").map(({ content }) => content),
            [`{"message":"Ulm?"}`, "Cold."]
          )
          const [child] = yield* Memory.children(thought)
          const own = yield* Memory.load(child?.id ?? "")
          assert.strictEqual(own.note("message")?.content, "Ulm?")
          assert.strictEqual(own.note("answer")?.content, "Cold.")
          const result = Thought.history(thought, "lead.scout").at(-1)
          assert.isTrue(result?.derivedFrom?.includes(own.note("answer")?.id ?? ""))
          // what is removed of the question is removed of all that came of it
          yield* Memory.redact(thought.note("message") ?? "")
          const after = yield* Memory.load(child?.id ?? "")
          assert.isUndefined(after.note("answer"))
          const kept = Thought.history(yield* Memory.load(thought.id), "lead.scout")
          assert.deepStrictEqual(kept, [])
        }).pipe(Effect.provide(scout.layer))
      )
      assert.deepStrictEqual(done.all, ["weather Ulm"])
      const [, asked] = model.requests
      assert.match(asked?.messages[0]?.text ?? "", /^You look around\./)
      assert.notInclude(JSON.stringify(asked?.messages), "Is Ulm warm?")
    })
  )

  it.effect("makes the run wait while somebody is asked within it, and repeats nothing", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([
        Testing.calls([sends("Book Ulm"), sends("Look at Rom")]),
        calls(["book"]),
        calls(["weather", "Rom"]),
        "Warm.",
        "Booked.",
        "All done."
      ])
      const done = new Done()
      yield* on(
        model,
        done
      )(
        Effect.gen(function* () {
          // one after the other, as the script has it
          const lead = Agent.make("lead", {
            instructions: "You lead.",
            toolkit: outerKit,
            triage: false,
            limits: { parallel: 1 }
          })
          const suspended = yield* Effect.flip(Agent.say(lead, yield* Thought.make("trip"), "Go", durable))
          assert.ok(suspended._tag === "Suspended")
          const [pending, ...others] = yield* Agent.waiting({ runId: "run" })
          assert.deepStrictEqual(others, [])
          assert.deepInclude(pending, { name: "book", params: { city: "Ulm" } })
          yield* Agent.approve("run", pending?.callId ?? "", "yes")
          const thought = yield* Pipeline.resume(lead, "run")
          assert.strictEqual(thought.get("answer"), "All done.")
          assert.deepStrictEqual(
            Thought.history(thought, "lead.scout")
              .slice(2)
              .map(({ content }) => content),
            ["Booked.", "Warm."]
          )
        }).pipe(Effect.provide(scout.layer))
      )
      assert.deepStrictEqual(done.all, ["weather Rom", "book Ulm"])
      assert.strictEqual(model.requests.length, 6)
    })
  )

  it.effect("is as careful as the conversation that calls it", () =>
    Effect.gen(function* () {
      const kit = Toolkit.make(...Object.values(toolkit.tools), scout.tool)
      const agent = Agent.make("lead", { instructions: "You lead.", toolkit: kit, triage: false })
      const model = Testing.scripted([
        calls(["page"]),
        Testing.calls([sends("note all")]),
        calls(["note"]),
        "Noted.",
        "Ok."
      ])
      const done = new Done()
      yield* on(
        model,
        done
      )(
        Effect.gen(function* () {
          const suspended = yield* Effect.flip(Agent.say(agent, yield* Thought.make("trip"), "Read Ulm", durable))
          assert.ok(suspended._tag === "Suspended")
          assert.match(suspended.waits[0]?.prompt ?? "", /May the agent «scout» call note/)
        }).pipe(Effect.provide(scout.layer))
      )
      assert.deepStrictEqual(done.all, ["page Ulm"])
    })
  )

  it.effect("can be a pipeline, whose failure the model sees", () =>
    Effect.gen(function* () {
      const rate = Primitive.decide("rate", { question: "Is it good?" })
      const check = Step.make("check", {
        run: (thought: Thought.Thought<{ readonly text: string }>) =>
          thought.get("text") === "" ? Effect.fail("There is no text.") : Effect.void
      })
      const rating = Agent.asTool("rating", Pipeline.sequence("rating", [check, rate]), {
        description: "Rates a text",
        parameters: Schema.Struct({ text: Schema.String }),
        answer: rate
      })
      const kit = Toolkit.make(rating.tool)
      const call = (text: string) => ({ name: "rating", params: { text } })
      const agent = Agent.make("critic", {
        instructions: "You rate.",
        toolkit: kit,
        triage: false,
        policy: () => "allow" as const
      })
      const model = Testing.scripted([
        Testing.calls([call("a poem")]),
        { decision: true, confidence: 0.9, reasoning: ["so"] },
        Testing.calls([call("")]),
        "Good."
      ])
      const all = yield* on(model)(
        Effect.flatMap(Thought.make("texts"), (thought) =>
          Stream.runCollect(Agent.stream(agent, thought, "Rate it", durable))
        ).pipe(Effect.provide(rating.layer))
      )
      const returned = all.flatMap((event) => (event._tag === "Returned" ? [event.result.decision] : []))
      const failures = all.flatMap((event) => (event._tag === "Failed" ? [event.failure] : []))
      assert.deepStrictEqual([returned, failures], [[true], ["There is no text."]])
    })
  )

  it.effect("works outside of agents too", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([calls(["weather"]), "Cold."])
      const result = yield* on(model)(
        Effect.gen(function* () {
          const { handle } = yield* outerKit
          return yield* Stream.runCollect(yield* handle("scout", { message: "Ulm?" }))
        }).pipe(Effect.provide(scout.layer))
      )
      assert.strictEqual(result.at(-1)?.result, "Cold.")
    })
  )

  it.effect("ends the run before its first call where what the inner tools do could be discarded", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([Testing.calls([sends("note all")])])
      const exit = yield* on(model)(
        Effect.flatMap(Thought.make("trip", { message: "Go" }), (thought) =>
          Effect.exit(Pipeline.run(Step.retry(outer, { times: 1 }), thought, durable))
        ).pipe(Effect.provide(scout.layer))
      )
      assert.match(String(exit), /The agent "lead" has tools that change something/)
      assert.strictEqual(model.requests.length, 0)
    })
  )

  it.effect("ends it also if only an agent further within has such tools", () =>
    Effect.gen(function* () {
      const chief = Agent.asTool("chief", outer, {
        description: "Leads",
        parameters: Schema.Struct({ message: Schema.String })
      })
      const top = Agent.make("top", { instructions: "You rule.", toolkit: Toolkit.make(chief.tool), triage: false })
      const model = Testing.scripted([Testing.calls([{ name: "chief", params: { message: "Go" } }])])
      const exit = yield* on(model)(
        Effect.flatMap(Thought.make("trip", { message: "Go" }), (thought) =>
          Effect.exit(Pipeline.run(Step.retry(top, { times: 1 }), thought, durable))
        ).pipe(Effect.provide(Layer.provideMerge(chief.layer, scout.layer)))
      )
      assert.match(String(exit), /The agent "top" has tools that change something/)
      assert.strictEqual(model.requests.length, 0)
    })
  )

  it.effect("is not carried out again after a defect, however often its round is resumed", () =>
    Effect.gen(function* () {
      let paid = 0
      const pay = Step.make("pay", {
        schema: Schema.String,
        run: Effect.suspend(() => {
          paid++
          return Effect.die(new Error("a bug after the payment"))
        })
      })
      const bill = Agent.asTool("bill", pay, { description: "Pays", parameters: Schema.Struct({}) })
      const book = Tool.make("book", { success: Schema.String }).annotate(Tool.Destructive, true)
      const cancel = Tool.make("cancel", { success: Schema.String }).annotate(Tool.Destructive, true)
      const kit = Toolkit.make(bill.tool, book, cancel)
      const clerk = Agent.make("clerk", { instructions: "You pay.", toolkit: kit, triage: false })
      const names = ["bill", "book", "cancel"]
      const model = Testing.scripted([Testing.calls(names.map((name) => ({ name, params: {} }))), "Well."])
      const handlers = Toolkit.make(book, cancel).toLayer({
        book: () => Effect.succeed("booked"),
        cancel: () => Effect.succeed("cancelled")
      })
      yield* Effect.gen(function* () {
        const thought = yield* Thought.make("trip")
        assert.strictEqual((yield* Effect.flip(Agent.say(clerk, thought, "Pay", durable)))._tag, "Suspended")
        const [first, second] = yield* Agent.waiting({ runId: "run" })
        yield* Agent.approve("run", first?.callId ?? "", "yes")
        assert.strictEqual((yield* Effect.flip(Pipeline.resume(clerk, "run")))._tag, "Suspended")
        yield* Agent.approve("run", second?.callId ?? "", "yes")
        assert.strictEqual((yield* Pipeline.resume(clerk, "run")).get("answer"), "Well.")
      }).pipe(
        Effect.provide(Layer.provideMerge(Layer.merge(bill.layer, handlers), Layer.merge(model.layer, Testing.memory)))
      )
      assert.strictEqual(paid, 1)
      assert.deepStrictEqual(
        model.requests[1]?.messages.at(-1)?.results?.map(({ text }) => text),
        ["The tool has failed unexpectedly. It may have done something before.", "booked", "cancelled"]
      )
    })
  )

  it.effect.each([
    ["had a defect", Effect.die(new Error("a bug"))],
    ["has succeeded", Effect.succeed("paid")]
  ] as const)("that %s is not carried out again after a redaction of its call", ([, end]) =>
    Effect.gen(function* () {
      let paid = 0
      const pay = Step.make("pay", {
        schema: Schema.String,
        run: Effect.andThen(
          Effect.sync(() => paid++),
          end
        )
      })
      const bill = Agent.asTool("bill", pay, { description: "Pays", parameters: Schema.Struct({}) })
      const book = Tool.make("book", { success: Schema.String }).annotate(Tool.Destructive, true)
      const clerk = Agent.make("clerk", {
        instructions: "You pay.",
        toolkit: Toolkit.make(bill.tool, book),
        triage: false
      })
      const calls = ["bill", "book"].map((name) => ({ name, params: {} }))
      const model = Testing.scripted([Testing.calls(calls), Testing.calls(calls), "Well."])
      const handlers = Toolkit.make(book).toLayer({ book: () => Effect.succeed("booked") })
      yield* Effect.gen(function* () {
        yield* Effect.flip(Agent.say(clerk, yield* Thought.make("trip"), "Pay", durable))
        const [question] = yield* Agent.waiting({ runId: "run" })
        const thought = yield* Memory.load(question?.thoughtId ?? "")
        yield* Memory.redact(Thought.history(thought, "clerk.bill")[0] as never)
        // a question whose text the redaction has reached is asked again
        for (let exit = yield* Effect.exit(Pipeline.resume(clerk, "run")); Exit.isFailure(exit);) {
          for (const { callId } of yield* Agent.waiting({ runId: "run" })) yield* Agent.approve("run", callId, "yes")
          exit = yield* Effect.exit(Pipeline.resume(clerk, "run"))
        }
      }).pipe(
        Effect.provide(Layer.provideMerge(Layer.merge(bill.layer, handlers), Layer.merge(model.layer, Testing.memory)))
      )
      assert.strictEqual(paid, 1)
      const results = model.requests.at(-1)?.messages.flatMap(({ results = [] }) => results) ?? []
      assert.isNotEmpty(results)
      for (const { text } of results) assert.match(text, /^It was (?:not )?carried out[,:]|^(?:booked|paid)$/)
    })
  )

  it.effect.each([
    ["the same call", "10", ["paid 10"], /^paid 10$/],
    ["another call", "99", ["paid 10"], /only tries/],
    ["another call of a tool that only reads", "99", ["paid 10", "paid 99"], /^paid 99$/],
    ["the same call, which had a defect", "10", ["paid 10"], /^The tool has failed unexpectedly/]
  ] as const)("in a rerun gives %s its result, and changes nothing", ([what, amount, effects, text]) =>
    Effect.gen(function* () {
      const done: Array<string> = []
      const pay = Step.make("pay", {
        schema: Schema.String,
        run: Note.from(Note.handle("amount", Schema.String), (one) => {
          done.push(`paid ${one}`)
          if (what.endsWith("defect")) throw new Error("a bug after the payment")
          return `paid ${one}`
        })
      })
      const made = Agent.asTool("bill", pay, {
        description: "Pays",
        parameters: Schema.Struct({ amount: Schema.String })
      })
      const bill = what.endsWith("reads") ? made.tool.annotate(Tool.Readonly, true) : made.tool
      const clerk = Agent.make("clerk", { instructions: "You pay.", toolkit: Toolkit.make(bill), triage: false })
      const calling = (given: string) => Testing.calls([{ name: "bill", params: { amount: given } }])
      const model = Testing.scripted([calling("10"), "Well.", calling(amount), "Tried."])
      yield* on(model)(
        Effect.gen(function* () {
          yield* Agent.say(clerk, yield* Thought.make("trip"), "Pay", {
            durable: { id: "run", keep: "answers" }
          })
          const again = yield* Pipeline.rerun(clerk, "run", { notes: { message: "Pay again" } })
          assert.strictEqual(again.thought.get("answer"), "Tried.")
        }).pipe(Effect.provide(made.layer))
      )
      assert.deepStrictEqual(done, [...effects])
      assert.match(model.requests.at(-1)?.messages.at(-1)?.results?.[0]?.text ?? "", text)
    })
  )

  it("is refused where its step cannot wait, like the step itself", () => {
    const lead = Agent.make("lead", { instructions: "You lead.", toolkit: outerKit, triage: false })
    assert.throws(() => Step.timeout(lead, "1 second"), /scout/)
  })

  it("throws without a handle of its result", () => {
    const pipeline = Pipeline.sequence("all", [inner])
    assert.throws(
      () =>
        Agent.asTool("all", pipeline as never, {
          description: "All",
          parameters: Schema.Struct({ message: Schema.String })
        }),
      /The tool "all" needs `answer`/
    )
  })
})
