/** Finds the note that a key refers to. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import * as Note from "../../Note.ts"
import type { Node } from "./node.ts"
import type { Gives } from "../model/parts.ts"
import { quote, suggestion } from "../model/problems.ts"
import type { Any as Registry } from "../model/registry.ts"
import { sameSchema } from "../model/sameSchema.ts"
import type { Writer, Writers } from "./writers.ts"

/**
 * The nodes around a place that have keys of their own, outermost first.
 *
 * The pipeline and the definition that the place is in form one group. Each branch whose keys get a name as prefix is a
 * group of its own.
 */
export type Scopes = ReadonlyArray<ReadonlyArray<Node>>

export type Find = (
  key: string,
  scopes: Scopes,
  gives: Gives | undefined
) => Result.Result<Note.Handle<any, any>, string>

/** Finds the handle of a key. Results are cached for all places with the same surrounding nodes. */
export const finding = (registry: Registry, writers: Writers): Find => {
  const known = new WeakMap<Scopes, Map<string, Result.Result<Note.Handle<any, any>, string>>>()
  return (key, scopes, gives) => {
    const here = known.get(scopes) ?? new Map<string, Result.Result<Note.Handle<any, any>, string>>()
    known.set(scopes, here)
    const found = here.get(key) ?? only(registry, writers, key, writersAround(writers, key, scopes))
    here.set(key, found)
    return Result.flatMap(found, (handle) =>
      fits(handle, gives)
        ? Result.succeed(handle)
        : Result.fail(
            `The note ${quote(key)} must hold ${words[gives ?? "text"]} here, but does not. Use another note.`
          )
    )
  }
}

/** The writers nearest to a place, or those anywhere if none surround it. */
const writersAround = (writers: Writers, key: string, scopes: Scopes): ReadonlyArray<Writer> => {
  for (const group of scopes.toReversed()) {
    const found = group.flatMap((scope) => writers.inside(scope, key))
    if (found.length > 0) return found
  }
  return writers.anywhere(key)
}

/** The one handle that all writers and the registry agree on. */
const only = (
  registry: Registry,
  writers: Writers,
  key: string,
  found: ReadonlyArray<Writer>
): Result.Result<Note.Handle<any, any>, string> => {
  const registered = registry.handles.get(key)
  const handles = [...new Set(found.map(({ handle }) => handle))]
  const first = registered ?? handles[0]
  if (first === undefined && found.length === 0) {
    // a key that is invalid for notes
    const impossible = Result.try(() => Note.handle(key, Schema.Unknown))
    if (Result.isFailure(impossible)) {
      return Result.fail(String(impossible.failure instanceof Error ? impossible.failure.message : impossible.failure))
    }
    const names = [...new Set([...writers.keys(), ...registry.handles.keys()])].filter((name) => name !== key)
    return Result.fail(
      `No step of the document writes a note ${quote(key)} of its own, and no handle of it is registered.` +
        suggestion(key, names, "known notes")
    )
  }
  if (first === undefined || (registered === undefined && handles.includes(undefined))) {
    return Result.fail(
      `The type of the note ${quote(key)} is unknown, because a registered step writes it: register its handle.`
    )
  }
  if (handles.every((handle) => handle === undefined || sameSchema(handle.schema, first.schema))) {
    return Result.succeed(first)
  }
  return Result.fail(
    registered === undefined
      ? `Steps write the note ${quote(key)} with different schemas, so it is not known what it holds here. Use a key for each.`
      : `The note ${quote(key)} is written with another schema than its handle is registered with. Use the same, or another key.`
  )
}

const words = { text: "text", texts: "a list of texts", condition: "true or false" }

/** Whether a note can hold what is needed. A schema that does not show it is accepted. */
const fits = (handle: Note.Handle<any, any>, gives: Gives | undefined): boolean => {
  const { ast } = Schema.toType(handle.schema)
  if (gives === "text") return isText(ast)
  return gives !== "texts" || isTexts(ast)
}

const isText = (ast: SchemaAST.AST): boolean => {
  switch (ast._tag) {
    case "Literal":
      return typeof ast.literal === "string"
    case "Union":
      return ast.types.every(isText)
    default:
      return !noText.has(ast._tag)
  }
}

const noText: ReadonlySet<SchemaAST.AST["_tag"]> = new Set([
  "Number",
  "Boolean",
  "BigInt",
  "Null",
  "Undefined",
  "Void",
  "Symbol",
  "UniqueSymbol",
  "Arrays",
  "Objects",
  "ObjectKeyword"
])

const isTexts = (ast: SchemaAST.AST): boolean => {
  switch (ast._tag) {
    case "Arrays":
      return [...ast.elements, ...ast.rest].every(isText)
    case "Union":
      return ast.types.every(isTexts)
    case "Literal":
    case "String":
    case "TemplateLiteral":
    case "Enum":
      return false
    default:
      return !noText.has(ast._tag)
  }
}
