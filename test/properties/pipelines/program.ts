/** Pipelines as data: what is run, what goes wrong in it, and how it is simplified and read. */

/** What one call of a leaf does: it takes its virtual time and then ends so. */
export interface Behaviour {
  /** Milliseconds. */
  readonly takes: number
  /** `wrong`: an answer without the form asked for. `fatal`: a failure that another attempt does not help. */
  readonly ends: "ok" | "wrong" | "fail" | "fatal" | "never" | "die" | "quit"
}

export interface Leaf {
  readonly _tag: "Leaf"
  readonly id: number
  readonly does: "decide" | "native" | "analyze" | "write" | "look"
  /** Key of the note; the name of the step, too. */
  readonly key: string
  readonly introspect: boolean
  /** By call; the last one holds for all calls after it. */
  readonly plan: readonly [Behaviour, ...ReadonlyArray<Behaviour>]
}

interface Of<Tag extends string> {
  readonly _tag: Tag
  readonly id: number
}

interface Around<Tag extends string> extends Of<Tag> {
  readonly children: readonly [Node]
}

interface Several<Tag extends string> extends Of<Tag> {
  readonly children: ReadonlyArray<Node>
}

export type Plain =
  | (Of<"Truncate"> & { readonly first: number; readonly last: number; readonly release: boolean })
  | (Of<"Checkpoint"> & { readonly name: string })
  | (Of<"Restore"> & { readonly name: string; readonly session: "keep" | "fresh" })

export type Composite =
  | Several<"Sequence">
  | Several<"AndThen">
  /** The first child and then, when it holds, the second. */
  | (Several<"When"> & { readonly holds: boolean })
  /** The second child is for otherwise. */
  | (Several<"Filter"> & { readonly holds: boolean })
  | (Around<"Retry"> & { readonly times: number; readonly always: boolean; readonly piped: boolean })
  | (Several<"Race"> & { readonly concurrency: number | "unbounded" })

export type Node = Leaf | Plain | Composite

export interface Program {
  readonly root: Node
  /** When the whole run is interrupted, in virtual milliseconds after its start. */
  readonly interruptAt: number | undefined
  /** Which commit fails, counted from 0, the one that the run begins with. */
  readonly failingCommit: number | undefined
}

export const childrenOf = (node: Node): ReadonlyArray<Node> => ("children" in node ? node.children : [])

export const descendants = (node: Node): ReadonlyArray<Node> => [node, ...childrenOf(node).flatMap(descendants)]

/** The steps of a sequence; of anything else, the step itself. */
export const nodesOf = (node: Node): ReadonlyArray<Node> => (node._tag === "Sequence" ? node.children : [node])

/** The same step with other numbers, and other names where they hang on them. */
export const renumbered = (node: Node, by: number): Node => {
  const id = node.id + by
  if (node._tag === "Leaf") return { ...node, id, key: node.key.replace(/\d+$/, String(id)) }
  const changed = "children" in node ? { children: node.children.map((child) => renumbered(child, by)) } : {}
  return { ...node, id, ...changed } as Node
}

export const leavesOf = (node: Node): ReadonlyArray<Leaf> => descendants(node).filter((one) => one._tag === "Leaf")

/** What a leaf's call does, calls counted from 0. */
export const behaviourOf = (leaf: Leaf, call: number): Behaviour => leaf.plan[Math.min(call, leaf.plan.length - 1)]!

/** What a call of the leaf is known by, in answers and errors. */
export const callName = (leaf: Leaf, call: number): string => `${leaf.id}#${call}`

/** How likely a leaf's native answer holds it to be: a number with few binary digits, another one for every call. */
export const probabilityOf = (leaf: Leaf, call: number): number => 0.5 + ((leaf.id * 16 + call) % 4096) / 8192

/** The program with other steps, and nothing but their own faults. */
export const calm = (root: Node): Program => ({ root, interruptAt: undefined, failingCommit: undefined })

/** The name of a step and its place in paths. */
export const nameOf = (node: Node): string => {
  switch (node._tag) {
    case "Leaf":
      return node.key
    case "Checkpoint":
      return node.name
    case "AndThen":
    case "When":
      throw new Error("a chain has no place of its own in paths")
    default:
      return "piped" in node && node.piped
        ? `${lower(node._tag)}(${nameOf(node.children[0])})`
        : `${lower(node._tag)}${node.id}`
  }
}

const lower = (tag: string): string => tag.slice(0, 1).toLowerCase() + tag.slice(1)

