import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Provider } from "cogito"
import { answer } from "../../src/local/answers.ts"
import { choose, onScale, strongest } from "../../src/local/mind/choice.ts"
import { emotionOf, emotionScores } from "../../src/local/mind/emotions.ts"
import { judge, negated } from "../../src/local/mind/evidence.ts"
import { rolesOf, substance } from "../../src/local/mind/roles.ts"
import { sentimentOf } from "../../src/local/mind/sentiment.ts"
import { summarize } from "../../src/local/mind/summary.ts"
import { mindOf } from "./mind.ts"

// What the offline model makes of nearness: the tests choose how near texts are, and work out the rest.

const close = (actual: number | undefined, expected: number) =>
  assert.approximately(actual ?? Number.NaN, expected, 1e-9)
const sigmoid = (x: number) => 1 / (1 + Math.exp(-x))
const passageOf = (...sentences: ReadonlyArray<string>) => ({ text: sentences.join(" "), sentences })

/** How near texts are, by pairs; 0 for all others. */
const nearness =
  (pairs: ReadonlyArray<readonly [text: string | RegExp, target: string | RegExp, near: number]>) =>
  (text: string, target: string) => {
    const matches = (one: string | RegExp, other: string) => (typeof one === "string" ? one === other : one.test(other))
    return pairs.find(([a, b]) => matches(a, text) && matches(b, target))?.[2] ?? 0
  }

describe("how far a text speaks for a question", () => {
  it.effect("goes by nearness alone if no example is about the subject", () =>
    Effect.gen(function* () {
      const near = nearness([
        ["A. B.", "Paid?", 0.3],
        ["A.", "Paid?", 0.5],
        ["B.", "Paid?", 0.1]
      ])
      const { probability, sentences, share } = yield* judge(mindOf({ near }), "Paid?", passageOf("A.", "B."))
      assert.approximately(share, 0, 1e-6)
      const [a, b] = [(0.5 - 0.27) * 9, (0.1 - 0.27) * 9].map((x) => Math.max(-2, Math.min(2, x)))
      assert.deepStrictEqual(
        sentences.map(([sentence]) => sentence),
        ["A.", "B."]
      )
      assert.approximately(sentences[0]?.[1] ?? 0, a ?? 0, 1e-6)
      assert.approximately(sentences[1]?.[1] ?? 0, b ?? 0, 1e-6)
      assert.approximately(probability, sigmoid(((0.3 - 0.27) * 9 + ((a ?? 0) + (b ?? 0)) / 2 + (a ?? 0)) / 3), 1e-6)
    })
  )

  it.effect("turns around where one of two close texts is in the negative", () =>
    Effect.gen(function* () {
      const evidence = (sentence: string, question: string, near: number) =>
        Effect.map(
          judge(mindOf({ near: nearness([[sentence, question, near]]) }), question, passageOf(sentence)),
          ({ sentences }) => sentences[0]?.[1] ?? 0
        )
      const at = (near: number) => (near - 0.27) * 9
      assert.approximately(yield* evidence("It is paid.", "Paid?", 0.46), at(0.46), 1e-6)
      assert.approximately(yield* evidence("It is not paid.", "Paid?", 0.46), -at(0.46), 1e-6)
      assert.approximately(yield* evidence("It is paid.", "Isn't it paid?", 0.46), -at(0.46), 1e-6)
      assert.approximately(yield* evidence("It is not paid.", "Never paid?", 0.46), at(0.46), 1e-6)
      assert.approximately(yield* evidence("It is not blue.", "Paid?", 0.45), at(0.45), 1e-6)
      // what is denied by name speaks against it however near it is
      assert.approximately(yield* evidence("It is not paid.", "Paid?", 0.3), -1, 1e-6)
      assert.approximately(yield* evidence("It is paid.", "Paid?", 0.9), 2, 1e-6)
      assert.approximately(yield* evidence("It is paid.", "Paid?", -0.5), -2, 1e-6)
    })
  )

  it("knows the words that deny", () => {
    for (const word of "not no never nobody nothing none neither nor cannot without isn't won’t NOT".split(" ")) {
      assert.isTrue(negated(`It ${word} it.`), word)
    }
    for (const text of ["It is noted.", "Another one", "nowhere", "It is it."]) assert.isFalse(negated(text), text)
  })

  it.effect("goes by examples where it is about severity, anger or satisfaction", () =>
    Effect.gen(function* () {
      for (const [question, yes, no, middle, weight] of [
        // no word of the sentence shows urgency, so what speaks for it counts half
        [/^Is this urgent\?$/, /emergency|lawyer/, /no rush|no hurry/, 0.04, 0.5],
        [/^Is the customer angry\?$/, /furious|worst/, /delighted|manual/, 0.02, 1],
        [/^Is the customer happy\?$/, /delighted|Great work/, /furious|worst/, 0.1, 1]
      ] as const) {
        const evidence = (forIt: number, against: number) => {
          const near = nearness([
            ["Q?", question, 1],
            ["S.", yes, forIt],
            ["S.", no, against],
            ["S.", "Q?", 0.27]
          ])
          return judge(mindOf({ near }), "Q?", passageOf("S."))
        }
        // all of the question is about this one
        const { probability, sentences, share } = yield* evidence(0.3, 0.1)
        assert.approximately(share, 1, 1e-6)
        assert.approximately(sentences[0]?.[1] ?? 0, (0.3 - 0.1 - middle) * 9 * weight, 1e-5)
        assert.approximately(probability, sigmoid((0.3 - 0.1 - middle) * 9 * weight), 1e-5)
        assert.approximately((yield* evidence(1, 0)).sentences[0]?.[1] ?? 0, 3, 1e-5)
        assert.approximately((yield* evidence(0, 1)).sentences[0]?.[1] ?? 0, -3, 1e-5)
      }
    })
  )

  it.effect("mixes both where the question is half about it", () =>
    Effect.gen(function* () {
      const near = nearness([
        ["Q?", "Is this urgent?", 0.5],
        ["Q?", "Is the statement true?", 0.5],
        ["S.", /emergency|lawyer/, 0.2],
        ["S.", "Q?", 0.37]
      ])
      const { sentences, share } = yield* judge(mindOf({ near }), "Q?", passageOf("S."))
      // half of it by the softmax, and half of that at the middle of the gate
      assert.approximately(share, 0.25, 1e-6)
      assert.approximately(sentences[0]?.[1] ?? 0, 0.25 * (0.2 - 0.04) * 9 * 0.5 + 0.75 * 0.1 * 9, 1e-5)
    })
  )
})

