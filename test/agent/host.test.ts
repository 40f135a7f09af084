import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, Deferred, Effect, Exit, Fiber, Layer, Queue, Schema, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Toolkit } from "effect/ai"
import { Memory, Pipeline, Provider, Session, Thought } from "cogito"
import { Agent, Host } from "cogito/agent"
import { Testing } from "cogito/testing"
import { calls, Done, guide, toolkit } from "./kit.ts"

const Config = Schema.Struct({ name: Schema.String, level: Schema.optionalKey(Schema.Finite) })

/** A definition with one model for each running agent, by the name in its configuration. */
const defined = (
  models: Readonly<Record<string, Pick<Testing.Scripted, "layer">>>,
  more: {
    readonly built?: Array<string>
    readonly done?: Done
    readonly presenters?: ReadonlyArray<Host.Presenter<{ readonly _tag: string }>>
  } = {}
) =>
  Host.define({
    agent: guide,
    config: Config,
    provide: ({ createdAt, id, name }) => {
      const { built = [], done = new Done() } = more
      const life = Layer.effectDiscard(
        Effect.acquireRelease(
          Effect.sync(() => built.push(`${name} ${typeof id} ${createdAt}`)),
          () => Effect.sync(() => built.push(`${name} released`))
        )
      )
      return Layer.mergeAll(models[name]?.layer ?? Testing.scripted([]).layer, done.layer, life)
    },
    presenters: more.presenters ?? []
  })

const hosted = <A, E>(program: Effect.Effect<A, E, Host.Host | Memory.Memory>) =>
  program.pipe(Effect.provide(Layer.provideMerge(Host.layer, Testing.memory)))

const idOf = (events: ReadonlyArray<{ readonly _tag: string; readonly thought?: Thought.Thought<any> }>): string =>
  events.find(({ _tag }) => _tag === "Done")?.thought?.id ?? ""

/** A model that writes the beginning of an answer, and then nothing more. */
const hanging = (begins: Deferred.Deferred<void>) =>
  Testing.scripted([Effect.andThen(Deferred.succeed(begins, undefined), Effect.never)])

/** A model that stops after the first piece of a text, or after this one. */
const stopping = ({ provider }: Testing.Scripted, piece?: string) => ({
  layer: Layer.succeed(Provider.Provider, {
    ...provider,
    stream: (request) =>
      Stream.flatMap(provider.stream(request), (part): Stream.Stream<Provider.StreamPart> =>
        part._tag === "Text" && (piece ?? part.delta) === part.delta
          ? Stream.concat(Stream.make(part), Stream.never)
          : Stream.make(part)
      )
  })
})

