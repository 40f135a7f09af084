import { assert, describe, it } from "@effect/vitest"
import { toStandardJsonSchema } from "@valibot/to-json-schema"
import { type } from "arktype"
import { Memory, Note, Pipeline, Primitive, Step, Synapse, Thought } from "cogito"
import { Agent } from "cogito/agent"
import { Testing } from "cogito/testing"
import { Cause, Effect, Exit, Layer, Result, Stream } from "effect"
import { Toolkit } from "effect/ai"
import * as v from "valibot"
import { z } from "zod"

/** What a synapse makes of an answer, and the form that the model was given. */
const extracted = <A>(schema: Note.AnySchema<A>, answer: string | object) =>
  Effect.gen(function* () {
    const provider = Testing.scripted([answer])
    const value = yield* Synapse.extract(schema, { prompt: "Extract it", repairs: 0 })("text").pipe(
      Effect.provide(provider.layer)
    )
    return { value, form: provider.requests[0]?.task.output?.jsonSchema }
  })

const refusalOf = (schema: unknown): string => {
  try {
    Synapse.extract(schema as Note.AnySchema<unknown>, { prompt: "Extract it" })
  } catch (error) {
    assert.strictEqual(error instanceof Error && error.constructor.name, "Error")
    return (error as Error).message
  }
  return "taken"
}

interface Tree {
  readonly name: string
  readonly parts: ReadonlyArray<Tree>
}
const Tree = z.object({
  name: z.string(),
  get parts(): z.ZodArray<z.ZodType<Tree>> {
    return z.array(Tree as z.ZodType<Tree>)
  }
})

