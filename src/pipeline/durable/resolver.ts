/** The handles of the notes that the steps of a pipeline write, to read these notes when they come from a store. */
import * as Chunk from "effect/Chunk"
import * as Option from "effect/Option"
import { type Handle, HandleTypeId, type Note } from "../../thought/Note.ts"
import { handleOf } from "../../step/runtime/make.ts"
import type { Node } from "../../step/runtime/model.ts"
import type { Thought } from "../../thought/model.ts"
import { stateOf } from "../../thought/state.ts"

/** Finds the handle of a note. `isTyped`: whether no step reads the note with a type that is not known. */
export interface Resolver {
  readonly of: (note: Note) => Handle<any, any> | undefined
  readonly isTyped: (note: Note) => boolean
}

/** Whether every note that a thought has beyond another thought can be read from the store with its type. */
export const isTypedSince = ({ isTyped }: Resolver, thought: Thought<any>, given: Thought<any>): boolean => {
  const { log } = stateOf(thought)
  const last = Option.getOrUndefined(Chunk.last(stateOf(given).log))
  const shared = last === undefined || Option.getOrUndefined(Chunk.get(log, given.length - 1))?.id === last.id
  for (const note of shared ? Chunk.drop(log, given.length) : log) if (!isTyped(note)) return false
  return true
}

/** By the path of the step that wrote a note, as the note has it. */
export const resolverOf = (root: Node): Resolver => {
  const steps = new Map<string, Array<Node>>()
  const todo = [{ node: root, around: "" }]
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const { around, node } = next
    const path = node.transparent === true ? around : around === "" ? node.name : `${around}/${node.name}`
    if (node.transparent !== true) steps.set(path, [...(steps.get(path) ?? []), node])
    for (const child of node.children) todo.push({ node: child, around: path })
  }
  const of = (note: Note): Handle<any, any> | undefined => {
    for (const node of steps.get(note.step) ?? []) {
      const handle = handleOf(node)
      if (handle?.key === note.key) return handle
      // in a namespace, a key has the name of its branch in front
      if (handle !== undefined && note.key.endsWith(`.${handle.key}`)) {
        return { [HandleTypeId]: handle[HandleTypeId], key: note.key, schema: handle.schema }
      }
    }
    return undefined
  }
  return {
    of,
    // a step with a handle writes other notes as text
    isTyped: (note) =>
      of(note) !== undefined || (steps.get(note.step) ?? []).some((node) => handleOf(node) !== undefined)
  }
}
