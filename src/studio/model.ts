/** What the pages of the studio show, as JSON. */
import type { Totals } from "../logs/totals.ts"
import type { Ledger } from "../Store.ts"

export interface ThoughtItem {
  readonly id: string
  readonly intent: string
  readonly taskId?: string
  readonly createdMillis: number
  readonly notes: number
}

/** The last one of a page; the next page begins after it. */
export interface After {
  readonly id: string
  readonly createdMillis: number
}

export interface ThoughtsPage {
  readonly thoughts: ReadonlyArray<ThoughtItem>
  readonly next?: After
}

export interface RunItem {
  readonly id: string
  /** `"left"` if a run is stored as running, and its process has ended. */
  readonly status: Ledger.RunStatus | "left"
  readonly pipeline: string
  readonly thoughtId: string
  readonly createdMillis: number
  readonly millis: number
  readonly at: ReadonlyArray<string>
  readonly error?: string
  readonly totals: Totals
}

export interface RunsPage {
  readonly runs: ReadonlyArray<RunItem>
  readonly next?: After
}

export interface SearchItem {
  readonly thoughtId: string
  readonly intent: string
  readonly key: string
  readonly seq: number
  readonly createdMillis: number
  readonly content: string
  readonly isCut: boolean
  readonly trust: string
  readonly copies: number
  readonly score: number
  /** Score and rank in each arm that found it. */
  readonly vector?: { readonly score: number; readonly rank: number }
  readonly lexical?: { readonly score: number; readonly rank: number }
}

export interface SearchPage {
  readonly query: string
  readonly arms: { readonly vector: string; readonly lexical: string; readonly pending: number }
  readonly matches: ReadonlyArray<SearchItem>
}

export interface Question {
  readonly runId: string
  readonly thoughtId: string
  readonly frame: string
  readonly key: string
  readonly prompt: string
  readonly schema: unknown
  readonly createdMillis: number
  readonly dueMillis?: number
}

export interface QuestionsPage {
  readonly questions: ReadonlyArray<Question>
  readonly isCut: boolean
}

/** An answer as the form sends it. */
export interface GivenAnswer {
  readonly runId: string
  readonly frame: string
  readonly value: unknown
  readonly by?: string
}
