/** Who writes a note of a document, and with which schema. */
import * as Schema from "effect/Schema"
import * as Note from "../Note.ts"
import * as Pipeline from "../Pipeline.ts"
import type { Read } from "./document.ts"
import { isNode, mapped, type Node, nodesIn, type Typed } from "./node.ts"
import { Ref } from "./parts.ts"
import type { Any as Registry } from "./registry.ts"

/** A step that writes a note: `handle` is undefined when what the note holds is not known. */
export interface Writer {
  readonly handle: Note.Handle<any, any> | undefined
}

/** The steps that write a key, those that are used included. */
export const writersOf = (registry: Registry, read: Read, key: string): ReadonlyArray<Writer> => {
  const seen = new Set<string>()
  const of = (node: Node, key: string): ReadonlyArray<Writer> => {
    if (node._tag === "Typed") {
      if (node.definition.type === "concurrent" && node.options["conflicts"] === "namespace") {
        return [...ownOf(registry, node, key), ...namespaced(node, key, of)]
      }
      return [...ownOf(registry, node, key), ...nodesIn(node).flatMap((inner) => of(inner, key))]
    }
    const definition = read.definitions.get(node.name)
    if (definition === undefined) {
      const step = registry.steps.get(node.name)
      if (step === undefined || !step.node.writes.includes(key)) return []
      return [{ handle: Note.isHandle(step) && step.key === key ? step : undefined }]
    }
    // the same definition writes the same again
    const mark = JSON.stringify([node.name, key])
    if (seen.has(mark)) return []
    seen.add(mark)
    return of(definition, key)
  }
  return of(read.step, key)
}

/** What the branches write has their names before it. */
const namespaced = (
  node: Typed,
  key: string,
  of: (node: Node, key: string) => ReadonlyArray<Writer>
): ReadonlyArray<Writer> =>
  Object.entries(node.options["branches"] as Readonly<Record<string, Node>>)
    .filter(([name]) => key.startsWith(`${name}.`))
    .flatMap(([name, branch]) => of(branch, key.slice(name.length + 1)))
    .map(({ handle }): Writer => ({ handle: handle === undefined ? undefined : Note.handle(key, handle.schema) }))

/** A node as a writer of the key, whatever is inside it. */
const ownOf = (registry: Registry, { definition, options }: Typed, key: string): ReadonlyArray<Writer> => {
  const text = { handle: Note.handle(key, Schema.String) }
  if (definition.handle !== undefined) {
    const own = options["key"]
    if (own === key) {
      const known = mapped(options, [], (value) => {
        if (isNode(value)) return { value }
        return value instanceof Ref && value.of === "schemas" ? { value: registry.schemas.get(value.name) } : undefined
      })
      // the options are those that the definition has decoded
      return [{ handle: definition.handle(known as never) }]
    }
    const summaries = [summaryKey(options["introspect"]), summaryKey(options["summarize"]), `${String(own)}_summary`]
    return summaries.includes(key) ? [text] : []
  }
  if (definition.type === "compact" && (options["summaryKey"] ?? "conversation_summary") === key) return [text]
  if (options["report"] !== key) return []
  const schema = definition.type === "enrich" ? Pipeline.FailureReport : Schema.Array(Pipeline.BranchResult)
  return [{ handle: Note.handle<string, unknown>(key, schema) }]
}

const summaryKey = (option: unknown): unknown =>
  typeof option === "object" && option !== null && "summaryKey" in option ? option.summaryKey : undefined

/** Keys that the document names, for suggestions. */
export const keysIn = (read: Read): ReadonlyArray<string> => {
  const of = (node: Node): ReadonlyArray<string> => {
    if (node._tag === "Use") return []
    const key = node.options["key"]
    return [...(typeof key === "string" ? [key] : []), ...nodesIn(node).flatMap(of)]
  }
  return [read.step, ...read.definitions.values()].flatMap(of)
}
