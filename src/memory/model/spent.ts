/** What is left of a call whose response is no longer needed. */
import type { CallRow } from "./Ledger.ts"

/** Stands for the hash of its request. A redaction leaves an empty hash, which stays. */
export const spentHash = "-"

export const spent = (call: CallRow): CallRow => ({
  ...call,
  hash: call.hash === "" ? "" : spentHash,
  parts: {},
  response: undefined
})
