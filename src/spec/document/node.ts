/** Reads nodes. Each option is decoded by its own schema, so that no problem hides another. */
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { AnyForm } from "../../arguments/forms.ts"
import type { Json } from "../model/bounds.ts"
import type { Definition } from "../model/define.ts"
import { problemsOf, unknownOptions } from "../model/issues.ts"
import { definitionOf, types } from "../nodes/all.ts"
import { Child, durationText, type Parts, reading as partsFor, Ref, schemaOf } from "../model/parts.ts"
import { kindOf, mostProblems, type Path, problem, quote, suggestion } from "../model/problems.ts"
import type { Any as Registry } from "../model/registry.ts"
import type { Problem } from "../model/SpecError.ts"

/** A node that was read. Its options hold a `Ref` for every name and a node for every nested node. */
export class Typed {
  readonly _tag = "Typed"
  readonly path: Path
  readonly definition: Definition
  readonly options: Readonly<Record<string, unknown>>
  constructor(path: Path, definition: Definition, options: Readonly<Record<string, unknown>>) {
    this.path = path
    this.definition = definition
    this.options = options
  }
}

/** A node that uses a definition of the document or a registered step. */
export class Use {
  readonly _tag = "Use"
  readonly path: Path
  readonly name: string
  constructor(path: Path, name: string) {
    this.path = path
    this.name = name
  }
}

export type Node = Typed | Use

export const isNode = (value: unknown): value is Node => value instanceof Typed || value instanceof Use

type Decode = (value: unknown) => Result.Result<unknown, Schema.SchemaError>

interface Option {
  readonly required: boolean
  readonly description: string
  readonly decode: Decode
}

/** The options of all node types for a registry, compiled once. */
const compiled = new WeakMap<Registry, ReadonlyMap<string, ReadonlyMap<string, Option>>>()

const optionsFor = (registry: Registry): ReadonlyMap<string, ReadonlyMap<string, Option>> => {
  const known = compiled.get(registry)
  if (known !== undefined) return known
  const parts = partsFor(registry)
  const made = new Map(
    types.map((definition) => [
      definition.type,
      new Map(Object.entries(definition.fields).map(([name, form]) => [name, optionOf(form, parts)]))
    ])
  )
  compiled.set(registry, made)
  return made
}

const optionOf = (form: AnyForm, parts: Parts): Option => ({
  required: form.optional !== true,
  description: form.description ?? "",
  decode: Schema.decodeUnknownResult(schemaOf(form, parts) as Schema.Codec<unknown, unknown>, {
    errors: "all",
    onExcessProperty: "error"
  })
})

/** The context in which nodes are read, and what reading them collects. */
export interface Reading {
  readonly registry: Registry
  /** Names that `use` may refer to. */
  readonly names: ReadonlyArray<string>
  readonly problems: Array<Problem>
  /** Names that each definition uses. */
  readonly uses: Map<string, Set<string>>
}

/** Reads a node and all nested nodes. Adds problems to the context; returns undefined if the node could not be read. */
export const readNode = (reading: Reading, value: Json, path: Path): Node | undefined => {
  const { problems } = reading
  // enough problems: the rest is checked once these are corrected
  if (problems.length > mostProblems) return undefined
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    problems.push(problem(path, `Write a step, { type: … } or { use: "<name>" }, not ${kindOf(value)}.`))
    return undefined
  }
  const given = value as { readonly [name: string]: Json }
  if (Object.hasOwn(given, "use")) return readUse(reading, given, path)
  const type = Object.hasOwn(given, "type") ? given["type"] : undefined
  if (type === undefined) {
    problems.push(problem(path, 'This step has no type: add one, such as type: "sequence", or { use: "<name>" }.'))
    return undefined
  }
  const definition = typeof type === "string" ? definitionOf(type) : undefined
  if (definition === undefined) {
    const what =
      typeof type === "string"
        ? `There is no type of step ${quote(type)}.${suggestion(
            type,
            types.map((known) => known.type),
            "types"
          )}`
        : `Write the type as text, not ${kindOf(type)}.`
    problems.push(problem([...path, "type"], what))
    return undefined
  }
  return readTyped(reading, definition, given, path)
}

