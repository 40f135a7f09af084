/** The parts that answers to closed questions have in common. */
import * as Schema from "effect/Schema"

export const Confidence = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

const Reason = Schema.NonEmptyString
/** At least one reason: what a model must state. */
export const StatedReasons = Schema.Array(Reason).check(Schema.isMinLength(1))

/**
 * How an answer knows its confidence: measured as a probability by a model made for it, read from the log-probabilities of a
 * text model's tokens, or stated by the model in words.
 */
export const fields = {
  confidence: Confidence,
  confidenceFrom: Schema.Literals(["measured", "logprobs", "stated"]),
  reasoning: Schema.Array(Schema.String)
}

export const Distribution = Schema.Record(Schema.String, Confidence)
