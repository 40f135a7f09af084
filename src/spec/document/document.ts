/** Reads documents from data into nodes, with every problem that can be found without building. */
import * as Result from "effect/Result"
import { type Json, plain } from "../model/bounds.ts"
import { unknownOptions } from "../model/issues.ts"
import { type Node, nodesIn, readNode, type Reading, written } from "./node.ts"
import { capped, kindOf, problem, quote } from "../model/problems.ts"
import type { Any as Registry } from "../model/registry.ts"
import type { Problem } from "../model/SpecError.ts"

/**
 * A step as a document writes it: a type with its options, or the name of a step to use.
 *
 * @category models
 */
export type StepSpec = { readonly use: string } | { readonly type: string; readonly [option: string]: Json }

/**
 * A pipeline as data.
 *
 * **Details**
 *
 * `definitions` are steps for `{ use }`. `Spec.decode` returns the canonical form: options in a fixed order, without
 * default values, durations in the largest whole unit.
 *
 * @category models
 */
export interface Document {
  readonly $schema?: string
  /** Version of the format. */
  readonly cogito: 1
  readonly name: string
  readonly definitions?: Readonly<Record<string, StepSpec>>
  readonly step: StepSpec
}

/** A document that was read. */
export interface Read {
  readonly document: Document
  readonly definitions: ReadonlyMap<string, Node>
  readonly step: Node
}

/** How many steps a pipeline may have. Steps that are used several times count each time. */
const mostSteps = 10_000
/** How deep steps may be nested, including the steps of used definitions. */
const mostDepth = 1_000
const mostDefinitions = 1_000

const fields = ["$schema", "cogito", "name", "definitions", "step"]

export const readDocument = (
  registry: Registry,
  value: unknown
): Result.Result<Read, readonly [Problem, ...Array<Problem>]> => {
  const data = plain(value)
  if (!("value" in data)) return Result.fail(data.problems)
  const problems: Array<Problem> = []
  const read = readPlain(registry, data.value, problems)
  const [first, ...others] = capped(problems)
  if (first !== undefined) return Result.fail([first, ...others])
  if (read === undefined) throw new Error("a document that cannot be read has a problem")
  return Result.succeed(read)
}

const readPlain = (registry: Registry, value: Json, problems: Array<Problem>): Read | undefined => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    problems.push(problem([], `Write an object, { cogito: 1, name, step }, not ${kindOf(value)}.`))
    return undefined
  }
  const given = value as { readonly [name: string]: Json }
  problems.push(...unknownOptions(Object.keys(given), fields, "A document", []))
  const { $schema, cogito, definitions = {}, name, step } = given
  if (cogito !== 1) {
    const what = cogito === undefined ? "This is missing. Add it: 1." : `Write 1, not ${kindOf(cogito)}.`
    problems.push(problem(["cogito"], `${what} It is the version of the format.`))
  }
  if (typeof name !== "string" || name.trim() === "") {
    problems.push(problem(["name"], `Write the name of the pipeline as text, not ${kindOf(name)}.`))
  }
  if ($schema !== undefined && typeof $schema !== "string") {
    problems.push(problem(["$schema"], `Write the place of a JSON Schema as text, not ${kindOf($schema)}.`))
  }
  const reading = readingOf(registry, definitions, problems)
  const defined = readDefinitions(reading, definitions)
  if (step === undefined) problems.push(problem(["step"], "This is missing. Add it: the step that the pipeline is."))
  const root = step === undefined ? undefined : readNode(reading, step, ["step"])
  checkCycles(reading)
  if (problems.length > 0 || root === undefined) return undefined
  checkSize(defined, root, problems)
  if (problems.length > 0) return undefined
  return {
    document: {
      ...(typeof $schema === "string" ? { $schema } : {}),
      cogito: 1,
      name: name as string,
      ...(defined.size === 0 ? {} : { definitions: writtenDefinitions(defined) }),
      step: written(root) as StepSpec
    },
    definitions: defined,
    step: root
  }
}

const readingOf = (registry: Registry, definitions: Json, problems: Array<Problem>): Reading => {
  const defined = typeof definitions === "object" && definitions !== null ? Object.keys(definitions) : []
  const names = [...defined, ...registry.steps.keys()]
  return { registry, names, problems, uses: new Map(defined.map((name) => [name, new Set()])) }
}

const readDefinitions = (reading: Reading, given: Json): ReadonlyMap<string, Node> => {
  const { problems, registry } = reading
  const defined = new Map<string, Node>()
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    problems.push(problem(["definitions"], `Write steps by name, not ${kindOf(given)}.`))
    return defined
  }
  if (Object.keys(given).length > mostDefinitions) {
    problems.push(problem(["definitions"], `There are more than ${mostDefinitions} definitions. Split the document.`))
    return defined
  }
  for (const [name, value] of Object.entries(given as { readonly [name: string]: Json })) {
    const path = ["definitions", name]
    if (registry.steps.has(name)) {
      problems.push(problem(path, `${quote(name)} is the name of a registered step as well: rename the definition.`))
    }
    const node = readNode(reading, value, path)
    if (node !== undefined) defined.set(name, node)
  }
  return defined
}

/** Definitions sorted by name, so that their order does not matter. */
const writtenDefinitions = (defined: ReadonlyMap<string, Node>): Readonly<Record<string, StepSpec>> =>
  Object.fromEntries(
    [...defined].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, node]) => [name, written(node) as StepSpec])
  )

/** Reports definitions that use themselves, each cycle once. */
const checkCycles = ({ problems, uses }: Reading): void => {
  const done = new Set<string>()
  const visit = (name: string, way: ReadonlyArray<string>): void => {
    const start = way.indexOf(name)
    if (start >= 0) {
      const circle = [...way.slice(start), name].map(quote).join(" → ")
      problems.push(problem(["definitions", name], `This definition refers to itself: ${circle}. Remove the cycle.`))
      return
    }
    if (done.has(name)) return
    for (const next of uses.get(name) ?? []) visit(next, [...way, name])
    done.add(name)
  }
  for (const name of uses.keys()) visit(name, [])
}

/**
 * Checks the number and depth of steps. Repeated uses count each time, as a few definitions could expand beyond the
 * limit.
 */
const checkSize = (defined: ReadonlyMap<string, Node>, root: Node, problems: Array<Problem>): void => {
  const known = new Map<string, { readonly steps: number; readonly depth: number }>()
  const sizeOf = (node: Node, level: number): { readonly steps: number; readonly depth: number } => {
    if (level > mostDepth) return { steps: 1, depth: Infinity }
    if (node._tag === "Use") {
      const definition = defined.get(node.name)
      if (definition === undefined) return { steps: 1, depth: 1 }
      const size = known.get(node.name) ?? sizeOf(definition, level)
      known.set(node.name, size)
      return size
    }
    const inner = nodesIn(node).map((one) => sizeOf(one, level + 1))
    return {
      steps: inner.reduce((sum, { steps }) => sum + steps, 1),
      depth: inner.reduce((most, { depth }) => Math.max(most, depth), 0) + 1
    }
  }
  for (const [path, node] of [
    ...[...defined].map(([name, node]) => [["definitions", name], node] as const),
    [["step"], root] as const
  ]) {
    const { depth, steps } = sizeOf(node, 1)
    if (steps > mostSteps) {
      problems.push(problem(path, `This is a pipeline of more than ${mostSteps} steps. Use definitions less often.`))
    } else if (depth > mostDepth) {
      problems.push(problem(path, `Steps are nested more than ${mostDepth} deep here. Make it flatter.`))
    }
  }
}
