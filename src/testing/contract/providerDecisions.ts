/** Tests of providers: closed questions that are answered natively. */
import * as Effect from "effect/Effect"
import type { Answer, DecideRequest, Question, Shape } from "../../Provider.ts"
import { assert } from "./stage/assert.ts"
import { assertError, assertUsage, providerTests, request } from "./providerCalls.ts"
import type { ProviderTest } from "./providerSubject.ts"

const urgent: Question = { _tag: "Predicate", name: "urgent", question: "Is it urgent?" }
const team: Question = {
  _tag: "Choice",
  name: "team",
  question: "Whose is it?",
  labels: [{ label: "billing", description: "money" }, { label: "technical" }, { label: "other" }]
}
const mood: Question = {
  _tag: "Score",
  name: "mood",
  question: "How angry is it?",
  levels: [
    { label: "calm", value: 0 },
    { label: "cross", value: 5 },
    { label: "furious", value: 10 }
  ]
}

const answers: ReadonlyArray<Answer> = [
  { _tag: "Predicate", name: "urgent", probability: 0.9 },
  {
    _tag: "Choice",
    name: "team",
    label: "billing",
    distribution: { billing: 0.7, technical: 0.2, other: 0.1 }
  },
  { _tag: "Score", name: "mood", value: 5, distribution: { calm: 0.25, cross: 0.5, furious: 0.25 } }
]

const deciding = (questions: ReadonlyArray<Question>): DecideRequest => {
  const { messages, task } = request()
  return { messages, task: { ...task, questions } }
}

const decide = (provider: Shape, questions: ReadonlyArray<Question>) =>
  Effect.suspend(() => {
    if (provider.decide === undefined) return assert.fail("it has no native decisions: leave out `decides`")
    return provider.decide(deciding(questions))
  })

const near = (actual: number | undefined, expected: number, what: string): void =>
  assert.approximately(actual ?? Number.NaN, expected, 0.02, what)

/** Asserts that an answer is the one that the backend gave. */
const assertAnswer = (actual: Answer | undefined, expected: Answer): void => {
  assert.strictEqual(actual?.name, expected.name, "answers are in the order of the questions")
  assert.strictEqual(actual?._tag, expected._tag, `the kind of answer to ${expected.name}`)
  if (actual?._tag === "Predicate" && expected._tag === "Predicate") {
    near(actual.probability, expected.probability, "the probability of yes")
  }
  if (actual?._tag === "Choice" && expected._tag === "Choice") {
    assert.strictEqual(actual.label, expected.label)
    assertDistribution(actual.distribution, expected.distribution)
  }
  if (actual?._tag === "Score" && expected._tag === "Score") {
    assertDistribution(actual.distribution, expected.distribution)
    assert.isTrue(actual.value >= 0 && actual.value <= 10, "a score is between the lowest level and the highest")
  }
}

const assertDistribution = (
  actual: Readonly<Record<string, number>>,
  expected: Readonly<Record<string, number>>
): void => {
  assert.deepStrictEqual(Object.keys(actual).toSorted(), Object.keys(expected).toSorted(), "the labels")
  for (const [label, probability] of Object.entries(expected)) near(actual[label], probability, `of ${label}`)
  near(
    Object.values(actual).reduce((a, b) => a + b, 0),
    1,
    "the sum of all probabilities"
  )
}

export const decisionTests = (): ReadonlyArray<ProviderTest> =>
  providerTests("decisions", (test) => {
    test("answers closed questions in their order, with distributions", function* (make) {
      const { provider, received } = yield* make(() => ({ _tag: "Answers", answers }))
      const response = yield* decide(provider, [urgent, team, mood])
      assert.strictEqual(response.answers.length, answers.length)
      for (const [i, expected] of answers.entries()) assertAnswer(response.answers[i], expected)
      assertUsage(response.usage)
      assert.include(received()[0]?.prompt ?? "", "Is it urgent?", "the questions are asked")
    })

    test("refuses one question and answers the others", function* (make) {
      const [first, , last] = answers as readonly [Answer, Answer, Answer]
      const refusal: Answer = { _tag: "Refusal", name: "team" }
      const { provider } = yield* make(() => ({ _tag: "Answers", answers: [first, refusal, last] }))
      const response = yield* decide(provider, [urgent, team, mood])
      for (const [i, expected] of [first, refusal, last].entries()) assertAnswer(response.answers[i], expected)
    })

    test("fails like other calls", function* (make) {
      const subject = yield* make(() => ({ _tag: "Failure", reason: "Overloaded" }))
      const failed = yield* Effect.flip(decide(subject.provider, [urgent]))
      // decisions may use another model than text
      const error = assertError(failed, subject, failed.model)
      assert.strictEqual(error.reason._tag, "Overloaded")
    })
  })
