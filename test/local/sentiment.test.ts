import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { sentimentOf } from "../../src/local/mind/sentiment.ts"
import { mindOf } from "./mind.ts"

// The tone of a text, worked out over nearness that the tests choose.

/** How positive, negative and neutral texts are, by their words. */
const tones: Readonly<Record<string, number>> = { love: 0, hate: 1, send: 2 }

/** Nearness to the examples: 1 to those of the tone that a text's first known word has, else 0. */
const near = (text: string, target: string): number => {
  const word = Object.keys(tones).find((word) => text.includes(word))
  const positive = /love|Thank you|happy|delighted|beautiful|excellent/.test(target)
  const negative = /furious|worst|disappointed|never answer|terrible|does not work|took my money/.test(target)
  return word !== undefined && tones[word] === (positive ? 0 : negative ? 1 : 2) ? 1 : 0
}

const toneOf = (
  sentences: ReadonlyArray<string>,
  options: { words?: (text: string) => number; aspect?: string } = {}
) =>
  sentimentOf(
    mindOf({ near, sentiment: options.words ?? (() => 0) }),
    { text: sentences.join(" "), sentences },
    options.aspect
  )

/** Of three scores, one of 1 and two of 0, at a temperature of 0.1. */
const sure = 1 / (1 + 2 * Math.exp(-10))
const rest = (1 - sure) / 2

const close = (actual: number | undefined, expected: number) =>
  assert.approximately(actual ?? Number.NaN, expected, 1e-9)

describe("the tone of a text", () => {
  it.effect("is that of the examples that it is near to", () =>
    Effect.gen(function* () {
      for (const [word, kind] of [
        ["love", "positive"],
        ["hate", "negative"],
        ["send", "neutral"]
      ] as const) {
        const { distribution, sentences } = yield* toneOf([`I ${word} it.`])
        for (const other of ["positive", "negative", "neutral"] as const) {
          close(distribution[other], other === kind ? sure : rest)
        }
        assert.strictEqual(distribution.mixed, 0)
        assert.strictEqual(sentences.length, 1)
        close(sentences[0]?.[1].mixed, kind === "neutral" ? rest : sure)
        close(sentences[0]?.[1][kind], sure)
      }
    })
  )

  it.effect("follows the words where no example is near, but not in a question", () =>
    Effect.gen(function* () {
      const words = () => 1
      // 0.2 for, 0.2 against, at a temperature of 0.1
      const total = Math.exp(2) + Math.exp(-2) + 1
      const said = yield* toneOf(["How good of you."], { words })
      close(said.distribution.positive, Math.exp(2) / total)
      close(said.distribution.negative, Math.exp(-2) / total)
      for (const question of ["Would you kindly look?", "Would you kindly look? ", "Would you kindly look?\n"]) {
        const { distribution } = yield* toneOf([question], { words })
        close(distribution.positive, 1 / 3)
        close(distribution.negative, 1 / 3)
      }
    })
  )

  it.effect("is mixed where a clause is clearly positive and another clearly negative", () =>
    Effect.gen(function* () {
      for (const sentence of [
        "We love it, but we hate them.",
        "We love it; we hate them.",
        "We love it although we hate them.",
        "We love it, However we hate them."
      ]) {
        const { distribution, sentences } = yield* toneOf([sentence])
        assert.deepStrictEqual(
          sentences.map(([of]) => of),
          [sentence, sentence]
        )
        // the most that is mixed is 0.9
        close(distribution.mixed, 0.9)
        const all = Object.values(distribution).reduce((sum, share) => sum + share, 0)
        close(all, 1)
      }
      // a clause of one word is none
      assert.strictEqual((yield* toneOf(["We love it; hate."])).sentences.length, 1)
      const both = yield* toneOf(["We love it.", "We send it."])
      assert.strictEqual(both.distribution.mixed, 0)
    })
  )

  it.effect("counts clauses with feeling for more than plain ones, and the whole text as much as all of them", () =>
    Effect.gen(function* () {
      const { distribution } = yield* toneOf(["We send it.", "We love it."])
      // the whole has the tone of the first word known: love
      const [plain, felt] = [1 - sure + 0.05, 1 - rest + 0.05]
      const clauses = (plain * rest + felt * sure) / (plain + felt)
      close(distribution.positive, (clauses + sure) / 2)
      close(distribution.neutral, ((plain * sure + felt * rest) / (plain + felt) + rest) / 2)
    })
  )

  it.effect("of an aspect is that of the clauses that name it, or are near to it", () =>
    Effect.gen(function* () {
      // in any case
      for (const [named, aspect] of [
        ["Price", "price"],
        ["price", "Price"],
        ["price", "PRICE"]
      ] as const) {
        const { distribution, sentences } = yield* toneOf([`We love the ${named}.`, "We hate them."], { aspect })
        assert.deepStrictEqual(
          sentences.map(([sentence]) => sentence),
          [`We love the ${named}.`]
        )
        close(distribution.positive, sure)
      }
      // the whole text has the tone of love, the clause about the aspect has not
      const worse = yield* toneOf(["We hate the price.", "We love them."], { aspect: "price" })
      close(worse.distribution.negative, sure)
      close(worse.distribution.positive, rest)
      const unmentioned = yield* toneOf(["We love the price."], { aspect: "delivery" })
      assert.deepStrictEqual(unmentioned.distribution, { positive: 0.1, negative: 0.1, neutral: 0.7, mixed: 0.1 })
      assert.deepStrictEqual(unmentioned.sentences, [])
      const cheap = (least: number) =>
        sentimentOf(
          mindOf({ near: (_, target) => (target === "price" ? least : 0) }),
          { text: "It is cheap.", sentences: ["It is cheap."] },
          "price"
        )
      assert.strictEqual((yield* cheap(0.35)).sentences.length, 1)
      assert.strictEqual((yield* cheap(0.34)).sentences.length, 0)
    })
  )
})
