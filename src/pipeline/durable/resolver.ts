/** The handles of the notes that the steps of a pipeline write, to read these notes when they come from a store. */
import * as Chunk from "effect/Chunk"
import * as Option from "effect/Option"
import { type Handle, HandleTypeId, type Note } from "../../thought/Note.ts"
import { handleOf } from "../../step/runtime/make.ts"
import type { Described, Placed } from "../../run/journal.ts"
import type { Node } from "../../step/runtime/model.ts"
import type { Thought } from "../../thought/model.ts"
import { stateOf } from "../../thought/state.ts"

/**
 * Finds the handle of a note. `isTyped`: whether no step reads the note with a type that is not known. `learn` adds a step that is
 * not in the pipeline's description, such as one that a generator asks.
 */
export interface Resolver {
  readonly learn: (step: Placed) => void
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

// only steps enter a frame with what describes them, and that is a node
const nodeOf = (described: Described): Node => described as Node

/** The handle of the note of a step that was entered, if it has one. */
export const handleOfStep = ({ node }: Placed): Handle<any, any> | undefined => handleOf(nodeOf(node))

const below = (around: string, name: string): string => (around === "" ? name : `${around}/${name}`)

/** By the path of the step that wrote a note, as the note has it. */
export const resolverOf = (root: Node): Resolver => {
  const steps = new Map<string, Array<Node>>()
  const add = (of: Node, within: string): void => {
    const todo = [{ node: of, around: within }]
    for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
      const { around, node } = next
      const path = node.transparent === true ? around : below(around, node.name)
      if (node.transparent !== true) steps.set(path, [...(steps.get(path) ?? []), node])
      for (const child of node.children) todo.push({ node: child, around: path })
    }
  }
  add(root, "")
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
    learn: ({ node, path }) => {
      const around = path.join("/")
      const own = nodeOf(node)
      if (steps.get(below(around, own.name))?.includes(own) !== true) add(own, around)
    },
    of,
    // a step with a handle writes other notes as text
    isTyped: (note) =>
      of(note) !== undefined || (steps.get(note.step) ?? []).some((node) => handleOf(node) !== undefined)
  }
}
