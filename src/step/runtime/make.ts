/** How steps are built: a name, a description, and a run that only the library calls. */
import * as Effect from "effect/Effect"
import { type Kind, lackOf, oddOneOf, step as aStep, StepTypeId as TypeId, text } from "../../arguments/kinds.ts"
import { dual } from "effect/Function"
import { pipeArguments } from "effect/Pipeable"
import { hasProperty } from "effect/Predicate"
import * as Note from "../../thought/Note.ts"
import { need, takingAs } from "../../arguments/taking.ts"
import type { In, Keyed, Node, Out, Step } from "./model.ts"
import type { Thought } from "../../thought/model.ts"
import { quoted } from "../../text/legible.ts"
import { within } from "../../run/within.ts"
import type { Writes } from "../../thought/types.ts"

const startsWithStep = (args: IArguments): boolean => hasProperty(args[0], TypeId)

/** Whether a call gives both of two steps, and not only the one that comes after the one piped in. */
export const hasTwoSteps = (args: IArguments): boolean => hasProperty(args[1], TypeId)

/** A connector around one step, which takes the step as its first argument or is piped onto it. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- inferred from the connector's own type
export const piped = <Last extends (...args: Array<any>) => any, First extends (...args: Array<any>) => any>(
  connect: First,
  isFirst = startsWithStep
): First & Last => takingAs(dual<Last, First>(isFirst, connect), connect)

type RunOf<E, R> = (thought: Thought<any>) => Effect.Effect<Thought<any>, E, R>

/** A step whose run is told to listeners, traced, and named in the path of failures. */
export const makeStep = <In, Out, E, R>(node: Node, run: RunOf<E, R>): Step<In, Out, E, R> =>
  makeTransparent(node, (thought) =>
    within(
      node,
      thought,
      Effect.suspend(() => run(thought))
    )
  )

/** A step without a place of its own in paths and spans: only its children are seen. */
export const makeTransparent = <In, Out, E, R>(node: Node, run: RunOf<E, R>): Step<In, Out, E, R> => {
  need("A step", called, node.name)
  return {
    [TypeId]: { ...variance, run },
    name: node.name,
    node,
    pipe() {
      return pipeArguments(this, arguments)
    }
  }
}

const called: Kind = { ...text, named: "a name that is a string" }

/** A step that is also the handle of the note it writes. */
export const makeKeyed = <const K extends string, A, In, E, R>(
  handle: Note.Handle<K, A>,
  node: Node,
  run: RunOf<E, R>
): Keyed<K, A, In, E, R> => makeHandled<K, A, In, Writes<K, A>, E, R>(handle, node, run)

const origins = new WeakMap<Node, Node>()

/** A node that says more, or something else, of the same step. */
export const saidAnew = (node: Node, before: Node): Node => {
  if (node !== before) origins.set(node, before)
  return node
}

/** What is known of a node's step, and of that step as it was described before. */
export const allKnownOf = <A>(known: WeakMap<Node, A>, node: Node): ReadonlyArray<A> => {
  const found: Array<A> = []
  for (let one: Node | undefined = node; one !== undefined; one = origins.get(one)) {
    const own = known.get(one)
    if (own !== undefined) found.push(own)
  }
  return found
}

/** The last of it. */
export const knownOf = <A>(known: WeakMap<Node, A>, node: Node): A | undefined => allKnownOf(known, node)[0]

const handles = new WeakMap<Node, Note.Handle<any, any>>()

/** Remembers the handle of what a step writes, to read its note when it comes from a store. */
export const keepHandle = (node: Node, handle: Note.Handle<any, any>): void => {
  handles.set(node, handle)
}

/** The handle of what a step writes, if it has one. */
export const handleOf = (node: Node): Note.Handle<any, any> | undefined => knownOf(handles, node)

/** A step that is also the handle of one of the notes it writes; for steps with others in them. */
export const makeHandled = <const K extends string, A, In, Out, E, R>(
  handle: Note.Handle<K, A>,
  node: Node,
  run: RunOf<E, R>
): Step<In, Out, E, R> & Note.Handle<K, A> => {
  keepHandle(node, handle)
  return { ...makeStep<In, Out, E, R>(node, run), ...handle }
}

/** Throws unless what a step joins are steps, in an array or by name: where no compiler checks it, it may be anything. */
export const checkSteps = (name: string, option: string, given: unknown): void => {
  const steps: ReadonlyArray<unknown> = typeof given === "object" && given !== null ? Object.values(given) : [given]
  if (steps.every(aStep.is)) return
  const lack = Array.isArray(given) ? `got ${oddOneOf(given, aStep)}` : lackOf(given)
  const but = lack === undefined ? "" : `, but ${lack}`
  throw new Error(`The step ${quoted(name)} needs steps as its ${option}, in an array or an object${but}.`)
}

/** The step one level down, under the name that the step around it gives it; as it is when that is its own. */
export const named = (name: string, kind: string, step: Step<any, any, any, any>): Step<any, any, any, any> =>
  step.name === name ? step : renamed(step, { ...around(step.node, name, kind), layout: "inline" })

const renamed = (step: Step<any, any, any, any>, node: Node): Step<any, any, any, any> =>
  makeStep(node, (thought) => step[TypeId].run(thought))