describe("a host", () => {
  it.effect("runs agents of one definition side by side, each with its own configuration and services", () => {
    const models = { a: Testing.scripted([calls(["weather"]), "I am a."]), b: Testing.scripted(["I am b."]) }
    const built: Array<string> = []
    const definition = defined(models, { built })
    return hosted(
      Effect.gen(function* () {
        const host = yield* Host.Host
        yield* TestClock.adjust("1 minute")
        const a = yield* host.create(definition, { name: "a", level: 2 })
        const b = yield* host.create(definition, { name: "b" })
        assert.deepStrictEqual([a.config, a.createdAt], [{ name: "a", level: 2 }, 60_000])
        assert.notStrictEqual(a.id, b.id)
        assert.isTrue(Object.isFrozen(a.config))
        assert.deepStrictEqual(built, ["a string 60000", "b string 60000"])
        const [fromA, fromB] = yield* Effect.all(
          [Stream.runCollect(a.receive("Who are you, a?")), Stream.runCollect(b.receive("Who are you, b?"))],
          { concurrency: 2 }
        )
        assert.deepInclude(fromA.at(-1), { _tag: "Done", answer: "I am a." })
        assert.deepInclude(fromB.at(-1), { _tag: "Done", answer: "I am b." })
        assert.match(models.b.requests[0]?.messages.at(-1)?.text ?? "", /Who are you, b\?/)
        assert.strictEqual(yield* host.get(a.id), a)
        assert.strictEqual(built.length, 2)
      })
    )
  })

  it.effect("gives what an agent needs its own id and time, also if the configuration has such fields", () =>
    hosted(
      Effect.gen(function* () {
        const host = yield* Host.Host
        const given: Array<unknown> = []
        const definition = Host.define({
          agent: guide,
          config: Schema.Struct({ id: Schema.String, createdAt: Schema.Finite }),
          provide: ({ createdAt, id }) => {
            given.push(id, createdAt)
            return Layer.merge(Testing.scripted([]).layer, new Done().layer)
          }
        })
        yield* TestClock.adjust("1 minute")
        const a = yield* host.create(definition, { id: "mine", createdAt: 5 })
        assert.deepStrictEqual(given, [a.id, 60_000])
        assert.deepStrictEqual([a.createdAt, a.config], [60_000, { id: "mine", createdAt: 5 }])
      })
    )
  )

  it.effect("refuses a configuration that does not fit, before anything is made", () => {
    const built: Array<string> = []
    return hosted(
      Effect.gen(function* () {
        const host = yield* Host.Host
        const bad = { name: 5, level: "high" } as unknown as { readonly name: string }
        const error = yield* Effect.flip(host.create(defined({}, { built }), bad))
        assert.strictEqual(error._tag, "InvalidConfig")
        assert.match(error.message, /^The configuration of "guide" does not fit its schema: Expected string/)
        for (const key of ["name", "level"]) assert.include(error.message, `["${key}"]`)
        assert.deepStrictEqual(built, [])
      })
    )
  })

  it.effect("fails to create with the error of the layer, and releases what was built", () => {
    const built: Array<string> = []
    const definition = Host.define({
      ...defined({}),
      provide: () =>
        Layer.mergeAll(
          Testing.scripted([]).layer,
          new Done().layer,
          Layer.effectDiscard(Effect.acquireRelease(Effect.void, () => Effect.sync(() => built.push("released")))),
          Layer.effectDiscard(Effect.andThen(Effect.yieldNow, Effect.fail("no key" as const)))
        )
    })
    return hosted(
      Effect.gen(function* () {
        const host = yield* Host.Host
        assert.strictEqual(yield* Effect.flip(host.create(definition, { name: "a" })), "no key")
        assert.deepStrictEqual(built, ["released"])
      })
    )
  })

  it("says what is not a definition", () => {
    const definition: object = defined({})
    const define = (change: object) => () => Host.define({ ...definition, ...change } as any)
    assert.throws(() => Host.define(undefined as any), /^Host\.define needs an object of options/)
    assert.throws(
      define({ config: { name: "a" } }),
      /^The option config of Host\.define needs a schema, but got an object\.$/
    )
    for (const presenter of [null, { name: "page" }, { present: () => Effect.void }])
      assert.throws(
        define({ presenters: [presenter] }),
        /^The option presenters of Host\.define needs presenters with a name/
      )
    assert.throws(define({ agent: "guide" }), /^Host\.define needs a step as the option agent, but got a string\.$/)
    assert.throws(
      define({ provide: Layer.empty }),
      /^The option provide of Host\.define needs a function, but got a layer\.$/
    )
    assert.throws(
      define({ presenters: {} }),
      /^Host\.define needs an array as the option presenters, but got an object\.$/
    )
  })

  it.effect("fails to create what is not a definition, or has no layer", () =>
    hosted(
      Effect.gen(function* () {
        const host = yield* Host.Host
        const messageOf = (definition: object) =>
          Effect.map(
            Effect.exit(host.create(definition as ReturnType<typeof defined>, { name: "a" })),
            (exit) => Exit.isFailure(exit) && String(Cause.squash(exit.cause))
          )
        assert.strictEqual(
          yield* messageOf({ agent: guide, config: Config }),
          "Error: Host.define needs the option provide, which is missing."
        )
        assert.strictEqual(
          yield* messageOf({ ...defined({}), provide: () => undefined }),
          "Error: The function `provide` of a definition needs to return a layer, but got nothing."
        )
      })
    )
  )

  it.effect("destroys an agent once, however often that is begun at the same time", () =>
    hosted(
      Effect.gen(function* () {
        const host = yield* Host.Host
        const built: Array<string> = []
        const ready = yield* Deferred.make<void>()
        const slow = Layer.effectDiscard(Effect.acquireRelease(Effect.void, () => Deferred.await(ready)))
        const definition = defined({}, { built })
        const { id } = yield* host.create(
          { ...definition, provide: (config) => Layer.merge(definition.provide(config), slow) },
          { name: "a" }
        )
        const first = yield* Effect.forkChild(host.destroy(id), { startImmediately: true })
        const second = yield* Effect.forkChild(host.destroy(id), { startImmediately: true })
        assert.isUndefined(yield* host.get(id))
        for (let i = 0; i < 20; i++) yield* Effect.yieldNow
        // while the layer is released, one more waits for that, also if the first does not wait any longer
        yield* Fiber.interrupt(first)
        const third = yield* Effect.forkChild(host.destroy(id), { startImmediately: true })
        assert.isUndefined(third.pollUnsafe())
        yield* Deferred.succeed(ready, undefined)
        assert.deepStrictEqual([yield* Fiber.join(second), yield* Fiber.join(third)], [false, false])
        assert.strictEqual(built.filter((text) => text === "a released").length, 1)
        assert.isFalse(yield* host.destroy(id))
      })
    )
  )

  it.effect("keeps sessions: another agent goes on with that of a destroyed one", () => {
    const models = { a: Testing.scripted(["Hello Ada."]), b: Testing.scripted(["You are Ada."]) }
    const built: Array<string> = []
    const definition = defined(models, { built })
    return hosted(
      Effect.gen(function* () {
        const host = yield* Host.Host
        const a = yield* host.create(definition, { name: "a" })
        const session = idOf(yield* Stream.runCollect(a.receive("I am Ada.")))
        assert.isTrue(yield* host.destroy(a.id))
        assert.isFalse(yield* host.destroy(a.id))
        assert.isUndefined(yield* host.get(a.id))
        assert.deepStrictEqual(built.at(-1), "a released")
        const error = yield* Effect.flip(Stream.runDrain(a.receive("Hello?")))
        assert.strictEqual(error._tag, "AgentDestroyed")
        assert.strictEqual(models.a.requests.length, 1)

        const b = yield* host.create(definition, { name: "b" })
        const events = yield* Stream.runCollect(b.receive("Who am I?", session))
        assert.strictEqual(idOf(events), session)
        const texts = models.b.requests[0]?.messages.map(({ text }) => text) ?? []
        assert.match(texts[1] ?? "", /I am Ada\./)
        assert.strictEqual(texts[2], "Hello Ada.")
        assert.match(texts[3] ?? "", /Who am I\?/)
        const other = yield* Effect.flip(Stream.runDrain(b.receive("Hi", "nowhere")))
        assert.strictEqual(other._tag, "MemoryError")
      })
    )
  })

  it.effect("interrupts a turn of a destroyed agent, which its session shows", () =>
    Effect.gen(function* () {
      const begins = yield* Deferred.make<void>()
      const models = { a: hanging(begins), b: Testing.scripted(["Here I am."]) }
      const built: Array<string> = []
      const definition = defined(models, { built })
      yield* hosted(
        Effect.gen(function* () {
          const host = yield* Host.Host
          const a = yield* host.create(definition, { name: "a" })
          const session = yield* Thought.make("session")
          yield* Memory.commit(session)
          const reading = yield* Effect.forkChild(Effect.flip(Stream.runDrain(a.receive("Tell me all", session.id))))
          yield* Deferred.await(begins)
          assert.isTrue(yield* host.destroy(a.id))
          assert.deepInclude(yield* Fiber.join(reading), { _tag: "AgentDestroyed", id: a.id })
          assert.deepStrictEqual(built.at(-1), "a released")

          const entries = Session.entries((yield* Memory.load(session.id)).session)
          assert.match(entries[0]?.text ?? "", /Tell me all/)
          assert.deepInclude(entries[1], { role: "assistant", text: "(cancelled)" })
          const runs = yield* Effect.flatMap(Memory.Memory, ({ ledger }) =>
            ledger.runs({ thoughtId: session.id, limit: 10 })
          )
          assert.deepStrictEqual(
            runs.map(({ error, status }) => [status, error]),
            [["failed", "Cancelled"]]
          )

          const b = yield* host.create(definition, { name: "b" })
          const events = yield* Stream.runCollect(b.receive("Again", session.id))
          assert.deepInclude(events.at(-1), { answer: "Here I am." })
          assert.strictEqual(models.b.requests[0]?.messages[2]?.text, "(cancelled)")
        })
      )
    })
  )

  it.effect("leaves a conversation that can go on when an agent is destroyed during a call", () =>
    Effect.gen(function* () {
      const begins = yield* Deferred.make<void>()
      const models = { a: Testing.scripted([calls(["weather", "Porto"])]), b: Testing.scripted(["Here I am."]) }
      yield* hosted(
        Effect.gen(function* () {
          const host = yield* Host.Host
          const definition = defined(models)
          const slow = toolkit.toLayer({
            ...new Done().handlers,
            weather: () => Effect.andThen(Deferred.succeed(begins, undefined), Effect.never)
          })
          const a = yield* host.create(
            Host.define({ ...definition, provide: () => Layer.merge(models.a.layer, slow) }),
            { name: "a" }
          )
          const session = yield* Thought.make("session")
          yield* Memory.commit(session)
          const reading = yield* Effect.forkChild(Effect.flip(Stream.runDrain(a.receive("Is it warm?", session.id))))
          yield* Deferred.await(begins)
          yield* host.destroy(a.id)
          yield* Fiber.join(reading)
          const b = yield* host.create(definition, { name: "b" })
          yield* Stream.runDrain(b.receive("Again", session.id))
          const [, user, call, result, mark, again] = models.b.requests[0]?.messages ?? []
          assert.match(user?.text ?? "", /Is it warm\?/)
          assert.deepStrictEqual(
            call?.calls?.map(({ name }) => name),
            ["weather"]
          )
          assert.deepInclude(result?.results?.[0], { isFailure: true })
          assert.deepInclude(mark, { role: "assistant", text: "(cancelled)" })
          assert.match(again?.text ?? "", /Again/)
        })
      )
    })
  )

  it.effect("shows in the session what calls had given beside one that was interrupted", () => {
    const models = {
      a: Testing.scripted([calls(["weather", "Porto"], ["note", "Porto"], ["book", "Porto"])]),
      b: Testing.scripted(["Here I am."])
    }
    return hosted(
      Effect.gen(function* () {
        const host = yield* Host.Host
        const definition = defined(models)
        const slow = toolkit.toLayer({ ...new Done().handlers, weather: () => Effect.never })
        const a = yield* host.create(Host.define({ ...definition, provide: () => Layer.merge(models.a.layer, slow) }), {
          name: "a"
        })
        const session = yield* Thought.make("session")
        yield* Memory.commit(session)
        yield* a.receive("Note it", session.id).pipe(
          Stream.takeUntil((event) => event._tag === "Returned"),
          Stream.runDrain
        )
        const b = yield* host.create(definition, { name: "b" })
        yield* Stream.runDrain(b.receive("Again", session.id))
        const unknown =
          "It is not known whether this was carried out: it was cancelled. Find out before you call the tool again."
        assert.deepStrictEqual(
          models.b.requests[0]?.messages[3]?.results?.map(({ name, text }) => [name, text]),
          [
            ["weather", unknown],
            ["note", "noted"],
            ["book", "It was not carried out: the run was cancelled before."]
          ]
        )
        const notes = Thought.history(yield* Memory.load(session.id), "guide.note")
        assert.deepInclude(notes[1], { content: "noted", source: "tool", trust: "untrusted" })
      })
    )
  })

  it.effect("keeps what was written when the reader stops, and what tools have given", () => {
    const model = stopping(Testing.scripted([calls(["weather", "Porto"]), "It is warm, and"], { pieceLength: 11 }))
    const done = new Done()
    return hosted(
      Effect.gen(function* () {
        const host = yield* Host.Host
        const a = yield* host.create(defined({ a: model }, { done }), { name: "a" })
        const session = yield* Thought.make("session")
        yield* Memory.commit(session)
        yield* a.receive("Is it warm?", session.id).pipe(
          Stream.takeUntil((event) => event._tag === "Text"),
          Stream.runDrain
        )
        const stored = yield* Memory.load(session.id)
        const last = Session.entries(stored.session).at(-1)
        assert.strictEqual(last?.text, "It is warm,\n\n(cancelled)")
        assert.deepStrictEqual(done.all, ["weather Porto"])
        assert.deepStrictEqual(Thought.logs(stored).slice(-2), [
          `guide.weather: {"celsius":5}`,
          "conversation: It is warm, (cancelled)"
        ])
        assert.strictEqual(stored.note("guide.weather")?.content, `{"celsius":5}`)
      })
    )
  })

  it.effect("does not repeat what was written in a round that had ended when the reader stops", () =>
    Effect.gen(function* () {
      const host = yield* Host.Host
      const looking = Testing.calls([{ name: "weather", params: { city: "Porto" } }], { text: "Let me look." })
      const waiting = toolkit.toLayer({ ...new Done().handlers, weather: () => Effect.never })
      for (const [tool, last] of [
        [waiting, "(cancelled)"],
        [new Done().layer, "It is warm,\n\n(cancelled)"]
      ] as const) {
        const model = stopping(Testing.scripted([looking, "It is warm, and"], { pieceLength: 11 }), "It is warm,")
        const a = yield* host.create(Host.define({ ...defined({}), provide: () => Layer.merge(model.layer, tool) }), {
          name: "a"
        })
        const session = yield* Memory.commit(yield* Thought.make("session"))
        const isLast = (event: { readonly _tag: string; readonly delta?: unknown }) =>
          tool === waiting ? event._tag === "Called" : event.delta === "It is warm,"
        yield* Stream.runDrain(Stream.takeUntil(a.receive("Is it warm?", session.id), isLast))
        const entries = Session.entries((yield* Memory.load(session.id)).session)
        assert.match(entries[1]?.text ?? "", /^Let me look\./)
        assert.strictEqual(entries.at(-1)?.text, last)
      }
    }).pipe(hosted)
  )

  it.effect("goes on with a run that waited for an approval", () => {
    const model = Testing.scripted([calls(["book", "Porto"]), "Booked."])
    const done = new Done()
    return hosted(
      Effect.gen(function* () {
        const host = yield* Host.Host
        const a = yield* host.create(defined({ a: model }, { done }), { name: "a" })
        const places: Array<Host.Place> = []
        a.on((_, place) => places.push(place))
        const suspended = yield* Effect.flip(Stream.runDrain(a.receive("Book a room")))
        assert.strictEqual(suspended._tag, "Suspended")
        const runId = suspended._tag === "Suspended" ? suspended.runId : ""
        const [pending] = yield* Agent.waiting({ runId })
        yield* Agent.approve(runId, pending?.callId ?? "", "yes")
        const events = yield* Stream.runCollect(a.resume(runId))
        assert.deepInclude(events.at(-1), { answer: "Booked." })
        assert.deepStrictEqual(done.all, ["book Porto"])
        assert.deepStrictEqual(new Set(places.map(({ thoughtId }) => thoughtId)), new Set([idOf(events)]))
      })
    )
  })

  it.effect("has agents that learn, in its memory", () => {
    const model = Testing.scripted([
      "Noted.",
      { preferences: { set: [{ name: "language", value: "Python" }], outdated: [] } }
    ])
    const definition = Host.define({
      agent: Agent.make("adviser", {
        instructions: "You advise programmers.",
        toolkit: Toolkit.empty,
        triage: false,
        documents: [Agent.Profile]
      }),
      config: Schema.Struct({}),
      provide: () => Layer.provideMerge(Pipeline.supervisor(), model.layer)
    })
    return hosted(
      Effect.gen(function* () {
        const host = yield* Host.Host
        const a = yield* host.create(definition, {})
        yield* Stream.runDrain(a.receive("I prefer Python.", undefined, { user: "ann" }))
        yield* host.destroy(a.id)
        const known = yield* Thought.read(yield* Memory.load({ traceId: "profile:ann" }), Agent.Profile)
        assert.deepStrictEqual(known, { preferences: { language: "Python" } })
      })
    )
  })

  it.effect("destroys its agents when its scope closes", () =>
    Effect.gen(function* () {
      const built: Array<string> = []
      const scope = yield* Scope.make()
      const services = yield* Layer.buildWithScope(Host.layer, scope)
      const host = Context.get(services, Host.Host)
      const a = yield* host.create(defined({}, { built }), { name: "a" })
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(built.at(-1), "a released")
      assert.isUndefined(yield* host.get(a.id))
    }).pipe(Effect.provide(Testing.memory))
  )
})

