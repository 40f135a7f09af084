/** Pipelines as data: what is run, what goes wrong in it, and how it is simplified and read. */

/** What one call of a leaf does: it takes its virtual time and then ends so. */
export interface Behaviour {
  /** Milliseconds. */
  readonly takes: number
  /**
   * `wrong`: an answer without the form asked for. `fatal`: a failure that another attempt does not help. `busy`: a failure
   * that asks for a wait as long as the call.
   */
  readonly ends: "ok" | "wrong" | "fail" | "fatal" | "busy" | "never" | "die" | "quit"
}

export interface Leaf {
  readonly _tag: "Leaf"
  readonly id: number
  readonly does: "decide" | "native" | "analyze" | "write" | "look" | "tap" | "once" | "append"
  /** Key of the note; the name of the step, too. */
  readonly key: string
  /** `open`: as the pipeline around it says. A native question, whose text is in no message, does not leave it open. */
  readonly introspect: boolean | "open"
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

/** Whether a thought is accepted: by the number of its notes. */
export type Accept = "any" | "even" | "odd"

interface Named {
  readonly piped: boolean
}

interface Attempts {
  readonly times: number
  /** Whether it goes on after every failure, not only after those that another attempt may help. */
  readonly always: boolean
}

interface Beside {
  readonly concurrency: number | "unbounded"
}

export type Plain =
  | (Of<"Truncate"> & { readonly first: number; readonly last: number; readonly release: boolean })
  | (Of<"Checkpoint"> & { readonly name: string })
  | (Of<"Restore"> & { readonly name: string; readonly session: "keep" | "fresh" })
  | (Of<"Mutate"> & { readonly holds: boolean })
  /** Restores the thought by its own id. */
  | (Of<"Own"> & { readonly session: "keep" | "fresh" })

export type Composite =
  | Several<"Sequence">
  | Several<"AndThen">
  | Several<"Gen">
  | Around<"Named">
  /** The first child and then, when it holds, the second. */
  | (Several<"When"> & { readonly holds: boolean })
  /** The second child is for otherwise. */
  | (Several<"Filter"> & { readonly holds: boolean })
  /** Passes the thought on when there is no such child. */
  | (Several<"Switch"> & { readonly choice: number })
  | (Around<"Gate"> & { readonly verdict: "pass" | "skip" | "fail" })
  | (Around<"Retry"> & Attempts & Named)
  | (Around<"Backoff"> & Attempts & Named & { readonly base: number; readonly factor: number; readonly cap: number })
  | (Around<"Timeout"> & Named & { readonly limit: number })
  | (Several<"Fallback"> & { readonly accept: Accept; readonly always: boolean })
  /** The second child is the recovery. */
  | (Several<"Recover"> & { readonly always: boolean })
  /** The second child is the handler. */
  | Several<"Handle">
  | (Around<"Enrich"> & Named & { readonly report: boolean })
  | (Several<"Race"> & Beside)
  | (Several<"Contest"> & Beside & { readonly accept: Accept })
  | (Several<"Concurrent"> &
      Beside & {
        readonly conflicts: "error" | "last" | "namespace"
        readonly minSuccesses: number | undefined
        readonly report: boolean
      })
  | (Around<"RateLimit"> & Named & { readonly per: number; readonly onExceeded: "wait" | "fail" })
  | (Around<"CircuitBreaker"> & Named & { readonly failures: number; readonly reset: number })
  | (Around<"WorkerLimit"> & Named & { readonly workers: number })
  | Around<"Scaffold">
  /** Makes every question inside look back that leaves it open. */
  | Around<"Introspect">
  /** A step that runs a pipeline, on a fork of its thought or on a thought apart. */
  | (Around<"Inner"> & { readonly apart: boolean })

export type Node = Leaf | Plain | Composite

export interface Program {
  readonly root: Node
  /** When the whole run is interrupted, in virtual milliseconds after its start. */
  readonly interruptAt: number | undefined
  /** Which commit fails, counted from 0, the one that the run begins with. */
  readonly failingCommit: number | undefined
}

const childrenOf = (node: Node): ReadonlyArray<Node> => ("children" in node ? node.children : [])

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

/** Steps that run several others at the same time. */
export type Besides = Extract<Composite, { readonly _tag: "Race" | "Contest" | "Concurrent" }>

export const isBeside = (node: Node): node is Besides =>
  node._tag === "Race" || node._tag === "Contest" || node._tag === "Concurrent"

/** Whether the leaf is a question to the model. */
export const asksModel = ({ does }: Leaf): boolean => does === "decide" || does === "native" || does === "analyze"

/** Whether a thought with so many notes is accepted. */
export const accepts = (accept: Accept, notes: number): boolean =>
  accept === "any" || (notes % 2 === 0) === (accept === "even")

/** What a leaf's call does, calls counted from 0. */
export const behaviourOf = (leaf: Leaf, call: number): Behaviour => leaf.plan[Math.min(call, leaf.plan.length - 1)]!

/** Whether something of it goes on in the background. */
export const hasBackground = (node: Node): boolean => descendants(node).some(({ _tag }) => _tag === "Scaffold")

/** Whether something of it appends notes from outside: which commit takes them over depends on when there is one. */
export const hasAppends = (node: Node): boolean => leavesOf(node).some(({ does }) => does === "append")

/** Whether it leaves something in the store that does not hang on what becomes of it. */
export const reachesOut = (node: Node): boolean =>
  hasAppends(node) || descendants(node).some((one) => one._tag === "Inner" && one.apart)

/** Whether runs of it share a state: limits and circuits do. */
export const hasState = (node: Node): boolean =>
  descendants(node).some(({ _tag }) => _tag === "RateLimit" || _tag === "CircuitBreaker" || _tag === "WorkerLimit")

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
    case "Introspect":
      return nameOf(node.children[0])
    case "AndThen":
    case "When":
      throw new Error("a chain has no place of its own in paths")
    default:
      return "piped" in node && node.piped
        ? `${lower(node._tag)}(${nameOf(node.children[0])})`
        : `${lower(node._tag)}${node.id}`
  }
}