describe("signs in the words of a text", () => {
  const judged = (question: RegExp, text: string, ...sentences: ReadonlyArray<string>) => {
    const near = nearness([
      ["Q?", question, 1],
      [/outage|stolen/, /down|hacked/, 0.9]
    ])
    return judge(mindOf({ near }), "Q?", { text, sentences })
  }

  it.effect("do not count if the text denies them", () =>
    Effect.gen(function* () {
      const severe = (text: string) =>
        Effect.map(judged(/^Is this urgent\?$/, text, text), ({ probability }) => probability)
      const calm = yield* severe("The lamp is red.")
      assert.approximately(yield* severe("We had no outage, and nothing was stolen, and the lamp is red."), calm, 1e-6)
      assert.isAbove(yield* severe("We had an outage, and the lamp is red."), 0.8)
    })
  )

  it.effect("show that thanks are neither urgent nor angry, and say nothing about happiness", () =>
    Effect.gen(function* () {
      const thanks = "Thank you very much for the help."
      const [severe, angry, pleased] = yield* Effect.forEach(
        [/^Is this urgent\?$/, /^Is the customer angry\?$/, /^Is the customer happy\?$/],
        (question) => Effect.map(judged(question, thanks, thanks), ({ sentences }) => sentences[0]?.[1] ?? 0)
      )
      assert.approximately(severe ?? 0, -3, 1e-5)
      assert.approximately(angry ?? 0, -3, 1e-5)
      assert.approximately(pleased ?? 0, -0.1 * 9, 1e-5)
    })
  )
})

