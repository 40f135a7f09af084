import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Schema, SchemaGetter, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Tool, Toolkit } from "effect/ai"
import { Pipeline, Primitive, Provider, Step, Thought } from "cogito"
import { Agent } from "cogito/agent"
import { Testing } from "cogito/testing"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { calls, Done, guide, on, start, toolkit } from "./kit.ts"

const run = (agent: typeof guide = guide) =>
  Effect.flatMap(start, (thought) => Pipeline.run(agent, thought, { durable: { id: "run" } }))
const resume = (agent: typeof guide = guide) => Pipeline.resume(agent, "run")
const answer = (value: object) => Pipeline.answer("run", "guide.approval", value, { by: "jane" })

/** The prompts of the questions that a run ends with. */
const suspendedOn = <A, E, R>(running: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(running), (error): ReadonlyArray<string> => {
    if (!(error instanceof Pipeline.Suspended)) throw new Error(`it did not wait: ${String(error)}`)
    return error.waits.map(({ prompt }) => prompt)
  })

describe("a call that needs an approval", () => {
  it.effect("waits for it, and is carried out once, after the others of its round", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([calls(["book", "Porto"], ["weather"]), "Booked."])
      const done = new Done()
      yield* on(
        model,
        done
      )(
        Effect.gen(function* () {
          const prompts = yield* suspendedOn(run())
          assert.deepStrictEqual(prompts, [`May the agent «guide» call book with «{"city":"Porto"}»?`])
          assert.deepStrictEqual(done.all, ["weather Ulm"])
          yield* answer({ approved: true })
          const thought = yield* resume()
          assert.strictEqual(thought.get("answer"), "Booked.")
          assert.deepStrictEqual(done.all, ["weather Ulm", "book Porto"])
          assert.strictEqual(model.requests.length, 2)
          assert.deepStrictEqual(
            model.requests[1]?.messages.at(-1)?.results?.map(({ text }) => text),
            ["booked", `{"celsius":3}`]
          )
        })
      )
    })
  )

  it.effect("is refused with the reason that was given, or when nobody answers in time", () =>
    Effect.gen(function* () {
      for (const [value, text] of [
        [{ approved: false, reason: "too dear" }, "Not approved: too dear"],
        [{ approved: false }, "Not approved."],
        [{ approved: false, reason: " " }, "Not approved."]
      ] as const) {
        const model = Testing.scripted([calls(["book"]), "Then not."])
        const done = new Done()
        yield* on(model, done)(Effect.andThen(Effect.andThen(suspendedOn(run()), answer(value)), resume()))
        assert.deepStrictEqual(done.all, [])
        assert.deepInclude(model.requests[1]?.messages.at(-1)?.results?.[0], { text, isFailure: true })
      }
    })
  )

  it.effect("is one that changes something, once the model has seen the result of a tool", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([calls(["note", "a"]), calls(["note", "b"]), "Noted."])
      const done = new Done()
      yield* on(
        model,
        done
      )(
        Effect.gen(function* () {
          assert.strictEqual((yield* suspendedOn(run())).length, 1)
          assert.deepStrictEqual(done.all, ["note a"])
          yield* answer({ approved: true })
          yield* resume()
          assert.deepStrictEqual(done.all, ["note a", "note b"])
        })
      )
    })
  )
})

