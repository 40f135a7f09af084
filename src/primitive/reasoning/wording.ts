/**
 * The text of a step's question or task, in which text from untrusted notes is distinguishable from the caller's own.
 */
import * as Effect from "effect/Effect"
import { kindOf } from "../../arguments/kinds.ts"
import { Run } from "../../run/run.ts"
import * as Note from "../../thought/Note.ts"
import type { Thought } from "../../thought/model.ts"
import { textFrom, trustFrom } from "../../thought/gathered.ts"
import type { Source } from "../../thought/origin.ts"
import { quoted } from "../../text/quotation.ts"

export interface Wording {
  readonly text: string
  /**
   * `"untrusted"` if a plain reader made the text from at least one untrusted note, or from no note. Fixed texts and
   * `Note.prompt`, which quotes notes itself, are `"trusted"`.
   */
  readonly trust: Note.Trust
  /** What a reader made the text from. Default: nothing. */
  readonly sources?: ReadonlyArray<Source>
}

/**
 * Reads a text option: a fixed text as it is, one that comes from untrusted notes between marks. Includes its sources.
 * A reader that returns no text, or a blank one, is a defect that names the step.
 */
export const wording = <const Q extends Note.Text>(
  option: Q,
  thought: Thought<any>
): Effect.Effect<Required<Wording>, Note.Text.Err<Q>, Note.Text.Req<Q>> =>
  Effect.gen(function* () {
    const { sources, text } = yield* textFrom(option, thought)
    const given: unknown = text
    if (typeof given === "string" && given.trim() !== "") return wordingOf(option, text, sources)
    const { path } = yield* Run
    const got = typeof given === "string" ? "an empty string" : kindOf(given)
    return yield* Effect.die(
      new Error(
        `The step ${path.join("/")} needs its question or prompt as a non-empty string, but its reader gave ${got}.`
      )
    )
  })

/** The wording of a text that was read already. */
export const wordingOf = (option: Note.Text, text: string, sources: ReadonlyArray<Source>): Required<Wording> => {
  const trust = Note.isReader(option) ? trustFrom(option, sources) : "trusted"
  return { text: trust === "trusted" ? text : quoted(text), trust, sources }
}

/** The `trust` of a task, if its words are not the caller's own. */
export const worded = (trust: Note.Trust): { readonly trust?: Note.Trust } => (trust === "trusted" ? {} : { trust })
