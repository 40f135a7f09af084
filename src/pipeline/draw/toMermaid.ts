import * as kinds from "../../arguments/kinds.ts"
import * as forms from "../../arguments/forms.ts"
import { taking } from "../../arguments/taking.ts"
import { cut, escapeHidden } from "../../text/legible.ts"
import type * as Step from "../../step/runtime/model.ts"

/**
 * A pipeline as the text of a Mermaid flowchart, which GitHub and many editors render.
 *
 * **Details**
 *
 * - Steps in a row are joined by arrows.
 * - Concurrent steps are in a box, and start and end at common points.
 * - A choice is a diamond with a labelled arrow for each way.
 * - A connector around a step is a box with its name and settings.
 * - A dotted arrow leads from a scaffold to its step, and from a `gen` to each of its steps.
 *
 * `direction` (default `"TD"`, downwards; `"LR"` to the right) is that of the arrows. All names are escaped; names
 * longer than 80 characters are cut. It needs no run and no model.
 *
 * **Example** (A choice)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Pipeline, Primitive } from "cogito"
 *
 * const urgent = Primitive.decide("urgent", { question: "Is this urgent?" })
 * const ham = Primitive.sift("ham", { question: "Is this no spam?", step: urgent })
 *
 * assert.equal(Pipeline.toMermaid(Pipeline.sequence("mail", [ham])), `
 * flowchart TD
 *   n0(["mail"])
 *   n1{"ham<br/>sift"}
 *   n2["urgent<br/>decide"]
 *   n3(["done"])
 *   n0 --> n1
 *   n1 -->|"yes"| n2
 *   n2 --> n3
 *   n1 -->|"no"| n3
 * `.trim())
 * ```
 *
 * @category sight
 */
export const toMermaid = taking("Pipeline.toMermaid", {
  args: [kinds.step],
  options: 1,
  optional: true,
  known: { direction: forms.maybe("", forms.oneOf("TD", "LR")) }
})((step: Step.Any, options: { readonly direction?: "TD" | "LR" } = {}): string => {
  const { direction = "TD" } = options
  const chart = new Chart()
  const { node } = step
  const start = chart.id()
  const inner = finished(
    node.layout === "row" ? row(chart, node.children, [{ from: start }]) : draw(chart, node, [{ from: start }])
  )
  const done = chart.id()
  chart.connect(inner.ends, done)
  const shapes = [`${start}(["${escape(node.name)}"])`, ...inner.lines, `${done}(["done"])`]
  return [`flowchart ${direction}`, ...indented([...shapes, ...chart.edges])].join("\n")
})

/** The start of an arrow, its label, and whether it is dotted. */
interface Open {
  readonly from: string
  readonly label?: string
  readonly dotted?: boolean
}

/** Lines, with nested frames. */
type Lines = ReadonlyArray<string | { readonly inside: Lines }>

/** The lines of shapes, and the starts of the arrows to the next shape. */
interface Drawn {
  readonly lines: Lines
  readonly ends: ReadonlyArray<Open>
}

/** A drawing that yields the drawings it needs and receives their results. */
interface Drawing extends Generator<Drawing, Drawn, Drawn> {}

/** Runs a drawing, with nested drawings in a list and not on the call stack. */
const finished = (drawing: Drawing): Drawn => {
  const stack = [drawing]
  let drawn: Drawn = { lines: [], ends: [] }
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const next = top.next(drawn)
    if (next.done === true) {
      drawn = next.value
      stack.pop()
    } else {
      stack.push(next.value)
    }
  }
  return drawn
}

/**
 * Numbers the shapes, and collects the arrows. Arrows come last, because a shape belongs to the box that names it
 * first.
 */
class Chart {
  readonly edges: Array<string> = []
  private count = 0
  id(): string {
    return `n${this.count++}`
  }
  connect(opens: ReadonlyArray<Open>, to: string): void {
    for (const { dotted = false, from, label } of opens) {
      this.edges.push(`${from} ${dotted ? "-.->" : "-->"}${label === undefined ? "" : `|"${escape(label)}"|`} ${to}`)
    }
  }
}

const draw = function* (chart: Chart, node: Step.Node, opens: ReadonlyArray<Open>): Drawing {
  const { children, layout } = node
  if (layout === "inline") return yield row(chart, children, opens)
  if (isChoice(layout)) return yield choice(chart, node, opens, layout)
  if (children.length === 0) return shape(chart, opens, `["${titleOf(node)}"]`)
  if (layout === "calls") return yield called(chart, node, opens)
  if (typeof layout === "object") return yield box(chart, node, () => parallel(chart, node, opens, layout))
  return yield box(chart, node, () => row(chart, children, opens))
}

/** Draws several nodes and collects the results. */
const each = function* <A>(items: ReadonlyArray<A>, drawing: (item: A, i: number) => Drawing) {
  const all: Array<Drawn> = []
  for (const [i, item] of items.entries()) all.push(yield drawing(item, i))
  return all
}