describe("other parameters that a person has approved", () => {
  /** Resumes a call of a trip to Porto after a person has changed it to one to Faro. */
  const changed = <A, E>(
    agent: typeof guide,
    resumed: Effect.Effect<A, E, Effect.Services<ReturnType<typeof resume>>>
  ) =>
    Effect.gen(function* () {
      const model = Testing.scripted([calls(["book", "Porto"]), "Well."])
      const done = new Done()
      const result = yield* on(
        model,
        done
      )(
        Effect.gen(function* () {
          yield* suspendedOn(run(agent))
          yield* answer({ approved: true, params: { city: "Faro" } })
          return yield* resumed
        })
      )
      return { result, done: done.all, shown: model.requests[1]?.messages.at(-1)?.results?.[0]?.text }
    })

  it.effect("are reported as another call before it is carried out", () =>
    Effect.gen(function* () {
      const { done, result } = yield* changed(guide, Stream.runCollect(Agent.resume(guide, "run")))
      const told = result.flatMap((event): ReadonlyArray<readonly [string, unknown]> => {
        if (event._tag === "Called") return [[event._tag, event.params]]
        return event._tag === "Returned" ? [[event._tag, event.result]] : []
      })
      assert.deepStrictEqual(told, [
        ["Called", { city: "Porto" }],
        ["Called", { city: "Faro" }],
        ["Returned", "booked"]
      ])
      assert.deepStrictEqual(done, ["book Faro"])
    })
  )

  it.effect("are judged by the policy in place of those of the model", () =>
    Effect.gen(function* () {
      const agent = Agent.make("guide", {
        instructions: "You plan trips.",
        triage: false,
        toolkit,
        policy: ({ params: { city } }) => (city === "Faro" ? { deny: "too far" } : "ask")
      })
      const { done, shown } = yield* changed(agent, resume(agent))
      assert.deepStrictEqual(done, [])
      assert.match(shown ?? "", /Refused: too far$/)
    })
  )
})

describe("parameters that an approval replaces, with an asynchronous check", () => {
  it.effect("are reported as a failed call if they do not fit", () =>
    Effect.gen(function* () {
      const known = Schema.decode<Schema.String>({
        decode: SchemaGetter.checkEffect((city: string) =>
          Effect.as(
            Effect.promise(() => Promise.resolve()),
            city === "Porto"
          )
        ),
        encode: SchemaGetter.passthrough()
      })
      const book = Tool.make("book", {
        parameters: Schema.Struct({ city: Schema.String.pipe(known) }),
        success: Schema.String
      }).annotate(Tool.Destructive, true)
      const own = Toolkit.make(book)
      const agent = Agent.make("guide", { instructions: "You plan trips.", triage: false, toolkit: own })
      const model = Testing.scripted([calls(["book", "Porto"]), "Well."])
      const events = yield* Effect.gen(function* () {
        yield* suspendedOn(Effect.flatMap(start, (thought) => Pipeline.run(agent, thought, { durable: { id: "run" } })))
        yield* answer({ approved: true, params: { city: "Faro" } })
        return yield* Stream.runCollect(Agent.resume(agent, "run"))
      }).pipe(
        Effect.provide(
          Layer.mergeAll(model.layer, Testing.memory, own.toLayer({ book: () => Effect.succeed("booked") }))
        )
      )
      const [failed, ...more] = events.flatMap((event) => (event._tag === "Failed" ? [event] : []))
      assert.deepStrictEqual(more, [])
      assert.deepInclude(failed, { name: "book" })
      assert.match(failed?.failure ?? "", /^The parameters do not fit the form of "book"/)
      assert.strictEqual(model.requests[1]?.messages.at(-1)?.results?.[0]?.text, failed?.failure)
    })
  )

  const strange: ReadonlyArray<readonly [what: string, parameters: any, params: object, text: string]> = [
    ["nothing", Schema.Struct({}), {}, "{}"],
    [
      "a pattern",
      Schema.Struct({ order: Schema.TemplateLiteral(["o-", Schema.Int]) }),
      { order: "o-7" },
      `{"order":"o-7"}`
    ],
    ["a long number", Schema.Struct({ order: Schema.BigInt }), { order: "7" }, `{"order":"7"}`]
  ]

  it.effect.each(strange)("may have parameters with %s", ([, parameters, params, text]) =>
    Effect.gen(function* () {
      const cancel = Tool.make("cancel", {
        parameters: parameters as Schema.Struct<{}>,
        success: Schema.String
      }).annotate(Tool.Destructive, true)
      const own = Toolkit.make(cancel)
      const agent = Agent.make("guide", { instructions: "You plan trips.", triage: false, toolkit: own })
      const model = Testing.scripted([Testing.calls([{ name: "cancel", params }]), "Cancelled."])
      const cancelled: Array<unknown> = []
      const handlers = own.toLayer({ cancel: (given) => Effect.sync(() => String(cancelled.push(given))) })
      yield* Effect.gen(function* () {
        const asked = yield* suspendedOn(
          Effect.flatMap(start, (thought) => Pipeline.run(agent, thought, { durable: { id: "run" } }))
        )
        assert.deepStrictEqual(asked, [`May the agent «guide» call cancel with «${text}»?`])
        yield* answer({ approved: true })
        assert.strictEqual((yield* Pipeline.resume(agent, "run")).get("answer"), "Cancelled.")
        assert.lengthOf(cancelled, 1)
      }).pipe(Effect.provide(Layer.mergeAll(model.layer, Testing.memory, handlers)))
    })
  )
})

