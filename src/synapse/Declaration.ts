/** What a typed question is, how it may be asked, and what comes of it. */
import type { Section } from "../internal/render.ts"
import type { Answer, Question, Sampling, Usage } from "../Provider.ts"
import type { Form } from "./form.ts"
import type { Coercion, Parsing } from "./parsing/Coercion.ts"

/** A question as a kind of step or synapse declares it, apart from the asking. */
export interface Declaration<A> {
  readonly kind: string
  readonly form: Form<A>
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
}

/** An answer and what was really used to get it. */
export interface Asked<A> {
  readonly value: A
  readonly via: "native" | "text"
  readonly usage: Usage
  readonly model: string
  /** What was really sent. */
  readonly sampling: Sampling
  /** What was done to the answer's text to read it. */
  readonly coercions: ReadonlyArray<Coercion>
}
