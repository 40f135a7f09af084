import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import type { Provider } from "cogito"
import { inWords } from "../../src/local/context.ts"
import { tellingOf, valuesOf } from "../../src/local/fields/nearest.ts"
import { amountsOf } from "../../src/local/fields/numbers.ts"
import { peopleOf } from "../../src/local/fields/people.ts"
import { spansOf, type Wanted } from "../../src/local/fields/phrases.ts"
import { saidFlag, saidOption } from "../../src/local/fields/said.ts"
import { candidatesOf, membersOf } from "../../src/local/fields/spans.ts"
import { statedKind, statedNumber } from "../../src/local/fields/stated.ts"
import { fill } from "../../src/local/fill.ts"
import { turnOf } from "../../src/local/language/conversation.ts"
import { type Field, fieldOf } from "../../src/local/mind/field.ts"
import { readingOf } from "../../src/local/reading.ts"
import { apology } from "../../src/local/report.ts"
import { mindOf } from "./mind.ts"

// What a text states about a property, by its words alone.

const field = (words: string, more: Partial<Field> = {}): Field => ({ path: words, words, ...more })
const whole = (hint: string): Field => ({ path: "value", words: "value", hint })
const passageOf = (text: string) => ({ text, sentences: text.split(/(?<=[.?!])\s+/) })

describe("the kind of a property", () => {
  const kinds: ReadonlyArray<readonly [Field, ReturnType<typeof statedKind>]> = [
    [field("email address"), "email"],
    [field("address", { description: "The e-mail address" }), "email"],
    [field("address", { description: "Where to send it" }), "address"],
    [whole("List all E-mail addresses"), "email"],
    [whole("Please give me the URL of the shop?"), "url"],
    [whole("Which Company is it?"), "organization"],
    [field("name", { instruction: "Which product is it?" }), "thing"],
    [field("name", { instruction: "Which Brand is it?" }), "organization"],
    [field("name", { instruction: "Which product is it?", description: "Who writes" }), undefined],
    [field("name", { instruction: "Of whom?" }), undefined],
    [field("date of birth"), "date"],
    [field("city of birth"), "place"],
    [field("order state"), "state"],
    [field("created at"), "moment"]
  ]
  it.each(kinds)("is stated by its name, its description or the question: %j", (of, kind) => {
    assert.strictEqual(statedKind(of), kind)
  })

  const numbers: ReadonlyArray<readonly [Field, ReturnType<typeof statedNumber>]> = [
    [whole("How Many guests came?"), "number"],
    [whole("HOW MUCH is it?"), "money"],
    [whole("What Percentage is it?"), "percent"],
    [field("guest count"), "number"],
    [field("total price"), "money"],
    [field("n", { hint: "How many" }), undefined]
  ]
  it.each(numbers)("may be a kind of number: %j", (of, kind) => {
    assert.strictEqual(statedNumber(of), kind)
  })

  it.effect("comes from the instruction if the name is generic, or from the part about it in any letter case", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* fieldOf(mindOf(), "Which product is it?", "name", "name", undefined), {
        path: "name",
        words: "name",
        instruction: "Which product is it?"
      })
      const near = (_: string, target: string) => (target === "Dated how" ? 0.16 : 0)
      assert.deepStrictEqual(yield* fieldOf(mindOf({ near }), "the price; Dated how", "dateOf", "dateOf", undefined), {
        path: "dateOf",
        words: "date of",
        hint: "Dated how"
      })
    })
  )

  it("has words that distinguish values: its own, or those of the question for a whole answer", () => {
    assert.deepStrictEqual(
      [
        tellingOf(whole("What is the tax?")),
        tellingOf(field("total price", { hint: "tax" })),
        tellingOf(field("name"))
      ],
      [["tax"], ["total", "cost"], []]
    )
  })
})

describe("an option or a flag", () => {
  const options = ["high", "low", "medium"]
  const said: ReadonlyArray<readonly [text: string, option: string | undefined]> = [
    ["It is high priority.", "high"],
    ["It is not high priority.", undefined],
    ["Priority: low", "low"],
    ["Priority: high or low", undefined],
    ["The priority is medium.", "medium"],
    ["[HIGH] It fell.", "high"],
    ["HIGH PRICE", undefined],
    ["high priority or low priority", undefined],
    ["The price is high.", undefined]
  ]
  it.each(said)("is taken if the text states it about the property: %s", (text, option) => {
    assert.strictEqual(saidOption(passageOf(text), options, field("priority")), option)
  })

  const flags: ReadonlyArray<readonly [text: string, flag: boolean | undefined]> = [
    ["It is fully remote.", true],
    ["Is it fully remote?", undefined],
    ["It is not remote.", false],
    ["Is it remote? It is not remote.", false],
    ["Remote: yes", true],
    ["Remote: No", false],
    ["It is in Rome.", undefined]
  ]
  it.each(flags)("is not taken from a question: %s", (text, flag) => {
    assert.strictEqual(saidFlag(passageOf(text), field("remote"), 0), flag)
  })

  it("is left to judgement if the property is about a mood or has a description", () => {
    const passage = passageOf("It is remote.")
    assert.deepStrictEqual(
      [saidFlag(passage, field("remote"), 0.6), saidFlag(passage, field("remote", { description: "Where" }), 0)],
      [undefined, undefined]
    )
  })
})