/** Whether the step has a name of its own, as the whole pipeline must. */
export const isNamed = (node: Node): boolean => node._tag !== "AndThen" && node._tag !== "When"

// ------------------------------------------------------------------------------------------------------ simplifying

const fewest: { readonly [Tag in Composite["_tag"]]: number } = {
  Sequence: 0,
  AndThen: 1,
  When: 2,
  Filter: 1,
  Retry: 1,
  Race: 1
}

const ok: Behaviour = { takes: 1, ends: "ok" }

/** Programs that are simpler by one change, the greatest changes first. */
export const simpler = (program: Program): ReadonlyArray<Program> => [
  ...simplerNodes(program.root)
    .filter(isNamed)
    .map((root) => ({ ...program, root })),
  ...(program.interruptAt === undefined ? [] : [{ ...program, interruptAt: undefined }]),
  ...(program.failingCommit === undefined ? [] : [{ ...program, failingCommit: undefined }])
]

const simplerNodes = (node: Node): ReadonlyArray<Node> => {
  if (node._tag === "Leaf") return simplerLeaves(node)
  if (!("children" in node)) return []
  const children: ReadonlyArray<Node> = node.children
  const withChildren = (changed: ReadonlyArray<Node>): Node =>
    // as many children as before, or as many as the tag allows
    ({ ...node, children: changed }) as Node
  return [
    ...children,
    ...(children.length <= fewest[node._tag]
      ? []
      : children.map((_, i) => withChildren(children.filter((__, j) => j !== i)))),
    ...simplerOptions(node),
    ...children.flatMap((child, i) =>
      simplerNodes(child)
        .filter((one) => isNamed(one) || !needsName(node))
        .map((one) => withChildren(children.with(i, one)))
    )
  ].filter((one) => !("piped" in one) || !one.piped || isNamed(one.children[0]))
}

/** Whether the name of a child is part of the node's. */
const needsName = (node: Composite): boolean => "piped" in node && node.piped

const simplerOptions = (node: Composite): ReadonlyArray<Node> => [
  ...("piped" in node && node.piped ? [{ ...node, piped: false }] : []),
  ...("concurrency" in node && node.concurrency !== "unbounded"
    ? [{ ...node, concurrency: "unbounded" as const }]
    : []),
  ...("times" in node && node.times > 0 ? [{ ...node, times: node.times - 1 }] : [])
]

const simplerLeaves = (leaf: Leaf): ReadonlyArray<Leaf> => [
  ...(leaf.plan.length === 1 && leaf.plan[0].ends === "ok" ? [] : [{ ...leaf, plan: [ok] as const }]),
  ...(leaf.plan.length === 1 ? [] : [{ ...leaf, plan: [leaf.plan[0]] as const }]),
  ...(leaf.introspect ? [{ ...leaf, introspect: false }] : []),
  ...(leaf.does === "write" || leaf.does === "look" ? [] : [{ ...leaf, does: "write" as const, introspect: false }]),
  ...leaf.plan.flatMap((one, i) =>
    one.takes <= 1
      ? []
      : [
          {
            ...leaf,
            plan: leaf.plan.with(i, { ...one, takes: Math.floor(one.takes / 10) || 1 }) as never as Leaf["plan"]
          }
        ]
  )
]

// ---------------------------------------------------------------------------------------------------------- reading

/** A program as text, a step a line. */
export const print = ({ failingCommit, interruptAt, root }: Program): string =>
  [
    ...lines(root, ""),
    ...(interruptAt === undefined ? [] : [`interrupted after ${interruptAt} ms`]),
    ...(failingCommit === undefined ? [] : [`the store fails commit ${failingCommit}`])
  ].join("\n")

const lines = (node: Node, indent: string): ReadonlyArray<string> => [
  `${indent}${line(node)}`,
  ...childrenOf(node).flatMap((child) => lines(child, `${indent}  `))
]

const line = (node: Node): string => {
  if (node._tag === "Leaf") {
    const plan = node.plan.map(({ ends, takes }) => `${ends} after ${takes} ms`).join(", then ")
    return `${node.does} ${node.key}${node.introspect ? " and look back" : ""} (question ${node.id}): ${plan}`
  }
  const { _tag, id, ...rest } = node
  const options = Object.entries(rest).filter(([key]) => key !== "children")
  const told = options.map(([key, value]) => ` ${key}=${JSON.stringify(value)}`).join("")
  return `${isNamed(node) ? nameOf(node) : `${lower(_tag)}${id}`}${told}`
}