describe("several calls that need approvals", () => {
  it.effect("are carried out so many at a time as others are", () =>
    Effect.gen(function* () {
      const narrow = Agent.make("guide", { instructions: "You plan.", triage: false, toolkit, limits: { parallel: 2 } })
      const model = Testing.scripted([calls(["book", "a"], ["book", "b"], ["book", "c"], ["book", "d"]), "Booked."])
      let now = 0
      let most = 0
      const done = new Done()
      const slow = toolkit.toLayer({
        ...done.handlers,
        book: () =>
          Effect.gen(function* () {
            most = Math.max(most, ++now)
            for (let i = 0; i < 5; i++) yield* Effect.yieldNow
            now--
            return "booked"
          })
      })
      yield* on(model)(
        Effect.gen(function* () {
          yield* suspendedOn(run(narrow))
          for (const { frame } of yield* Pipeline.waiting()) {
            yield* Pipeline.answer("run", frame, { approved: true })
          }
          assert.strictEqual((yield* resume(narrow)).get("answer"), "Booked.")
        }).pipe(Effect.provide(slow))
      )
      assert.strictEqual(most, 2)
    })
  )

  it.effect("are asked for at once, and each is carried out or refused by its own answer", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([calls(["book", "a"], ["book", "b"], ["book", "c"]), "Done."])
      const done = new Done()
      yield* on(
        model,
        done
      )(
        Effect.gen(function* () {
          assert.strictEqual((yield* suspendedOn(run())).length, 3)
          const frames = (yield* Pipeline.waiting()).map(({ frame }) => frame)
          assert.deepStrictEqual(frames, ["/guide/approval book", "/guide/approval book#2", "/guide/approval book#3"])
          yield* Pipeline.answer("run", frames[1]!, { approved: true })
          assert.strictEqual((yield* suspendedOn(resume())).length, 2)
          assert.deepStrictEqual(done.all, [])
          yield* Pipeline.answer("run", frames[0]!, { approved: true })
          yield* Pipeline.answer("run", frames[2]!, { approved: false })
          yield* resume()
        })
      )
      assert.deepStrictEqual(done.all, ["book a", "book b"])
      assert.deepStrictEqual(
        model.requests[1]?.messages.at(-1)?.results?.map(({ text }) => text),
        ["booked", "booked", "Not approved."]
      )
    })
  )
})

describe("a tool that says when it needs approval", () => {
  it.effect("is asked for by its parameters", () =>
    Effect.gen(function* () {
      const wire = Tool.make("wire", {
        parameters: Schema.Struct({ eur: Schema.Finite }),
        success: Schema.String,
        needsApproval: ({ eur }) => Effect.succeed(eur > 5)
      })
      const kit = Toolkit.make(wire)
      const agent = Agent.make("payer", { instructions: "You pay.", triage: false, toolkit: kit })
      const sent: Array<number> = []
      const layer = kit.toLayer({ wire: ({ eur }) => Effect.sync(() => (sent.push(eur), "sent")) })
      const model = Testing.scripted([
        Testing.calls([
          { name: "wire", params: `{"eur":1,"eur":900}` },
          { name: "wire", params: { eur: 1 } }
        ])
      ])
      const prompts = yield* on(model)(
        suspendedOn(
          Effect.provide(
            Effect.flatMap(start, (thought) => Pipeline.run(agent, thought, { durable: { id: "run" } })),
            layer
          )
        )
      )
      assert.deepStrictEqual(sent, [1])
      assert.deepStrictEqual(prompts, [`May the agent «payer» call wire with «{"eur":900}»?`])
    })
  )
})