const readUse = (
  { names, problems, uses }: Reading,
  given: { readonly [name: string]: Json },
  path: Path
): Use | undefined => {
  const { use, ...others } = given
  const refuse = (what: string): undefined => {
    problems.push(problem([...path, "use"], what))
  }
  problems.push(...unknownOptions(Object.keys(others), ["use"], "A step that is used", path))
  if (typeof use !== "string" || use === "") {
    return refuse(`Write the name of a definition or a registered step, not ${kindOf(use)}.`)
  }
  if (!names.includes(use)) {
    return refuse(`There is no definition and no registered step ${quote(use)}.${suggestion(use, names, "names")}`)
  }
  const [section, definition] = path
  if (section === "definitions" && typeof definition === "string") uses.get(definition)?.add(use)
  return new Use(path, use)
}

const readTyped = (
  reading: Reading,
  definition: Definition,
  given: { readonly [name: string]: Json },
  path: Path
): Typed | undefined => {
  const { problems, registry } = reading
  const before = problems.length
  const { type } = definition
  const known = optionsFor(registry).get(type) ?? new Map<string, Option>()
  const names = Object.keys(given).filter((name) => name !== "type")
  problems.push(...unknownOptions(names, [...known.keys()], `The type ${quote(type)}`, path))
  if (definition.type === "scaffold" && !registry.background) {
    problems.push(
      problem(
        path,
        "A scaffold runs in the background: make the registry with { background: true } and provide Pipeline.supervisor."
      )
    )
  }
  const options: Record<string, unknown> = {}
  for (const [name, { decode, description, required }] of known) {
    const at = [...path, name]
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    if (value === undefined) {
      if (required) problems.push(problem(at, `This is missing. Add it: ${description}`))
      continue
    }
    const decoded = decode(value)
    if (Result.isSuccess(decoded)) options[name] = inside(reading, decoded.success, at)
    else problems.push(...problemsOf(decoded.failure.issue, value, at))
  }
  return problems.length === before ? new Typed(path, definition, options) : undefined
}

/** The value with its nested nodes read. */
const inside = (reading: Reading, value: unknown, path: Path): unknown =>
  mapped(value, path, (inner, at) =>
    inner instanceof Child ? { value: readNode(reading, inner.value as Json, at) } : undefined
  )

/** The value with some of its parts replaced. Only lists and plain objects are traversed. */
export const mapped = (
  value: unknown,
  path: Path,
  change: (inner: unknown, path: Path) => { readonly value: unknown } | undefined
): unknown => {
  const changed = change(value, path)
  if (changed !== undefined) return changed.value
  if (Array.isArray(value)) return value.map((inner: unknown, i) => mapped(inner, [...path, i], change))
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, mapped(inner, [...path, name], change)])
  )
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype

/** The nodes directly inside a node. */
export const nodesIn = (node: Node): ReadonlyArray<Node> => {
  if (node._tag === "Use") return []
  const found: Array<Node> = []
  mapped(node.options, [], (inner) => {
    if (!isNode(inner)) return undefined
    found.push(inner)
    return { value: inner }
  })
  return found
}

/** A node in canonical form: options in a fixed order, without default values. */
export const written = (node: Node): { readonly [name: string]: Json } => {
  if (node._tag === "Use") return { use: node.name }
  const { fields, type } = node.definition
  const options = Object.entries(node.options)
    .map(([name, value]) => [name, writtenValue(value)] as const)
    .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(fields[name]?.default))
  return Object.fromEntries([["type", type] as const, ...options])
}

const writtenValue = (value: unknown): Json =>
  // everything that remains is plain JSON
  mapped(value, [], (inner) => {
    if (isNode(inner)) return { value: written(inner) }
    if (inner instanceof Ref) return { value: inner.written }
    if (Duration.isDuration(inner)) return { value: durationText(inner) }
    if (DateTime.isDateTime(inner)) return { value: DateTime.formatIso(inner) }
    return undefined
  }) as Json
