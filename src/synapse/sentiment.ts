import * as Schema from "effect/Schema"
import { quoted } from "../text/legible.ts"
import * as forms from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { list } from "../thought/render.ts"
import type { Answer, Label } from "../provider/task.ts"
import { Confidence, type Declaration, fields, StatedReasons, stating } from "./Declaration.ts"
import { append, defined, type Details, detailsOf, type Input, merge, detailForms } from "./details.ts"
import { compile } from "./form.ts"
import { askOptions, call, makeTextual, type Options, type Synapse, optionForms } from "./make.ts"

const Tone = Schema.Literals(["positive", "negative", "neutral", "mixed"])

const tones: ReadonlyArray<Label & { readonly label: typeof Tone.Type }> = [
  { label: "positive", description: "pleased, thankful, satisfied or friendly" },
  { label: "negative", description: "unhappy, angry, worried, disappointed or complaining" },
  { label: "neutral", description: "matter-of-fact, without feeling: a plain question or statement" },
  { label: "mixed", description: "pleased about one thing and unhappy about another" }
]

/** The emotions that a native answer distinguishes. */
const emotions: ReadonlyArray<Label> = [
  { label: "anger", description: "furious, outraged, insulted" },
  { label: "frustration", description: "annoyed, fed up, tired of trying again" },
  { label: "worry", description: "afraid, anxious, concerned about what may happen" },
  { label: "urgency", description: "in a hurry, pressed, needs it right now" },
  { label: "confusion", description: "does not understand, lost, unsure how it works" },
  { label: "disappointment", description: "let down, expected better, sad" },
  { label: "gratitude", description: "thankful, appreciative" },
  { label: "joy", description: "happy, delighted, excited" },
  { label: "calm", description: "neutral and composed, no strong feeling" }
]

const Scores = Schema.Struct({ positive: Confidence, negative: Confidence, neutral: Confidence }).check(
  Schema.makeFilter((scores) => {
    const sum = scores.positive + scores.negative + scores.neutral
    return (sum >= 0.95 && sum <= 1.05) || "Expected scores that sum to 1"
  })
)

/**
 * The sentiment of a text.
 *
 * The three `scores` are in [0, 1] and sum to 1 (to 0.05). `emotions` are sorted by strength, the strongest first.
 * `aspects` has a tone for each requested aspect.
 *
 * @category models
 */
export const Assessment = Schema.Struct({
  overall: Tone,
  ...fields,
  scores: Scores,
  emotions: Schema.Array(Schema.String),
  aspects: Schema.Record(Schema.String, Tone)
})
/**
 * The sentiment of a text.
 *
 * @category models
 */
export interface Assessment extends Schema.Schema.Type<typeof Assessment> {}

/**
 * Details of a sentiment analysis.
 *
 * @category models
 */
export interface SentimentDetails extends Details {
  /** Aspects to judge besides the whole text. Those of the input are added to the defaults. */
  readonly aspects?: ReadonlyArray<string>
}