describe("words that a parameter asks for", () => {
  const rows: ReadonlyArray<readonly [wanted: Wanted, text: string, spans: ReadonlyArray<string>]> = [
    ["query", "Search the web for a red kite", ["red kite", "web for a red kite"]],
    ["query", 'Look for "a red kite" now', ["a red kite", '"a red kite" now']],
    ["query", "Do you have any blue mugs?", ["blue mugs"]],
    ["title", "Add the milk to my list", ["milk"]],
    ["title", "book an event on Monday", []],
    ["content", "Remind me to call the bank.", ["call the bank"]]
  ]
  it.each(rows)("are found without an article before them: %s, %s", (wanted, text, spans) => {
    const found = spansOf(wanted, text, field(wanted))
    assert.deepStrictEqual(
      found.map((span) => [span.text, text.slice(span.start, span.start + span.text.length)]),
      spans.map((span) => [span, span])
    )
  })
})

describe("candidates whose kind is stated", () => {
  const rows: ReadonlyArray<
    readonly [words: string, text: string, candidates: ReadonlyArray<string>, more?: Parameters<typeof mindOf>[0]]
  > = [
    ["start", "It begins on 2024-05-01.", ["2024-05-01"]],
    ["start", "Noted 2024-04-01. It begins on 2024-05-01 at 10:30.", ["2024-05-01 at 10:30"]],
    ["host", "Ping 10.0.0.1 please.", ["10.0.0.1"]],
    ["host", "Ping 10.0.0.1 or db-1.example.com please.", ["db-1.example.com"]],
    ["order state", "It is lost. It went to 1 High Road, Ulm.", ["It is lost.", "It went to 1 High Road, Ulm."]],
    ["state", "12 Main Street, Springfield, IL 62704", ["IL"]],
    ["family name", "I met Ann Lee and Kim.", ["Lee"], { people: () => ["Ann Lee", "Kim"] }],
    ["first name", "I met Ann Lee and Kim.", ["Ann", "Kim"], { people: () => ["Ann Lee", "Kim"] }],
    ["from", "It is late. My name is Ann Lee.", ["Ann Lee"]],
    ["to", "It is late. My name is Ann Lee.", []],
    ["from", "It goes from Rome to Ulm.", ["Rome"], { places: () => ["Rome", "Ulm"] }],
    ["to", "It goes from Rome to Ulm.", ["Ulm"], { places: () => ["Rome", "Ulm"] }],
    ["to", "It goes until 10:30 on Monday.", ["10:30"]]
  ]
  it.effect.each(rows)("have the form of that kind: %s, %s", ([words, text, candidates, more]) =>
    Effect.gen(function* () {
      const found = yield* candidatesOf(mindOf(more), field(words), passageOf(text))
      assert.deepStrictEqual(found, candidates)
    })
  )

  it.effect("are listed in the order of the text", () =>
    Effect.gen(function* () {
      const late = "Paid on 2024-05-01 and again, after a long while in which nothing at all was paid, on 2024-06-01."
      const near = (text: string) => (text.includes("nothing at all") ? 1 : 0)
      assert.deepStrictEqual(yield* candidatesOf(mindOf({ near }), field("payment dates"), passageOf(late)), [
        "2024-06-01",
        "2024-05-01"
      ])
      assert.deepStrictEqual(yield* membersOf(mindOf({ near }), field("payment dates"), passageOf(late)), [
        "2024-05-01",
        "2024-06-01"
      ])
      const met = "Kim and Lea met us. My name is Ann Lee."
      const people = () => ["Kim", "Lea", "Ann Lee"]
      assert.deepStrictEqual(yield* membersOf(mindOf({ people }), field("attendees"), passageOf(met)), [
        "Kim",
        "Lea",
        "Ann Lee"
      ])
      assert.deepStrictEqual(peopleOf(mindOf({ people }), field("attendees"), passageOf(met)), [
        "Ann Lee",
        "Kim",
        "Lea"
      ])
    })
  )

  it("include each person once, however the text names the writer", () => {
    const named = (text: string, ...people: ReadonlyArray<string>) =>
      peopleOf(mindOf({ people: () => people }), field("author"), passageOf(text))
    assert.deepStrictEqual(named("It fell, says Marco Rossi here. Regards, Marco", "Marco Rossi"), ["Marco"])
    assert.deepStrictEqual(named("It fell, says Marco. Regards, Marco Rossi", "Marco", "Kim"), ["Marco Rossi", "Kim"])
  })
})