describe("a schema of another library", () => {
  it.effect("of Zod describes its form to the model, with descriptions and limits, and returns its own values", () =>
    Effect.gen(function* () {
      const Person = z.object({
        name: z.string().min(3).describe("Full name"),
        age: z.int().max(150).optional(),
        role: z.enum(["admin", "guest"]).default("guest"),
        since: z.iso.date().transform((text) => new Date(text))
      })
      const { form, value } = yield* extracted(Person, { name: "Ada", since: "2026-01-02" })
      assert.deepStrictEqual(value, { name: "Ada", role: "guest", since: new Date("2026-01-02") })
      assert.deepInclude(form, { type: "object", required: ["name", "since"], additionalProperties: false })
      const { age, name, role, since } = (form as { properties: Record<string, unknown> }).properties
      assert.deepStrictEqual(name, { type: "string", description: "Full name", minLength: 3 })
      assert.deepInclude(age, { type: "integer", maximum: 150 })
      assert.deepInclude(role, { type: "string", enum: ["admin", "guest"], default: "guest" })
      assert.deepInclude(since, { type: "string", format: "date" })
    })
  )

  it.effect("of ArkType and of Valibot", () =>
    Effect.gen(function* () {
      const ark = yield* extracted(type({ name: "string > 2", at: "string.date.parse" }), {
        name: "Ada",
        at: "2026-01-02"
      })
      assert.deepStrictEqual(ark.value, { name: "Ada", at: new Date("2026-01-02") })
      assert.deepInclude(ark.form, { type: "object", additionalProperties: false })
      const Name = v.object({ name: v.pipe(v.string(), v.minLength(3)), nick: v.optional(v.string()) })
      const vali = yield* extracted(toStandardJsonSchema(Name), { name: "Ada" })
      assert.deepStrictEqual(vali.value, { name: "Ada" })
      assert.deepInclude(vali.form, { required: ["name"], additionalProperties: false })
    })
  )

  it.effect("of a plain value, of a list, of a choice between objects, of an object that holds itself", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* extracted(z.enum(["a", "b"]), { value: "b" })).value, "b")
      assert.strictEqual((yield* extracted(z.string().transform(Number), { value: "42" })).value, 42)
      assert.deepStrictEqual((yield* extracted(z.array(z.number()), { value: [1, 2] })).value, [1, 2])
      // the first member fits but for a check that only the library knows
      const Either = z.union([
        z.object({ a: z.string() }).refine(() => false),
        z.object({ a: z.string(), b: z.number() })
      ])
      assert.deepStrictEqual((yield* extracted(Either, { value: { a: "x", b: 1 } })).value, { a: "x", b: 1 })
      const tree = { name: "root", parts: [{ name: "leaf", parts: [] }] }
      const { form, value } = yield* extracted(Tree, tree)
      assert.deepStrictEqual(value, tree)
      assert.notInclude(JSON.stringify(form), `"$ref":"#"`)
    })
  )

  it.effect("validates by itself: it counts lengths, and its refinements and messages reach a repair", () =>
    Effect.gen(function* () {
      // two code points, four units of UTF-16, which Valibot counts
      assert.strictEqual(
        (yield* extracted(toStandardJsonSchema(v.pipe(v.string(), v.minLength(4))), { value: "👍👍" })).value,
        "👍👍"
      )
      const Even = z.object({
        n: z.number().refine((n) => n % 2 === 0, "must be even"),
        name: z.string().min(2, "too short")
      })
      const provider = Testing.scripted([
        { n: 1, name: "x" },
        { n: 2, name: "xy" }
      ])
      const value = yield* Synapse.extract(Even, { prompt: "Extract it" })("text").pipe(Effect.provide(provider.layer))
      assert.deepStrictEqual(value, { n: 2, name: "xy" })
      const asked = JSON.stringify(provider.requests[1]?.messages)
      assert.include(asked, "must be even")
      assert.include(asked, "too short")
      const error = yield* Effect.flip(extracted(Even, { n: 1, name: "xy" }))
      assert.deepStrictEqual(error._tag === "ResponseError" && error.issues, [{ path: ["n"], message: "must be even" }])
    })
  )

  it.effect("is read leniently, as any other", () =>
    Effect.gen(function* () {
      const Order = z.object({ items: z.array(z.string()), total: z.number(), paid: z.boolean() })
      const answer = 'Here it is:\n```json\n{items: ["lamp",], "total": "12.5", "paid": "true",}\n```'
      const { value } = yield* extracted(Order, answer)
      assert.deepStrictEqual(value, { items: ["lamp"], total: 12.5, paid: true })
    })
  )

  it.effect("that allows several types for a value takes it as written, or as the first type that fits", () =>
    Effect.gen(function* () {
      const properties = { size: { type: ["integer", "null"] }, tag: { type: ["integer", "string"] } }
      const form = { type: "object", properties, required: ["size", "tag"], additionalProperties: false }
      const validate = (value: unknown) => ({ value })
      const jsonSchema = { input: () => form, output: () => form }
      const Own = { "~standard": { version: 1, vendor: "own", validate, jsonSchema } } as const
      const read = (answer: string) =>
        Effect.map(extracted(Own as Note.AnySchema<unknown>, answer), ({ value }) => value)
      assert.deepStrictEqual(yield* read('{"size": "3", "tag": 4,}'), { size: 3, tag: 4 })
      assert.deepStrictEqual(yield* read('{"size": null, "tag": "4",}'), { size: null, tag: "4" })
    })
  )

  it.effect("whose own code throws or is asynchronous makes the answer invalid, without the thrown message", () =>
    Effect.gen(function* () {
      const Parsed = z.object({ json: z.string().transform((text): unknown => JSON.parse(text)) })
      const Late = z.object({ json: z.string().refine(() => Promise.resolve(true)) })
      for (const schema of [Parsed, Late]) {
        const error = yield* Effect.flip(extracted(schema, { json: "canary" }))
        assert.strictEqual(error._tag, "ResponseError")
        assert.notInclude(error.message, "canary")
        assert.include(error.message, "the schema's own code reads without throwing and without waiting")
      }
    })
  )

  it("is refused at construction if it is invalid, has no JSON Schema or no form in JSON, or is asynchronous", () => {
    const none =
      "Synapse.extract needs a schema: an Effect Schema, or a Standard Schema with its JSON Schema, such as one of Zod from 4.2, but got"
    assert.strictEqual(refusalOf(undefined), `${none} none.`)
    assert.strictEqual(refusalOf(null), `${none} none.`)
    assert.strictEqual(refusalOf({ name: "string" }), `${none} an object that is not a schema.`)
    assert.strictEqual(refusalOf([]), `${none} an array.`)
    assert.strictEqual(refusalOf("string"), `${none} a string.`)
    assert.strictEqual(
      refusalOf(() => true),
      `${none} a function.`
    )
    assert.include(
      refusalOf(v.string()),
      "Synapse.extract has a schema of valibot that does not give its JSON Schema: use"
    )
    assert.include(refusalOf(z.date()), "has no form in JSON: Date cannot be represented")
    assert.include(refusalOf(z.object({ size: z.bigint() })), "has no form in JSON")
    const late = { ...v.string()["~standard"], validate: () => Promise.reject(new Error("late")) }
    const jsonSchema = z.string()["~standard"].jsonSchema
    assert.include(refusalOf({ "~standard": { ...late, jsonSchema } }), "validates asynchronously")
    // it cannot validate, or gives no form of its input
    assert.strictEqual(
      refusalOf({ "~standard": { ...late, validate: undefined, jsonSchema } }),
      `${none} an object that is not a schema.`
    )
    for (const other of [undefined, null, {}, { output: jsonSchema.output }, { input: {} }]) {
      assert.include(
        refusalOf({ "~standard": { ...late, jsonSchema: other } }),
        "Synapse.extract has a schema of valibot that does not give its JSON Schema: use"
      )
    }
  })

  it.effect("in the older dialect is accepted too", () =>
    Effect.gen(function* () {
      const Pair = z.tuple([z.string(), z.number()])
      const standard = Pair["~standard"]
      const input = ({ target }: { readonly target: "draft-2020-12" | "draft-07" }) => {
        if (target !== "draft-07") throw new Error("not supported")
        return standard.jsonSchema.input({ target })
      }
      const older: Note.StandardSchema<[string, number]> = {
        "~standard": { ...standard, jsonSchema: { input, output: input } }
      }
      const { form, value } = yield* extracted(older, { value: ["a", 1] })
      assert.deepStrictEqual(value, ["a", 1])
      assert.include(JSON.stringify(form), "prefixItems")
    })
  )
})

