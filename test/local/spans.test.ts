import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { fill, type Known } from "../../src/local/fill.ts"
import { type Field, fieldOf, kindOf, phraseOf, phrases, wordsOf } from "../../src/local/mind/field.ts"
import type { JsonSchema } from "../../src/schema/jsonSchema.ts"
import { formattedOf } from "../../src/local/fields/formatted.ts"
import { valuesOf } from "../../src/local/fields/nearest.ts"
import { candidatesOf, membersOf } from "../../src/local/fields/spans.ts"
import { mindOf } from "./mind.ts"

// Which parts of a text stand for a property: the tests choose what is near to what.

type Near = (text: string, target: string) => number
const nothing: Near = () => 0
const passageOf = (...sentences: ReadonlyArray<string>) => ({ text: sentences.join(" "), sentences })
const field = (words: string, more: Partial<Field> = {}): Field => ({ path: words, words, ...more })

/** Nearness of a property's words to the name of a kind, besides another one. */
const ofKind =
  (name: string, other: Near = nothing): Near =>
  (text, target) =>
    target === name && text === "it" ? 0.9 : other(text, target)

describe("what a property is about", () => {
  it("is its name in words", () => {
    const names = ["invoiceNumber", "invoice_number", "Invoice-number", "a.b", "ABCd", "line2Text", " x "]
    assert.deepStrictEqual(names.map(wordsOf), [
      "invoice number",
      "invoice number",
      "invoice number",
      "a b",
      "abcd",
      "line2 text",
      "x"
    ])
  })

  it("is recognized by its words, hint and description, the last most", () => {
    const all = field("due", { hint: "the due date", description: "When to pay" })
    assert.deepStrictEqual(phrases(all), ["due", "the due date", "When to pay"])
    assert.strictEqual(phraseOf(all), "When to pay")
    assert.strictEqual(phraseOf(field("due", { description: " " })), "due")
    assert.strictEqual(phraseOf(field(" ")), " ")
  })

  it.effect("is hinted at by the part of the instruction that is near, or has a word like it", () =>
    Effect.gen(function* () {
      const hint = (instruction: string, near: Near, name = "dueDate") =>
        Effect.map(fieldOf(mindOf({ near }), instruction, "a.dueDate", name, "D"), (found) => found.hint)
      const near =
        (part: string, cosine: number): Near =>
        (text, target) =>
          text === "due date" && target === part ? cosine : 0
      assert.strictEqual(yield* hint("Take the price, when to pay and more", near("when to pay", 0.35)), "when to pay")
      assert.isUndefined(yield* hint("Take the price, when to pay and more", near("when to pay", 0.34)))
      // a word that begins as the name does is worth a fifth
      assert.strictEqual(yield* hint("the price; the due day", near("the due day", 0.2), "dueDate"), undefined)
      const like =
        (part: string, cosine: number): Near =>
        (_, target) =>
          target === part ? cosine : 0
      assert.strictEqual(yield* hint("the price; dated how", like("dated how", 0.16), "dateOf"), "dated how")
      assert.isUndefined(yield* hint("the price; dated how", like("dated how", 0.14), "dateOf"))
      // of one part alone nothing is taken
      assert.isUndefined(yield* hint("when to pay", near("when to pay", 1)))
      assert.deepStrictEqual(yield* fieldOf(mindOf(), "All of it.", "value", "value", undefined), {
        path: "value",
        words: "value",
        hint: "All of it."
      })
      assert.deepStrictEqual(yield* fieldOf(mindOf(), "a, b", "x.y", "yZ", "Why"), {
        path: "x.y",
        words: "y z",
        description: "Why"
      })
    })
  )

  it.effect("has the kind that is nearest, when one is near enough and allowed", () =>
    Effect.gen(function* () {
      const near: Near = (text, target) =>
        text !== "it" ? 0 : target === "price" ? 0.6 : target === "deadline" ? 0.7 : target === "quantity" ? 0.55 : 0
      const kind = (allowed?: Parameters<typeof kindOf>[3]) =>
        kindOf(mindOf({ near }), field("it"), "statement", allowed)
      assert.strictEqual(yield* kind(), "date")
      assert.strictEqual(yield* kind(["money", "number"]), "money")
      assert.strictEqual(yield* kind(["number"]), "statement")
      const kinds = {
        person: "author",
        organization: "employer",
        place: "city",
        percent: "percentage",
        email: "email",
        phone: "telephone",
        url: "link",
        identifier: "ticket id",
        thing: "brand",
        summary: "highlights",
        problem: "complaint",
        request: "question",
        statement: "reason"
      }
      for (const [name, word] of Object.entries(kinds)) {
        assert.strictEqual(yield* kindOf(mindOf({ near: ofKind(word) }), field("it"), "number"), name)
      }
    })
  )
})

