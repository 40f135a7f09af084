import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Schema, Stream } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { Pipeline, Thought } from "cogito"
import { Agent } from "cogito/agent"
import { Testing } from "cogito/testing"
import { calls, Done, guide, on } from "./kit.ts"

/** An event without what another run has otherwise. */
const plain = (event: { readonly _tag: string; readonly answer?: unknown; readonly round?: number }): unknown => {
  if (event._tag === "Done") return event.answer
  if (event._tag === "Round") return `round ${event.round}`
  return event
}

const durable = { durable: { id: "run" } } as const

describe("the events of an agent", () => {
  it.effect("tell what the model writes and what becomes of its calls, in order", () =>
    Effect.gen(function* () {
      const model = Testing.scripted(
        [
          Testing.calls(
            [
              { name: "weather", params: { city: "Ulm" } },
              { name: "lost", params: { city: "Rom" } }
            ],
            {
              text: "Let me look."
            }
          ),
          calls(["nowhere"], ["weather", { town: "Ulm" }]),
          "It is cold."
        ],
        { pieceLength: 6 }
      )
      const events = yield* on(model)(
        Effect.flatMap(Thought.make("trip"), (thought) =>
          Stream.runCollect(Agent.stream(guide, thought, "Is Ulm warm?", durable))
        )
      )
      const texts = events.flatMap((event) => (event._tag === "Text" ? [`${event.round} ${event.delta}`] : []))
      assert.deepStrictEqual(texts, ["1 Let me", "1  look.", "3 It is ", "3 cold."])
      const written = events.flatMap((event) =>
        event._tag === "CallDelta" && event.id === "call_1" ? [event.delta] : []
      )
      assert.strictEqual(written.join(""), `{"city":"Ulm"}`)
      const others = events.filter(({ _tag }) => !["Text", "CallDelta", "CallStarted"].includes(_tag)).map(plain)
      assert.deepStrictEqual(others, [
        "round 1",
        { _tag: "Called", id: "call_1", name: "weather", params: { city: "Ulm" } },
        { _tag: "Called", id: "call_2", name: "lost", params: { city: "Rom" } },
        { _tag: "Returned", id: "call_1", name: "weather", result: { celsius: 3 } },
        { _tag: "Failed", id: "call_2", name: "lost", failure: "Rom is not there" },
        "round 2",
        {
          _tag: "Failed",
          id: "call_3",
          name: "nowhere",
          failure: `There is no tool "nowhere". There are: weather, page, lost, returned, note, book.`
        },
        {
          _tag: "Failed",
          id: "call_4",
          name: "weather",
          failure: `The parameters do not fit the form of "weather": Missing key\n  at ["city"]`
        },
        "round 3",
        "It is cold."
      ])
      const started = events.flatMap((event) => (event._tag === "CallStarted" ? [`${event.id} ${event.name}`] : []))
      assert.deepStrictEqual(started, ["call_1 weather", "call_2 lost", "call_3 nowhere", "call_4 weather"])
    })
  )

  it.effect("tell what each round has used and cost, and which text is no answer", () =>
    Effect.gen(function* () {
      const usage = { inputTokens: 100, outputTokens: 10 }
      const agent = Agent.make("guide", {
        instructions: "You plan trips.",
        triage: false,
        toolkit: guide.toolkit,
        output: Schema.Struct({ city: Schema.String })
      })
      const script = () => ["Porto, I think.", Testing.calls([{ name: "answer", params: { city: "Porto" } }])]
      const prices = { input: 10, output: 100, asOf: "2026-11-01" }
      for (const [capabilities, usd] of [
        [{ prices }, 0.002],
        [{}, 0]
      ] as const) {
        const events = yield* on(Testing.scripted(script(), { usage, capabilities }))(
          Effect.flatMap(Thought.make("trip"), (thought) =>
            Stream.runCollect(Agent.stream(agent, thought, "Where to?"))
          )
        )
        assert.deepStrictEqual(
          events.filter(({ _tag }) => _tag === "Round" || _tag === "Discarded"),
          [
            { _tag: "Round", round: 1, usage, usd },
            { _tag: "Discarded", round: 1 },
            { _tag: "Round", round: 2, usage, usd }
          ]
        )
      }
    })
  )

  it.effect("end with Suspended while somebody is asked, and are all there once the run is resumed", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([calls(["weather"]), calls(["book"]), "Booked."])
      const done = new Done()
      yield* on(
        model,
        done
      )(
        Effect.gen(function* () {
          const thought = yield* Thought.make("trip")
          const first: Array<string> = []
          const exit = yield* Effect.exit(
            Stream.runForEach(Agent.stream(guide, thought, "Book Ulm", durable), (event) =>
              Effect.sync(() => first.push(event._tag))
            )
          )
          assert.isTrue(Exit.isFailure(exit))
          assert.strictEqual(first.at(-1), "Asked")
          const [pending] = yield* Agent.waiting({ thoughtId: thought.id })
          assert.deepInclude(pending, { runId: "run", name: "book", params: { city: "Ulm" } })
          yield* Agent.approve("run", pending?.callId ?? "", "yes", { by: "jane" })
          const again = yield* Effect.flip(Agent.approve("run", pending?.callId ?? "", "yes"))
          assert.strictEqual(again._tag, "AlreadyAnswered")
          const events = yield* Stream.runCollect(Agent.resume(guide, "run"))
          const tags = events.map(({ _tag }) => _tag).filter((tag) => tag !== "Text")
          assert.deepStrictEqual(tags, [
            "Round",
            "Called",
            "Returned",
            "Round",
            "Called",
            "Asked",
            "Returned",
            "Round",
            "Done"
          ])
          const returned = events.flatMap((event) => (event._tag === "Returned" ? [event.result] : []))
          assert.deepStrictEqual(returned, [{ celsius: 3 }, "booked"])
        })
      )
      assert.deepStrictEqual(done.all, ["weather Ulm", "book Ulm"])
      assert.strictEqual(model.requests.length, 3)
    })
  )

  it.effect("have the results of a handler before it is done", () =>
    Effect.gen(function* () {
      const copy = Tool.make("copy", { parameters: Schema.Struct({}), success: Schema.Finite }).annotate(
        Tool.Readonly,
        true
      )
      const kit = Toolkit.make(copy)
      const agent = Agent.make("copier", { instructions: "You copy.", toolkit: kit, triage: false })
      const tools = kit.toLayer({
        copy: (_, { preliminary }) => Effect.as(Effect.andThen(preliminary(1), preliminary(2)), 3)
      })
      const model = Testing.scripted([Testing.calls([{ name: "copy", params: {} }]), "Copied."])
      const events = yield* on(model)(
        Effect.flatMap(Thought.make("copies"), (thought) =>
          Effect.provide(Stream.runCollect(Agent.stream(agent, thought, "Copy", { durable: false })), tools)
        )
      )
      const seen = events.flatMap((event) =>
        event._tag === "Progress" || event._tag === "Returned" ? [[event._tag, event.result]] : []
      )
      assert.deepStrictEqual(seen, [
        ["Progress", 1],
        ["Progress", 2],
        ["Returned", 3]
      ])
    })
  )

  it.effect("say what is denied, and by whom", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([calls(["book"]), "As you like."])
      yield* on(model)(
        Effect.gen(function* () {
          const thought = yield* Thought.make("trip")
          yield* Effect.flip(Agent.say(guide, thought, "Book Ulm", durable))
          const [pending] = yield* Agent.waiting()
          yield* Agent.approve("run", pending?.callId ?? "", { no: "too dear" })
          const events = yield* Stream.runCollect(Agent.resume(guide, "run"))
          const denied = events.find(({ _tag }) => _tag === "Denied")
          assert.deepStrictEqual(denied, {
            _tag: "Denied",
            id: "call_1",
            name: "book",
            params: { city: "Ulm" },
            reason: "Not approved: too dear"
          })
        })
      )
    })
  )

  it.effect("interrupt the run if the reader stops, and it can be resumed", () =>
    Effect.gen(function* () {
      const hold = Tool.make("hold", { parameters: Schema.Struct({}), success: Schema.String }).annotate(
        Tool.Readonly,
        true
      )
      const kit = Toolkit.make(hold)
      const agent = Agent.make("holder", { instructions: "You hold.", toolkit: kit, triage: false })
      let times = 0
      let stopped = 0
      const tools = kit.toLayer({
        hold: (_, { preliminary }) =>
          Effect.suspend(() =>
            ++times === 1
              ? Effect.onInterrupt(Effect.andThen(preliminary("begun"), Effect.never), () =>
                  Effect.sync(() => stopped++)
                )
              : Effect.succeed("held")
          )
      })
      const model = Testing.scripted([Testing.calls([{ name: "hold", params: {} }]), "Held."])
      yield* on(model)(
        Effect.gen(function* () {
          const thought = yield* Thought.make("trip")
          const events = Agent.stream(agent, thought, "Hold", durable)
          yield* Stream.runCollect(Stream.takeUntil(events, ({ _tag }) => _tag === "Progress"))
          const [run] = yield* Pipeline.runs({ thoughtId: thought.id })
          assert.strictEqual(run?.status, "interrupted")
          const rest = yield* Stream.runCollect(Agent.resume(agent, "run"))
          assert.strictEqual(plain(rest.at(-1) ?? { _tag: "" }), "Held.")
        }).pipe(Effect.provide(tools))
      )
      assert.deepStrictEqual([times, stopped, model.requests.length], [2, 1, 2])
    })
  )
})

