import { getEventListeners } from "node:events"
import { Readable } from "node:stream"
import { ReadableStream } from "node:stream/web"
import { setImmediate } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { Memory, Note, Pipeline, Primitive, Provider, type Signal, Step, Synapse, Thought } from "cogito"
import { Agent } from "cogito/agent"
import { Cogito } from "cogito/promise"
import { Testing } from "cogito/testing"
import { Cause, Effect, Layer, Logger, Schema, Stream } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { z } from "zod"

const yes = { decision: true, confidence: 1, reasoning: ["it says so"] }
const urgent = Primitive.decide("urgent", { question: "Is this urgent?" })
const start = { intent: "triage", notes: { message: "The server is down" } }

const rejected = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "resolved",
    (error: unknown) => error
  )

/** A provider whose calls hang, and what became of them. */
const hanging = () => {
  let [called, released] = [() => {}, () => {}]
  const calls = new Promise<void>((resolve) => (called = resolve))
  const release = new Promise<void>((resolve) => (released = resolve))
  const complete = () =>
    Effect.sync(called).pipe(
      Effect.andThen(Effect.never),
      Effect.onInterrupt(() => Effect.sync(released))
    )
  return { layer: Provider.layer({ name: "hangs", model: "never", complete }), calls, release }
}

describe("a client", () => {
  it("runs a pipeline of Zod schemas to a typed thought", async () => {
    const Ticket = z.object({ customer: z.string(), amount: z.number().min(0) })
    const ticket = Primitive.analyze("ticket", { schema: Ticket, prompt: "Extract the customer and the amount" })
    const answer = Step.make("answer", {
      schema: z.string(),
      run: Note.from(ticket, async ({ amount, customer }) => `${customer}: ${amount.toFixed(2)}`)
    })
    const model = Testing.scripted([
      { customer: "Ada", amount: -1 },
      { customer: "Ada", amount: 12.5 }
    ])
    await using ai = Cogito.make(model.layer)
    const done = await ai.run(Pipeline.sequence("read", [ticket, answer]), start)
    assert.strictEqual(done.get("answer"), "Ada: 12.50")
    assert.strictEqual(model.requests.length, 2)
  })

  it("builds its services once, at the first call, and releases them when it is closed", async () => {
    const events: Array<string> = []
    const tracked = Layer.effectDiscard(
      Effect.acquireRelease(
        Effect.sync(() => events.push("built")),
        () => Effect.sync(() => events.push("released"))
      )
    )
    {
      await using ai = Cogito.make([Testing.scripted([yes, yes]).layer, tracked])
      assert.deepStrictEqual(events, [])
      const first = await ai.run(urgent, start)
      const loaded = await ai.load(first.id)
      assert.strictEqual(loaded.note("message")?.content, "The server is down")
      await ai.run(urgent, start)
      assert.deepStrictEqual(events, ["built"])
    }
    assert.deepStrictEqual(events, ["built", "released"])
  })

  it("builds its services before the first call if it is opened, and rejects if that fails", async () => {
    const events: Array<string> = []
    const tracked = Layer.effectDiscard(Effect.sync(() => events.push("built")))
    await using ai = Cogito.make(tracked)
    await ai.open()
    await ai.open()
    assert.deepStrictEqual(events, ["built"])
    await using broken = Cogito.make(Layer.effectDiscard(Effect.die(new Error("no weights"))))
    assert.match(String(await rejected(broken.open())), /no weights/)
  })

  it("builds its services again after a failure, with what the first build acquired released", async () => {
    const events: Array<string> = []
    const pool = Layer.effectDiscard(
      Effect.acquireRelease(
        Effect.sync(() => events.push("acquired")),
        () => Effect.sync(() => events.push("released"))
      )
    )
    let builds = 0
    const starting = Layer.effectDiscard(
      Effect.andThen(
        Effect.promise(() => setImmediate()),
        Effect.suspend(() => (++builds === 1 ? Effect.die(new Error("the database is starting")) : Effect.void))
      )
    )
    {
      await using ai = Cogito.make([Testing.scripted([yes, yes]).layer, starting, pool])
      const both = await Promise.all([rejected(ai.run(urgent, start)), rejected(ai.open())])
      for (const error of both) assert.match(String(error), /the database is starting/)
      assert.deepStrictEqual(events, ["acquired", "released"])
      assert.isTrue((await ai.run(urgent, start)).get("urgent").decision)
      await ai.run(urgent, start)
      assert.strictEqual(builds, 2)
    }
    assert.deepStrictEqual(events, ["acquired", "released", "acquired", "released"])
  })

  it("goes on building if a call that waits for it is aborted", async () => {
    let [builds, opened] = [0, () => {}]
    const gate = new Promise<void>((resolve) => (opened = resolve))
    const slow = Layer.effectDiscard(
      Effect.andThen(
        Effect.sync(() => builds++),
        Effect.promise(() => gate)
      )
    )
    await using ai = Cogito.make([Testing.scripted([yes]).layer, slow])
    const left = new AbortController()
    const aborted = rejected(ai.run(urgent, start, { signal: left.signal }))
    await setImmediate()
    left.abort(new Error("left"))
    assert.match(String(await aborted), /left/)
    opened()
    assert.isTrue((await ai.run(urgent, start)).get("urgent").decision)
    assert.strictEqual(builds, 1)
  })

  it("gives each layer what those after it provide", async () => {
    await using ai = Cogito.make([Testing.scripted([]).layer, Memory.layerInMemory(), Testing.embedder])
    const thought = await ai.effect(Effect.flatMap(Thought.make("note", { fact: "Porto is warm" }), Memory.commit))
    const { arms, matches } = await ai.search("Porto", { limit: 1 })
    assert.strictEqual(matches[0]?.thought.id, thought.id)
    assert.isTrue(arms.vector !== undefined)
  })

  it("calls a synapse, with its usage and signals, and those of the client", async () => {
    const heard: Array<string> = []
    const model = Testing.scripted([yes], { usage: { inputTokens: 10, outputTokens: 2 } })
    await using ai = Cogito.make(model.layer, {
      onUsage: ({ calls }) => heard.push(`client: ${calls}`),
      onSignal: ({ _tag }) => heard.push(_tag)
    })
    const answer = await ai.call(Synapse.binary({ question: "Is it?" }), "text", {
      onUsage: ({ inputTokens }) => heard.push(`call: ${inputTokens}`)
    })
    assert.isTrue(answer.decision)
    assert.deepStrictEqual(heard, ["CallStarted", "CallCompleted", "client: 1", "call: 10"])
  })

  it("isolates listeners of the client from those of a call", async () => {
    const heard: Array<string> = []
    const errors: Array<unknown> = []
    const logger = Logger.layer([Logger.make(({ cause }) => errors.push(Cause.squash(cause)))])
    const broken = new Error("the client's listener")
    const throwing = () => {
      throw broken
    }
    // an async function is taken by mistake, as where no lint looks
    for (const onSignal of [throwing, (async () => throwing()) as () => void]) {
      await using ai = Cogito.make([Testing.scripted([yes]).layer, logger], { onSignal })
      await ai.call(Synapse.binary({ question: "Is it?" }), "text", { onSignal: ({ _tag }) => heard.push(_tag) })
      await setImmediate()
    }
    assert.deepStrictEqual(heard, ["CallStarted", "CallCompleted", "CallStarted", "CallCompleted"])
    assert.deepStrictEqual(errors, [broken, broken])
  })

  it("notifies the listeners of the client before those of a call", async () => {
    const heard: Array<string> = []
    const told = (who: string) => ({
      onSignal: ({ _tag }: Signal.Signal) => void heard.push(`${who} ${_tag}`),
      onUsage: () => void heard.push(`${who} usage`)
    })
    await using ai = Cogito.make(Testing.scripted([yes]).layer, told("client"))
    await ai.call(Synapse.binary({ question: "Is it?" }), "text", told("call"))
    assert.deepStrictEqual(
      heard,
      ["CallStarted", "CallCompleted", "usage"].flatMap((what) => [`client ${what}`, `call ${what}`])
    )
  })

  it("resolves although listeners of usage fail", async () => {
    const used: Array<number> = []
    const throwing = () => {
      throw new Error("the listener")
    }
    // an async function is taken by mistake, as where no lint looks
    for (const onUsage of [throwing, (async () => throwing()) as () => void]) {
      await using ai = Cogito.make([Testing.scripted([yes]).layer, Logger.layer([])], { onUsage })
      const done = await ai.run(urgent, start, { onUsage: ({ calls }) => used.push(calls) })
      assert.isTrue(done.get("urgent").decision)
      await setImmediate()
    }
    assert.deepStrictEqual(used, [1, 1])
  })

  it("rejects with the error itself, and never throws", async () => {
    const failure = new Provider.ProviderError({
      provider: "script",
      model: "script",
      reason: { _tag: "Authentication", message: "no key" }
    })
    await using ai = Cogito.make(Testing.scripted([failure, failure]).layer)
    assert.strictEqual(await rejected(ai.call(Synapse.binary({ question: "Is it?" }), "text")), failure)
    const error = await rejected(ai.run(urgent, start))
    assert.instanceOf(error, Pipeline.PipelineError)
    const misused: ReadonlyArray<readonly [() => Promise<unknown>, RegExp]> = [
      [() => ai.run({} as never, start), /Cogito\.run needs a step/],
      [
        () => ai.run(urgent, { intnt: "x" } as never),
        /Cogito\.run needs an object with the intent \(a string\), but got an object\.$/
      ],
      [() => ai.run(urgent, { intent: "x", nots: {} } as never), /start of Cogito\.run has no option "nots"/],
      [() => ai.call(42 as never, "x"), /Cogito\.call needs a function/],
      [
        () => ai.call((async () => "no") as never, "x"),
        /Cogito\.call needs a synapse, but got a function that returns a promise\./
      ],
      [() => ai.effect(42 as never), /Cogito\.effect needs an effect/],
      [
        () => ai.effect(Effect.void, { signal: new AbortController() as never }),
        /The option signal needs an AbortSignal, but got an object/
      ]
    ]
    for (const [call, says] of misused) assert.match(String(await rejected(call())), says)
    assert.throws(() => Cogito.make(42 as never), /Cogito\.make needs a layer, or an array of layers/)
    assert.throws(() => ai.withScope(""), /non-empty/)
  })

  it("refuses options that are mistyped", async () => {
    const model = Testing.scripted([])
    await using ai = Cogito.make(model.layer)
    const poet = Agent.make("poet", { instructions: "You write poems.", toolkit: Toolkit.empty, triage: false })
    const chat = ai.chat(poet, { intent: "poems" })
    // as a program without types passes them
    const wrong = (options: object) => options as {}
    const scop = wrong({ scop: "acme" })
    const isIt = Synapse.binary({ question: "Is it?" })
    const calls: Readonly<Record<string, () => unknown>> = {
      run: () => ai.run(urgent, start, scop),
      stream: () => ai.stream(urgent, start, scop),
      call: () => ai.call(isIt, "text", scop),
      "chat.say": () => chat.say("Rain", scop),
      "chat.stream": () => chat.stream("Rain", scop),
      "chat.resume": () => chat.resume("run", scop),
      "chat.resumeStream": () => chat.resumeStream("run", scop),
      resume: () => ai.resume(urgent, "run", scop),
      resumeAll: () => ai.resumeAll([urgent], scop),
      answer: () => ai.answer("run", "key", 1, scop),
      approve: () => ai.approve("run", "call", "yes", scop),
      waiting: () => ai.waiting(scop),
      search: () => ai.search("text", scop),
      load: () => ai.load("id", scop),
      append: () => ai.append("id", [], scop),
      effect: () => ai.effect(Effect.void, scop),
      iterable: () => ai.iterable(Stream.empty, scop)
    }
    for (const [method, call] of Object.entries(calls)) {
      const error = await rejected(Promise.resolve().then(call))
      assert.strictEqual(String(error), `Error: Cogito.${method} has no option "scop". Did you mean "scope"?`)
    }
    const others: ReadonlyArray<readonly [() => Promise<unknown>, RegExp]> = [
      [() => ai.run(urgent, start, wrong({ durabel: true })), /no option "durabel". Did you mean "durable"/],
      [() => ai.run(urgent, start, wrong({ signall: undefined, onsignal: () => {} })), /Did you mean "onSignal"/],
      [() => ai.run(urgent, start, 42 as never), /Cogito\.run needs an object of options, but got a number/],
      [() => ai.run(urgent, start, null as never), /Cogito\.run needs an object of options/],
      [async () => ai.stream(urgent, start, wrong({ durabel: true })), /Cogito\.stream has .* Did you mean "durable"/],
      [async () => ai.stream(urgent, start, wrong({ onSignall: () => {} })), /Did you mean "onSignal"/],
      [() => chat.say("Rain", wrong({ usr: "ann" })), /Did you mean "user"/],
      [async () => chat.stream("Rain", wrong({ usr: "ann" })), /Cogito\.chat\.stream has .* Did you mean "user"/],
      [async () => chat.stream("Rain", wrong({ durabel: true })), /Did you mean "durable"/],
      [() => ai.search("text", wrong({ limt: 2 })), /Did you mean "limit"/]
    ]
    for (const [call, says] of others) assert.match(String(await rejected(call())), says)
    assert.strictEqual(model.requests.length, 0)
  })

  it("interrupts a call whose signal is aborted, with the signal's reason", async () => {
    const { calls, layer, release } = hanging()
    await using ai = Cogito.make(layer)
    const controller = new AbortController()
    const running = rejected(ai.call(Synapse.binary({ question: "Is it?" }), "text", { signal: controller.signal }))
    await calls
    const reason = new Error("the reader left")
    controller.abort(reason)
    assert.strictEqual(await running, reason)
    await release
    // one that was aborted before runs nothing, and its usage is reported all the same
    const used: Array<number> = []
    const late = { signal: controller.signal, onUsage: ({ calls }: { readonly calls: number }) => used.push(calls) }
    assert.strictEqual(await rejected(ai.effect(Effect.die("it runs"), late)), reason)
    assert.deepStrictEqual(used, [0])
  })

  it("interrupts what runs when it is closed, and refuses calls from then on", async () => {
    const { calls, layer, release } = hanging()
    const ai = Cogito.make(layer)
    const running = rejected(ai.run(urgent, start))
    await calls
    await ai.close()
    await release
    assert.match(String(await running), /The client is closed/)
    assert.match(String(await rejected(ai.run(urgent, start))), /The client is closed/)
    await ai.close()
  })

  it("rejects with the error of a run itself if it fails while the client is closed", async () => {
    const ai = Cogito.make(Testing.scripted([]).layer)
    const ended = Promise.withResolvers<void>()
    const begun: Array<Promise<void>> = []
    const running = <A, E>(program: Effect.Effect<A, E>): Promise<A> => {
      const { promise, resolve } = Promise.withResolvers<void>()
      begun.push(promise)
      return ai.effect(Effect.andThen(Effect.sync(resolve), program).pipe(Effect.uninterruptible))
    }
    const finishing = Effect.promise(() => ended.promise)
    const failing = rejected(running(Effect.andThen(finishing, Effect.fail("broken"))))
    const dying = rejected(
      running(Effect.interruptible(Effect.never).pipe(Effect.onInterrupt(() => Effect.die("worse"))))
    )
    const waiting = rejected(running(Effect.interruptible(Effect.never)))
    await Promise.all(begun)
    const closing = ai.close()
    ended.resolve()
    const all = await Promise.all([failing, dying, waiting])
    assert.deepStrictEqual(all.map(String), [
      "broken",
      "worse",
      "Error: The client is closed. Make another one with Cogito.make."
    ])
    await closing
  })

  it("keeps tenants apart", async () => {
    await using ai = Cogito.make(Testing.scripted([yes, yes]).layer)
    const acme = ai.withScope("acme")
    const done = await acme.run(urgent, start)
    assert.strictEqual((await acme.load(done.id)).id, done.id)
    assert.match(String(await rejected(ai.load(done.id))), /MemoryError/)
    assert.strictEqual((await ai.load(done.id, { scope: "acme" })).id, done.id)
  })

  it("has its listeners for every tenant", async () => {
    const heard: Array<string> = []
    const model = Testing.scripted([yes], { usage: { inputTokens: 10, outputTokens: 2 } })
    await using ai = Cogito.make(model.layer, {
      onUsage: ({ calls }) => heard.push(`client: ${calls}`),
      onSignal: ({ _tag }) => heard.push(_tag)
    })
    await ai.withScope("acme").call(Synapse.binary({ question: "Is it?" }), "text")
    assert.deepStrictEqual(heard, ["CallStarted", "CallCompleted", "client: 1"])
  })
})