describe("values found by the words around them", () => {
  const texts = (found: ReadonlyArray<{ readonly text: string }>) => found.map(({ text }) => text)

  it.effect("are compared with their context, even at the beginning of the text", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const near = (text: string) => {
        seen.push(text)
        return 0
      }
      const text = `$5 then ${"x".repeat(100)} $6`
      yield* valuesOf(mindOf({ near }), field("it"), passageOf(text), ["money"])
      assert.deepStrictEqual(seen, [`$5 then ${"x".repeat(24)}`, `${"x".repeat(59)} $6`])
    })
  )

  it.effect("are ordered by relevance if they are links and hosts, or by position if they are only links", () =>
    Effect.gen(function* () {
      const near = (text: string) => (text.includes("gap") ? 1 : 0)
      const gap = `and, after this gap ${"x".repeat(40)},`
      const of = (text: string) =>
        Effect.map(valuesOf(mindOf({ near }), field("it"), passageOf(text), ["url", "host"]), texts)
      const link = "https://x.org/a"
      assert.deepStrictEqual(yield* of(`${link} ${"x".repeat(40)} ${gap} db-1.example.com`), ["db-1.example.com", link])
      assert.deepStrictEqual(yield* of(`${link} ${"x".repeat(40)} ${gap} https://y.org`), [link, "https://y.org"])
    })
  )

  it.effect("begin with the amounts after the label of the property", () =>
    Effect.gen(function* () {
      const text = "The total 30 was wrong. Total due: 12"
      assert.deepStrictEqual(texts(yield* amountsOf(mindOf(), field("total"), passageOf(text))), ["12", "30"])
    })
  )

  it.effect("are read as a number, unless its range is from 0 to 1", () =>
    Effect.gen(function* () {
      const of = (schema: object) =>
        fill({
          mind: mindOf(),
          root: { type: "number", ...schema },
          instruction: "Take it.",
          passage: passageOf("It is 12."),
          known: () => Option.none()
        })
      assert.deepStrictEqual(
        yield* Effect.forEach([{ minimum: 0 }, { minimum: 0, maximum: 100 }, { minimum: 1 }], of),
        [12, 12, 12]
      )
      const degree = yield* of({ minimum: 0, maximum: 1 })
      assert.isBelow(Number(degree), 1)
    })
  )
})

describe("what is read", () => {
  it("is the last message of the user that has any words", () => {
    const said = (...texts: ReadonlyArray<string>) => turnOf(texts.map((text) => ({ role: "user", text })))
    const nothing = { calls: [], results: [] }
    assert.deepStrictEqual(
      [said("Where is it?", " \n"), said("a", "", "b"), said(" "), said()],
      [
        { message: "Where is it?", earlier: [], ...nothing },
        { message: "b", earlier: ["a"], ...nothing },
        { message: "", earlier: [], ...nothing },
        { message: "", earlier: [], ...nothing }
      ]
    )
  })

  it("has an instruction and questions without quotation marks around notes", () => {
    const task: Provider.Task = {
      kind: "decide",
      instruction: "About «the mug».",
      questions: [{ _tag: "Predicate", name: "a", question: "Is «the mug» red?" }],
      context: []
    }
    assert.deepStrictEqual(inWords(task), {
      ...task,
      instruction: "About the mug.",
      questions: [{ _tag: "Predicate", name: "a", question: "Is the mug red?" }]
    })
  })

  it("is the English part of the texts, and each other language is named once", () => {
    const german = "Ich warte seit Montag auf eine Antwort."
    const again = "Ich habe den Stuhl vor zwei Wochen bestellt und noch keine Antwort bekommen."
    const english = "The payment was taken twice, please refund one."
    const read = (...texts: ReadonlyArray<string>) => readingOf(mindOf(), texts)
    assert.deepStrictEqual(
      [read(`${german} ${english}`, again), read(english, german), read(german), read(english)],
      [
        { passage: { text: english, sentences: [english] }, unread: "German" },
        { passage: { text: english, sentences: [english] }, unread: "German" },
        { passage: { text: "", sentences: [] }, unread: "German" },
        { passage: { text: english, sentences: [english] }, unread: undefined }
      ]
    )
    const { unread } = read(german, "Bonjour, ma livraison n'est toujours pas arrivée et personne ne répond.")
    assert.strictEqual(unread, "German and French")
  })

  it("is quoted up to 200 characters", () => {
    const quoted = (length: number) => apology("x".repeat(length), [], [], [])
    const why = "\nI have no tools."
    assert.deepStrictEqual(
      [quoted(200), quoted(201)],
      [
        `I cannot do that offline: “${"x".repeat(200)}”.${why}`,
        `I cannot do that offline: “${"x".repeat(200)}…”.${why}`
      ]
    )
  })
})
