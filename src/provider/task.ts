/** The task of a call, as data. */
import type { Trust } from "../thought/Note.ts"

/**
 * A note as a task shows it.
 *
 * @category models
 */
export interface ContextNote {
  readonly id: string
  readonly key: string
  readonly text: string
  /** Who wrote it: `"user"`, or the kind of the step that did. */
  readonly source: string
  /** Path of the step that wrote it. Empty for the notes that a thought began with. */
  readonly step: string
  readonly trust: Trust
  /** Whether this request shows it for the first time. */
  readonly fresh: boolean
  /** Set if the note holds results of a memory search: notes of earlier work, not the matter at hand. */
  readonly found?: true
}

/**
 * A label of a choice, or a level of a score.
 *
 * @category models
 */
export interface Label {
  readonly label: string
  readonly description?: string
}

/**
 * A question with a closed set of answers, as data.
 *
 * @category models
 */
export type Question =
  | { readonly _tag: "Predicate"; readonly name: string; readonly question: string }
  | {
      readonly _tag: "Choice"
      readonly name: string
      readonly question: string
      readonly labels: ReadonlyArray<Label>
    }
  | {
      readonly _tag: "Score"
      readonly name: string
      readonly question: string
      /** From the lowest value to the highest. */
      readonly levels: ReadonlyArray<Label & { readonly value: number }>
    }

/**
 * The answer to one question: a distribution or a refusal.
 *
 * Probabilities are between 0 and 1, and those of a distribution sum to 1. `reasons` are passages of the context that
 * support the answer, if the provider gives any.
 *
 * @category models
 */
export type Answer =
  | {
      readonly _tag: "Predicate"
      readonly name: string
      /** Probability of yes. */
      readonly probability: number
      readonly reasons?: ReadonlyArray<string>
    }
  | {
      readonly _tag: "Choice"
      readonly name: string
      readonly label: string
      readonly distribution: Readonly<Record<string, number>>
      readonly reasons?: ReadonlyArray<string>
    }
  | {
      readonly _tag: "Score"
      readonly name: string
      readonly value: number
      readonly distribution: Readonly<Record<string, number>>
      readonly reasons?: ReadonlyArray<string>
    }
  | {
      readonly _tag: "Refusal"
      readonly name: string
      readonly message?: string
      /** Why, in one word, as in the error `Refused` that it becomes. */
      readonly category?: string
    }

/**
 * The form that an answer must have, as a JSON Schema (draft 2020-12). A task without it wants free text.
 *
 * `instructions` describes the form as text, for models without structured output.
 *
 * @category models
 */
export interface Output {
  readonly name: string
  readonly jsonSchema: Readonly<Record<string, unknown>>
  readonly instructions: string
}

/**
 * What to do, independent of how a language model is prompted for it.
 *
 * @category models
 */
export interface Task {
  /** The kind of the step or synapse that makes the call: `"decide"`, `"analyze"`, `"introspect"` … */
  readonly kind: string
  readonly instruction: string
  /**
   * `"untrusted"` if the instruction and the questions consist entirely of text of untrusted notes, not of the caller's
   * own words. Otherwise absent: quotations of untrusted notes then stand between « and ».
   */
  readonly trust?: Trust
  /** The text to work on, if the task has one apart from the notes. */
  readonly input?: string
  /** The closed questions, if the task consists of them. */
  readonly questions: ReadonlyArray<Question>
  /** The notes that the model can see: those of the conversation in view, then the fresh ones. */
  readonly context: ReadonlyArray<ContextNote>
  /**
   * What kind of text to write, if the answer is not computed from questions or a schema: a `"summary"` of the given
   * text, or new `"text"`, even if `output` wraps it.
   */
  readonly wants?: "summary" | "text"
  readonly output?: Output
}
