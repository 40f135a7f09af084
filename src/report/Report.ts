/**
 * Reports of runs: everything that a memory has of a thought and of its runs, as data and as a page to look at.
 */
export { collect, type CollectOptions } from "./collect.ts"
export { html } from "./html.ts"
export type {
  CallRecord,
  EntryReport,
  MessageReport,
  NoteReport,
  OutlineNode,
  RunRecord,
  RunReport,
  StepRecord,
  ThoughtReport,
  WaitRecord
} from "./model.ts"