/** Declares a question about sentiment for a kind of step. Throws if an aspect is empty or occurs twice. */
export const declareSentiment = (kind: string, aspects: ReadonlyArray<string>): Declaration<Assessment> => {
  const twice = aspects.find((aspect, i) => aspects.indexOf(aspect) !== i || aspect.trim() === "")
  if (twice !== undefined) throw new Error(`${kind} has a duplicate or empty aspect: ${quoted(twice)}`)
  const base = {
    overall: Tone,
    confidence: Confidence,
    scores: Scores,
    emotions: Schema.Array(Schema.NonEmptyString),
    reasoning: StatedReasons
  }
  const PerAspect = Schema.Struct(Object.fromEntries(aspects.map((aspect) => [aspect, Tone])))
  const stated = { confidenceFrom: "stated" } as const
  return {
    kind,
    form:
      aspects.length === 0
        ? compile("assessment", Schema.Struct(base), (reply) => ({ ...reply, ...stated, aspects: {} }))
        : compile("assessment", Schema.Struct({ ...base, aspects: PerAspect }), (reply) => ({ ...reply, ...stated })),
    request: (question) => ({
      instruction: question,
      questions: [
        { _tag: "Choice", name: "overall", question, labels: tones },
        { _tag: "Choice", name: "emotion", question, labels: emotions },
        ...aspects.map((aspect) => ({
          _tag: "Choice" as const,
          name: `aspect:${aspect}`,
          question: `${question} As regards: ${aspect}`,
          labels: tones
        }))
      ],
      task: question,
      how:
        `Say whether the feeling is positive, negative, neutral or mixed` +
        (aspects.length === 0 ? "" : ", overall and about each aspect") +
        `; score the first three from 0 to 1, 1 together; list the emotions, strongest first. ${stating}`,
      sections: aspects.length === 0 ? [] : [{ heading: "Aspects", body: list(aspects) }]
    }),
    fromAnswers: (answers, confidenceFrom) => {
      const overall = choice(answers, "overall")
      const emotion = choice(answers, "emotion")
      const { mixed = 0, negative = 0, neutral = 0, positive = 0 } = overall.distribution
      const likely = (label: string) => emotion.distribution[label] ?? 0
      return {
        overall: overall.label as Assessment["overall"],
        confidence: overall.distribution[overall.label] ?? 0,
        confidenceFrom,
        reasoning: overall.reasons ?? [],
        // mixed feelings count half as positive and half as negative
        scores: {
          positive: Math.min(1, positive + mixed / 2),
          negative: Math.min(1, negative + mixed / 2),
          neutral
        },
        // the emotions that are likelier than by chance
        emotions: emotions
          .map(({ label }) => label)
          .filter((label) => likely(label) > 1 / emotions.length)
          .toSorted((a, b) => likely(b) - likely(a)),
        aspects: Object.fromEntries(
          aspects.map((aspect) => [aspect, choice(answers, `aspect:${aspect}`).label as Assessment["overall"]])
        )
      }
    }
  }
}

const choice = (answers: ReadonlyMap<string, Answer>, name: string) => {
  const answer = answers.get(name)
  if (answer?._tag !== "Choice") throw new Error("a choice was asked for")
  return answer
}

/**
 * Judges the sentiment of a text, overall and for each aspect.
 *
 * **Details**
 *
 * Throws if an aspect is empty or occurs twice.
 *
 * **Example** (The feeling of a message)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Synapse } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const mood = Synapse.sentiment({ question: "How does the customer feel?" })
 * const provider = Testing.scripted([{
 *   overall: "negative",
 *   confidence: 0.9,
 *   scores: { positive: 0, negative: 0.9, neutral: 0.1 },
 *   emotions: ["anger"],
 *   reasoning: ["The customer writes in capitals."]
 * }])
 *
 * const answer = await Effect.runPromise(mood("THIS IS A JOKE").pipe(Effect.provide(provider.layer)))
 * assert.deepEqual(answer.emotions, ["anger"])
 * ```
 *
 * @category synapses
 */
export const sentiment = taking("Synapse.sentiment", {
  options: 0,
  known: {
    ...forms.others("question"),
    aspects: forms.maybe("", forms.list("", forms.string)),
    ...optionForms,
    ...detailForms
  },
  optional: true
})((
  options: Options &
    SentimentDetails & {
      /** Default: a question about how the author of the text feels. */
      readonly question?: string
    } = {}
): Synapse<Assessment, Input<SentimentDetails>, SentimentDetails> => {
  const { question = "How does the author of the text feel?" } = options
  const asking = askOptions(options)
  const own = declareSentiment("sentiment", options.aspects ?? [])
  return makeTextual<Assessment, SentimentDetails>({
    kind: "sentiment",
    defaults: { ...detailsOf(options), ...defined({ aspects: options.aspects }) },
    merge: (defaults, given) => ({
      ...merge(defaults, given, (first, second) => [...first, ...second]),
      ...defined({ aspects: append(defaults.aspects, given.aspects) })
    }),
    prepare: (details) => {
      const { aspects = [], examples = [] } = details
      const declaration =
        aspects.length === (options.aspects ?? []).length ? own : declareSentiment("sentiment", aspects)
      return (input) => call({ declaration, question, input, details, examples, asking })
    }
  })
})
