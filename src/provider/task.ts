/** What is asked of a provider, as data. */
import type { Trust } from "../thought/Note.ts"

/**
 * One note as a task shows it.
 *
 * @category models
 */
export interface ContextNote {
  readonly id: string
  readonly key: string
  readonly text: string
  /** Who wrote it: `"user"`, or the kind of the step. */
  readonly source: string
  /** Path of the step that wrote it; empty for notes that a thought began with. */
  readonly step: string
  readonly trust: Trust
  /** Whether this request shows it for the first time. */
  readonly fresh: boolean
  /** Set when it holds what a search of the memory found: notes of earlier work, not the matter at hand. */
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
 * The answer to one question: a distribution, or a refusal.
 *
 * Probabilities are in [0, 1] and sum to 1. `reasons` are spans of the context that speak for the answer, where the
 * provider has any.
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
  | { readonly _tag: "Refusal"; readonly name: string; readonly message?: string }

/**
 * The form the answer must have: a JSON Schema (draft 2020-12), or free text when absent from a task.
 *
 * `instructions` says the same in words, for models without structured output.
 *
 * @category models
 */
export interface Output {
  readonly name: string
  readonly jsonSchema: Readonly<Record<string, unknown>>
  readonly instructions: string
}

/**
 * What is asked, apart from how it is put to a language model.
 *
 * @category models
 */
export interface Task {
  /** The kind of the asking step or synapse: `"decide"`, `"analyze"`, `"introspect"` … */
  readonly kind: string
  readonly instruction: string
  /**
   * `"untrusted"` when the instruction and the questions are text of untrusted notes as a whole, not the caller's own words.
   * Absent otherwise; what such words quote of untrusted notes stands between « and ».
   */
  readonly trust?: Trust
  /** The text to work on, when the task has one apart from the notes. */
  readonly input?: string
  /** The closed questions, when the task consists of them. */
  readonly questions: ReadonlyArray<Question>
  /** The notes the model can see: those of the conversation in view, then the fresh ones. */
  readonly context: ReadonlyArray<ContextNote>
  /**
   * What kind of text the answer is, when it is not computed from questions or a schema: a `"summary"` of the text at hand, or
   * `"text"` that is written anew, also where `output` wraps it.
   */
  readonly wants?: "summary" | "text"
  readonly output?: Output
}
