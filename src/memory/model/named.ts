/** Which notes rows of a durable run name, as results of searches do: they may repeat the texts of these. */
import type { CallRow } from "./Ledger.ts"

const id = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** Everything in a text that has the form of a note's id. */
export const namedIn = (text: string): ReadonlyArray<string> => [...new Set(text.match(id))]

/** Whether a call is a decision for one of the pipeline's own words, by its place: it repeats no note, and a redaction leaves it. */
export const isPlace = ({ kind, response = "" }: Pick<CallRow, "kind" | "response">): boolean =>
  kind === "decision" && /^\d+$/.test(response)