describe("the events of a running agent", () => {
  it.effect("go to the functions for their tag first, then to those for all, until these are removed", () =>
    hosted(
      Effect.gen(function* () {
        const host = yield* Host.Host
        const model = Testing.scripted([calls(["weather", "Porto"]), "Warm.", "Still."])
        const a = yield* host.create(defined({ a: model }), { name: "a" })
        const heard: Array<string> = []
        const noAll = a.on(({ _tag }) => {
          if (_tag === "Returned" || _tag === "Done") heard.push(`all ${_tag}`)
        })
        const returned = (event: { readonly id: string; readonly result: unknown }) =>
          void heard.push(`returned ${JSON.stringify(event.result)}`)
        a.on("Returned", () => {
          throw new Error("a broken function")
        })
        // a promise that nobody handles would end the program
        const rejecting = async () => {
          throw new Error("a broken promise")
        }
        a.on("Returned", rejecting as () => void)
        const noFirst = a.on("Returned", returned)
        a.on("Returned", returned)
        noFirst()
        noFirst()
        a.on("Done", ({ answer }) => void heard.push(answer))
        yield* Stream.runDrain(a.receive("Is it warm?"))
        assert.deepStrictEqual(heard, [`returned {"celsius":5}`, "all Returned", "Warm.", "all Done"])
        noAll()
        yield* Stream.runDrain(a.receive("And now?"))
        assert.deepStrictEqual(heard.slice(4), ["Still."])
        const on = a.on as unknown as (tag: string) => unknown
        assert.throws(() => on("Done"), "needs a function for the events")
      })
    )
  )

  it.effect("call no function that another one has removed, and one that is added from the next event on", () =>
    hosted(
      Effect.gen(function* () {
        const host = yield* Host.Host
        const a = yield* host.create(defined({ a: Testing.scripted(["Hi.", "Still."]) }), { name: "a" })
        const heard: Array<string> = []
        a.on("Done", () => {
          heard.push("first")
          noSecond()
          noAll()
          a.on("Done", () => void heard.push("added"))
        })
        const noSecond = a.on("Done", () => void heard.push("second"))
        const noAll = a.on(({ _tag }) => {
          if (_tag === "Done") heard.push("all")
        })
        yield* Stream.runDrain(a.receive("Hi"))
        assert.deepStrictEqual(heard, ["first"])
        yield* Stream.runDrain(a.receive("And now?"))
        assert.deepStrictEqual(heard, ["first", "first", "added"])
      })
    )
  )

  it.effect("are not looked up among functions for other tags", () =>
    hosted(
      Effect.gen(function* () {
        const host = yield* Host.Host
        const a = yield* host.create(defined({ a: Testing.scripted(["Hi."]) }), { name: "a" })
        let called = 0
        for (let i = 0; i < 1000; i++) a.on("Returned", () => called++)
        yield* Stream.runDrain(a.receive("Hi"))
        assert.strictEqual(called, 0)
      })
    )
  )

  it.effect("reach every presenter in order, whatever the others do", () =>
    Effect.gen(function* () {
      const [good, slow]: [Array<string>, Array<string>] = [[], []]
      const open = yield* Deferred.make<void>()
      const all = yield* Queue.unbounded<string>()
      const definition = defined(
        { a: Testing.scripted([calls(["weather"]), "Warm."]) },
        {
          presenters: [
            { name: "fails", present: () => Effect.fail("broken") },
            {
              name: "throws",
              present: () => {
                throw new Error("broken")
              }
            },
            {
              name: "slow",
              buffer: 2,
              present: ({ _tag }) =>
                Effect.andThen(
                  Deferred.await(open),
                  Effect.sync(() => slow.push(_tag))
                )
            },
            {
              name: "good",
              present: ({ _tag }, { agentId }) =>
                Effect.andThen(
                  Effect.sync(() => good.push(agentId === "" ? "" : _tag)),
                  Queue.offer(all, _tag)
                )
            }
          ]
        }
      )
      yield* hosted(
        Effect.gen(function* () {
          const host = yield* Host.Host
          const a = yield* host.create(definition, { name: "a" })
          const tags = (yield* Stream.runCollect(a.receive("Is it warm?"))).map(({ _tag }) => _tag)
          while ((yield* Queue.take(all)) !== "Done");
          assert.deepStrictEqual(good, [...tags])
          assert.deepStrictEqual(slow, [])
          yield* Deferred.succeed(open, undefined)
          yield* host.destroy(a.id)
          // besides the one that was being presented, the last two had room
          assert.isAtMost(slow.length, 3)
          assert.deepStrictEqual(slow.slice(-2), tags.slice(-2))
        })
      )
    })
  )

  it.live("do not keep an agent whose presenter never ends", () =>
    hosted(
      Effect.gen(function* () {
        const host = yield* Host.Host
        const stuck = defined(
          { a: Testing.scripted(["Hi."]) },
          { presenters: [{ name: "stuck", present: () => Effect.never }] }
        )
        const a = yield* host.create(stuck, { name: "a" })
        yield* Stream.runDrain(a.receive("Hi"))
        assert.isTrue(yield* host.destroy(a.id))
        assert.isUndefined(yield* host.get(a.id))
      })
    )
  )
})