describe("values for a property", () => {
  const text = "The fee is $5. Later, after a long while in which nothing happened at all, a refund of $7 and 30% came."

  it.effect("are those of the kinds, the ones in the nearest surroundings first", () =>
    Effect.gen(function* () {
      const near: Near = (around, target) => (target === "it" && around.includes("refund") ? 0.5 : 0.1)
      const found = (kinds: Parameters<typeof valuesOf>[3], of = near) =>
        Effect.map(valuesOf(mindOf({ near: of }), field("it"), passageOf(text), kinds), (all) =>
          all.map((value) => value.text)
        )
      assert.deepStrictEqual(yield* found(["money"]), ["$7", "$5"])
      assert.deepStrictEqual(yield* found(["money"], nothing), ["$5", "$7"])
      assert.deepStrictEqual(yield* found(["percent"]), ["30%"])
      assert.deepStrictEqual(yield* found(["email"]), [])
    })
  )

  it.effect("are addresses in the order of the text", () =>
    Effect.gen(function* () {
      const passage = passageOf("Write to a@x.org or b@x.org.")
      const near: Near = (around) => (around.startsWith("or") ? 1 : 0)
      const found = yield* valuesOf(mindOf({ near }), field("it"), passage, ["email"])
      assert.deepStrictEqual(
        found.map((value) => value.text),
        ["a@x.org", "b@x.org"]
      )
    })
  )

  it.effect("are looked at with sixty characters before and thirty after", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const near: Near = (around, target) => {
        if (target === "it") seen.push(around)
        return 0
      }
      const long = `${"a".repeat(80)} $5 ${"b".repeat(80)} $6`
      yield* valuesOf(mindOf({ near }), field("it"), passageOf(long), ["money"])
      assert.deepStrictEqual(seen, [`${"a".repeat(59)} $5 ${"b".repeat(29)}`, `${"b".repeat(59)} $6`])
    })
  )
})