describe("the reasons of a label", () => {
  it.effect("do not depend on the order of the levels", () =>
    Effect.gen(function* () {
      const passage = passageOf("Our data was stolen.", "There is no hurry.", "It is red.")
      const near = nearness([
        ["How severe is it?", "Is this urgent?", 1],
        [/stolen/, /hacked/, 0.9],
        [/hurry/, "There is no hurry at all.", 0.9]
      ])
      for (const order of [
        ["high", "medium", "low"],
        ["low", "medium", "high"],
        ["medium", "high", "low"]
      ]) {
        const { reasons } = yield* choose(
          mindOf({ near }),
          "How severe is it?",
          order.map((label) => ({ label })),
          passage
        )
        const of = (label: string) => reasons(order.indexOf(label))
        assert.deepStrictEqual(
          [of("high"), of("medium"), of("low")],
          [["Our data was stolen."], ["Our data was stolen."], ["There is no hurry."]],
          order.join()
        )
      }
    })
  )

  it.effect("are the sentences that support it more than the other labels", () =>
    Effect.gen(function* () {
      const near = nearness([
        [/red/, "colour", 0.6],
        [/apple/, "fruit", 0.6],
        [/apple|red/, "both", 0.5]
      ])
      const { reasons } = yield* choose(
        mindOf({ near }),
        "What?",
        ["fruit", "colour", "both"].map((description, i) => ({ label: `l${i}`, description })),
        passageOf("It is new.", "The apple fell.", "It is red.", "The pear fell.")
      )
      assert.deepStrictEqual([0, 1, 2].map(reasons), [
        ["The apple fell."],
        ["It is red."],
        ["The apple fell.", "It is red."]
      ])
    })
  )
})

describe("the strongest sentences", () => {
  it("are one, and the next when it has more than half as much", () => {
    assert.deepStrictEqual(
      strongest([
        ["a", 1],
        ["b", 4],
        ["c", 2.1]
      ]),
      ["b", "c"]
    )
    assert.deepStrictEqual(
      strongest([
        ["a", 4],
        ["b", 2]
      ]),
      ["a"]
    )
    assert.deepStrictEqual(
      strongest([
        ["a", 4],
        ["b", 3],
        ["c", 3]
      ]),
      ["a", "b"]
    )
    assert.deepStrictEqual(
      strongest([
        ["a", -1],
        ["b", -3]
      ]),
      ["a"]
    )
    assert.deepStrictEqual(
      strongest([
        ["a", -1],
        ["b", 0]
      ]),
      ["b"]
    )
    assert.deepStrictEqual(
      strongest([
        ["a", 2],
        ["a", 2],
        ["b", 1.5]
      ]),
      ["a", "b"]
    )
    assert.deepStrictEqual(strongest([]), [])
  })
})

