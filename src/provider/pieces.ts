import type { Response, StreamPart } from "./request.ts"

/** The parts of a stream that brings a whole answer at once. */
export const partsOf = (response: Response): ReadonlyArray<StreamPart> => {
  const { calls = [], text } = response
  const called = calls.map(({ id, name, params }): StreamPart => ({ _tag: "Call", id, name, delta: params }))
  const texts: ReadonlyArray<StreamPart> = text === "" && called.length > 0 ? [] : [{ _tag: "Text", delta: text }]
  return [...texts, ...called, { _tag: "Done", response }]
}