describe("candidates for one text", () => {
  const first = (name: string, passage = passageOf("Some text."), more: Parameters<typeof mindOf>[0] = {}) =>
    candidatesOf(mindOf({ ...more, near: ofKind(name, more.near) }), field("it"), passage)

  it.effect("are people, the apparent writer first, then companies and addresses", () =>
    Effect.gen(function* () {
      const passage = passageOf(
        "Hi Tom, I saw Kim there when all of us were in the office. My name is Ann. Write to bob@x.org. Best, Lea"
      )
      const more = { people: () => ["Tom", "Kim", "Ann", "Lea"], organizations: () => ["Acme"] }
      assert.deepStrictEqual(yield* first("author", passage, more), ["Ann", "Lea", "Kim", "Acme", "bob"])
      assert.deepStrictEqual(yield* membersOf(mindOf({ ...more, near: ofKind("author") }), field("it"), passage), [
        "Ann",
        "Lea",
        "Kim"
      ])
      for (const before of ["I am", "I’m", "this is", "from", "customer:", "customer", "Name:"]) {
        const found = passageOf(
          `There was Kim, and there were many others in the room. ${before} Ann. ${"x ".repeat(30)}`
        )
        assert.deepStrictEqual(yield* first("author", found, { people: () => ["Kim", "Ann"] }), ["Ann", "Kim"], before)
      }
      for (const greeting of ["hello", "Hey", "Dear", "x\n hi"]) {
        const found = passageOf(`${greeting} Tom, here is Kim.`)
        assert.deepStrictEqual(yield* first("author", found, { people: () => ["Tom", "Kim"] }), ["Kim"], greeting)
      }
    })
  )

  it.effect("are companies, places or things where these are asked for", () =>
    Effect.gen(function* () {
      const more = { organizations: () => ["Acme"], places: () => ["Rome"], things: (text: string) => [text] }
      const passage = passageOf("One.", "Two.")
      assert.deepStrictEqual(yield* first("employer", passage, more), ["Acme"])
      assert.deepStrictEqual(yield* first("city", passage, more), ["Rome"])
      assert.deepStrictEqual(yield* first("brand", passage, more), ["One.\nTwo."])
      assert.deepStrictEqual(yield* first("telephone", passageOf("Call 555-1234 or 555-6789.")), [
        "555-1234",
        "555-6789"
      ])
    })
  )

  it.effect("are sentences, those most central and most about it first", () =>
    Effect.gen(function* () {
      const passage = passageOf("A one.", "B two.", "C three.", "B two.")
      const near: Near = (text, target) =>
        target === passage.text ? (text === "A one." ? 0.3 : 0) : target === "it" ? (text === "C three." ? 0.5 : 0) : 0
      assert.deepStrictEqual(yield* candidatesOf(mindOf({ near }), field("it"), passage), [
        "C three.",
        "A one.",
        "B two."
      ])
      const problem: Near = (text, target) =>
        text === "B two." && /It does not work|Something went wrong/.test(target) ? 0.6 : 0
      const request: Near = (text, target) => (text === "C three." && /money back|Can you send/.test(target) ? 0.6 : 0)
      const roles: Near = (text, target) => problem(text, target) + request(text, target)
      assert.deepStrictEqual(yield* first("complaint", passage, { near: roles }), ["B two.", "A one.", "C three."])
      assert.deepStrictEqual(yield* first("question", passage, { near: roles }), ["C three.", "A one.", "B two."])
      assert.deepStrictEqual(
        yield* first("highlights", passageOf("A one.", "B two."), { near: (text) => (text[0] === "B" ? 1 : 0) }),
        ["B two."]
      )
    })
  )
})

describe("what belongs in a list", () => {
  const members = (name: string, passage: ReturnType<typeof passageOf>, more: Parameters<typeof mindOf>[0] = {}) =>
    membersOf(mindOf({ ...more, near: ofKind(name, more.near) }), field("it"), passage)

  it.effect("is there once, in the order of the text", () =>
    Effect.gen(function* () {
      const passage = passageOf("Order AB1, then CD2, AB1 again.")
      assert.deepStrictEqual(yield* members("ticket id", passage), ["AB1", "CD2"])
      assert.deepStrictEqual(yield* members("employer", passage, { organizations: () => ["Acme", "Acme", "B"] }), [
        "Acme",
        "B"
      ])
      assert.deepStrictEqual(yield* members("author", passage, { people: () => ["Order", "Order"] }), ["Order"])
    })
  )

  it.effect("is each sentence that is more of a problem than a request, or the other way around", () =>
    Effect.gen(function* () {
      const passage = passageOf("A one.", "B two.", "C three.")
      const near: Near = (text, target) =>
        (text === "A one." && /It does not work|Something went wrong/.test(target)) ||
        (text === "C three." && /money back|Can you send/.test(target))
          ? 0.6
          : 0
      assert.deepStrictEqual(yield* members("complaint", passage, { near }), ["A one."])
      assert.deepStrictEqual(yield* members("question", passage, { near }), ["C three."])
    })
  )

  it.effect("is each statement with evidence for it", () =>
    Effect.gen(function* () {
      const passage = passageOf("A one.", "B two.", "C three.", "A one.")
      // evidence is (nearness - 0.27) * 9, and must be above 0.3
      const near: Near = (text, target) =>
        target !== "it" ? 0 : text === "A one." ? 0.31 : text === "B two." ? 0.3 : 0
      assert.deepStrictEqual(yield* members("reason", passage, { near }), ["A one."])
    })
  )
})

