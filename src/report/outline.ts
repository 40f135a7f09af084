/** Reads the steps of a pipeline, as durable runs keep them, back into a tree. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { defined } from "./defined.ts"
import type { OutlineNode } from "./model.ts"

const Fields = Schema.fromJsonString(
  Schema.Struct({
    name: Schema.String,
    kind: Schema.String,
    children: Schema.Array(Schema.String),
    reads: Schema.optionalKey(Schema.Array(Schema.String)),
    writes: Schema.optionalKey(Schema.Array(Schema.String)),
    settings: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
    asks: Schema.optionalKey(Schema.String)
  })
)

/** The steps in order, each before those inside it: the path, a line for people, and the fields. */
const Lines = Schema.fromJsonString(Schema.Array(Schema.Tuple([Schema.String, Schema.String, Fields])))

const decode = Schema.decodeUnknownResult(Lines)

interface Growing extends OutlineNode {
  readonly children: Array<OutlineNode>
}

/** The tree of an outline. Undefined if the text cannot be parsed, for example because an older version wrote it. */
export const treeOf = (outline: string): OutlineNode | undefined => {
  const lines = decode(outline)
  if (Result.isFailure(lines)) return undefined
  const open: Array<{ readonly node: Growing; left: number }> = []
  let root: OutlineNode | undefined
  for (const [path, , { asks, children, kind, name, reads = [], settings = {}, writes = [] }] of lines.success) {
    const texts = Object.entries(settings).map(([key, value]) => [key, String(value)] as const)
    const node: Growing = {
      name,
      kind,
      path,
      settings: Object.fromEntries(texts),
      reads,
      writes,
      children: [],
      ...defined({ asks })
    }
    while (open.at(-1)?.left === 0) open.pop()
    const above = open.at(-1)
    if (above === undefined) root ??= node
    else {
      above.left--
      above.node.children.push(node)
    }
    open.push({ node, left: children.length })
  }
  return root
}
