/** Answers that are not quite of their form. Most never are, so this is loaded with the first one. */
import * as Result from "effect/Result"
import { rootOf } from "./answer/marred/align/Root.ts"
import type { Coercion, Parsing } from "./answer/marred/align/Coercion.ts"
import { reader } from "./answer/marred/read.ts"
import { redacted } from "./answer/marred/redacted.ts"
import type { Issue } from "./answer/ResponseError.ts"

/** A value, and what was done to its text to read it. */
export interface Decoded<out A> {
  readonly value: A
  readonly coercions: ReadonlyArray<Coercion>
}

/** What is wrong with an answer: for the model that wrote it, and without keys that it made up. */
export interface Rejected {
  readonly issues: ReadonlyArray<Issue>
  readonly redacted: ReadonlyArray<Issue>
}

/** The form of an answer, as far as it is needed to read one. */
interface Written<out A> {
  readonly jsonSchema: { readonly [key: string]: unknown }
  readonly wrapped: boolean
  readonly decode: (json: unknown) => Result.Result<A, ReadonlyArray<Issue>>
}

/** Reads an answer of the form. Places are told without keys that the model made up: those of a record may be text of a note. */
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