describe("a form that is put together of several objects", () => {
  /** Of a vendor that has only a JSON Schema. */
  const own = (more: object) => {
    const json = () => ({ type: "object", ...more })
    const validate = (value: unknown) => ({ value })
    const standard = { version: 1, vendor: "own", validate, jsonSchema: { input: json, output: json } }
    return { "~standard": standard } as Note.AnySchema<any>
  }
  const a = { properties: { a: { type: "string" } } }
  const b = { type: "object", properties: { b: { type: "string" } } }

  it.effect("has the fields of all of them", () =>
    Effect.gen(function* () {
      for (const schema of [own({ ...a, allOf: [b] }), own({ allOf: [{ type: "object", ...a }, b] })]) {
        const { form } = yield* extracted(schema, { a: "x", b: "y" })
        assert.deepInclude(form, { properties: { a: { type: "string" }, b: { type: "string" } } })
      }
    })
  )

  it.effect("has them also of objects that are defined elsewhere", () =>
    Effect.gen(function* () {
      const $defs = { b, "c/d": { $ref: "#/$defs/b" } }
      for (const $ref of ["#/$defs/b", "#/$defs/c~1d"]) {
        const { form } = yield* extracted(own({ ...a, allOf: [{ $ref }], $defs }), { a: "x", b: "y" })
        assert.deepInclude(form, { properties: { a: { type: "string" }, b: { type: "string" } } })
      }
      const { form } = yield* extracted(z.object({ by: z.string() }).and(Tree), { by: "me", name: "root", parts: [] })
      assert.notInclude(JSON.stringify(form), '"not"')
    })
  )
})