type Beside = Extract<Step.Layout, { readonly _tag: "Beside" }>
type Choice = Extract<Step.Layout, { readonly _tag: "Choice" }>

const isChoice = (layout: Step.Layout | undefined): layout is Choice =>
  typeof layout === "object" && layout._tag === "Choice"

const shape = (chart: Chart, opens: ReadonlyArray<Open>, text: string): Drawn & { readonly id: string } => {
  const id = chart.id()
  chart.connect(opens, id)
  return { id, lines: [id + text], ends: [{ from: id }] }
}

/** Steps one after the other. */
const row = function* (chart: Chart, nodes: ReadonlyArray<Step.Node>, opens: ReadonlyArray<Open>): Drawing {
  const lines: Array<Lines[number]> = []
  let ends = opens
  for (const node of nodes) {
    const drawn = yield draw(chart, node, ends)
    for (const line of drawn.lines) lines.push(line)
    ends = drawn.ends
  }
  return { lines, ends }
}

/** A titled frame. */
const box = function* (chart: Chart, node: Step.Node, inside: () => Drawing): Drawing {
  const id = chart.id()
  const { ends, lines } = yield inside()
  return { lines: [`subgraph ${id}["${titleOf(node)}"]`, { inside: lines }, "end"], ends }
}

/** Concurrent steps, from their common start to their common end. */
const parallel = function* (
  chart: Chart,
  node: Step.Node,
  opens: ReadonlyArray<Open>,
  { inStep, meet }: Beside
): Drawing {
  const fork = shape(chart, opens, `(("${escape(node.kind)}"))`)
  const branches = yield* each(node.children, (child) => draw(chart, child, [{ from: fork.id, label: child.name }]))
  const ends = branches.flatMap((branch) => branch.ends)
  const join = shape(chart, ends, inStep === true ? `["${escape(meet)}"]` : `(("${escape(meet)}"))`)
  return { lines: [...fork.lines, ...branches.flatMap(({ lines }) => lines), ...join.lines], ends: join.ends }
}

/** A step that starts others in the background, or calls them from its code. */
const called = function* (chart: Chart, node: Step.Node, opens: ReadonlyArray<Open>): Drawing {
  const caller = shape(chart, opens, `[["${titleOf(node)}"]]`)
  const drawn = yield* each(node.children, (child) => draw(chart, child, [{ from: caller.id, dotted: true }]))
  return { lines: [...caller.lines, ...drawn.flatMap(({ lines }) => lines)], ends: caller.ends }
}

const choice = function* (chart: Chart, node: Step.Node, opens: ReadonlyArray<Open>, layout: Choice): Drawing {
  const { fails, labels, past } = layout
  const title = layout.shape === "hexagon" ? `{{"${titleOf(node)}"}}` : `{"${titleOf(node)}"}`
  const from = shape(chart, opens, title)
  const drawn = yield* each(node.children, (child, i) =>
    draw(chart, child, [{ from: from.id, label: labels?.[i] ?? child.name }])
  )
  const failed = fails === undefined ? undefined : shape(chart, [{ from: from.id, label: fails }], '(["failed"])')
  return {
    lines: [...from.lines, ...drawn.flatMap(({ lines }) => lines), ...(failed?.lines ?? [])],
    ends: [...drawn.flatMap(({ ends }) => ends), ...(past === undefined ? [] : [{ from: from.id, label: past }])]
  }
}

/** Indents the lines, and nested frames one level more. */
const indented = (lines: Lines): ReadonlyArray<string> => {
  const texts: Array<string> = []
  const todo = [{ lines, at: 0 }]
  for (let top = todo.at(-1); top !== undefined; top = todo.at(-1)) {
    const line = top.lines[top.at++]
    if (line === undefined) todo.pop()
    else if (typeof line === "string") texts.push("  ".repeat(todo.length) + line)
    else todo.push({ lines: line.inside, at: 0 })
  }
  return texts
}

/** A name and a kind; for a connector, also its settings. */
const titleOf = ({ children, kind, layout, name, settings = {} }: Step.Node): string => {
  const options = Object.entries(settings).map(([option, value]) => `${option} ${value}`)
  const shown =
    children.length === 0 || options.length === 0 || isChoice(layout) ? kind : `${kind} (${options.join(", ")})`
  return `${escape(name)}<br/>${escape(shown)}`
}

/** In code points. */
const mostText = 80

/**
 * Text between quotes. Letters, digits and a few marks stay; everything else becomes a character number, so that
 * nothing is read as Mermaid, Markdown or HTML.
 */
const escape = (text: string): string =>
  escapeHidden(cut(text, mostText) || '""').replace(
    /((?<=[\p{L}\p{N}])[_.-](?=[\p{L}\p{N}]))|[^\p{L}\p{M}\p{N} ,()?/]/gu,
    (char: string, kept: string | undefined) => kept ?? `#${char.codePointAt(0)};`
  )
