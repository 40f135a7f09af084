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
  /** What a later execution knows when it enters the step, before it enters those in it. */
  readonly within: (step: Placed | undefined) => Pick<Resolver, "isTyped">
}

/** Whether every note that a thought has beyond another thought can be read from the store with its type. */
export const isTypedSince = (
  { isTyped }: Pick<Resolver, "isTyped">,
  thought: Thought<any>,
  given: Thought<any>
): boolean => {
  const { log } = stateOf(thought)
  const last = Option.getOrUndefined(Chunk.last(stateOf(given).log))
  const shared = last === undefined || Option.getOrUndefined(Chunk.get(log, given.length - 1))?.id === last.id
  for (const note of shared ? Chunk.drop(log, given.length) : log) if (!isTyped(note)) return false
  return true
}

// only steps enter a frame with what describes them, and that is a node
export const nodeOf = (described: Described): Node => described as Node

/** The handle of the note of a step that was entered, if it has one. */
export const handleOfStep = ({ node }: Placed): Handle<any, any> | undefined => handleOf(nodeOf(node))

const below = (around: string, name: string): string => (around === "" ? name : `${around}/${name}`)

type Steps = ReadonlyMap<string, ReadonlyArray<Node>>

/** The step and those in it, by the paths that their notes have. */
const stepsIn = (root: Node, within: string): Steps => {
  const steps = new Map<string, Array<Node>>()
  const todo = [{ node: root, around: within }]
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const { around, node } = next
    const path = node.transparent === true ? around : below(around, node.name)
    if (node.transparent !== true) steps.set(path, [...(steps.get(path) ?? []), node])
    for (const child of node.children) todo.push({ node: child, around: path })
  }
  return steps
}

const handleIn = (steps: Steps, note: Note): Handle<any, any> | undefined => {
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

/** A step with a handle writes other notes as text. */
const isTypedIn = (steps: Steps, note: Note): boolean =>
  handleIn(steps, note) !== undefined || (steps.get(note.step) ?? []).some((node) => handleOf(node) !== undefined)

/** By the path of the step that wrote a note, as the note has it. */
export const resolverOf = (root: Node): Resolver => {
  const described = stepsIn(root, "")
  const all = new Map(described)
  const inPlace = new WeakMap<Placed, Steps>()
  const of = (placed: Placed): Steps => {
    const known = inPlace.get(placed)
    if (known !== undefined) return known
    const own = nodeOf(placed.node)
    const around = placed.path.join("/")
    const isDescribed = described.get(below(around, own.name))?.includes(own) === true
    const steps = isDescribed ? described : stepsIn(own, around)
    inPlace.set(placed, steps)
    return steps
  }
  return {
    learn: (placed) => {
      for (const [path, nodes] of of(placed)) {
        const known = all.get(path) ?? []
        const more = nodes.filter((node) => !known.includes(node))
        if (more.length > 0) all.set(path, [...known, ...more])
      }
    },
    of: (note) => handleIn(all, note),
    isTyped: (note) => isTypedIn(all, note),
    within: (placed) => ({
      isTyped: (note) => isTypedIn(described, note) || (placed !== undefined && isTypedIn(of(placed), note))
    })
  }
}