describe("values of another library's schema in words for a model", () => {
  it.effect("are shown as their JSON, and a plain value that was turned into another one is refused", () =>
    Effect.gen(function* () {
      const Day = z.object({ day: z.iso.date().transform((text) => new Date(text)) })
      const provider = Testing.scripted([{ day: "2026-01-02" }])
      const convert = Synapse.convert(Day, Day, { prompt: "Convert it" })
      const value = yield* convert({ day: new Date("2026-01-01") }).pipe(Effect.provide(provider.layer), Effect.exit)
      // a date alone is not what JSON makes of it
      assert.isTrue(Exit.isFailure(value))
      const Moment = z.object({ at: z.iso.datetime().transform((text) => new Date(text)) })
      const moments = Testing.scripted([{ at: "2026-01-02T00:00:00.000Z" }])
      const at = yield* Synapse.convert(Moment, Moment, { prompt: "Convert it" })({ at: new Date(0) }).pipe(
        Effect.provide(moments.layer)
      )
      assert.deepStrictEqual(at, { at: new Date("2026-01-02T00:00:00.000Z") })
      assert.include(JSON.stringify(moments.requests[0]?.messages), "1970-01-01T00:00:00.000Z")
      assert.throws(
        () => Synapse.analyze(z.string().transform(Number), { prompt: "Say it" }),
        "Synapse.analyze has a schema that transforms a plain value"
      )
    })
  )
})

