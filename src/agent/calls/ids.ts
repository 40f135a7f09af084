/** Ids of calls that are unlike each other within a thought. */
import * as Chunk from "effect/Chunk"
import type { ToolCall } from "../../Provider.ts"
import type { Thought } from "../../thought/model.ts"
import type { Note } from "../../thought/Note.ts"
import { stateOf } from "../../thought/state.ts"
import { toolMeta } from "../../thought/toolMeta.ts"

const isPlain = /^[A-Za-z0-9_-]*$/

/** A text in the characters that names and ids may have. */
export const plain = (text: string): string => (isPlain.test(text) ? text : text.replaceAll(/[^A-Za-z0-9_-]/g, "_"))

/** The ids of all calls of a thought that grows. Only notes that were added since the last time are looked at. */
export class CallIds {
  #log: Chunk.Chunk<Note> = Chunk.empty()
  readonly #ids = new Set<string>()

  of(thought: Thought<any>): ReadonlySet<string> {
    const { log } = stateOf(thought)
    const size = Chunk.size(this.#log)
    const hasGrown =
      Chunk.size(log) >= size && (size === 0 || Chunk.getUnsafe(log, size - 1) === Chunk.getUnsafe(this.#log, size - 1))
    if (!hasGrown) this.#ids.clear()
    for (let i = hasGrown ? size : 0; i < Chunk.size(log); i++) {
      const id = Chunk.getUnsafe(log, i).metadata[toolMeta.call]
      if (id !== undefined) this.#ids.add(id)
    }
    this.#log = log
    return this.#ids
  }
}

/** Room for a number within the 64 characters that vendors allow. */
const longestId = 56

/** Makes ids that every vendor takes and no other call of the thought has, as a result is found by its id. */
export const naming = (known: ReadonlySet<string>): ((given: string) => string) => {
  const own = new Set<string>()
  return (given) => {
    const base = plain(given).slice(0, longestId) || "call"
    let id = base
    for (let n = 2; known.has(id) || own.has(id); n++) id = `${base}_${n}`
    own.add(id)
    return id
  }
}

/** The calls with such ids. */
export const distinct = (known: ReadonlySet<string>, calls: ReadonlyArray<ToolCall>): ReadonlyArray<ToolCall> => {
  const idOf = naming(known)
  return calls.map((call) => ({ ...call, id: idOf(call.id) }))
}
