import type * as Step from "../../Step.ts"
import type { Document } from "../document/document.ts"

/** The documents of steps that were built from one. */
const documents = new WeakMap<Step.Any, Document>()

/** Remembers the document of a step. */
export const remember = <S extends Step.Any>(step: S, document: Document): S => {
  documents.set(step, document)
  return step
}

/**
 * The document that a step was built from, in canonical form; `undefined` for any other step.
 *
 * **Details**
 *
 * A step made with `pipe` from a built one is another step. Steps made by code have no document, because functions
 * cannot be written down.
 *
 * **Example** (From a document to a pipeline and back)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Spec } from "cogito/spec"
 *
 * const registry = Spec.registry()
 * const document = { cogito: 1, name: "mail", step: { repairs: 1, question: "Spam?", key: "spam", type: "decide" } }
 *
 * const program = Effect.gen(function*() {
 *   const step = yield* Spec.build(registry, yield* Spec.decode(registry, document))
 *   assert.deepEqual(Spec.encode(step)?.step, { type: "decide", key: "spam", question: "Spam?" })
 * })
 *
 * await Effect.runPromise(program)
 * ```
 *
 * @category decoding
 */
export const encode = (step: Step.Any): Document | undefined => documents.get(step)