describe("the question about a call", () => {
  const asked = (parameters: Schema.Codec<any, any>, params: unknown) =>
    Effect.gen(function* () {
      const kit = Toolkit.make(Tool.make("wire", { parameters, success: Schema.String }))
      const agent = Agent.make("payer", { instructions: "You pay.", triage: false, toolkit: kit, policy: () => "ask" })
      const running = Effect.flatMap(start, (thought) => Pipeline.run(agent, thought, { durable: { id: "run" } }))
      const found = suspendedOn(running).pipe(
        Effect.andThen(Pipeline.waiting()),
        Effect.provide(kit.toLayer({ wire: () => Effect.succeed("sent") }))
      )
      const [wait] = yield* on(Testing.scripted([Testing.calls([{ name: "wire", params }])]))(found)
      return wait?.schema as any
    })

  it.effect("has the definitions that the parameters refer to, if they refer to any", () =>
    Effect.gen(function* () {
      const Account = Schema.Struct({ iban: Schema.String }).annotate({ identifier: "Account" })
      const to = { iban: "DE1" }
      const shared = yield* asked(Schema.Struct({ from: Account, to: Account }), { from: to, to })
      const reference: string = shared.properties.params.properties.to.$ref
      const found = reference
        .split("/")
        .slice(1)
        .reduce((within, name) => within?.[name], shared)
      assert.deepInclude(found, { type: "object", properties: { iban: { type: "string" } } })
      assert.notProperty(shared.properties.params, "$defs")
      const plain = yield* asked(Schema.Struct({ eur: Schema.Finite }), { eur: 1 })
      assert.deepInclude(plain.properties.params.properties, { eur: { type: "number" } })
      assert.notProperty(plain, "$defs")
    })
  )
})

describe("a policy", () => {
  it.effect("judges calls by their parameters, once, before their handlers", () =>
    Effect.gen(function* () {
      const judged: Array<string> = []
      const agent = Agent.make("guide", {
        instructions: "You plan trips.",
        triage: false,
        toolkit,
        policy: (call) => {
          judged.push(`${call.name} ${call.params.city}`)
          if (call.name === "book") return call.params.city === "Ulm" ? "allow" : { deny: "too far" }
          return Effect.succeed(call.name === "note" ? "ask" : "allow")
        }
      })
      const model = Testing.scripted([
        calls(["book"], ["book", "Porto"], ["note", "a"], ["weather", { city: 1 }]),
        "Well."
      ])
      const done = new Done()
      yield* on(
        model,
        done
      )(
        Effect.gen(function* () {
          yield* suspendedOn(run(agent))
          yield* answer({ approved: true })
          yield* resume(agent)
        })
      )
      assert.deepStrictEqual(done.all, ["book Ulm", "note a"])
      assert.deepStrictEqual(judged, ["book Ulm", "book Porto", "note a"])
      const texts = model.requests[1]?.messages.at(-1)?.results?.map(({ text }) => text)
      assert.deepStrictEqual(texts?.slice(0, 3), ["booked", "Refused: too far", "noted"])
    })
  )
})

describe("a policy without a verdict", () => {
  const verdicts = { nothing: undefined, "another word": "maybe", "a promise": Promise.resolve("allow") }
  for (const [what, verdict] of Object.entries(verdicts)) {
    it(`is a defect that names the tool, and nothing is carried out: ${what}`, async () => {
      const policy = (() => verdict) as unknown as () => "allow"
      const agent = Agent.make("guide", { instructions: "You plan trips.", triage: false, toolkit, policy })
      const done = new Done()
      const exit = await Effect.runPromiseExit(on(Testing.scripted([calls(["book"])]), done)(run(agent)))
      assert.match(String(exit), /The policy gave no verdict for a call of .*book/)
      assert.deepStrictEqual(done.all, [])
    })
  }
})

