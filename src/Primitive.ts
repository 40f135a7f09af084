/**
 * Primitives are the reasoning steps. Each asks one typed question, or searches, and writes one typed note under its
 * key. A primitive is both a step and the typed handle of its note.
 */
import type { Keyed } from "./step/runtime/model.ts"

export { amplify, Amplification } from "./primitive/amplify.ts"
export { analyze } from "./primitive/analyze.ts"
export { Approval, approve } from "./primitive/approve.ts"
export { assess } from "./primitive/assess.ts"
export { BranchesFailed } from "./step/runtime/BranchesFailed.ts"
export { categorize } from "./primitive/categorize.ts"
export { checkpoint } from "./primitive/checkpoint.ts"
export { compress } from "./primitive/compress.ts"
export { converge, Convergence } from "./primitive/converge.ts"
export { decide } from "./primitive/decide.ts"
export { discern } from "./primitive/discern.ts"
export { CheckpointNotFound, NoNotes } from "./primitive/reasoning/errors.ts"
export { forget } from "./primitive/forget.ts"
export { make } from "./primitive/make.ts"
export type { Introspection, Options } from "./primitive/reasoning/options.ts"
export { prioritize } from "./primitive/prioritize.ts"
export { recall } from "./primitive/recall.ts"
export { reflect } from "./primitive/reflect.ts"
export { reset } from "./primitive/reset.ts"
export { restore } from "./primitive/restore.ts"
export { Findings, seek } from "./primitive/seek.ts"
export { sift } from "./primitive/sift.ts"
export { Overview, survey } from "./primitive/survey.ts"
export { truncate } from "./primitive/truncate.ts"

/**
 * A step that writes one note under `K`, and the typed handle of that note.
 *
 * @category models
 */
export type Primitive<K extends string, A, In, E = never, R = never> = Keyed<K, A, In, E, R>
