import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { make, mean, passageOf, sigmoid, softmax, topTwo } from "../../src/local/mind/meaning.ts"
import { textsOf } from "../../src/local/context.ts"
import type { Provider } from "cogito"
import { mindOf } from "./mind.ts"

const close = (actual: ReadonlyArray<number>, expected: ReadonlyArray<number>) => {
  assert.strictEqual(actual.length, expected.length)
  for (const [i, value] of expected.entries()) assert.approximately(actual[i] ?? Number.NaN, value, 1e-9)
}

describe("numbers", () => {
  it("are put in proportion, averaged and squeezed", () => {
    close(softmax([1, 1], 0.1), [0.5, 0.5])
    close(softmax([0.1, 0.1 + 0.1 * Math.log(3)], 0.1), [0.25, 0.75])
    close(softmax([1000, 0], 1), [1, 0])
    close([sigmoid(0), sigmoid(Math.log(3))], [0.5, 0.75])
    assert.deepStrictEqual([mean([]), mean([1, 2, 6])], [0, 3])
    assert.deepStrictEqual([topTwo([1, 5, 3]), topTwo([4]), topTwo([-1, -3])], [4, 4, -2])
  })
})

describe("comparing texts", () => {
  it.effect("takes the cosine of each text with each target, a row a text", () =>
    Effect.gen(function* () {
      const vectors: Readonly<Record<string, ReadonlyArray<number>>> = { a: [1, 0], b: [0, 1], c: [0.6, 0.8] }
      const { compare } = make(
        (texts) => Effect.succeed(texts.map((text) => Float32Array.from(vectors[text] ?? []))),
        mindOf().language
      )
      const rows = yield* compare(["a", "c"], ["a", "b", "c"])
      close(rows[0] ?? [], [1, 0, Math.fround(0.6)])
      close(rows[1] ?? [], [Math.fround(0.6), Math.fround(0.8), Math.fround(0.6) ** 2 + Math.fround(0.8) ** 2])
    })
  )

  it.effect("reads shouted words as others, but not short ones, codes, or what it is compared with", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const { compare } = make((texts) => {
        seen.push(...texts)
        return Effect.succeed(texts.map(() => new Float32Array(1)))
      }, mindOf().language)
      yield* compare(
        [
          "PLEASE help me NOW",
          "I WANT MY MONEY",
          "THE NASA LAUNCH went WELL",
          "please see the order AB-CDEF and ABCD1 on my USB stick",
          "HELP ME",
          "Ünder ÜBER ALLES so"
        ],
        ["SHOUTED TARGET HERE"]
      )
      assert.deepStrictEqual(seen, [
        "SHOUTED TARGET HERE",
        "please help me NOW",
        "i want my money",
        "the nasa launch went well",
        "please see the order AB-CDEF and ABCD1 on my USB stick",
        "help ME",
        "Ünder über alles so"
      ])
    })
  )
})

describe("a passage", () => {
  const sentencesOf = (...texts: ReadonlyArray<string>) => passageOf(mindOf().language, texts).sentences

  it("has the sentences with content, in order, and the whole text", () => {
    const passage = passageOf(mindOf().language, ["Hi Ann. It broke today. Thanks!", "Send a new one. Ok."])
    assert.strictEqual(passage.text, "Hi Ann. It broke today. Thanks!\n\nSend a new one. Ok.")
    assert.deepStrictEqual(passage.sentences, ["It broke today.", "Send a new one."])
  })

  it("has greetings and thanks only where they are long or all that there is", () => {
    assert.deepStrictEqual(sentencesOf("Hello there dear Ann. Kind regards from all of us."), [
      "Hello there dear Ann.",
      "Kind regards from all of us."
    ])
    assert.deepStrictEqual(sentencesOf("It broke. Hello there dear Ann."), ["It broke."])
    assert.deepStrictEqual(sentencesOf("It broke. Hello there, it is me again."), [
      "It broke.",
      "Hello there, it is me again."
    ])
    assert.deepStrictEqual(sentencesOf("It broke. Kind regards from all of us."), ["It broke."])
    assert.deepStrictEqual(sentencesOf("It broke. Thanks for all that you have done."), [
      "It broke.",
      "Thanks for all that you have done."
    ])
    assert.deepStrictEqual(sentencesOf(""), [])
  })

  it("leaves out names that stand alone, such as a signature", () => {
    assert.deepStrictEqual(sentencesOf("It broke today.", "Anna Berg", "- Kim Lee, Acme", "J. Roth"), [
      "It broke today."
    ])
    assert.deepStrictEqual(sentencesOf("It broke today.", "Anna Berg wrote it", "IT BROKE"), [
      "It broke today.",
      "Anna Berg wrote it",
      "IT BROKE"
    ])
    assert.deepStrictEqual(sentencesOf("Anna Berg"), ["Anna Berg"])
  })
})

describe("the text of a task", () => {
  const note = (text: string, over: Partial<Provider.ContextNote> = {}): Provider.ContextNote => ({
    id: "n",
    key: "k",
    text,
    source: "user",
    step: "",
    trust: "untrusted",
    fresh: true,
    ...over
  })
  const of = (task: Partial<Provider.Task>) =>
    textsOf({ kind: "analyze", instruction: "", questions: [], context: [], ...task })

  it("is its input, else what the thought began with, else what steps wrote but did not look up", () => {
    const given = note("given")
    const written = note("written", { step: "a", source: "analyze" })
    const found = note("found", { step: "b", source: "seek", found: true })
    const surveyed = note("surveyed", { step: "b", source: "survey", found: true })
    assert.deepStrictEqual(of({ input: "input", context: [given] }), ["input"])
    assert.deepStrictEqual(of({ context: [written, given, found] }), ["given"])
    assert.deepStrictEqual(of({ context: [found, written, surveyed] }), ["written"])
    assert.deepStrictEqual(of({ context: [found] }), [])
    assert.deepStrictEqual(of({ input: " \n" }), [])
  })

  it("is the texts in JSON, in order, without keys and what is no text", () => {
    assert.deepStrictEqual(of({ input: ' {"a": ["x", 5, null, {"b": "y"}], "c": true, "d": " "}' }), ["x", "y"])
    assert.deepStrictEqual(of({ input: '"only"' }), ["only"])
    assert.deepStrictEqual(of({ input: '["a", "b"]' }), ["a", "b"])
    assert.deepStrictEqual(of({ input: "[1] says {so}" }), ["[1] says {so}"])
    assert.deepStrictEqual(of({ input: "12" }), ["12"])
  })
})