describe("an approval with other parameters", () => {
  it.effect("is carried out with these, which are judged again, and the model sees it", () =>
    Effect.gen(function* () {
      const judged: Array<string> = []
      const agent = Agent.make("guide", {
        instructions: "You plan trips.",
        triage: false,
        toolkit: guide.toolkit,
        policy: ({ params }) => {
          judged.push(params.city)
          return params.city === "Mars" ? { deny: "too far" } : "ask"
        }
      })
      const model = Testing.scripted([calls(["book", "Ulm"], ["book", "Rom"]), "Well."])
      const done = new Done()
      yield* on(
        model,
        done
      )(
        Effect.gen(function* () {
          yield* Effect.flip(Agent.say(agent, yield* Thought.make("trip"), "Book", durable))
          const [first, second] = yield* Agent.waiting({ runId: "run" })
          const wrong = yield* Effect.flip(Agent.approve("run", first?.callId ?? "", { params: { city: 3 } }))
          assert.strictEqual(wrong._tag, "SchemaError")
          yield* Agent.approve("run", first?.callId ?? "", { params: { city: "Porto" } }, { by: "jane" })
          yield* Agent.approve("run", second?.callId ?? "", { params: { city: "Mars" } })
          const thought = yield* Pipeline.resume(agent, "run")
          const results = Thought.history(thought, "guide.book").slice(2)
          assert.deepStrictEqual(
            results.map(({ content }) => content),
            [`A person has approved other parameters: «{"city":"Porto"}»\nbooked`, "Refused: too far"]
          )
          assert.deepStrictEqual(JSON.parse(results[0]?.metadata["approval"] ?? ""), {
            approved: true,
            params: { city: "Porto" },
            by: "jane"
          })
        })
      )
      assert.deepStrictEqual(done.all, ["book Porto"])
      assert.deepStrictEqual(judged, ["Ulm", "Rom", "Porto", "Mars"])
    })
  )

  it.effect("asks again if only the code of the tool refuses them", () =>
    Effect.gen(function* () {
      const Even = Schema.Finite.check(Schema.makeFilter((n) => n % 2 === 0 || "must be even"))
      const take = Tool.make("take", { parameters: Schema.Struct({ n: Even }), success: Schema.Finite }).annotate(
        Tool.Destructive,
        true
      )
      const kit = Toolkit.make(take)
      const agent = Agent.make("taker", { instructions: "You take.", toolkit: kit, triage: false })
      const model = Testing.scripted([Testing.calls([{ name: "take", params: { n: 2 } }]), "Taken."])
      const taken: Array<number> = []
      const tools = kit.toLayer({ take: ({ n }) => Effect.sync(() => (taken.push(n), n)) })
      yield* on(model)(
        Effect.gen(function* () {
          yield* Effect.flip(Agent.say(agent, yield* Thought.make("t"), "Take", durable))
          const [first] = yield* Agent.waiting()
          yield* Agent.approve("run", first?.callId ?? "", { params: { n: 3 } })
          const asked = yield* Effect.flip(Pipeline.resume(agent, "run"))
          assert.strictEqual(asked._tag, "Suspended")
          const [again] = yield* Agent.waiting()
          assert.match(again?.prompt ?? "", /The answer before does not fit: .*must be even/)
          yield* Agent.approve("run", again?.callId ?? "", { params: { n: 4 } })
          const events = yield* Stream.runCollect(Agent.resume(agent, "run"))
          assert.strictEqual(plain(events.at(-1) ?? { _tag: "" }), "Taken.")
        }).pipe(Effect.provide(tools))
      )
      assert.deepStrictEqual(taken, [4])
    })
  )

  it.effect("fails with NotFound for a call that is not asked about", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([calls(["book"]), "Booked."])
      yield* on(model)(
        Effect.gen(function* () {
          yield* Effect.flip(Agent.say(guide, yield* Thought.make("trip"), "Book Ulm", durable))
          const error = yield* Effect.flip(Agent.approve("run", "call_7", "yes"))
          assert.strictEqual(error._tag === "MemoryError" && error.reason._tag, "NotFound")
        })
      )
    })
  )
})