describe("a stream of a client", () => {
  const Ticket = z.object({ customer: z.string(), urgent: z.boolean() })
  const ticket = Primitive.analyze("ticket", { schema: Ticket, prompt: "Extract" })

  it("gives the events of a pipeline and of a synapse", async () => {
    const reply = { customer: "Ada", urgent: true }
    const model = Testing.scripted([reply, reply], { pieceLength: 8 })
    await using ai = Cogito.make(model.layer)
    const texts: Array<string> = []
    const used: Array<number> = []
    for await (const event of ai.stream(ticket, start, { onUsage: ({ calls }) => used.push(calls) })) {
      if (event._tag === "Text") texts.push(event.delta)
      if (event._tag === "Done") assert.strictEqual(event.thought.get("ticket").customer, "Ada")
    }
    assert.strictEqual(texts.join(""), JSON.stringify(reply))
    assert.isAbove(texts.length, 2)
    assert.deepStrictEqual(used, [1])
    const tags = new Set<string>()
    for await (const part of ai.stream(Synapse.extract(Ticket, { prompt: "Extract" }), "Ada")) tags.add(part._tag)
    assert.deepStrictEqual([...tags], ["Text", "Partial", "Done"])
  })

  it("keeps to the tenant of its client, or to that of the call", async () => {
    await using ai = Cogito.make(
      Testing.scripted([
        { customer: "Ada", urgent: true },
        { customer: "Bob", urgent: true }
      ]).layer
    )
    const acme = ai.withScope("acme")
    const storedBy = async (
      events: AsyncIterable<{ readonly _tag: string; readonly thought?: { readonly id: string } }>
    ) => {
      let id = ""
      for await (const event of events) id = event.thought?.id ?? id
      return id
    }
    const ada = await storedBy(acme.stream(ticket, start))
    assert.strictEqual((await acme.load(ada)).id, ada)
    assert.match(String(await rejected(ai.load(ada))), /MemoryError/)
    const bob = await storedBy(acme.stream(ticket, start, { scope: "globex" }))
    assert.match(String(await rejected(acme.load(bob))), /MemoryError/)
    assert.strictEqual((await ai.withScope("globex").load(bob)).id, bob)
    const scopes: Array<string | undefined> = []
    for await (const scope of acme.iterable(Stream.fromEffect(Memory.CurrentScope))) scopes.push(scope)
    assert.deepStrictEqual(scopes, ["acme"])
  })

  it("is interrupted if the loop is left or the signal is aborted", async () => {
    let interrupted = 0
    const endless = Stream.fromEffectRepeat(Effect.succeed("tick")).pipe(
      Stream.concat(Stream.never),
      Stream.ensuring(Effect.sync(() => interrupted++))
    )
    await using ai = Cogito.make(Testing.scripted([]).layer)
    for await (const tick of ai.iterable(endless)) if (tick === "tick") break
    assert.strictEqual(interrupted, 1)
    const controller = new AbortController()
    const read = async () => {
      for await (const _ of ai.iterable(Stream.concat(Stream.make(1), endless), { signal: controller.signal }))
        controller.abort(new Error("left"))
    }
    assert.match(String(await rejected(read())), /left/)
    assert.strictEqual(interrupted, 2)
    const aborted = async () => {
      for await (const _ of ai.iterable(endless, { signal: AbortSignal.abort(new Error("before")) })) assert.fail()
    }
    assert.match(String(await rejected(aborted())), /before/)
  })

  it("leaves no listener on its signal, however it ends, and neither does a call", async () => {
    await using ai = Cogito.make(Testing.scripted(["no", "no", "no", "no"]).layer)
    const { signal } = new AbortController()
    const failing = Stream.concat(Stream.make(1), Stream.fail("no"))
    const ways: ReadonlyArray<() => Promise<unknown>> = [
      async () => {
        for await (const _ of ai.iterable(Stream.make(1, 2), { signal }));
      },
      async () => {
        for await (const _ of ai.iterable(Stream.concat(Stream.make(1), Stream.never), { signal })) break
      },
      async () => {
        for await (const _ of ai.iterable(failing, { signal }));
      },
      async () => {
        for await (const _ of ai.stream(ticket, start, { signal }));
      },
      () => ai.effect(Effect.void, { signal }),
      () => ai.run(ticket, start, { signal })
    ]
    for (const [i, way] of ways.entries()) {
      await rejected(way())
      assert.strictEqual(getEventListeners(signal, "abort").length, 0, `way ${i}`)
    }
  })

  it("is interrupted by its iterator's return while a next waits", async () => {
    const leave: ReadonlyArray<(events: AsyncIterable<unknown>, calls: Promise<void>) => Promise<void>> = [
      async (events, calls) => {
        const iterator = events[Symbol.asyncIterator]()
        const next = iterator.next()
        await calls
        await iterator.return?.()
        assert.deepStrictEqual(await next, { done: true, value: undefined })
        assert.deepStrictEqual(await iterator.next(), { done: true, value: undefined })
      },
      async (events, calls) => {
        const reader = ReadableStream.from(events).getReader()
        const read = reader.read()
        await calls
        await reader.cancel()
        assert.isTrue((await read).done)
      },
      async (events, calls) => {
        const readable = Readable.from(events).resume()
        await calls
        readable.destroy()
      }
    ]
    const guide = Agent.make("guide", { instructions: "You plan trips.", toolkit: Toolkit.empty, triage: false })
    for (const left of leave) {
      for (const eventsOf of [
        (ai: Cogito.Cogito<Provider.Provider>) => ai.stream(ticket, start),
        (ai: Cogito.Cogito<Provider.Provider>) => ai.chat(guide, { intent: "trip" }).stream("Where to?")
      ]) {
        const { calls, layer, release } = hanging()
        await using ai = Cogito.make(layer)
        await left(eventsOf(ai), calls)
        await release
      }
    }
  })

  it("does not run if its iterator returns before it is read", async () => {
    const model = Testing.scripted([])
    await using ai = Cogito.make(model.layer)
    const iterator = ai.stream(ticket, start)[Symbol.asyncIterator]()
    await iterator.return?.()
    assert.isTrue((await iterator.next()).done)
    assert.strictEqual(model.requests.length, 0)
  })

  it("fails with the error of the run after its events, and when the client is closed", async () => {
    const model = Testing.scripted(["no", "no"])
    const ai = Cogito.make(model.layer)
    const tags: Array<string> = []
    const read = async () => {
      for await (const event of ai.stream(ticket, start)) tags.push(event._tag)
    }
    assert.instanceOf(await rejected(read()), Pipeline.PipelineError)
    assert.include(tags, "Discarded")
    const open = async () => {
      for await (const _ of ai.iterable(Stream.concat(Stream.make(1), Stream.never))) void ai.close()
    }
    assert.match(String(await rejected(open())), /The client is closed/)
    assert.match(String(await rejected(read())), /The client is closed/)
  })

  it("is over after its error", async () => {
    await using ai = Cogito.make(Testing.scripted([]).layer)
    const iterator = ai.iterable(Stream.concat(Stream.make(1), Stream.fail("broken")))[Symbol.asyncIterator]()
    assert.deepStrictEqual(await iterator.next(), { done: false, value: 1 })
    assert.strictEqual(await rejected(iterator.next()), "broken")
    assert.deepStrictEqual(await iterator.next(), { done: true, value: undefined })
  })

  it("keeps its error until the next read, without an unhandled rejection", async () => {
    const unhandled: Array<unknown> = []
    const hear = (reason: unknown) => unhandled.push(reason)
    process.on("unhandledRejection", hear)
    try {
      await using ai = Cogito.make(Testing.scripted([]).layer)
      const failed = Promise.withResolvers<void>()
      const failing = Stream.ensuring(
        Stream.concat(Stream.make(1), Stream.fail("broken")),
        Effect.sync(() => failed.resolve())
      )
      const iterator = ai.iterable(failing)[Symbol.asyncIterator]()
      assert.deepStrictEqual(await iterator.next(), { done: false, value: 1 })
      await failed.promise
      for (let i = 0; i < 20; i++) await setImmediate()
      assert.deepStrictEqual(unhandled, [])
      assert.strictEqual(await rejected(iterator.next()), "broken")
    } finally {
      process.off("unhandledRejection", hear)
    }
  })

  it("needs a stream", async () => {
    await using ai = Cogito.make(Testing.scripted([]).layer)
    assert.throws(() => ai.iterable([1, 2] as never), /^Cogito\.iterable needs /)
  })
})

