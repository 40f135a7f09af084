// As much of Mermaid's grammar as its flowcharts here need, and the chart that a text means.

const text = String.raw`"((?:[\p{L}\p{M}\p{N} ,()?/_.-]|#\d+;|<br/>)+)"`
const shape = new RegExp(
  String.raw`^(n\d+)(?:\[${text}\]|\(\[${text}\]\)|\(\(${text}\)\)|\{${text}\}|\{\{${text}\}\}|\[\[${text}\]\])$`,
  "u"
)
const frame = new RegExp(String.raw`^subgraph (n\d+)\[${text}\]$`, "u")
const arrow = new RegExp(String.raw`^(n\d+) (-->|-\.->)(?:\|${text}\|)? (n\d+)$`, "u")

interface Shape {
  readonly title: string
  /** Titles of the boxes around it, outermost first. */
  readonly boxes: ReadonlyArray<string>
}

export interface Chart {
  readonly direction: string
  readonly shapes: ReadonlyMap<string, Shape>
  readonly boxes: ReadonlyArray<string>
  /** `from -label-> to`, by their titles, in the order of the text. */
  readonly arrows: ReadonlyArray<string>
}

/** What the numbers stand for. */
const decode = (escaped: string): string =>
  escaped.replaceAll("<br/>", " ").replaceAll(/#(\d+);/g, (_whole, code: string) => String.fromCodePoint(Number(code)))

/** The chart, or an error that names the line which is none of Mermaid's. */
export const parse = (source: string): Chart => {
  const [head = "", ...lines] = source.split("\n")
  const direction = /^flowchart (TD|LR)$/.exec(head)?.[1]
  if (direction === undefined) throw new Error(`not the head of a flowchart: ${head}`)
  const shapes = new Map<string, Shape>()
  const ids = new Set<string>()
  const boxes: Array<string> = []
  const around: Array<string> = []
  const arrows: Array<readonly [from: string, kind: string, label: string | undefined, to: string]> = []
  for (const line of lines) {
    const bare = line.trim()
    const declared = shape.exec(bare) ?? frame.exec(bare)
    const led = arrow.exec(bare)
    if (declared !== null) {
      const [, id = "", ...titles] = declared
      const title = decode(titles.find((one) => one !== undefined) ?? "")
      if (ids.has(id)) throw new Error(`declared twice: ${id}`)
      ids.add(id)
      if (bare.startsWith("subgraph ")) {
        boxes.push(title)
        around.push(title)
      } else shapes.set(id, { title, boxes: [...around] })
    } else if (bare === "end" && around.length > 0) around.pop()
    else if (led !== null) arrows.push([led[1] ?? "", led[2] ?? "", led[3], led[4] ?? ""])
    else throw new Error(`not a line of a flowchart: ${line}`)
  }
  if (around.length > 0) throw new Error(`never ended: ${around.join(", ")}`)
  const titleOf = (id: string): string => {
    const found = shapes.get(id)
    if (found === undefined) throw new Error(`an arrow to or from what is no shape: ${id}`)
    return found.title
  }
  const reached = new Set(["n0"])
  for (let grown = true; grown;) {
    const before = reached.size
    for (const [from, , , to] of arrows) if (reached.has(from)) reached.add(to)
    grown = reached.size > before
  }
  const lost = [...shapes.keys()].filter((id) => !reached.has(id))
  if (lost.length > 0) throw new Error(`no arrows lead to ${lost.map(titleOf).join(", ")}`)
  return {
    direction,
    shapes,
    boxes,
    arrows: arrows.map(([from, kind, label, to]) => {
      const words = label === undefined ? kind : kind === "-->" ? `-${decode(label)}->` : `-.${decode(label)}.->`
      return `${titleOf(from)} ${words} ${titleOf(to)}`
    })
  }
}
