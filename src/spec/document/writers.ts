/** Finds the steps of a document that write a note, and with which schema. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Note from "../../Note.ts"
import * as Pipeline from "../../Pipeline.ts"
import * as Step from "../../Step.ts"
import type { Options } from "../model/define.ts"
import type { Read } from "./document.ts"
import { isNode, mapped, type Node, nodesIn, type Typed, type Use } from "./node.ts"
import { Ref } from "../model/parts.ts"
import type { Path } from "../model/problems.ts"
import type { Any as Registry } from "../model/registry.ts"

/** A step that writes a note. `handle` is undefined if the schema of the note is not known. */
export interface Writer {
  readonly handle: Note.Handle<any, any> | undefined
  readonly path: Path
  /** Whether the note is written only if the step introspects, which a surrounding step can switch on. */
  readonly perhaps: boolean
}

type ByKey = Map<string, Array<Writer>>

/** The writers of all notes, computed once per document. */
export interface Writers {
  /** The steps inside a node that write a key, including used definitions and steps. */
  readonly inside: (scope: Node, key: string) => ReadonlyArray<Writer>
  /** The same for the whole document: definitions, and branches by their own keys without the prefix. */
  readonly anywhere: (key: string) => ReadonlyArray<Writer>
  /** All keys that are written anywhere. */
  readonly keys: () => ReadonlyArray<string>
}

export const writersIn = (registry: Registry, read: Read): Writers => {
  const scopes = new Map<Node, ByKey>()
  const scopeOf = (scope: Node): ByKey => {
    const known = scopes.get(scope)
    if (known !== undefined) return known
    const found: ByKey = new Map()
    scopes.set(scope, found)
    collect(registry, read, scope, found, scopeOf)
    return found
  }
  let all: ByKey | undefined
  const everywhere = (): ByKey => {
    if (all !== undefined) return all
    for (const node of [read.step, ...read.definitions.values()]) scopeOf(node)
    all = new Map()
    for (const found of scopes.values()) {
      for (const [key, writers] of found) add(all, key, ...writers)
    }
    return all
  }
  return {
    inside: (scope, key) => sure(scopeOf(scope).get(key)),
    anywhere: (key) => sure(everywhere().get(key)),
    keys: () => [...everywhere().keys()]
  }
}

/** The writers that always write, or all writers if each of them may skip the write. */
const sure = (writers: ReadonlyArray<Writer> = []): ReadonlyArray<Writer> => {
  const some = writers.filter(({ perhaps }) => !perhaps)
  return some.length === 0 ? writers : some
}

const add = (into: ByKey, key: string, ...writers: ReadonlyArray<Writer>): void => {
  const known = into.get(key)
  if (known === undefined) into.set(key, [...writers])
  else for (const writer of writers) known.push(writer)
}

const collect = (registry: Registry, read: Read, scope: Node, into: ByKey, scopeOf: (scope: Node) => ByKey): void => {
  const used = new Set<string>()
  const visit = (node: Node): void => {
    if (node._tag === "Use") {
      const definition = read.definitions.get(node.name)
      if (definition === undefined) addRegistered(registry, node, into)
      // a definition writes the same each time
      else if (!used.has(node.name)) {
        used.add(node.name)
        visit(definition)
      }
      return
    }
    addOwn(registry, node, into)
    if (!isNamespace(node)) {
      for (const inner of nodesIn(node)) visit(inner)
      return
    }
    // the keys that branches write are prefixed with their names
    for (const [name, branch] of Object.entries(node.options["branches"] as Readonly<Record<string, Node>>)) {
      for (const [inner, writers] of scopeOf(branch)) {
        const key = `${name}.${inner}`
        for (const { handle, ...rest } of writers) {
          add(into, key, { ...rest, handle: handle === undefined ? undefined : Note.handle(key, handle.schema) })
        }
      }
    }
  }
  visit(scope)
}

/** Whether the branches of a node have keys of their own. */
export const isNamespace = ({ definition, options }: Typed): boolean =>
  definition.type === "concurrent" && options["conflicts"] === "namespace"

const addRegistered = (registry: Registry, { name, path }: Use, into: ByKey): void => {
  const step = registry.steps.get(name)
  for (const key of step?.node.writes ?? []) {
    add(into, key, { handle: Note.isHandle(step) && step.key === key ? step : undefined, path, perhaps: false })
  }
}

const text = (key: string) => Note.handle(key, Schema.String)

/** Adds the notes that a node itself writes, apart from its nested nodes. */
const addOwn = (registry: Registry, { definition, options, path }: Typed, into: ByKey): void => {
  // an invalid key or set of labels is reported when the step is built
  const addAs = (key: unknown, make: (key: string) => Note.Handle<any, any>, perhaps = false): void => {
    if (typeof key !== "string") return
    const handle = Result.getOrUndefined(Result.try(() => make(key)))
    if (handle !== undefined) add(into, key, { handle, path, perhaps })
  }
  const { holds, type } = definition
  if (holds !== undefined) {
    const key = options["key"]
    const known = mapped(options, [], (value) => {
      if (isNode(value)) return { value }
      return value instanceof Ref && value.of === "schemas" ? { value: registry.schemas.get(value.name) } : undefined
    })
    addAs(key, (key) => Note.handle<string, unknown>(key, holds(known as Options)))
    addAs(summaryKey(options["introspect"]), text)
    addAs(summaryKey(options["summarize"]), text)
    addAs(`${String(key)}_summary`, text, true)
  } else if (type === "compact") {
    addAs(options["summaryKey"] ?? "conversation_summary", text)
  }
  const reported = type === "enrich" ? Step.FailureReport : Schema.Array(Pipeline.BranchResult)
  addAs(options["report"], (key) => Note.handle<string, unknown>(key, reported))
}

const summaryKey = (option: unknown): unknown =>
  typeof option === "object" && option !== null && "summaryKey" in option ? option.summaryKey : undefined