describe("a choice among labels", () => {
  const two = passageOf("S one.", "S two.")
  const probabilities = (
    scores: ReadonlyArray<number>,
    temperature: number = 0.05 - 0.0035 * Math.log(scores.length)
  ) => {
    const weights = scores.map((score) => Math.exp(score / temperature))
    return weights.map((weight) => weight / weights.reduce((a, b) => a + b, 0))
  }

  it.effect("is the one whose description is nearest to the whole, the best and the mean sentence", () =>
    Effect.gen(function* () {
      const near = nearness([
        [two.text, "red things", 0.3],
        [two.text, "red: red things", 0.1],
        ["S one.", /^red/, 0.6],
        ["S two.", /^(blue\?|I .* blue\.)$/, 0.4]
      ])
      const labels = [
        { label: "red", description: "red things" },
        { label: "blue" },
        { label: "green", description: " " }
      ]
      const chosen = yield* choose(mindOf({ near }), "Which?", labels, two)
      const expected = probabilities([(0.2 + 0.6 + 0.3) / 3, (0 + 0.4 + 0.2) / 3, 0])
      for (const [i, share] of expected.entries()) close(chosen.probabilities[i], share)
      assert.deepStrictEqual(chosen.reasons(0), ["S one."])
      assert.deepStrictEqual(chosen.reasons(1), ["S two."])
      // a blank description counts as missing: the words of the label are compared
      const blank = mindOf({ near: nearness([[/./, "I need help with green.", 1.2]]) })
      const named = yield* choose(blank, "Which?", labels, two)
      const sharesOfGreen = probabilities([0, 0, 0.4])
      for (const [i, share] of sharesOfGreen.entries()) close(named.probabilities[i], share)
    })
  )

  it.effect("without descriptions goes by the words of the labels", () =>
    Effect.gen(function* () {
      const seen = new Set<string>()
      const near = (_: string, target: string) => (seen.add(target), 0)
      const labels = ["card_arrival", "cardArrival", "late-delivery", "ATM fees", "PINReset"].map((label) => ({
        label
      }))
      yield* choose(mindOf({ near }), "Which?", labels, two)
      for (const words of ["card arrival", "late delivery", "ATM fees"]) {
        assert.isTrue(seen.has(`${words}?`), words)
        assert.isTrue(seen.has(`I need help with ${words}.`), words)
        assert.isTrue(seen.has(`I have a question about ${words}.`), words)
      }
      assert.isFalse([...seen].some((target) => target.includes("_")))
    })
  )

  it.effect("goes to labels for thanks or wishes, else to the label for the rest", () =>
    Effect.gen(function* () {
      const favoured = (names: ReadonlyArray<string>, ...sentences: ReadonlyArray<string>) =>
        Effect.map(
          choose(
            mindOf({ sentiment: (text) => (text.includes("great") ? 1 : 0) }),
            "Which?",
            names.map((name): Provider.Label => {
              const [label = "", description] = name.split(": ")
              return { label, ...(description === undefined ? {} : { description }) }
            }),
            passageOf(...sentences)
          ),
          ({ probabilities }) => names.filter((_, i) => (probabilities[i] ?? 0) > 1 / names.length + 1e-9)
        )
      const thanks = "Thank you so much."
      const wish = "My suggestion is a dark mode."
      const plain = "It is blue."
      const all = ["billing", "praise", "ideas", "other"]
      for (const [names, sentences, expected] of [
        [all, [thanks], ["praise"]],
        [all, [wish], ["ideas"]],
        [all, [plain, wish], ["ideas"]],
        [all, [wish, plain], ["ideas"]],
        [all, [plain], []],
        [["billing", "note: kind words of thanks", "other"], [thanks], ["note: kind words of thanks"]],
        [["billing", "userFeedback", "kudos"], [thanks], ["userFeedback", "kudos"]],
        [["billing", "userFeedback", "kudos"], [wish], ["userFeedback"]],
        [["billing", "shipping", "other"], [thanks], ["other"]],
        [["billing", "shipping", "misc_topics"], [wish], ["misc_topics"]],
        [["billing", "No action"], [thanks], ["No action"]],
        [["billing", "another"], [thanks], []],
        [["billing", "shipping"], [thanks], []]
      ] as const) {
        assert.deepStrictEqual(
          yield* favoured(names, ...sentences),
          [...expected],
          `${names.join()}: ${sentences.join(" ")}`
        )
      }
    })
  )

  it.effect("of tones is a matter of tone, without what is left out", () =>
    Effect.gen(function* () {
      const near = nearness([[/S/, /love it|Thank you|happy|delighted|beautiful|excellent/, 1]])
      const chosen = yield* choose(mindOf({ near }), "How?", [{ label: "Negative" }, { label: " positive " }], two)
      // three scores, of which the neutral one is left out
      close(chosen.probabilities[1], 1 / (1 + Math.exp(-10)))
      close(chosen.probabilities[0], 1 - 1 / (1 + Math.exp(-10)))
      assert.deepStrictEqual(chosen.reasons(1), ["S one.", "S two."])
      const none = yield* choose(mindOf({ near }), "How?", [{ label: "positive" }, { label: "great" }], two)
      close(none.probabilities[0], 0.5)
    })
  )

  it.effect("of emotions goes by examples of each and the tone of the whole", () =>
    Effect.gen(function* () {
      const near = nearness([[/S/, /furious|How dare you|liars/, 0.5]])
      const labels = [{ label: "angry" }, { label: "joy" }]
      const chosen = yield* choose(mindOf({ near }), "How?", labels, two)
      const scores = yield* emotionScores(mindOf({ near }), ["anger", "joy"], two)
      // the three examples are as near; the tone adds up to a tenth
      assert.isAtLeast(scores[0]?.[0] ?? 0, 0.5)
      assert.isAtMost(scores[0]?.[0] ?? 1, 0.6)
      assert.isAtMost(scores[1]?.[0] ?? 1, 0.1)
      const of = (row: ReadonlyArray<number> = []) => ((row[0] ?? 0) + Math.max(...row.slice(1)) + (row[1] ?? 0)) / 3
      const [expected] = probabilities([of(scores[0]), of(scores[1])], 0.035)
      close(chosen.probabilities[0], expected ?? 0)
    })
  )

  it.effect("of emotions counts the nearest examples, their mean, and a tenth of the tone", () =>
    Effect.gen(function* () {
      const pairs = [
        ["S one.", "I am furious, this is outrageous.", 0.6],
        ["S one.", "You are liars and thieves.", 0.3],
        ["S one.", "I love it, great work!", 1],
        ["S one.", "The product is excellent.", 1],
        ["S two.", "This is the worst service ever.", 1],
        ["S two.", "It is terrible and useless.", 1]
      ] as const
      const mind = mindOf({ near: nearness(pairs) })
      const { distribution } = yield* sentimentOf(mind, two)
      assert.isAbove(distribution.mixed, 0.5)
      const [anger, joy, calm] = yield* emotionScores(mind, ["anger", "joy", "calm"], two)
      const tone = (share: number) => 0.1 * share
      const negative = tone(distribution.negative + distribution.mixed / 2)
      close(anger?.[0], negative)
      close(anger?.[1], (0.45 + 0.3) / 2 + negative)
      close(joy?.[2], tone(distribution.positive + distribution.mixed / 2))
      // what is mixed is not neutral
      close(calm?.[0], tone(distribution.neutral))
    })
  )

  it("knows emotions by several names", () => {
    const names = ["anger", "angry", "annoyed", "fear", "urgent", "confused", "sad", "thankful", "happiness", "neutral"]
    assert.deepStrictEqual(names.map(emotionOf), [
      "anger",
      "anger",
      "frustration",
      "worry",
      "urgency",
      "confusion",
      "disappointment",
      "gratitude",
      "joy",
      "calm"
    ])
    assert.deepStrictEqual(["toString", "hope", "Anger"].map(emotionOf), [undefined, undefined, undefined])
  })

  it.effect("of levels goes by the question, the lowest first whatever their order", () =>
    Effect.gen(function* () {
      // nothing speaks for yes or no: the middle, 0.5, less what nearness of 0 is worth
      const mind = mindOf({ near: nearness([[/S/, "How bad?", 0.27]]) })
      const levels = yield* choose(mind, "How bad?", [{ label: "High" }, { label: "low" }, { label: "medium" }], two)
      const expected = probabilities([0, -0.25 / 0.125, -0.25 / 0.125], 1)
      close(levels.probabilities[2], expected[0] ?? 0)
      close(levels.probabilities[0], expected[1] ?? 0)
      close(levels.probabilities[1], expected[2] ?? 0)
      const ranks = ["none", "trivial", "minor", "average", "serious", "urgent", "extreme"]
      const yes = mindOf({ near: nearness([[/S/, "How bad?", 1]]) })
      const seven = yield* choose(
        yes,
        "How bad?",
        ranks.toReversed().map((label) => ({ label })),
        two
      )
      const order = seven.probabilities.map((share, i) => [share, i] as const).toSorted((a, b) => b[0] - a[0])
      // yes is 0.88, nearest to 5 of 6
      assert.strictEqual(order[0]?.[1], 1)
      assert.strictEqual(order.at(-1)?.[1], 6)
    })
  )

  it.effect("of levels with descriptions, or a single one, goes by nearness", () =>
    Effect.gen(function* () {
      const mind = mindOf({ near: nearness([[/S/, /fire/, 0.9]]) })
      const labels = [{ label: "low" }, { label: "high", description: "fire" }]
      const chosen = yield* choose(mind, "How bad?", labels, two)
      close(chosen.probabilities[1], 1 / (1 + Math.exp(-0.9 / (0.05 - 0.0035 * Math.log(2)))))
      assert.deepStrictEqual((yield* choose(mind, "How bad?", [{ label: "low" }], two)).probabilities, [1])
    })
  )
})

