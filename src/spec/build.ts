/** Builds steps from nodes. */
import * as Result from "effect/Result"
import type * as Step from "../Step.ts"
import type { Options, Site } from "./model/define.ts"
import type { Read } from "./document/document.ts"
import type { Limits } from "./model/limits.ts"
import { isNode, mapped, type Node, type Typed } from "./document/node.ts"
import { guarded } from "./document/guarded.ts"
import { type Find, finding, type Scopes } from "./document/handles.ts"
import { Ref } from "./model/parts.ts"
import { capped, type Path, problem } from "./model/problems.ts"
import type { Any as Registry } from "./model/registry.ts"
import type { Problem } from "./model/SpecError.ts"
import { isNamespace, writersIn } from "./document/writers.ts"

/** The context in which steps are built. */
interface Building {
  readonly registry: Registry
  readonly read: Read
  readonly limits: Limits
  readonly find: Find
  readonly problems: Array<Problem>
  /** Definitions that were built; undefined for those that failed. */
  readonly built: Map<string, Step.Any | undefined>
  readonly steps: Map<Node, Step.Any>
}

/** The step of a document, and the steps of all its nodes. */
export interface BuiltStep {
  readonly step: Step.Any
  readonly steps: ReadonlyMap<Node, Step.Any>
}

/** Builds the step of a document. Errors thrown by constructors become problems of their nodes. */
export const buildStep = (
  registry: Registry,
  read: Read,
  limits: Limits
): Result.Result<BuiltStep, readonly [Problem, ...Array<Problem>]> => {
  const find = finding(registry, writersIn(registry, read))
  const building: Building = { registry, read, limits, find, problems: [], built: new Map(), steps: new Map() }
  // unused definitions too: their problems count
  for (const name of read.definitions.keys()) definition(building, name)
  const step = build(building, read.step, [], [[read.step]])
  const [first, ...others] = capped(building.problems)
  if (first !== undefined) return Result.fail([first, ...others])
  if (step === undefined) throw new Error("a step that cannot be built has a problem")
  return Result.succeed({ step, steps: building.steps })
}

/** Builds a definition once, however often it is used. */
const definition = (building: Building, name: string): Step.Any | undefined => {
  const { built, read } = building
  if (built.has(name)) return built.get(name)
  const node = read.definitions.get(name)
  const step = node === undefined ? undefined : build(building, node, [`definitions.${name}`], [[read.step, node]])
  built.set(name, step)
  return step
}

const build = (building: Building, node: Node, names: ReadonlyArray<string>, scopes: Scopes): Step.Any | undefined => {
  const step = make(building, node, names, scopes)
  if (step !== undefined) building.steps.set(node, step)
  return step
}

const make = (building: Building, node: Node, names: ReadonlyArray<string>, scopes: Scopes): Step.Any | undefined => {
  if (node._tag === "Use") {
    return building.read.definitions.has(node.name)
      ? definition(building, node.name)
      : building.registry.steps.get(node.name)
  }
  let complete = true
  const part = <A>(found: A | undefined): { readonly value: A | undefined } => {
    if (found === undefined) complete = false
    return { value: found }
  }
  const own = nameOf(node)
  const inner = own === undefined ? names : [...names, own]
  const options = mapped(node.options, node.path, (value, at) => {
    if (isNode(value)) {
      const around = isNamespace(node) ? [...scopes, [value]] : scopes
      return part(build(building, value, [...inner, ...labelsOf(at.slice(node.path.length))], around))
    }
    return value instanceof Ref ? part(resolve(building, value, at, scopes)) : undefined
  })
  // problems of its parts are already reported
  if (!complete) return undefined
  const site: Site = { names: inner, limits: building.limits }
  const made = Result.try({
    try: () => node.definition.build(options as Options, site),
    catch: messageOf
  })
  if (Result.isSuccess(made)) return made.success
  building.problems.push(problem(node.path, made.failure))
  return undefined
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The name of the step that a node makes; undefined for nodes that only surround a step. */
const nameOf = (node: Typed): string | undefined => {
  const name = node.options["name"] ?? node.options["key"]
  return typeof name === "string" ? name : undefined
}

/** Names of the branches and routes between a node and a nested one. */
const labelsOf = (way: Path): ReadonlyArray<string> =>
  way.filter((part, i): part is string => i > 0 && typeof part === "string")

/** Resolves a name. All names except keys of notes are known to be registered. */
const resolve = ({ find, problems, registry }: Building, ref: Ref, path: Path, scopes: Scopes): unknown => {
  if (ref.of === "readers") {
    const reader = registry.readers.get(ref.name)
    return reader === undefined || ref.gives === undefined ? reader : guarded(ref.name, reader, ref.gives)
  }
  if (ref.of !== "handles") return registry[ref.of].get(ref.name)
  const found = find(ref.name, scopes, ref.gives)
  if (Result.isSuccess(found)) return found.success
  problems.push(problem(path, found.failure))
  return undefined
}