describe("an agent that may ask", () => {
  it("waits for a time that it can tell", () => {
    for (const timeout of ["nonsense" as "1 day", Infinity, 0]) {
      assert.throws(
        () => Agent.make("guide", { instructions: "You plan trips.", toolkit, approval: { timeout } }),
        'The agent "guide" needs a finite time above 0, such as "5 seconds", as approval.timeout.'
      )
    }
  })

  it("takes decisions only", () => {
    for (const decision of ["no", {}, null, { no: 1 }]) {
      assert.throws(
        () => Agent.approve("run", "call_1", decision as unknown as "yes"),
        /needs "yes", \{ no: reason \} or \{ params \} as its third argument/
      )
    }
  })

  it("is refused where it may be cut off, and by a run that is not durable", async () => {
    for (const make of [
      () => Step.timeout(guide, "1 second"),
      () => Pipeline.race("first of", [guide]),
      () => Pipeline.contest("best of", [guide], { accept: () => true })
    ]) {
      assert.throws(make, /waits for an answer, which .* does not allow inside it/)
    }
    const exit = await Effect.runPromiseExit(
      on(Testing.scripted([]))(Effect.flatMap(start, (thought) => Pipeline.run(guide, thought)))
    )
    assert.match(String(exit), /its run must be durable/)
  })

  it.effect("asks also after its results were shown anew, in another conversation", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([calls(["page"]), "Read.", calls(["note", "all"])])
      const done = new Done()
      yield* on(
        model,
        done
      )(
        Effect.gen(function* () {
          const first = yield* Agent.say(guide, yield* Thought.make("trip"), "Read the page")
          const fresh = yield* Pipeline.run(Primitive.reset("fresh"), first)
          yield* suspendedOn(Agent.say(guide, fresh, "And now?"))
        })
      )
      assert.deepStrictEqual(done.all, ["page Ulm"])
    })
  )

  it.effect("is refused where what it does may be discarded, before any call", () =>
    Effect.gen(function* () {
      for (const step of [
        Step.retry(guide),
        Step.recover(guide, Step.make("answer", { schema: Schema.String, run: () => "" })),
        Step.enrich(guide),
        Pipeline.fallback("one of", [guide]),
        Pipeline.concurrent("at once", { guide })
      ] as ReadonlyArray<Step.Step<{ readonly message: string }, {}, any, any>>) {
        const model = Testing.scripted([calls(["note"])])
        const running = Effect.flatMap(start, (thought) => Pipeline.run(step, thought, { durable: { id: "run" } }))
        const exit = yield* Effect.exit(on(model)(running as Effect.Effect<unknown, unknown>))
        assert.match(String(exit), /stands inside a connector that may discard what it did/)
        assert.strictEqual(model.requests.length, 0)
      }
    })
  )

  it("may stand anywhere if its tools only read", () => {
    const { weather } = toolkit.tools
    const reader = Agent.make("reader", { instructions: "You read.", triage: false, toolkit: Toolkit.make(weather) })
    assert.strictEqual(Step.timeout(reader, "1 second").name, "timeout(reader)")
  })

  it.effect("is busy with a run that was interrupted, until that is resumed", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([Effect.never, "Booked.", "And so on."])
      yield* on(model)(
        Effect.gen(function* () {
          const before = yield* Thought.make("trip")
          yield* Agent.stream(guide, before, "Book it", { durable: { id: "run" } }).pipe(
            Stream.runDrain,
            Effect.timeoutOption("1 second"),
            Effect.forkChild,
            Effect.tap(() => TestClock.adjust("1 second")),
            Effect.flatMap(Fiber.join)
          )
          assert.deepStrictEqual(
            (yield* Pipeline.runs()).map(({ status }) => status),
            ["interrupted"]
          )
          // it does not end by itself, so trying again does not help
          const busy = yield* Effect.flip(Agent.say(guide, before, "And another one"))
          assert.deepInclude(busy, { _tag: "RunBusy", runId: "run", isOpen: true, isRetryable: false })
          const first = yield* resume()
          assert.strictEqual((yield* Agent.say(guide, first, "Thanks")).get("answer"), "And so on.")
        })
      )
    })
  )

  it.effect("takes one message at a time", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([calls(["book"]), "Booked.", "And so on."])
      yield* on(model)(
        Effect.gen(function* () {
          const before = yield* Thought.make("trip")
          const suspended = yield* Effect.flip(Agent.say(guide, before, "Book it", { durable: { id: "run" } }))
          assert.strictEqual(suspended._tag, "Suspended")
          const busy = yield* Effect.flip(Agent.say(guide, before, "And another one"))
          assert.deepInclude(busy, { _tag: "RunBusy", runId: "run", isRetryable: false })
          assert.match(
            busy.message,
            /^The run "run" is not over: resume it, after answering what Pipeline\.waiting lists of it, or/
          )
          assert.strictEqual(model.requests.length, 1)
          yield* answer({ approved: true })
          const first = yield* resume()
          assert.strictEqual((yield* Agent.say(guide, first, "Thanks")).get("answer"), "And so on.")
        })
      )
    })
  )
})