describe("a place on a scale", () => {
  const passage = passageOf("Good.", "Bad.")
  const levels = ["a", "b", "c"].map((label) => ({ label }))

  it.effect("is where the probability of yes is, with the sentences for its half", () =>
    Effect.gen(function* () {
      const mind = mindOf({
        near: nearness([
          ["Good.", "Q?", 0.37],
          ["Bad.", "Q?", 0.17],
          [passage.text, "Q?", 0.27]
        ])
      })
      const { probabilities, reasons } = yield* onScale(mind, "Q?", levels, passage)
      const yes = sigmoid((0 + 0 + 0.9) / 3)
      const weights = [0, 0.5, 1].map((at) => Math.exp(-((at - yes) ** 2) / (2 * 0.25 ** 2)))
      const total = weights.reduce((a, b) => a + b, 0)
      for (const [i, weight] of weights.entries()) assert.approximately(probabilities[i] ?? 0, weight / total, 1e-6)
      assert.deepStrictEqual([0, 1, 2].map(reasons), [["Bad."], ["Good."], ["Good."]])
      assert.deepStrictEqual((yield* onScale(mind, "Q?", levels.slice(0, 1), passage)).probabilities, [1])
    })
  )

  it.effect("follows the descriptions of levels as far as the question is about something else", () =>
    Effect.gen(function* () {
      const mind = mindOf({ near: nearness([[/./, /second/, 0.5]]) })
      const described = levels.map((level, i) => (i === 1 ? { ...level, description: "second" } : level))
      const { probabilities } = yield* onScale(mind, "Q?", described, passage)
      const sure = 1 / (1 + 2 * Math.exp(-0.5 / (0.05 - 0.0035 * Math.log(3))))
      assert.approximately(probabilities[1] ?? 0, sure, 1e-6)
    })
  )
})

