/** The text of a step's question or task as it is asked: what comes of untrusted notes can be told from our own words. */
import * as Effect from "effect/Effect"
import * as Note from "../../thought/Note.ts"
import type { Thought } from "../../thought/model.ts"
import { textFrom, trustFrom } from "../../thought/gathered.ts"
import type { Source } from "../../thought/origin.ts"
import { quoted } from "../../text/quotation.ts"

export interface Wording {
  readonly text: string
  /** `"untrusted"` when all of it comes of untrusted notes. */
  readonly trust: Note.Trust
}

/** A fixed text as it is; one that was read from untrusted notes between marks; and what it was made from. */
export const wording = <const Q extends Note.Text>(
  option: Q,
  thought: Thought<any>
): Effect.Effect<Wording & { readonly sources: ReadonlyArray<Source> }, Note.Text.Err<Q>, Note.Text.Req<Q>> =>
  Effect.map(textFrom(option, thought), ({ sources, text }) => ({ ...wordingOf(option, text, sources), sources }))

/** The same of a text that has been read already. */
export const wordingOf = (option: Note.Text, text: string, sources: ReadonlyArray<Source>): Wording => {
  const trust = Note.isReader(option) ? trustFrom(option, sources) : "trusted"
  return { text: trust === "trusted" ? text : quoted(text), trust }
}

/** What a task says of its own words, when they are not the caller's. */
export const worded = (trust: Note.Trust): { readonly trust?: Note.Trust } => (trust === "trusted" ? {} : { trust })