describe("a note with a schema of another library", () => {
  it("is read, and written as JSON that reads back as the same value", () => {
    const Person = z.object({ name: z.string(), role: z.string().default("guest"), nick: z.string().optional() })
    const { decode, encode } = Note.handle("person", Person)[Note.HandleTypeId]
    const person = Result.getOrThrow(decode(`{"name":"Ada"}`))
    assert.deepStrictEqual(person, { name: "Ada", role: "guest" })
    assert.strictEqual(Result.getOrThrow(encode(person)), `{"name":"Ada","role":"guest"}`)
    assert.strictEqual(Result.getOrThrow(encode({ ...person, nick: undefined })), `{"name":"Ada","role":"guest"}`)
    assert.isTrue(Result.isFailure(encode({ name: 1 })))
    assert.isTrue(Result.isFailure(decode("{}")))
  })

  it("keeps the JSON that a value was read from where the value's own would not do", () => {
    const Count = z.object({ count: z.string().transform(Number) })
    const { decode, encode } = Note.handle("count", Count)[Note.HandleTypeId]
    const value = Result.getOrThrow(decode(`{"count":"42"}`))
    assert.deepStrictEqual(value, { count: 42 })
    assert.strictEqual(Result.getOrThrow(encode(value)), `{"count":"42"}`)
    // it is another value by now
    value.count = 43
    const changed = encode(value)
    assert.include(
      Result.isFailure(changed) ? changed.failure.message : "",
      `the schema accepts\n  at ["count"]["count"]`
    )
  })

  it("has no JSON for an object that the schema returns for several inputs", () => {
    const plans = { gold: new Map([["price", 9]]) }
    const Plan = z.object({ plan: z.literal("gold"), text: z.string() }).transform(({ plan }) => plans[plan])
    const { decode, encode } = Note.handle("plan", Plan)[Note.HandleTypeId]
    assert.strictEqual(Result.getOrThrow(decode(`{"plan":"gold","text":"secret"}`)), plans.gold)
    assert.isTrue(Result.isFailure(encode(plans.gold)))
    const Own = z.object({ plan: z.literal("gold"), text: z.string() }).transform(({ plan }) => new Map(plans[plan]))
    const own = Note.handle("plan", Own)[Note.HandleTypeId]
    const text = `{"plan":"gold","text":"secret"}`
    assert.strictEqual(Result.getOrThrow(own.encode(Result.getOrThrow(own.decode(text)))), text)
  })

  const Long = z.object({ text: z.string() }).transform(({ text }) => text.length > 3)

  it.effect("that turns an object into a plain value keeps what the model has written", () =>
    Effect.gen(function* () {
      const plans = { gold: new Map([["price", 9]]) }
      const Plan = z.object({ plan: z.literal("gold"), text: z.string() }).transform(({ plan }) => plans[plan])
      const long = Primitive.analyze("long", { schema: Long, prompt: "Extract it" })
      const guess = Primitive.make("guess", { kind: "guess", schema: Long, question: "What is it?" })
      const plan = Primitive.analyze("plan", { schema: Plan, prompt: "Extract it" })
      const model = Testing.scripted([
        { text: "secret" },
        // a text around the answer, and a candidate that does not fit
        `It is {"txt": 1}, I mean:\n\n{"text": "open",}`,
        { plan: "gold", text: "mine" },
        { plan: "gold", text: "yours" }
      ])
      yield* Effect.gen(function* () {
        const memory = yield* Memory.Memory
        const done = yield* Pipeline.run(Pipeline.sequence("all", [long, guess, plan]), yield* Thought.make("order"))
        const other = yield* Pipeline.run(plan, yield* Thought.make("other"))
        const loaded = yield* memory.load(done.id)
        assert.deepStrictEqual([done.get("long"), yield* Thought.read(loaded, long)], [true, true])
        assert.deepStrictEqual([done.get("guess"), yield* Thought.read(loaded, guess)], [true, true])
        assert.strictEqual(yield* Thought.read(loaded, plan), plans.gold)
        assert.deepStrictEqual(
          [...["long", "guess", "plan"].map((key) => done.note(key)?.content), other.note("plan")?.content],
          [`{"text":"secret"}`, `{"text":"open"}`, `{"plan":"gold","text":"mine"}`, `{"plan":"gold","text":"yours"}`]
        )
      }).pipe(Effect.provide(Layer.merge(model.layer, Testing.memory)))
    })
  )

  it.effect("that turns an object into a plain value is of use for the answer of an agent and of a person", () =>
    Effect.gen(function* () {
      const agent = Agent.make("clerk", {
        instructions: "You judge.",
        toolkit: Toolkit.empty,
        triage: false,
        output: Long
      })
      const model = Testing.scripted([Testing.calls([{ name: "answer", params: { text: "secret" } }])])
      yield* Effect.gen(function* () {
        const said = yield* Agent.say(agent, yield* Thought.make("chat"), "Is it long?")
        assert.deepStrictEqual([said.get("answer"), said.note("answer")?.content], [true, `{"text":"secret"}`])
        const asks = Pipeline.waitFor("long", { schema: Long, prompt: "What is it?" })
        const run = Pipeline.run(asks, yield* Thought.make("order"), { durable: { id: "run" } })
        assert.strictEqual((yield* Effect.flip(run))._tag, "Suspended")
        yield* Pipeline.answer("run", "long", { text: "no" })
        const done = yield* Pipeline.resume(asks, "run")
        assert.deepStrictEqual([done.get("long"), done.note("long")?.content], [false, `{"text":"no"}`])
      }).pipe(Effect.provide(Layer.merge(model.layer, Testing.memory)))
    })
  )

  it.effect("with other properties of a type has them checked by the library", () =>
    Effect.gen(function* () {
      const Open = z.object({ a: z.string() }).catchall(z.number())
      assert.deepStrictEqual<unknown>((yield* extracted(Open, { a: "x", b: 1 })).value, { a: "x", b: 1 })
      const error = yield* Effect.flip(extracted(Open, { a: "x", b: "y" }))
      assert.ok(error._tag === "ResponseError")
      assert.include(JSON.stringify(error.issues), "expected number")
    })
  )

  it.effect("with a pattern can be that of an answer of a person", () =>
    Effect.gen(function* () {
      const asks = Pipeline.waitFor("mail", { schema: z.object({ mail: z.email() }), prompt: "Where to?" })
      yield* Effect.flip(Pipeline.run(asks, yield* Thought.make("order"), { durable: { id: "run" } }))
      const refused = yield* Effect.flip(Pipeline.answer("run", "mail", { mail: 3 }))
      assert.strictEqual(refused._tag, "SchemaError")
      // the library's own pattern is checked when the run goes on: it asks again, and says why
      yield* Pipeline.answer("run", "mail", { mail: "nowhere" })
      const again = yield* Effect.flip(Pipeline.resume(asks, "run"))
      assert.ok(again._tag === "Suspended")
      assert.match(again.waits[0]?.prompt ?? "", /The answer before does not fit: .*email/)
      yield* Pipeline.answer("run", "mail", { mail: "ada@example.com" })
      assert.deepStrictEqual((yield* Pipeline.resume(asks, "run")).get("mail"), { mail: "ada@example.com" })
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("that turns an object into a plain value ends the run if a function gives one", () =>
    Effect.gen(function* () {
      const step = Step.make("long", { schema: Long, run: () => true })
      const exit = yield* Effect.exit(Pipeline.run(step, yield* Thought.make("order"))).pipe(
        Effect.provide(Testing.memory)
      )
      assert.include(
        Exit.isFailure(exit) ? String(Cause.squash(exit.cause)) : "",
        "The step long gave a value outside its schema"
      )
    })
  )

  it("names the field that does not fit the schema, and no key of a record", () => {
    const Person = z.object({
      name: z.string(),
      age: z.number().min(18),
      by: z.record(z.string(), z.array(z.string().trim())),
      level: z.number().default(1)
    })
    const { encode } = Note.handle("person", Person)[Note.HandleTypeId]
    const wrong = (value: unknown): string => {
      const written = encode(value)
      return Result.isFailure(written) ? written.failure.message : "nothing"
    }
    const person = { name: "Ada", age: 36, by: { secret: ["a"] }, level: 2 }
    assert.strictEqual(wrong(person), "nothing")
    const accepts = "Expected a value that the schema accepts"
    assert.strictEqual(wrong({ ...person, age: "36" }), `${accepts}\n  at ["person"]["age"]`)
    assert.strictEqual(wrong({ ...person, age: 3 }), `${accepts}\n  at ["person"]["age"]`)
    const again = "Expected a value that the schema gives again when it reads the value's JSON"
    assert.strictEqual(wrong({ ...person, by: { secret: ["a", " b "] } }), `${again}\n  at ["person"]["by"]["*"][1]`)
    assert.strictEqual(wrong({ ...person, nick: "A" }), `${again}\n  at ["person"]["*"]`)
    assert.strictEqual(wrong({ ...person, level: undefined }), `${again}\n  at ["person"]["level"]`)
    assert.include(wrong({ ...person, age: 10n }), "Expected a value that JSON can hold")
  })

  it("of a text is the text itself, whatever it is transformed to", () => {
    assert.strictEqual(Result.getOrThrow(Note.handle("n", z.string())[Note.HandleTypeId].encode("a b")), "a b")
    assert.strictEqual(
      Result.getOrThrow(Note.handle("n", z.string().transform(Number))[Note.HandleTypeId].decode("42")),
      42
    )
  })

  it("made twice of one schema has one schema", () => {
    const Name = z.string()
    assert.strictEqual(Note.handle("a", Name).schema, Note.handle("b", Name).schema)
  })
})

describe("an answer of another library's schema while it is written", () => {
  it.effect("shows its fields when they are what is written, else when it is complete", () =>
    Effect.gen(function* () {
      const partsOf = Effect.fnUntraced(function* <A>(schema: Note.AnySchema<A>, answer: object) {
        const provider = Testing.scripted([answer], { pieceLength: 4 })
        const synapse = Synapse.extract(schema, { prompt: "Extract it" })
        const parts = yield* Stream.runCollect(Synapse.stream(synapse, "text").pipe(Stream.provide(provider.layer)))
        return parts
      })
      const plain = yield* partsOf(z.object({ a: z.string(), b: z.string() }), { a: "one", b: "two" })
      const shown = plain.flatMap((part) => (part._tag === "Partial" ? [part.partial] : []))
      assert.isTrue(shown.some(({ a, b }) => a?.state === "done" && a.value === "one" && b?.state !== "done"))
      assert.isTrue(shown.some(({ b }) => b?.state === "partial"))
      const turned = yield* partsOf(z.object({ n: z.string().transform(Number) }), { n: "42" })
      assert.notInclude(JSON.stringify(turned), `"value":"42"`)
      assert.include(JSON.stringify(turned), `"value":42`)
    })
  )
})
