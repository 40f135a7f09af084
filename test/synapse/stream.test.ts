import { assert, describe, it } from "@effect/vitest"
import { Provider, Synapse } from "cogito"
import { Testing } from "cogito/testing"
import { Arbitrary, DateTime, Deferred, Effect, Exit, Fiber, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"

const Order = Schema.Struct({
  customer: Schema.String,
  items: Schema.Array(Schema.Struct({ name: Schema.String, count: Schema.Int })),
  paid: Schema.Boolean,
  address: Schema.Struct({ city: Schema.String, zip: Schema.optionalKey(Schema.String) }),
  due: Schema.optionalKey(Schema.DateTimeUtcFromString)
})
const order = Synapse.extract(Order, { prompt: "Extract the order" })
const text = JSON.stringify({
  customer: 'Ada \u{1f600} "Q"',
  items: [
    { name: "lamp", count: 2 },
    { name: "chair", count: 1 }
  ],
  paid: true,
  address: { city: "Oslo", zip: "0150" },
  due: "2026-01-02T03:04:05.000Z"
})

const partsOf = <A>(synapse: Synapse.Synapse<A>, replies: ReadonlyArray<string | object>, pieceLength = 1) =>
  Effect.gen(function* () {
    const model = Testing.scripted(replies, { pieceLength })
    const parts = yield* Synapse.stream(synapse, "some text").pipe(Stream.runCollect, Effect.provide(model.layer))
    return { parts, model }
  })

const partialsOf = <A>(parts: ReadonlyArray<Synapse.Part<A>>) =>
  parts.flatMap((part) => (part._tag === "Partial" ? [part.partial] : []))

describe("a streamed answer", () => {
  it.effect("ends with the value of the call without a stream, whatever the pieces", () =>
    Effect.gen(function* () {
      const whole = yield* order("some text").pipe(Effect.provide(Testing.scripted([text]).layer))
      for (const pieceLength of [1, 2, 3, 7, 1000]) {
        const { parts } = yield* partsOf(order, [text], pieceLength)
        assert.deepStrictEqual(parts.at(-1), { _tag: "Done", value: whole })
        const said = parts.flatMap((part) => (part._tag === "Text" ? [part.delta] : []))
        assert.strictEqual(said.join(""), text)
        assert.strictEqual(parts.filter((part) => part._tag === "Done").length, 1)
      }
    })
  )

  it.effect("shows every field as pending, then partial, then done with its value", () =>
    Effect.gen(function* () {
      const { parts } = yield* partsOf(order, [text])
      const partials = partialsOf(parts)
      const value = yield* Schema.decodeEffect(Schema.fromJsonString(Order))(text)
      const last = partials.at(-1)!
      assert.deepStrictEqual(last.customer, { state: "done", value: value.customer })
      assert.deepStrictEqual(last.items, { state: "done", value: value.items })
      assert.deepStrictEqual(last.paid, { state: "done", value: true })
      assert.deepStrictEqual(last.address, { state: "done", value: value.address })
      assert.deepStrictEqual(last.due, { state: "done", value: DateTime.makeUnsafe("2026-01-02T03:04:05.000Z") })
      // states only go forward, and a text only grows
      const rank = { pending: 0, partial: 1, done: 2 }
      for (const key of ["customer", "items", "paid", "address", "due"] as const) {
        const states = partials.map((partial) => partial[key]?.state ?? assert.fail("every field is told"))
        assert.strictEqual(states[0], "pending")
        states.reduce((before, state) => {
          assert.isAtLeast(rank[state], rank[before])
          return state
        })
      }
      const texts = partials.flatMap(({ customer }) => (customer?.state === "partial" ? [customer.value] : []))
      assert.include(texts, "Ada ")
      for (const shown of texts) assert.isTrue(value.customer.startsWith(shown))
      // what has no beginning that could be shown is pending or done
      assert.notInclude(
        partials.map(({ paid }) => paid?.state),
        "partial"
      )
      assert.notInclude(
        partials.map(({ due }) => due?.state),
        "partial"
      )
    })
  )

  it.effect("shows the items of an array that are complete, and the fields of an object", () =>
    Effect.gen(function* () {
      const { parts } = yield* partsOf(order, [text])
      const items = partialsOf(parts).flatMap((partial) =>
        partial.items?.state === "partial" ? [partial.items.value] : []
      )
      assert.deepStrictEqual([...new Set(items.map(({ length }) => length))], [0, 1, 2])
      assert.deepStrictEqual(
        items.find(({ length }) => length === 1),
        [{ name: "lamp", count: 2 }]
      )
      const addresses = partialsOf(parts).flatMap(({ address }) =>
        address?.state === "partial" ? [address.value] : []
      )
      assert.deepInclude(addresses, { city: { state: "done", value: "Oslo" }, zip: { state: "partial", value: "01" } })
    })
  )

  it.effect("never marks as done what does not fit", () =>
    Effect.gen(function* () {
      const bad = JSON.stringify({ customer: "Ada", items: [{ name: "lamp", count: 1.5 }], paid: "maybe" })
      const { parts } = yield* partsOf(order, [bad, text])
      const end = parts.findIndex((part) => part._tag === "Discarded")
      const first = partialsOf(parts.slice(0, end)).at(-1)!
      assert.deepStrictEqual(first.customer, { state: "done", value: "Ada" })
      assert.deepStrictEqual(first.items, { state: "partial", value: [] })
      assert.deepStrictEqual(first.paid, { state: "pending" })
    })
  )

  it.effect("is discarded if it is invalid, and requested again", () =>
    Effect.gen(function* () {
      const { model, parts } = yield* partsOf(order, ["I do not know", text])
      assert.strictEqual(parts.filter((part) => part._tag === "Discarded").length, 1)
      assert.strictEqual(model.requests.length, 2)
      assert.deepStrictEqual(model.requests[1]?.messages.at(-2), { role: "assistant", text: "I do not know" })
      assert.strictEqual(parts.at(-1)?._tag, "Done")
    })
  )

  it.effect("passes over prose, a fence and a model's thinking before it", () =>
    Effect.gen(function* () {
      const decoy = `<think>Perhaps {"customer":"Bob"}?</think>`
      const { parts } = yield* partsOf(order, [`${decoy}\nHere it is:\n\`\`\`json\n${text}\n\`\`\``])
      const names = partialsOf(parts).flatMap(({ customer }) => (customer?.state === "partial" ? [customer.value] : []))
      assert.notInclude(names, "Bob")
      assert.include(names, "Ada")
    })
  )

  it.effect("shows no object of a list before the answer is read", () =>
    Effect.gen(function* () {
      const extract = Synapse.extract(Schema.Struct({ customer: Schema.String }), { prompt: "Extract the order" })
      for (const before of ["", "Two of them:\n"]) {
        const { parts } = yield* partsOf(extract, [
          `${before}[{"customer":"Bob"},{"customer":"Cy"}]`,
          { customer: "Ada" }
        ])
        const read = parts.findIndex(({ _tag }) => _tag === "Discarded" || _tag === "Done")
        assert.deepStrictEqual(
          partialsOf(parts.slice(0, read)).filter(({ customer }) => customer?.state === "partial"),
          []
        )
      }
    })
  )

  it.effect.each([
    ["a thought of another name", (decoy: string, text: string) => `<scratchpad>${decoy}</scratchpad>${text}`],
    ["a tag with attributes", (decoy: string, text: string) => `<think type="x">${decoy}</think>${text}`],
    ["prose with an example", (decoy: string, text: string) => `First ${decoy}, but no:\n\`\`\`json\n${text}\n\`\`\``]
  ] as const)("ends with the fields of the value, whatever came before: %s", ([, write]) =>
    Effect.gen(function* () {
      const decoy = JSON.stringify({ customer: "Bob", items: [], paid: "no", address: { city: "Rome" } })
      const { parts } = yield* partsOf(order, [write(decoy, text)], 3)
      const last = parts.at(-1)
      const value = last?._tag === "Done" ? last.value : assert.fail("it is read")
      assert.strictEqual(value.customer, 'Ada \u{1f600} "Q"')
      assert.deepStrictEqual(partialsOf(parts).at(-1)?.customer, { state: "done", value: value.customer })
      assert.deepStrictEqual(partialsOf(parts).at(-1)?.items, { state: "done", value: value.items })
    })
  )

  it.effect("shows the first of two keys that are the same no longer than the value does", () =>
    Effect.gen(function* () {
      const Pair = Schema.Struct({ a: Schema.String, b: Schema.Finite })
      const { parts } = yield* partsOf(Synapse.extract(Pair, { prompt: "Extract" }), ['{"a":"one","b":1,"a":"two"}'])
      const last = parts.at(-1)
      assert.deepStrictEqual(last, { _tag: "Done", value: { a: "two", b: 1 } })
      assert.deepStrictEqual(partialsOf(parts).at(-1)?.a, { state: "done", value: "two" })
    })
  )

  it.effect("shows nothing more until its end once a key comes a second time", () =>
    Effect.gen(function* () {
      const Three = Schema.Struct({ a: Schema.String, b: Schema.Finite, c: Schema.String })
      const written = '{"a":"one","b":1,"a":"two","c":"three"}'
      const { parts } = yield* partsOf(Synapse.extract(Three, { prompt: "Extract" }), [written])
      const partials = partialsOf(parts)
      assert.deepStrictEqual(parts.at(-1), { _tag: "Done", value: { a: "two", b: 1, c: "three" } })
      const first = { state: "done", value: "one" } as const
      assert.deepStrictEqual(partials.at(-2), { a: first, b: { state: "done", value: 1 }, c: { state: "pending" } })
      const shown = partials.flatMap(({ a }) => (a?.state === "done" ? [a.value] : []))
      assert.deepStrictEqual([...new Set(shown)], ["one", "two"])
    })
  )

  it.effect("shows each item that fits once, also behind one that does not fit", () =>
    Effect.gen(function* () {
      const counts = Synapse.extract(Schema.Array(Schema.Int), { prompt: "Extract the counts" })
      const { parts } = yield* partsOf(counts, ['{"value":[1.5,2,"no",3,4', { value: [2, 3, 4] }])
      const end = parts.findIndex((part) => part._tag === "Discarded")
      const shown = partialsOf(parts.slice(0, end)).map((partial) => "value" in partial && partial.value)
      assert.deepStrictEqual<unknown>(shown, [false, [], [2], [2, 3]])
    })
  )

  it.effect("shows beginnings only of values that are not transformed", () =>
    Effect.gen(function* () {
      const Forms = Schema.Struct({
        note: Schema.NullOr(Schema.String),
        either: Schema.Union([Schema.String, Schema.Finite]),
        record: Schema.Record(Schema.String, Schema.String),
        pair: Schema.Tuple([Schema.String, Schema.String]),
        headed: Schema.TupleWithRest(Schema.Tuple([Schema.String]), [Schema.Finite]),
        ended: Schema.TupleWithRest(Schema.Tuple([]), [Schema.String, Schema.Finite]),
        renamed: Schema.Struct({ a: Schema.String }).pipe(Schema.encodeKeys({ a: "b" })),
        inner: Schema.Struct({ a: Schema.String }),
        list: Schema.Array(Schema.String)
      })
      const written = {
        note: "n",
        either: "e",
        record: { a: "r" },
        pair: ["x", "y"],
        headed: ["h", 1],
        ended: ["e", 1]
      }
      const { parts } = yield* partsOf(Synapse.extract(Forms, { prompt: "Extract" }), [
        { ...written, renamed: { b: "c" }, inner: { a: "i" }, list: ["l"] }
      ])
      const partials = partialsOf(parts)
      const statesOf = (key: keyof typeof Forms.Type) => [...new Set(partials.map((partial) => partial[key]?.state))]
      for (const key of ["note", "inner", "list"] as const) {
        assert.deepStrictEqual(statesOf(key), ["pending", "partial", "done"], key)
      }
      for (const key of ["either", "record", "pair", "headed", "ended", "renamed"] as const) {
        assert.deepStrictEqual(statesOf(key), ["pending", "done"], key)
      }
    })
  )

  const Two = Schema.Struct({ a: Schema.String, b: Schema.String })
  const broken: ReadonlyArray<readonly [string, string, string]> = [
    ["a line break in a text", '{"a":"one\ntwo","b":"x"}', "one"],
    ["a word that is no value", '{"a":"one","c":tru,"b":"x"}', "one"],
    ["a list that ends as an object", '{"a":"one","c":["y"},"b":"x"}', "one"],
    ["an escape that is none", '{"a":"one\\q","b":"x"}', "one"],
    ["a value without a comma", '{"a":"one" "b":"x"}', "one"]
  ]
  it.effect.each(broken)("shows nothing after %s", ([, text, expected]) =>
    Effect.gen(function* () {
      const { parts } = yield* partsOf(Synapse.extract(Two, { prompt: "Extract" }), [text, { a: "1", b: "2" }])
      const read = parts.findIndex((part, i) => part._tag === "Discarded" || (i > 0 && part._tag === "Done"))
      // at its end the value is shown that the whole answer was read as
      const early = partialsOf(parts.slice(0, read)).filter(({ b }) => b?.state !== "done")
      const last = early.at(-1)
      assert.strictEqual(last?.a?.state === "pending" ? undefined : last?.a?.value, expected)
      assert.deepStrictEqual(last?.b, { state: "pending" })
    })
  )

  it.effect("shows decoded escapes", () =>
    Effect.gen(function* () {
      const text = String.raw`{"a":"\b\f\n\r\t\"\\\/\u0041\ud83d\uDE00!","b":"x"}`
      const { parts } = yield* partsOf(Synapse.extract(Two, { prompt: "Extract" }), [text])
      const texts = partialsOf(parts).flatMap(({ a }) => (a?.state === "partial" ? [a.value] : []))
      assert.strictEqual(texts.at(-1), '\b\f\n\r\t"\\/A\u{1f600}!')
    })
  )

  it.effect("ignores objects within thinking of two names", () =>
    Effect.gen(function* () {
      const decoy = '{"a":"no","b":"no"}'
      const thoughts = `<think>${decoy}<reasoning>${decoy}</reasoning>${decoy}</think>`
      const { parts } = yield* partsOf(Synapse.extract(Two, { prompt: "Extract" }), [
        `${thoughts}{"a":"yes","b":"yes"}`
      ])
      const texts = partialsOf(parts).flatMap(({ a }) => (a === undefined || a.state === "pending" ? [] : [a.value]))
      assert.deepStrictEqual([...new Set(texts)], ["", "y", "ye", "yes"])
    })
  )

  it.effect.each([
    ["◁think▷", "◁/think▷"],
    ["<|channel|>analysis<|message|>", "<|end|>"],
    ["<|channel|>analysis<|message|>", "<|channel|>final<|message|>"]
  ])("ignores objects within %s", ([opening, closing]) =>
    Effect.gen(function* () {
      const answer = `${opening}{"a":"no","b":"no"}${closing}{"a":"yes","b":"yes"}`
      const { parts } = yield* partsOf(Synapse.extract(Two, { prompt: "Extract" }), [answer])
      const texts = partialsOf(parts).flatMap(({ a }) => (a === undefined || a.state === "pending" ? [] : [a.value]))
      assert.deepStrictEqual([...new Set(texts)], ["", "y", "ye", "yes"])
    })
  )

  it.effect("shows a value that is not an object as one field", () =>
    Effect.gen(function* () {
      const tags = Synapse.extract(Schema.Array(Schema.String), { prompt: "Extract the tags" })
      const { parts } = yield* partsOf(tags, [{ value: ["a", "b"] }])
      assert.deepStrictEqual(partialsOf(parts).at(-1), { state: "done", value: ["a", "b"] })
      assert.deepInclude(partialsOf(parts), { state: "partial", value: ["a"] })
      assert.deepStrictEqual(parts.at(-1), { _tag: "Done", value: ["a", "b"] })
    })
  )

  it.effect("of a closed question omits transformed fields", () =>
    Effect.gen(function* () {
      const kind = Synapse.classification({ question: "Which?", categories: ["billing", "technical"] })
      const { parts } = yield* partsOf(kind, [
        { primary: "billing", secondary: null, confidence: 0.9, reasoning: ["a bill"] }
      ])
      const last = partialsOf(parts).at(-1)
      assert.deepStrictEqual(last?.primary, { state: "done", value: "billing" })
      assert.notProperty(last, "secondary")
    })
  )

  it.effect("of an instance of a class shows its fields", () =>
    Effect.gen(function* () {
      class Person extends Schema.Class<Person>("Person")({ name: Schema.String, age: Schema.Int }) {}
      const { parts } = yield* partsOf(Synapse.extract(Person, { prompt: "Extract the person" }), [
        { name: "Ada", age: 36 }
      ])
      assert.deepStrictEqual(partialsOf(parts).at(-1), {
        name: { state: "done", value: "Ada" },
        age: { state: "done", value: 36 }
      })
      const last = parts.at(-1)
      assert.instanceOf(last?._tag === "Done" ? last.value : undefined, Person)
    })
  )

  it.effect("keeps a key such as __proto__ from doing harm", () =>
    Effect.gen(function* () {
      const { parts } = yield* partsOf(
        Synapse.extract(Schema.Record(Schema.String, Schema.Json), { prompt: "Extract" }),
        [`{"__proto__":{"polluted":true},"a":{"__proto__":1}}`]
      )
      assert.isUndefined(({} as { readonly polluted?: boolean }).polluted)
      assert.strictEqual(parts.at(-1)?._tag, "Done")
    })
  )
})

describe("a stream that fails", () => {
  const broken = (parts: ReadonlyArray<Provider.StreamPart>, error?: Provider.ProviderError) =>
    Provider.make({
      name: "broken",
      model: "m",
      complete: () => Effect.die("a watched call is streamed"),
      stream: () =>
        error === undefined ? Stream.fromIterable(parts) : Stream.concat(Stream.fromIterable(parts), Stream.fail(error))
    })

  it.effect("fails with the error of the call, after the pieces so far", () =>
    Effect.gen(function* () {
      const error = new Provider.ProviderError({
        provider: "broken",
        model: "m",
        reason: { _tag: "Truncated", message: "cut" },
        usage: { outputTokens: 3 }
      })
      const seen: Array<Synapse.Part<typeof Order.Type>> = []
      const exit = yield* Synapse.stream(order, "some text").pipe(
        Stream.runForEach((part) => Effect.sync(() => seen.push(part))),
        Effect.provideService(Provider.Provider, broken([{ _tag: "Text", delta: '{"customer":"A' }], error)),
        Effect.flip
      )
      assert.strictEqual(exit._tag === "ProviderError" && exit.reason._tag, "Truncated")
      assert.deepStrictEqual(
        seen.map(({ _tag }) => _tag),
        ["Text", "Partial", "Discarded"]
      )
    })
  )

  it.effect("that ends without its end is Truncated, never a short success", () =>
    Effect.gen(function* () {
      const error = yield* Synapse.stream(order, "some text").pipe(
        Stream.runDrain,
        Effect.provideService(Provider.Provider, broken([{ _tag: "Text", delta: text }])),
        Effect.flip
      )
      assert.strictEqual(error._tag === "ProviderError" && error.reason._tag, "Truncated")
    })
  )

  it.effect("is interrupted if the reader stops", () =>
    Effect.gen(function* () {
      const stopped = yield* Deferred.make<void>()
      const endless = Provider.make({
        name: "endless",
        model: "m",
        complete: () => Effect.never,
        stream: () =>
          Stream.concat(Stream.make<[Provider.StreamPart]>({ _tag: "Text", delta: "{" }), Stream.never).pipe(
            Stream.onExit(() => Deferred.succeed(stopped, undefined))
          )
      })
      const first = yield* Synapse.stream(order, "x").pipe(
        Stream.take(1),
        Stream.runCollect,
        Effect.provideService(Provider.Provider, endless)
      )
      assert.deepStrictEqual(first, [{ _tag: "Text", delta: "{" }])
      yield* Deferred.await(stopped)
    })
  )

  it.effect("runs at the pace of its reader", () =>
    Effect.gen(function* () {
      let sent = 0
      const eager = Provider.make({
        name: "eager",
        model: "m",
        complete: () => Effect.never,
        stream: () =>
          Stream.fromEffectRepeat(Effect.sync((): Provider.StreamPart => ({ _tag: "Text", delta: `${sent++}` }))).pipe(
            Stream.take(10_000)
          )
      })
      const reader = yield* Synapse.stream(order, "x").pipe(
        Stream.runForEach(() => Effect.never),
        Effect.provideService(Provider.Provider, eager),
        Effect.forkChild
      )
      for (let i = 0; i < 200; i++) yield* Effect.yieldNow
      yield* Fiber.interrupt(reader)
      assert.isTrue(Exit.isFailure(yield* Fiber.await(reader)))
      assert.isBelow(sent, 500)
    })
  )
})

describe("a slow reader", () => {
  it.effect("receives every interrupted answer, in order", () =>
    Effect.gen(function* () {
      const model = Testing.scripted(() => ({ text: "x".repeat(400) }), { pieceLength: 1 })
      const Text = Schema.Struct({ text: Schema.String })
      const ask = Synapse.extract(Text, { prompt: "Extract" })
      // stopped while there is no room for what it tells, and asked again
      const twice = Object.assign(
        (input: string) => Effect.flatMap(Effect.timeoutOption(ask(input), "1 second"), () => ask(input)),
        { kind: "twice", with: ask.with }
      )
      const fiber = yield* Synapse.stream(twice, "x").pipe(
        Stream.tap(() => Effect.sleep("20 millis")),
        Stream.runCollect,
        Effect.provide(model.layer),
        Effect.forkChild
      )
      yield* TestClock.adjust("1 hour")
      const tags = (yield* Fiber.join(fiber)).map(({ _tag }) => _tag)
      assert.strictEqual(tags.filter((tag) => tag === "Discarded").length, 1)
      assert.strictEqual(tags.at(-1), "Done")
    })
  )
})

describe("a long list", () => {
  it.effect("is emitted again only when an item is complete, each time with all complete items", () =>
    Effect.gen(function* () {
      const List = Schema.Struct({ items: Schema.Array(Schema.Struct({ name: Schema.String, count: Schema.Int })) })
      const items = Array.from({ length: 300 }, (_, count) => ({ name: `item ${count}`, count }))
      const { parts } = yield* partsOf(Synapse.extract(List, { prompt: "Extract" }), [{ items }], 1)
      const shown = partialsOf(parts).flatMap((partial) =>
        partial.items?.state === "partial" ? [partial.items.value.length] : []
      )
      assert.deepStrictEqual(
        shown,
        Array.from({ length: 301 }, (_, count) => count)
      )
    })
  )
})

describe("any value in any pieces", () => {
  const schema = Schema.Struct({
    text: Schema.String,
    numbers: Schema.Array(Schema.Finite),
    nested: Schema.Struct({ flag: Schema.Boolean, maybe: Schema.optionalKey(Schema.NullOr(Schema.String)) }),
    kind: Schema.Literals(["a", "b"])
  })
  it.effect("has every field done with the value's own at the end", () =>
    Effect.gen(function* () {
      const synapse = Synapse.extract(schema, { prompt: "Extract" })
      for (let i = 0; i < 60; i++) {
        const [sampled] = yield* Arbitrary.sampleEffect(Arbitrary.schema(schema), { count: 1, seed: i })
        const text = JSON.stringify(sampled)
        // what JSON makes of it: it knows no -0
        const value = JSON.parse(text) as typeof schema.Type
        const { parts } = yield* partsOf(synapse, [text], 1 + (i % 5))
        const partials = partialsOf(parts)
        assert.deepStrictEqual(parts.at(-1), { _tag: "Done", value })
        assert.deepStrictEqual<unknown>(
          partials.at(-1),
          Object.fromEntries(Object.entries(value).map(([key, field]) => [key, { state: "done", value: field }]))
        )
      }
    })
  )
})