describe("answers to closed questions", () => {
  const passage = passageOf("Good one.", "Bad one.")
  const near = nearness([
    ["Good one.", "Q?", 0.9],
    ["Bad one.", "Q?", 0.1],
    [passage.text, "Q?", 0.5]
  ])
  const ask = (question: Provider.Question, of = passage) =>
    answer(mindOf({ near }), question, { passage: of, unread: undefined })

  it.effect("have a probability and the sentences that speak for it", () =>
    Effect.gen(function* () {
      const yes = yield* ask({ _tag: "Predicate", name: "q", question: "Q?" })
      assert.ok(yes._tag === "Predicate")
      assert.isAbove(yes.probability, 0.5)
      assert.deepStrictEqual(yes.reasons, ["Good one."])
      const no = yield* answer(
        mindOf(),
        { _tag: "Predicate", name: "q", question: "Q?" },
        { passage, unread: undefined }
      )
      assert.ok(no._tag === "Predicate")
      assert.approximately(no.probability, sigmoid(-2), 1e-6)
      assert.deepStrictEqual(no.reasons, ["Good one.", "Bad one."])
    })
  )

  it.effect("have the value of a score, and its distribution", () =>
    Effect.gen(function* () {
      const levels = [
        { label: "low", value: 2 },
        { label: "high", value: 12 }
      ]
      const found = yield* ask({ _tag: "Score", name: "s", question: "Q?", levels })
      assert.ok(found._tag === "Score")
      assert.deepStrictEqual(Object.keys(found.distribution), ["low", "high"])
      close(found.value, 2 * (found.distribution["low"] ?? 0) + 12 * (found.distribution["high"] ?? 0))
      assert.isAbove(found.distribution["high"] ?? 0, 0.5)
      assert.deepStrictEqual(found.reasons, ["Good one."])
    })
  )

  it.effect("are refused without a text, a label or a level", () =>
    Effect.gen(function* () {
      const refusal = (name: string, message: string): Provider.Answer => ({ _tag: "Refusal", name, message })
      const none = passageOf()
      assert.deepStrictEqual(yield* ask({ _tag: "Predicate", name: "q", question: "Q?" }, none), {
        _tag: "Refusal",
        name: "q",
        message: "There is no text to judge.",
        category: "no-words"
      })
      assert.deepStrictEqual(
        yield* ask({ _tag: "Choice", name: "c", question: "Q?", labels: [] }),
        refusal("c", "There is no label to choose.")
      )
      assert.deepStrictEqual(
        yield* ask({ _tag: "Score", name: "s", question: "Q?", levels: [] }),
        refusal("s", "There is no level to choose.")
      )
    })
  )

  it.effect("about an aspect are so named", () =>
    Effect.gen(function* () {
      const tones = mindOf({
        near: nearness([
          [/Good/, /I love it|works perfectly|very happy|beautiful|excellent/, 1],
          [/Bad/, /furious|worst|disappointed|never answer|terrible|does not work|took my money/, 1]
        ])
      })
      const labels = ["positive", "negative", "neutral", "mixed"].map((label) => ({ label }))
      const of = (name: string) =>
        Effect.map(
          answer(
            tones,
            { _tag: "Choice", name, question: "How?", labels },
            { passage: passageOf("Good food.", "Bad waiter."), unread: undefined }
          ),
          (found) => (found._tag === "Choice" ? found.label : undefined)
        )
      assert.deepStrictEqual(
        [yield* of("aspect:food"), yield* of("aspect:waiter"), yield* of("aspect:price"), yield* of("a:b:food")],
        ["positive", "negative", "neutral", "neutral"]
      )
      assert.strictEqual(yield* of("overall"), "mixed")
    })
  )
})

