/** What a typed question is, how it may be asked, and what comes of it. */
import * as Schema from "effect/Schema"
import type { Section } from "../thought/render.ts"
import type { Answer, Question } from "../provider/task.ts"
import type { Response, Sampling } from "../provider/request.ts"
import type { Usage } from "../thought/usage.ts"
import type { Form } from "./form.ts"
import type { Coercion, Parsing } from "./answer/marred/align/Coercion.ts"

/** A question as a kind of step or synapse declares it, apart from the asking. */
export interface Declaration<A> {
  readonly kind: string
  readonly form: Form<A>
  /** Set when the answer is text that is written anew. */
  readonly wants?: "text"
  /** What is asked, once its text is known. */
  readonly put: (text: string) => {
    readonly instruction: string
    readonly sections: ReadonlyArray<Section>
    /** Closed questions that amount to the same; empty when the question is open. */
    readonly questions: ReadonlyArray<Question>
  }
  /** The result that native answers amount to, by where their probabilities come from. */
  readonly fromAnswers?: (answers: ReadonlyMap<string, Answer>, probabilitiesFrom: "measured" | "logprobs") => A
}

/** How a typed call may be answered, and with what sampling. */
export interface AskOptions {
  readonly via: "auto" | "native" | "text"
  readonly reasons: boolean
  readonly sampling: Sampling
  readonly repairs: number
  readonly parsing: Parsing
  /** The key of the note that the answer becomes, for those who watch it being written. */
  readonly key?: string
}

/** An answer and what was really used to get it. */
export interface Asked<A> {
  readonly value: A
  readonly via: "native" | "text"
  readonly usage: Usage
  /** Who answered, where that may be another than the one that was asked. */
  readonly provider?: string
  readonly model: string
  /** What was really sent. */
  readonly sampling: Sampling
  /** What was done to the answer's text to read it. */
  readonly coercions: ReadonlyArray<Coercion>
  /** Whether it was an earlier answer. */
  readonly cached?: boolean
}

/** What an answer says of where it came from, beside its model. */
export const answeredBy = ({
  cached,
  provider
}: Pick<Response, "provider" | "cached">): Pick<Asked<unknown>, "provider" | "cached"> => ({
  ...(provider !== undefined && { provider }),
  ...(cached !== undefined && { cached })
})

// --------------------------------------------------------------- the parts that answers to closed questions have in common

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