describe("a rerun", () => {
  it.effect("carries out nothing that changes something", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([
        calls(["note"], ["weather"]),
        "Noted.",
        calls(["note", "b"], ["weather"]),
        "Tried."
      ])
      const done = new Done()
      const again = yield* on(
        model,
        done
      )(
        Effect.gen(function* () {
          const thought = yield* start
          yield* Pipeline.run(guide, thought, { durable: { id: "run", keep: "answers" } })
          return yield* Pipeline.rerun(guide, "run", { from: "guide" })
        })
      )
      assert.strictEqual(again.thought.get("answer"), "Tried.")
      assert.deepStrictEqual(done.all, ["note Ulm", "weather Ulm", "weather Ulm"])
      assert.match(model.requests[3]?.messages.at(-1)?.results?.[0]?.text ?? "", /only tries/)
    })
  )

  it.effect("from a fixture needs no model", () =>
    Effect.gen(function* () {
      const folder = mkdtempSync(join(tmpdir(), "cogito-agent-"))
      const path = join(folder, "fixture.json")
      const model = Testing.scripted([calls(["weather"]), "It is cold."])
      yield* on(model)(
        Effect.gen(function* () {
          const thought = yield* start
          yield* Pipeline.run(guide, thought, { durable: { id: "run", keep: "answers" } })
          yield* Pipeline.toFixture("run", path)
        })
      )
      const replayed = Layer.mergeAll(Provider.replay(path), new Done().layer, Testing.memory)
      const done = yield* Effect.provide(run(), replayed)
      assert.strictEqual(done.get("answer"), "It is cold.")
      rmSync(folder, { recursive: true })
    })
  )
})

describe("a tool that must not be called twice", () => {
  it.effect("is called again neither after a crash nor by a resumed run, and the model learns why", () =>
    Effect.gen(function* () {
      for (const [idempotent, times, text] of [
        [false, 1, /^It is not known whether this was carried out/],
        [true, 2, /^paid$/]
      ] as const) {
        let paid = 0
        const pay = Tool.make("pay", { parameters: Schema.Struct({}), success: Schema.String }).annotate(
          Tool.Idempotent,
          idempotent
        )
        const kit = Toolkit.make(pay)
        const agent = Agent.make("payer", {
          instructions: "You pay.",
          triage: false,
          toolkit: kit,
          policy: () => "allow" as const
        })
        const model = Testing.scripted([Testing.calls([{ name: "pay" }]), "Paid."])
        const handlers = (dies: boolean) =>
          kit.toLayer({
            pay: () =>
              Effect.suspend(() => {
                paid++
                return dies ? Effect.interrupt : Effect.succeed("paid")
              })
          })
        yield* on(model)(
          Effect.gen(function* () {
            const thought = yield* start
            const first = Pipeline.run(agent, thought, { durable: { id: "run" } })
            yield* Effect.exit(Effect.provide(first, handlers(true)))
            yield* Effect.provide(Pipeline.resume(agent, "run"), handlers(false))
          })
        )
        assert.strictEqual(paid, times)
        assert.match(model.requests[1]?.messages.at(-1)?.results?.[0]?.text ?? "", text)
      }
    })
  )
})
