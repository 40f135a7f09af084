/** The nodes of an outline, however deep: without a call for each level. */
import { saidAnew } from "./make.ts"
import type { Node } from "./model.ts"

/** A node and those inside it, each before its children. `into` says whether to look into a node. Default: into all. */
export const descendants = function* (node: Node, into: (node: Node) => boolean = () => true): Generator<Node> {
  const todo = [node]
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    yield next
    if (into(next)) for (const child of next.children.toReversed()) todo.push(child)
  }
}

/** What a node becomes, from what its children have become. */
export const rebuilt = (root: Node, rebuild: (node: Node, children: ReadonlyArray<Node>) => Node): Node => {
  const done: Array<Node> = []
  const todo: Array<{ readonly node: Node; readonly entered: boolean }> = [{ node: root, entered: false }]
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const { entered, node } = next
    if (entered) {
      const children = done.splice(done.length - node.children.length)
      done.push(saidAnew(rebuild(node, children), node))
      continue
    }
    todo.push({ node, entered: true })
    for (const child of node.children.toReversed()) todo.push({ node: child, entered: false })
  }
  return done[0] ?? root
}
