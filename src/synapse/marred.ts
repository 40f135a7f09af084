/** Reads answers that are not quite valid. Loaded with the first such answer, since most programs never see one. */
import * as Result from "effect/Result"
import { rootOf } from "./answer/marred/align/Root.ts"
import type { Coercion, Parsing } from "./answer/marred/align/Coercion.ts"
import { reader } from "./answer/marred/read.ts"
import { redacted } from "./answer/marred/redacted.ts"
import type { Issue } from "./answer/ResponseError.ts"

/** A value, and the changes that were made to read it. */
export interface Decoded<out A> {
  readonly value: A
  readonly coercions: ReadonlyArray<Coercion>
}

/** The issues of an answer: in full for the model that wrote it, and redacted, without keys that the model made up. */
export interface Rejected {
  readonly issues: ReadonlyArray<Issue>
  readonly redacted: ReadonlyArray<Issue>
}

/** The parts of a form that are needed to read an answer. */
interface Written<out A> {
  readonly jsonSchema: { readonly [key: string]: unknown }
  readonly wrapped: boolean
  readonly decode: (json: unknown) => Result.Result<A, ReadonlyArray<Issue>>
}

/** Reads an answer. Paths in the result have no keys that the model made up: keys of a record may be text of a note. */
export const readMarred = <A>(
  { decode, jsonSchema, wrapped }: Written<A>,
  text: string,
  parsing: Parsing
): Result.Result<Decoded<A>, Rejected> => {
  const root = rootOf(jsonSchema, wrapped)
  const redact = <P extends Pick<Coercion, "path">>(place: P): P => ({
    ...place,
    path: redacted(root.shape, place.path)
  })
  return Result.mapBoth(reader(root, decode)(text, parsing), {
    onSuccess: ({ coercions, value }) => ({ value, coercions: coercions.map(redact) }),
    onFailure: (issues) => ({ issues, redacted: issues.map(redact) })
  })
}
