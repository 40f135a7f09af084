/** How a durable run records what the code of a step has done. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Handle, HandleTypeId } from "../../thought/Note.ts"
import { gathered } from "../../thought/gathered.ts"
import { type Source, unstoredSources } from "../../thought/origin.ts"
import type { Entry } from "../../run/journal.ts"
import { hash128 } from "../../text/hash.ts"
import type { Thought } from "../../thought/model.ts"
import { current, stateOf } from "../../thought/state.ts"

/** What code is given: the notes that its reader names, or all that the thought shows. */
const given = (
  thought: Thought<any>,
  keys: ReadonlyArray<string> | undefined
): NonNullable<Entry<never, never>["request"]> =>
  Effect.map(gathered(thought), (around) => {
    const state = stateOf(thought)
    const notes = current(state).filter(({ key }) => keys?.includes(key) !== false)
    const hash = hash128(JSON.stringify(notes.map(({ content, key }) => [key, content])))
    return { hash, parts: { notes: hash }, shows: [...around, ...unstoredSources(state)] }
  })

/** Code without a value. `got` are the notes that it gets. */
export const doing = (
  thought: Thought<any>,
  keys: ReadonlyArray<string> | undefined,
  got: ReadonlyArray<Source>
): Entry<void, never> => ({
  kind: "effect",
  acts: "effect",
  inputsMayDiffer: true,
  request: given(thought, keys),
  got,
  emptied: () => {},
  value: { encode: () => null, decode: () => {} }
})

interface Made {
  readonly content: string
  readonly from: ReadonlyArray<Source>
}

/** In the place of a value that was made and that a redaction has removed. */
export const emptied = Symbol("cogito/emptied")

/** Code that makes the value of a note, and adds the notes that it gets to the sources. */
export const making = <A>(
  handle: Handle<string, A>,
  thought: Thought<any>,
  keys: ReadonlyArray<string> | undefined,
  sources: Array<Source>
): Entry<A | typeof emptied, never> => {
  const codec = handle[HandleTypeId]
  const known = sources.length
  return {
    kind: "effect",
    acts: "effect",
    inputsMayDiffer: true,
    request: given(thought, keys),
    get got() {
      return sources.slice(known)
    },
    emptied: () => emptied,
    value: {
      encode: (value): Made | undefined => {
        if (value === emptied) return undefined
        const content = codec.encode(value)
        const from = sources.slice(known).map(({ id, seq, trust }) => (seq === 0 ? { id, trust, seq } : { id, trust }))
        return Result.isSuccess(content) ? { content: content.success, from } : undefined
      },
      decode: (json) => {
        const { content, from } = json as Made
        sources.push(...from)
        return Result.getOrThrow(codec.decode(content))
      }
    }
  }
}
