import * as Schema from "effect/Schema"
import type { Declaration } from "./ask.ts"
import { Confidence } from "./confidence.ts"
import { compile } from "./form.ts"
import { make, type Options, type Synapse } from "./make.ts"

/**
 * A text made of another one. `changes` says what was done, `reasoning` why; both may be empty.
 *
 * @category models
 */
export const Transformation = Schema.Struct({
  output: Schema.NonEmptyString,
  confidence: Confidence,
  changes: Schema.Array(Schema.String),
  reasoning: Schema.Array(Schema.String)
})
/**
 * A text made of another one.
 *
 * @category models
 */
export type Transformation = typeof Transformation.Type

/** A text to be made of the notes, for a kind of step. */
const declareTransform = (kind: string): Declaration<Transformation> => ({
  kind,
  form: compile("transformation", Transformation, (value) => value),
  put: (prompt) => ({
    instruction: prompt,
    questions: [],
    sections: [
      {
        heading: "Task",
        body: `${prompt}\n\nGive the new text, how sure you are of it from 0 to 1, what you changed, and why.`
      }
    ]
  })
})

/**
 * Makes a text of another one: a summary, a translation, another tone.
 *
 * **Example** (A shorter text)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Synapse } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const shorten = Synapse.transform({ prompt: "Say it in three words" })
 * const provider = Testing.scripted([{ output: "Refund, please now", confidence: 0.9, changes: [], reasoning: [] }])
 *
 * const value = await Effect.runPromise(shorten("I would like my money back.").pipe(Effect.provide(provider.layer)))
 * assert.equal(value.output, "Refund, please now")
 * ```
 *
 * @category synapses
 */
export const transform = (
  options: Omit<Options, "via" | "reasons"> & { readonly prompt: string }
): Synapse<Transformation> => make(declareTransform("transform"), options.prompt, options)
