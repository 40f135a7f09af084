import * as Schema from "effect/Schema"
import { others } from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { Confidence, type Declaration, fields, StatedReasons, stating } from "./Declaration.ts"
import { type Details, detailsOf, type Input, merge, detailForms } from "./details.ts"
import { compile } from "./form.ts"
import { askOptions, call, makeTextual, type Options, type Synapse, optionForms } from "./make.ts"

/**
 * The answer to a yes/no question.
 *
 * `confidence` is in [0, 1]: measured as the probability of the decision, or stated by the model. `distribution` is
 * present if it was measured.
 *
 * @category models
 */
export const Decision = Schema.Struct({
  decision: Schema.Boolean,
  ...fields,
  distribution: Schema.optionalKey(Schema.Struct({ yes: Confidence, no: Confidence }))
})
/**
 * The answer to a yes/no question.
 *
 * @category models
 */
export interface Decision extends Schema.Schema.Type<typeof Decision> {}

const Reply = Schema.Struct({ decision: Schema.Boolean, confidence: Confidence, reasoning: StatedReasons })
const form = compile("decision", Reply, (reply): Decision => ({ ...reply, confidenceFrom: "stated" }))

/** Declares a yes/no question for a kind of step. */
export const declareBinary = (kind: string): Declaration<Decision> => ({
  kind,
  form,
  request: (question) => ({
    instruction: question,
    questions: [{ _tag: "Predicate", name: "decision", question }],
    task: question,
    how: `Decide yes or no. ${stating}`,
    sections: []
  }),
  fromAnswers: (answers, confidenceFrom) => {
    const answer = answers.get("decision")
    const yes = answer?._tag === "Predicate" ? answer.probability : 0
    return {
      decision: yes >= 0.5,
      confidence: Math.max(yes, 1 - yes),
      confidenceFrom,
      reasoning: answer?._tag === "Predicate" ? (answer.reasons ?? []) : [],
      distribution: { yes, no: 1 - yes }
    }
  }
})

/**
 * Asks a yes/no question about a text.
 *
 * **Example** (One decision)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Synapse } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const isUrgent = Synapse.binary({ question: "Is this urgent?" })
 * const provider = Testing.scripted([{ decision: true, confidence: 0.9, reasoning: ["It says so."] }])
 *
 * const answer = await Effect.runPromise(isUrgent("Please hurry!").pipe(Effect.provide(provider.layer)))
 * assert.equal(answer.decision, true)
 * ```
 *
 * @category synapses
 */
export const binary = taking("Synapse.binary", {
  options: 0,
  known: { ...others("question"), ...optionForms, ...detailForms },
  texts: ["question"]
})((options: Options & Details & { readonly question: string }): Synapse<Decision, Input<Details>, Details> => {
  const { question } = options
  const asking = askOptions(options)
  const declaration = declareBinary("binary")
  return makeTextual<Decision, Details>({
    kind: "binary",
    defaults: detailsOf(options),
    merge: (defaults, given) => merge(defaults, given, (first, second) => [...first, ...second]),
    prepare: (details) => (input) =>
      call({ declaration, question, input, details, examples: details.examples ?? [], asking })
  })
})