/** Gives steps names that tell them apart: a name that comes again gets a number. */
export const makeDistinct = (kind: string): ((step: Step<any, any, any, any>) => Step<any, any, any, any>) => {
  const seen = new Map<string, number>()
  return (step) => {
    const times = (seen.get(step.name) ?? 0) + 1
    seen.set(step.name, times)
    return times === 1 ? step : renamed(step, around(step.node, `${step.name}#${times}`, kind))
  }
}

/** What a step around one other is, when the other always runs. */
export const around = (inner: Node, name: string, kind: string, settings?: Node["settings"]): Node => ({
  name,
  kind,
  ...inTurn([inner]),
  ...(settings === undefined ? {} : { settings })
})

/**
 * Extra arguments of a call: none for a step of known type, and one that cannot be given while the type is still `never`.
 *
 * @category types
 */
export type Known<S> = [S] extends [never] ? [step: never] : []

/**
 * What every connector around one step can be called.
 *
 * @category models
 */
export interface NameOption {
  /** The name of the new step. Default: the connector and the name of its step, such as `retry(price)`. */
  readonly name?: string
}

/** The name of a connector around one step. */
export const nameOf = (kind: string, step: { readonly name: string }, { name }: NameOption): string =>
  name ?? `${kind}(${step.name})`

/** A step around another that is as sure to write as that one is, and so keeps its handle when it is one. */
export const wrap = <S extends Step<any, any, any, any>, E, R>(
  step: S,
  node: Node,
  run: RunOf<E, R>
): Wrapped<S, E, R> => {
  const { name } = node
  const wrapped = makeStep<any, any, E, R>(node, run)
  return (Note.isHandle(step) ? { ...step, ...wrapped, name } : wrapped) as Wrapped<S, E, R>
}

/**
 * A step with the notes of another and the handle that it may be, which fails and needs as said.
 *
 * @category types
 */
export type Wrapped<S, E, R> = Step<In<S>, Out<S>, E, R> &
  (S extends Note.Handle<infer K, infer A> ? Note.Handle<K, A> : unknown)

/** What steps that run one after the other read of the thought, and what they write. */
export const inTurn = (children: ReadonlyArray<Node>): Notes => {
  const reads = new Set<string>()
  const written = new Set<string>()
  for (const child of children) {
    for (const key of child.reads) if (!written.has(key)) reads.add(key)
    for (const key of child.surely) written.add(key)
  }
  const writes = [...new Set(children.flatMap((child) => child.writes))]
  const fresh = new Set(children.flatMap(freshOf))
  const updates = writes.filter((key) => !fresh.has(key))
  return { reads: [...reads], writes, surely: [...written], ...(updates.length === 0 ? {} : { updates }), children }
}

type Notes = Pick<Node, "reads" | "writes" | "surely" | "updates" | "children">

/** Keys that it writes without putting them in the place of a value that it has read. */
const freshOf = ({ updates = [], writes }: Node): ReadonlyArray<string> =>
  writes.filter((key) => !updates.includes(key))

/** A step that may be left out. */
export const maybe = (node: Node): Node => ({ ...node, surely: [] })

/** What one of several steps reads and writes, whichever it is. */
export const oneOf = (children: ReadonlyArray<Node>): Notes => ({
  ...inTurn(children.map(maybe)),
  surely: (children[0]?.surely ?? []).filter((key) => children.every((child) => child.surely.includes(key))),
  children
})

/** Throws when two parts of a step write the same key: the value of the one would hide the other's. */
export const refuseShared = (step: string, parts: ReadonlyArray<Node>): void => {
  const writers = new Map<string, string>()
  for (const { name, writes } of parts) {
    for (const key of writes) {
      const other = writers.get(key)
      if (other !== undefined) {
        throw new Error(
          `Two parts of the step ${quoted(step)} write ${quoted(key)}: ` +
            `${quoted(other)} and ${quoted(name)}. Rename one of the keys.`
        )
      }
      writers.set(key, name)
    }
  }
}

/** Steps chained with `andThen` stand each on its own. */
export const chained = ({ node }: { readonly node: Node }): ReadonlyArray<Node> =>
  node.transparent === true ? node.children : [node]

/**
 * Throws when two steps that run one after the other have the same name or write the same key. Within a chain that is the
 * business of whoever made it.
 */
export const refuseTwice = (where: string, chains: ReadonlyArray<ReadonlyArray<Node>>): void => {
  const refuse = (what: string): never => {
    throw new Error(
      `The ${where} has two steps ${what}. ` +
        `Rename one, or pass { overwrite: true } if the later one is meant to win.`
    )
  }
  const names = new Set<string>()
  for (const chain of chains) {
    const twice = chain.find((node) => names.has(node.name))
    if (twice !== undefined) refuse(`named ${quoted(twice.name)}`)
    for (const { name } of chain) names.add(name)
  }
  const writers = new Map<string, string>()
  for (const chain of chains) {
    const written = chain.flatMap((node) => freshOf(node).map((key) => [key, node.name] as const))
    for (const [key, name] of written) {
      const earlier = writers.get(key)
      if (earlier !== undefined) refuse(`that write ${quoted(key)}: ${quoted(earlier)} and ${quoted(name)}`)
    }
    for (const [key, name] of written) writers.set(key, name)
  }
}

const variance = {
  _In: () => {},
  _Out: (): never => {
    throw new Error("a step's types have no values")
  },
  _E: (): never => {
    throw new Error("a step's types have no values")
  },
  _R: (): never => {
    throw new Error("a step's types have no values")
  }
}