/** The name that the step is known by to the one around it: of a chain, those of its steps. */
export const builtName = (node: Node): string => {
  if (node._tag === "AndThen") return node.children.map(builtName).join(", ")
  if (node._tag === "Introspect") return builtName(node.children[0])
  return node._tag === "When" ? `${builtName(node.children[0]!)}, when${node.id}` : nameOf(node)
}

const lower = (tag: string): string => tag.slice(0, 1).toLowerCase() + tag.slice(1)

/** Whether the step has a name of its own, as the whole pipeline must. */
export const isNamed = (node: Node): boolean =>
  node._tag === "Introspect" ? isNamed(node.children[0]) : node._tag !== "AndThen" && node._tag !== "When"

// ------------------------------------------------------------------------------------------------------ simplifying

/** The fewest children that a step has, where it is not one. */
const fewest: { readonly [Tag in Composite["_tag"]]?: number } = { Sequence: 0, Gen: 0, When: 2, Recover: 2, Handle: 2 }

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
    ({
      ...node,
      // as many children as before, or as many as the tag allows
      children: changed,
      ...(node._tag === "Concurrent" && (node.minSuccesses ?? 0) > changed.length
        ? { minSuccesses: changed.length }
        : {})
    }) as Node
  return [
    ...children,
    ...(children.length <= (fewest[node._tag] ?? 1)
      ? []
      : children.map((_, i) => withChildren(children.filter((__, j) => j !== i)))),
    ...simplerOptions(node),
    ...children.flatMap((child, i) =>
      simplerNodes(child)
        .filter(
          (one) => (isNamed(one) || !needsName(node)) && (node._tag !== "Handle" || i === 0 || one._tag === "Leaf")
        )
        .map((one) => withChildren(children.with(i, one)))
    )
  ].filter((one) => !("piped" in one) || !one.piped || isNamed(one.children[0]))
}

/** Whether the name of a child is part of the node's. */
const needsName = (node: Composite): boolean =>
  ("piped" in node && node.piped) || node._tag === "Introspect" || node._tag === "Inner"

const simplerOptions = (node: Composite): ReadonlyArray<Node> => [
  ...("piped" in node && node.piped ? [{ ...node, piped: false }] : []),
  ...("concurrency" in node && node.concurrency !== "unbounded"
    ? [{ ...node, concurrency: "unbounded" as const }]
    : []),
  ...("times" in node && node.times > 0 ? [{ ...node, times: node.times - 1 }] : []),
  ...("accept" in node && node.accept !== "any" ? [{ ...node, accept: "any" as const }] : []),
  ...("apart" in node && node.apart ? [{ ...node, apart: false }] : []),
  ...("report" in node && node.report ? [{ ...node, report: false }] : []),
  ...("minSuccesses" in node && node.minSuccesses !== undefined ? [{ ...node, minSuccesses: undefined }] : [])
]

const simplerLeaves = (leaf: Leaf): ReadonlyArray<Leaf> => [
  ...(leaf.plan.length === 1 && leaf.plan[0].ends === "ok" ? [] : [{ ...leaf, plan: [ok] as const }]),
  ...(leaf.plan.length === 1 ? [] : [{ ...leaf, plan: [leaf.plan[0]] as const }]),
  ...(leaf.introspect === false ? [] : [{ ...leaf, introspect: false }]),
  ...(!asksModel(leaf) ? [] : [{ ...leaf, does: "write" as const, introspect: false }]),
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
    return `${node.does} ${node.key}${node.introspect === true ? " and look back" : node.introspect === "open" ? " and look back if told" : ""} (question ${node.id}): ${plan}`
  }
  const { _tag, id, ...rest } = node
  const options = Object.entries(rest).filter(([key]) => key !== "children")
  const told = options.map(([key, value]) => ` ${key}=${JSON.stringify(value)}`).join("")
  return `${isNamed(node) && _tag !== "Introspect" ? nameOf(node) : `${lower(_tag)}${id}`}${told}`
}