describe("durable runs of a client", () => {
  it("wait for an answer, and go on", async () => {
    const amount = Pipeline.waitFor("amount", { schema: Schema.Finite, prompt: "How much?" })
    await using ai = Cogito.make(Testing.scripted([]).layer)
    const waiting = await rejected(ai.run(amount, { intent: "pay" }, { durable: { id: "pay-1" } }))
    assert.instanceOf(waiting, Pipeline.Suspended)
    assert.deepStrictEqual(
      (await ai.waiting()).map(({ key, runId }) => [runId, key]),
      [["pay-1", "amount"]]
    )
    await ai.answer("pay-1", "amount", 12, { by: "Ada" })
    const [outcome] = await ai.resumeAll([amount])
    assert.isTrue(outcome?.status === "fulfilled" && outcome.value.note("amount")?.content === "12")
    assert.strictEqual((await ai.resume(amount, "pay-1")).get("amount"), 12)
    assert.instanceOf(await rejected(ai.answer("pay-1", "amount", 13)), Pipeline.AlreadyAnswered)
    assert.include(await rejected(ai.answer("pay-1", "amount", 13)), { key: "amount", by: "Ada" })
  })

  it("are stored only if the options ask for it, also as streams", async () => {
    await using ai = Cogito.make(Testing.scripted([yes, yes, yes]).layer)
    const runs = () =>
      ai.effect(
        Effect.flatMap(Memory.Memory, ({ ledger }) => Effect.map(ledger.runs({ limit: 9 }), (rows) => rows.length))
      )
    await ai.run(urgent, start)
    for await (const _ of ai.stream(urgent, start)) continue
    assert.strictEqual(await runs(), 0)
    for await (const _ of ai.stream(urgent, start, { durable: true })) continue
    assert.strictEqual(await runs(), 1)
  })

  it("have an outcome each when they are resumed", async () => {
    const amount = Pipeline.waitFor("amount", { schema: Schema.Finite, prompt: "How much?" })
    const paid = Step.make("paid", {
      run: Note.from(amount, async (euros) => {
        if (euros > 10) throw new Error("too much")
      })
    })
    const pay = Pipeline.sequence("pay", [amount, paid])
    await using ai = Cogito.make(Testing.scripted([]).layer)
    for (const euros of [5, 50]) {
      await rejected(ai.run(pay, { intent: "pay" }, { durable: { id: `pay-${euros}` } }))
      await ai.answer(`pay-${euros}`, "amount", euros)
    }
    const outcomes = await ai.resumeAll([pay])
    const ends = Object.fromEntries(outcomes.map((outcome) => [outcome.runId, outcome]))
    assert.strictEqual(ends["pay-5"]?.status, "fulfilled")
    const failed = ends["pay-50"]
    const reason = failed?.status === "rejected" ? failed.reason : assert.fail("it is not rejected")
    assert.instanceOf(reason, Pipeline.PipelineError)
    assert.match(String((reason as Error).cause), /too much/)
  })

  it("go on as many at a time as the concurrency of resumeAll", async () => {
    const amount = Pipeline.waitFor("amount", { schema: Schema.Finite, prompt: "How much?" })
    let now = 0
    let most = 0
    const slow = Step.make("slow", {
      run: async () => {
        most = Math.max(most, ++now)
        for (let i = 0; i < 20; i++) await setImmediate()
        now--
      }
    })
    const both = Pipeline.sequence("both", [amount, slow])
    await using ai = Cogito.make(Testing.scripted([]).layer)
    for (const [concurrency, expected] of [
      [1, 1],
      [2, 2]
    ] as const) {
      most = 0
      for (const n of [1, 2, 3]) {
        const id = `run ${n} of ${concurrency}`
        await rejected(ai.run(both, { intent: "pay" }, { durable: { id } }))
        await ai.answer(id, "amount", n)
      }
      const outcomes = await ai.resumeAll([both], { concurrency })
      assert.deepStrictEqual([outcomes.length, most], [3, expected])
    }
  })
})