describe("what sentences do", () => {
  const near = nearness([
    [/broke/, /It does not work|Something went wrong/, 0.5],
    [/send/, /I want my money back|Can you send/, 0.7],
    [/Anna/, /My name is Anna|reach me by phone/, 0.6],
    [/nobody/, /My name is Anna|reach me by phone/, 0.6],
    [/half/, /My name is Anna|reach me by phone/, 0.6],
    [/half/, /It does not work|Something went wrong/, 0.5]
  ])
  const mind = mindOf({ near })

  it.effect("is judged by the two nearest examples of each", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* rolesOf(mind, ["It broke.", "Please send it.", "I am Anna."]), [
        { problem: 0.5, request: 0, background: 0 },
        { problem: 0, request: 0.7, background: 0 },
        { problem: 0, request: 0, background: 0.6 }
      ])
    })
  )

  it.effect("leaves out what is clearly background, unless it is negated or all there is", () =>
    Effect.gen(function* () {
      const all = ["I am Anna.", "It broke.", "It is nobody.", "It is half.", "Please send it."]
      assert.deepStrictEqual(yield* substance(mind, all), [
        "It broke.",
        "It is nobody.",
        "It is half.",
        "Please send it."
      ])
      assert.deepStrictEqual(yield* substance(mind, ["I am Anna."]), ["I am Anna."])
    })
  )
})

describe("a summary", () => {
  const names = ["A one.", "B two.", "C three.", "D four.", "E five.", "F six."]
  const central: Readonly<Record<string, number>> = { A: 0.1, B: 0.9, C: 0.8, D: 0.7, E: 0.6, F: 0.2 }
  const of = (sentences: ReadonlyArray<string>, pairs: Parameters<typeof nearness>[0] = [], focus = "") => {
    const text = sentences.join(" ")
    const other = nearness(pairs)
    const near = (one: string, target: string) =>
      target === text ? (central[one[0] ?? ""] ?? 0) : one === target ? 1 : other(one, target)
    return summarize(mindOf({ near }), { text, sentences }, focus)
  }

  it.effect("has one sentence of two, two of five, three of more, in the order of the text", () =>
    Effect.gen(function* () {
      const chosen = (count: number) => Effect.map(of(names.slice(0, count)), ({ sentences }) => sentences)
      assert.deepStrictEqual(yield* chosen(1), ["A one."])
      assert.deepStrictEqual(yield* chosen(2), ["B two."])
      assert.deepStrictEqual(yield* chosen(3), ["B two.", "C three."])
      assert.deepStrictEqual(yield* chosen(5), ["B two.", "C three."])
      assert.deepStrictEqual(yield* chosen(6), ["B two.", "C three.", "D four."])
      assert.deepStrictEqual((yield* of(["B two.", "B two.", "A one."])).sentences, ["B two."])
    })
  )

  it.effect("says how central they are", () =>
    Effect.gen(function* () {
      // nearness to the whole, and the mean to each sentence, itself included
      close((yield* of(names.slice(0, 2))).centrality, (0.9 + 0.5) / 2)
      close((yield* of(names.slice(0, 3))).centrality, ((0.9 + 1 / 3) / 2 + (0.8 + 1 / 3) / 2) / 2)
    })
  )

  it.effect("repeats nothing, and keeps to the focus", () =>
    Effect.gen(function* () {
      const same = [
        ["B two.", "C three.", 1],
        ["C three.", "B two.", 1]
      ] as const
      assert.deepStrictEqual((yield* of(names.slice(0, 4), same)).sentences, ["B two.", "D four."])
      const focused = yield* of(
        names.slice(0, 5),
        [
          ["A one.", "focus", 1],
          ["E five.", "focus", 1]
        ],
        "focus"
      )
      assert.deepStrictEqual(focused.sentences, ["B two.", "E five."])
    })
  )
})