describe("texts of a format", () => {
  const found = (format: unknown, text: string, order: "passage" | "nearest" = "passage", near: Near = nothing) =>
    formattedOf(mindOf({ near }), field("it"), passageOf(text), format, order)
  const of = (...given: Parameters<typeof found>) =>
    Effect.map(found(...given), (all) => all?.map(({ spellings }) => spellings))

  it.effect("are found by it, in the ways in which it lets them be written", () =>
    Effect.gen(function* () {
      const uuid = "123e4567-e89b-12d3-a456-426614174000"
      const day = ["2024-05-01T00:00:00Z", "2024-05-01T00:00:00+00:00"]
      assert.deepStrictEqual(yield* of("date", "On May 1st, 2024 or 3.4.2024."), [["2024-05-01"], []])
      assert.deepStrictEqual(yield* of("date-time", "On 2024-05-01."), [day])
      assert.deepStrictEqual(yield* of("email", "To a@x.org, 5."), [["a@x.org"]])
      assert.deepStrictEqual(yield* of("uri", "See https://x.org/a or www.x.org."), [["https://x.org/a"]])
      assert.deepStrictEqual(yield* of("url", "See https://x.org/a"), [["https://x.org/a"]])
      assert.deepStrictEqual(yield* of("uuid", `Id ${uuid} or ${uuid}0 or 123`), [[uuid]])
      assert.deepStrictEqual(yield* of("uuid", `Id ${uuid.toUpperCase()} or 123`), [[uuid.toUpperCase()]])
      assert.deepStrictEqual(yield* of("uuid", `(${uuid}), or "${uuid}".`), [[uuid], [uuid]])
      assert.deepStrictEqual(yield* of("duration", "After P1D, not P."), [["P1D"]])
      assert.deepStrictEqual(yield* of("time", "At 10:30:00Z or 10:30:00.5+02:00 or 10:30:00 or 10:30Z"), [
        ["10:30:00Z"],
        ["10:30:00.5+02:00"]
      ])
      assert.deepStrictEqual(yield* of("duration", "For P1DT2H or PT5M or P or PT or 5M or P3W"), [
        ["P1DT2H"],
        ["PT5M"],
        ["P3W"]
      ])
      assert.isUndefined(yield* of("regex", "x"))
      assert.isUndefined(yield* of(undefined, "x"))
    })
  )

  it.effect("are found with their positions", () =>
    Effect.gen(function* () {
      const cases = [
        ["date", "On May 1st, 2024.", "May 1st, 2024"],
        ["date-time", "On 2024-05-01 at 10:30.", "2024-05-01 at 10:30"],
        ["email", "To a@x.org, 5.", "a@x.org"],
        ["uri", "See https://x.org/a.", "https://x.org/a"],
        ["duration", "In (P1D).", "P1D"]
      ] as const
      for (const [format, passage, text] of cases) {
        const [one] = (yield* found(format, passage)) ?? []
        assert.deepInclude(one, { text, start: passage.indexOf(text) })
      }
    })
  )

  it.effect("are dates nearest to the property first, where one is asked for", () =>
    Effect.gen(function* () {
      const text = `Sent 2024-05-01, as was said ${"x ".repeat(40)} and due 2024-06-01.`
      const near: Near = (around) => (around.includes("due") ? 1 : 0)
      assert.deepStrictEqual(yield* of("date", text, "nearest", near), [["2024-06-01"], ["2024-05-01"]])
      assert.deepStrictEqual(yield* of("date", text, "passage", near), [["2024-05-01"], ["2024-06-01"]])
    })
  )
})