describe("a chat of a client", () => {
  const weather = Tool.make("weather", {
    parameters: Schema.Struct({ city: Schema.String }),
    success: Schema.Struct({ celsius: Schema.Finite })
  }).annotate(Tool.Readonly, true)
  const book = Tool.make("book", {
    parameters: Schema.Struct({ city: Schema.String }),
    success: Schema.String,
    failure: Schema.Struct({ full: Schema.Boolean }),
    failureMode: "return",
    needsApproval: true
  })
  const toolkit = Toolkit.make(weather, book)
  const guide = Agent.make("guide", { instructions: "You plan trips.", toolkit, triage: false })
  const calls = (name: string) => Testing.calls([{ name, params: { city: "Porto" } }])

  it("goes on from message to message, with events", async () => {
    const tools = Cogito.handlers(toolkit, { weather: async () => ({ celsius: 24 }), book: () => "booked" })
    const model = Testing.scripted([calls("weather"), "It has 24 degrees.", "Yes, as I said."])
    await using ai = Cogito.make([model.layer, tools])
    const chat = ai.chat(guide, { intent: "trip" })
    assert.strictEqual(chat.thought, undefined)
    const lines: Array<string> = []
    for await (const event of chat.stream("Is Porto warm?")) {
      if (event._tag === "Returned" && event.name === "weather") lines.push(`${event.result.celsius} degrees`)
      if (event._tag === "Done") lines.push(event.answer)
    }
    assert.deepStrictEqual(lines, ["24 degrees", "It has 24 degrees."])
    assert.strictEqual(await chat.say("Sure?"), "Yes, as I said.")
    const id = chat.thought?.id ?? ""
    assert.strictEqual((await ai.load(id)).note("answer")?.content, "Yes, as I said.")
    const texts = model.requests[2]?.messages.map(({ text }) => text).join("\n") ?? ""
    assert.include(texts, "Is Porto warm?")
  })

  it("waits for an approval, and shows the model a failure that fits the tool", async () => {
    const seen: Array<string> = []
    const tools = Cogito.handlers(toolkit, {
      weather: () => ({ celsius: 24 }),
      book: async ({ city }, { signal }) => {
        seen.push(`${city} ${signal.aborted}`)
        // oxlint-disable-next-line typescript/only-throw-error -- the failure that the tool declares
        throw { full: true }
      }
    })
    const model = Testing.scripted([calls("book"), "It is full."])
    await using ai = Cogito.make([model.layer, tools])
    const chat = ai.chat(guide, { intent: "trip" })
    const suspended = await rejected(chat.say("Book it", { user: "ada" }))
    if (!(suspended instanceof Pipeline.Suspended)) throw new Error(String(suspended))
    const [pending] = await ai.effect(Agent.waiting({ runId: suspended.runId }))
    await ai.approve(suspended.runId, pending?.callId ?? "", "yes", { by: "ada" })
    assert.strictEqual(await chat.resume(suspended.runId), "It is full.")
    assert.deepStrictEqual(seen, ["Porto false"])
    const [shown] = model.requests[1]?.messages.at(-1)?.results ?? []
    assert.deepStrictEqual([shown?.text, shown?.isFailure], [`{"full":true}`, true])
    const { thought } = chat
    assert.strictEqual(thought?.note("message")?.metadata["user"], "ada")
    const approval: unknown = JSON.parse(thought?.note("guide.book")?.metadata["approval"] ?? "null")
    assert.deepStrictEqual(approval, { approved: true, by: "ada" })
  })

  it("streams how a run goes on once it is approved, and the next message follows it", async () => {
    const tools = Cogito.handlers(toolkit, { weather: () => ({ celsius: 24 }), book: () => "booked" })
    const model = Testing.scripted([calls("weather"), calls("book"), "It is booked.", "You are welcome."])
    await using ai = Cogito.make([model.layer, tools])
    const chat = ai.chat(guide, { intent: "trip" })
    const suspended = await rejected(chat.say("Book it"))
    if (!(suspended instanceof Pipeline.Suspended)) throw new Error(String(suspended))
    const [pending] = await ai.effect(Agent.waiting({ runId: suspended.runId }))
    await ai.approve(suspended.runId, pending?.callId ?? "", "yes")
    const seen: Array<string> = []
    for await (const event of chat.resumeStream(suspended.runId)) {
      if (event._tag === "Returned") seen.push(`${event.name} returned`)
      if (event._tag === "Text") seen.push(event.delta)
      if (event._tag === "Done") seen.push(event.answer)
    }
    assert.deepStrictEqual(seen, ["weather returned", "book returned", "It is booked.", "It is booked."])
    assert.strictEqual(await chat.say("Thanks"), "You are welcome.")
    const texts = model.requests.at(-1)?.messages.map(({ text }) => text) ?? []
    assert.include(texts, "It is booked.")
    assert.strictEqual(model.requests.length, 4)
  })

  it("needs a function for each tool of its toolkit", () => {
    const given = (functions: object) => () => Cogito.handlers(toolkit, functions as never)
    const weather = () => ({ celsius: 24 })
    assert.throws(given({ weather }), 'Cogito.handlers needs a function for the tool "book".')
    assert.throws(
      given({ weather, book: 5 }),
      'Cogito.handlers needs a function for the tool "book", but got a number.'
    )
    assert.throws(given({ weather, book: weather, boook: weather }), 'the toolkit has no tool "boook".')
  })

  it("needs a function for a vendor's tool only if the program must run it", () => {
    const vendors = (requiresHandler: boolean) => {
      const tool = { id: "house.search", customName: "Search", providerName: "search", requiresHandler } as const
      const search = Tool.providerDefined({ ...tool, args: Schema.Struct({}), success: Schema.String })
      return Toolkit.make(search({}))
    }
    const given = (requiresHandler: boolean, functions: object) => () =>
      Cogito.handlers(vendors(requiresHandler), functions as never)
    assert.throws(given(true, {}), 'Cogito.handlers needs a function for the tool "Search".')
    assert.doesNotThrow(given(true, { Search: () => "found" }))
    assert.doesNotThrow(given(false, {}))
  })

  it("shows the model an error of the class that a tool declares, and no text of any other error", async () => {
    class Full extends Schema.TaggedError<Full>()("Full", { city: Schema.String }) {}
    const reserve = Tool.make("reserve", {
      parameters: Schema.Struct({ city: Schema.String }),
      success: Schema.String,
      failure: Full
    }).annotate(Tool.Readonly, true)
    const kit = Toolkit.make(reserve)
    const clerk = Agent.make("clerk", { instructions: "You reserve.", toolkit: kit, triage: false })
    for (const [thrown, shown] of [
      [new Full({ city: "Porto" }), /^\{"_tag":"Full","city":"Porto"\}$/],
      [new Error("the key is 4711", { cause: "the key is 4711" }), /The tool has failed unexpectedly/]
    ] as const) {
      const tools = Cogito.handlers(kit, { reserve: async () => Promise.reject(thrown) })
      const model = Testing.scripted([calls("reserve"), "It is full."])
      await using ai = Cogito.make([model.layer, tools, Logger.layer([])])
      assert.strictEqual(await ai.chat(clerk, { intent: "trip" }).say("Reserve it"), "It is full.")
      const [result] = model.requests[1]?.messages.at(-1)?.results ?? []
      assert.match(result?.text ?? "", shown)
      assert.notInclude(result?.text, "4711")
    }
  })

  const sentTo = (model: {
    readonly requests: ReadonlyArray<{ readonly messages: ReadonlyArray<{ text: string }> }>
  }) => model.requests.map(({ messages }) => messages.map(({ text }) => text).join("\n"))

  it("is one conversation from its first message on, also if that waits for an approval", async () => {
    const tools = Cogito.handlers(toolkit, { weather: () => ({ celsius: 24 }), book: () => "booked" })
    const model = Testing.scripted([calls("book"), "It is booked.", "To Porto."])
    await using ai = Cogito.make([model.layer, tools])
    const chat = ai.chat(guide, { intent: "trip" })
    const suspended = await rejected(chat.say("Book Porto"))
    if (!(suspended instanceof Pipeline.Suspended)) throw new Error(String(suspended))
    const id = chat.thought?.id
    assert.strictEqual(suspended.thoughtId, id)
    const busy = await rejected(chat.say("Where to?"))
    assert.isTrue(busy instanceof Pipeline.RunBusy && busy.runId === suspended.runId)
    assert.strictEqual(model.requests.length, 1)
    const [question] = await ai.waiting({ runId: suspended.runId })
    await ai.approve(suspended.runId, question?.frame ?? "", "yes")
    assert.strictEqual(await chat.resume(suspended.runId), "It is booked.")
    assert.strictEqual(await chat.say("Where to?"), "To Porto.")
    assert.strictEqual(chat.thought?.id, id)
    assert.include(sentTo(model)[2], "Book Porto")
  })

  const poet = Agent.make("poet", { instructions: "You write poems.", toolkit: Toolkit.empty, triage: false })

  it("refuses a message while another one is answered, durably or not, and goes on from it", async () => {
    for (const durable of [true, false]) {
      const model = Testing.scripted(["To Porto.", "As I said."])
      await using ai = Cogito.make(model.layer)
      const chat = ai.chat(poet, { intent: "trip" })
      const [first, second] = await Promise.all([
        chat.say("Where to?", { durable }),
        rejected(chat.say("When?", { durable }))
      ])
      assert.strictEqual(first, "To Porto.")
      assert.instanceOf(second, Pipeline.RunBusy)
      assert.strictEqual(await chat.say("Sure?", { durable }), "As I said.")
      assert.include(sentTo(model)[1], "Where to?")
      assert.notInclude(sentTo(model)[1], "When?")
    }
  })

  it("goes on with a first message that was aborted", async () => {
    let called = () => {}
    const asked = new Promise<void>((resolve) => (called = resolve))
    const model = Testing.scripted([
      Effect.andThen(
        Effect.sync(() => called()),
        Effect.never
      ),
      "To Porto.",
      "As I said."
    ])
    await using ai = Cogito.make(model.layer)
    const chat = ai.chat(poet, { intent: "trip" })
    const left = new AbortController()
    const aborted = rejected(chat.say("Where to?", { signal: left.signal }))
    await asked
    left.abort(new Error("left"))
    assert.match(String(await aborted), /left/)
    const busy = await rejected(chat.say("When?"))
    if (!(busy instanceof Pipeline.RunBusy)) throw new Error(String(busy))
    assert.isTrue(busy.isOpen)
    assert.strictEqual(await chat.resume(busy.runId), "To Porto.")
    assert.strictEqual(await chat.say("Sure?"), "As I said.")
    assert.include(sentTo(model)[2], "Where to?")
  })

  it("stays with the earlier run that the id of its first message goes on with", async () => {
    const tools = Cogito.handlers(toolkit, { weather: () => ({ celsius: 24 }), book: () => "booked" })
    await using ai = Cogito.make([Testing.scripted([calls("book")]).layer, tools])
    const book = async () => {
      const chat = ai.chat(guide, { intent: "trip" })
      assert.instanceOf(await rejected(chat.say("Book it", { durable: { id: "case-17" } })), Pipeline.Suspended)
      return chat
    }
    const id = (await book()).thought?.id
    const again = await book()
    assert.strictEqual(again.thought?.id, id)
    assert.instanceOf(await rejected(again.say("When?")), Pipeline.RunBusy)
  })
})
