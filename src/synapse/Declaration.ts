/** Declarations of typed questions, and the options and results of asking them. */
import * as Schema from "effect/Schema"
import type { Section } from "../thought/render.ts"
import type { Answer, Question } from "../provider/task.ts"
import type { Response, Sampling } from "../provider/request.ts"
import type { Usage } from "../thought/tokens.ts"
import type { Form } from "./form.ts"
import type { Coercion, Parsing } from "./answer/marred/align/Coercion.ts"

/** A typed question as a kind of step or synapse declares it, independent of how it is asked. */
export interface Declaration<A> {
  readonly kind: string
  readonly form: Form<A>
  /** Set if the answer is newly written text, see `Task.wants`. */
  readonly wants?: "text"
  /** Builds the request from the text of the question. */
  readonly request: (text: string) => {
    readonly instruction: string
    /** The question as a language model sees it, in this request and in later ones. */
    readonly task: string
    /** How to answer it, for this request only. */
    readonly how?: string | undefined
    /** Lists that belong to the question, for this request only. */
    readonly sections: ReadonlyArray<Section>
    /** Closed questions that are equivalent to the question. Empty if it is open. */
    readonly questions: ReadonlyArray<Question>
  }
  /** Converts native answers to the result. The second argument is the source of their probabilities. */
  readonly fromAnswers?: (answers: ReadonlyMap<string, Answer>, probabilitiesFrom: "measured" | "logprobs") => A
}

/** Options of a typed call. */
export interface AskOptions {
  readonly via: "auto" | "native" | "text"
  readonly reasons: boolean
  readonly sampling: Sampling
  readonly repairs: number
  readonly parsing: Parsing
  /** Key of the note for the answer, for those who watch it being written. */
  readonly key?: string
}

/** The result of a typed call, and what it took to get it. */
export interface Answered<A> {
  readonly value: A
  /** The JSON that the value was decoded from, if the answer was a text with a form. */
  readonly written?: { readonly json: unknown }
  readonly via: "native" | "text"
  readonly usage: Usage
  /** The provider that answered. Set only if it can differ from the provider that was called. */
  readonly provider?: string
  readonly model: string
  /** The sampling that was sent. */
  readonly sampling: Sampling
  /** The changes that were made to read the answer's text. */
  readonly coercions: ReadonlyArray<Coercion>
  /** Whether this is an earlier answer to an equal request. */
  readonly cached?: boolean
}

/** The fields of a response that say where it came from, except for the model. */
export const answeredBy = ({
  cached,
  provider
}: Pick<Response, "provider" | "cached">): Pick<Answered<unknown>, "provider" | "cached"> => ({
  ...(provider !== undefined && { provider }),
  ...(cached !== undefined && { cached })
})

// --------------------------------------------------------------- fields that all answers to closed questions have

export const Confidence = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

/** How a language model states its confidence and reasons. */
export const stating = "Say how sure you are (0 to 1) and why."

const Reason = Schema.NonEmptyString
/** The reasons that a model must state: at least one. */
export const StatedReasons = Schema.Array(Reason).check(Schema.isMinLength(1))

/**
 * Fields of every answer to a closed question.
 *
 * `confidenceFrom` is `"measured"` if a model made for decisions computed the confidence as a probability, `"logprobs"`
 * if it was read from the log-probabilities of a text model's tokens, and `"stated"` if the model wrote it.
 */
export const fields = {
  confidence: Confidence,
  confidenceFrom: Schema.Literals(["measured", "logprobs", "stated"]),
  reasoning: Schema.Array(Schema.String)
}

export const Distribution = Schema.Record(Schema.String, Confidence)