describe("a form", () => {
  const filled = (schema: JsonSchema, text: string, more: Parameters<typeof mindOf>[0] = {}) =>
    fill({
      mind: mindOf(more),
      root: schema,
      instruction: "Take it.",
      passage: { text, sentences: text === "" ? [] : [text] },
      known: () => Option.none()
    })
  const object = (properties: object, required: ReadonlyArray<string> = Object.keys(properties)) => ({
    type: "object",
    properties,
    required
  })
  const number = { type: "number" }

  it.effect("has the first number that fits, of the kind that is meant", () =>
    Effect.gen(function* () {
      const text = "5 items for $40 and 50% off"
      assert.strictEqual(yield* filled(number, text), 5)
      assert.strictEqual(yield* filled({ ...number, minimum: 41 }, text), 50)
      const money: Near = (words, target) => (target === "price" && words === "cost" ? 0.9 : 0)
      assert.deepStrictEqual(yield* filled(object({ cost: number }), text, { near: money }), { cost: 40 })
      // no price is no number of items
      const none = yield* Effect.flip(filled(object({ cost: number }), "5 items", { near: money }))
      assert.strictEqual(none.path, "cost")
      const percent: Near = (words, target) => (target === "percentage" && words === "rate" ? 0.9 : 0)
      assert.deepStrictEqual(yield* filled(object({ rate: number }), text, { near: percent }), { rate: 50 })
    })
  )

  it.effect("has a degree of truth between two ends where no number stands for it", () =>
    Effect.gen(function* () {
      // nothing is near: the log-odds are -2
      const no = 1 / (1 + Math.exp(2))
      const scale = (minimum: number, maximum: number, type = "number") =>
        filled({ type, minimum, maximum }, "None at all.")
      assert.approximately(Number(yield* scale(0, 1)), no, 1e-6)
      assert.approximately(Number(yield* scale(10, 110)), 10 + 100 * no, 1e-4)
      assert.strictEqual(yield* scale(1, 10, "integer"), 2)
      // 2.55 is nearer to 3
      assert.strictEqual(yield* scale(1, 14, "integer"), 3)
      assert.strictEqual((yield* Effect.flip(scale(0, 101)))._tag, "Unfillable")
      assert.approximately(Number(yield* filled({ ...number, minimum: 0, maximum: 1 }, "It is 1.")), no, 1e-6)
    })
  )

  it.effect("has a blank where nothing is found and the schema admits one", () =>
    Effect.gen(function* () {
      const date = { type: "string", format: "date" }
      assert.deepStrictEqual(yield* filled(object({ a: { ...date, type: ["string", "null"] } }), "x"), { a: null })
      assert.deepStrictEqual(yield* filled(object({ a: date }, []), "x"), {})
      assert.strictEqual((yield* Effect.flip(filled(object({ a: object({ b: date }) }), "x"))).path, "a.b")
      assert.deepStrictEqual(yield* filled(object({ a: { type: "string" } }), ""), { a: "" })
      assert.deepStrictEqual(yield* filled(object({ a: { type: "array", items: number } }), ""), { a: [] })
      assert.strictEqual(
        (yield* Effect.flip(filled(object({ a: { type: "array", items: number, minItems: 1 } }), ""))).path,
        "a"
      )
      assert.strictEqual((yield* Effect.flip(filled(object({ a: { type: "string", minLength: 1 } }), ""))).path, "a")
      assert.deepStrictEqual(yield* filled(object({ a: { type: "null" } }, []), "x"), { a: null })
    })
  )

  it.effect("leaves out, or blank, a part that lacks something, where it may", () =>
    Effect.gen(function* () {
      const date = { type: "string", format: "date" }
      const part = object({ due: date, sum: number })
      const orNull = (schema: object) => ({ anyOf: [schema, { type: "null" }] })
      const text = "It costs 7"
      assert.deepStrictEqual(yield* filled(object({ sum: number, part }, ["sum"]), text), { sum: 7 })
      assert.deepStrictEqual(yield* filled(object({ part: orNull(part) }), text), { part: null })
      assert.deepStrictEqual(yield* filled(object({ outer: object({ part }) }, []), text), {})
      assert.deepStrictEqual(yield* filled(object({ outer: object({ part }, []) }), text), { outer: {} })
      assert.strictEqual(yield* filled(orNull(part), text), null)
      assert.strictEqual((yield* Effect.flip(filled(object({ outer: object({ part }) }), text))).path, "outer.part.due")
      // what is there is kept
      assert.deepStrictEqual(yield* filled(object({ part }, []), "It costs 7 on 2024-05-01"), {
        part: { due: "2024-05-01", sum: 7 }
      })
      const tuple = (...prefixItems: ReadonlyArray<object>) => ({ type: "array", prefixItems })
      assert.deepStrictEqual(yield* filled(tuple(number, orNull(date), orNull(part)), text), [7, null, null])
      assert.strictEqual((yield* Effect.flip(filled(tuple(number, part), text))).path, "due")
    })
  )

  it.effect("has fixed values, flags, one of several values, and the first of several forms", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* filled(object({ a: { const: 5 }, b: { type: "boolean" } }), "x y"), {
        a: 5,
        b: false
      })
      const near: Near = (_, target) => (target === "I need help with dark red." ? 1 : 0)
      assert.strictEqual(yield* filled({ enum: ["blue", "dark_red"] }, "x", { near }), "dark_red")
      const date = { type: "string", format: "date" }
      assert.strictEqual(yield* filled({ anyOf: [date, number] }, "It is 7"), 7)
      assert.strictEqual(yield* filled({ anyOf: [date, number] }, "On 2024-05-01 or 7"), "2024-05-01")
      assert.deepStrictEqual(yield* filled({ type: "array", prefixItems: [number, { const: "x" }] }, "It is 7"), [
        7,
        "x"
      ])
    })
  )

  it.effect("has lists of numbers, texts and values, in the order of the text, within their limits", () =>
    Effect.gen(function* () {
      const list = (items: object, more: object = {}) => ({ type: "array", items, ...more })
      const near: Near = (around) => (around.includes("9") ? 1 : 0)
      // far enough from each other to be in other surroundings, of which the last ones are nearest
      const apart = ["7", "12", "9"].join(`${" items that cost nothing at all".repeat(4)}, then `)
      const its = (items: object) => filled(object({ it: items }), apart, { near })
      assert.deepStrictEqual(yield* its(number), { it: 9 })
      assert.deepStrictEqual(yield* its(list(number)), { it: [7, 12, 9] })
      assert.deepStrictEqual(yield* its(list({ ...number, maximum: 9 })), { it: [7, 9] })
      assert.deepStrictEqual(yield* its(list(number, { maxItems: 2 })), { it: [7, 12] })
      assert.deepStrictEqual(yield* filled(list(number, { maxItems: 1 }), "7 and 12"), [7])
      assert.deepStrictEqual(yield* filled(list(number, { minItems: 2 }), "7 and 12"), [7, 12])
      assert.strictEqual((yield* Effect.flip(filled(list(number, { minItems: 2 }), "7 alone")))._tag, "Unfillable")
      const emails = list({ type: "string", format: "email" })
      assert.deepStrictEqual(yield* filled(emails, "b@x.org, a@x.org, b@x.org"), ["b@x.org", "a@x.org"])
      const short = list({ type: "string", format: "email", maxLength: 7 })
      assert.deepStrictEqual(yield* filled(short, "b@x.org, long@x.org"), ["b@x.org"])
      const colours: Near = (_, target) => (/red|blue/.test(target) ? 1 : 0)
      assert.deepStrictEqual(yield* filled(list({ enum: ["red", "green", "blue"] }), "x", { near: colours }), [
        "red",
        "blue"
      ])
      // one that has 0.40 of three is not among the likely ones, which have half as much again as a third
      const likelier: Near = (_, target) => (target.includes("red") ? 1 : target.includes("blue") ? 0.98 : 0)
      assert.deepStrictEqual(yield* filled(list({ enum: ["red", "green", "blue"] }), "x", { near: likelier }), ["red"])
    })
  )

  it.effect("has an object for each sentence that speaks for the list", () =>
    Effect.gen(function* () {
      const sentences = ["I paid 7.", "It was 9 then.", "He paid 8."]
      const root = { type: "array", items: object({ amount: number }) }
      const near: Near = (text) => (text.includes("paid") ? 0.9 : 0)
      const parts = (known: Known) =>
        fill({
          mind: mindOf({ near }),
          root,
          instruction: "Take it.",
          passage: { text: sentences.join(" "), sentences },
          known
        })
      assert.deepStrictEqual(yield* parts(() => Option.none()), [{ amount: 7 }, { amount: 8 }])
      // what is known of the whole says nothing of its parts
      assert.deepStrictEqual(yield* parts((name) => (name === "amount" ? Option.some(1) : Option.none())), [
        { amount: 7 },
        { amount: 8 }
      ])
    })
  )

  it.effect("that holds itself is filled to a depth", () =>
    Effect.gen(function* () {
      const root = object({ amount: number, inner: { $ref: "#" } }, [])
      const levels = (value: unknown): number => {
        const { inner } = (value ?? {}) as { readonly inner?: unknown }
        return inner === undefined ? 1 : 1 + levels(inner)
      }
      assert.isBelow(levels(yield* filled(root, "7")), 12)
    })
  )

  it.effect("has numbers with order as levels", () =>
    Effect.gen(function* () {
      // nothing speaks for it: the lowest
      assert.strictEqual(yield* filled({ enum: [3, 1, 2] }, "x"), 1)
    })
  )
})
