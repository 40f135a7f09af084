/** The fields of documents: how a model writes their changes, and how these are merged. */
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import { cut } from "../../text/legible.ts"
import type { Field } from "../model/Document.ts"
import { inOrder, type Order, positionsOf } from "./order.ts"

/** The content of a document. Absent fields are empty. */
export type Content = Readonly<Record<string, string | ReadonlyArray<string> | Readonly<Record<string, string>>>>

interface ListChanges {
  readonly add: ReadonlyArray<string>
  readonly outdated: ReadonlyArray<string>
}

interface RecordChanges {
  readonly set: ReadonlyArray<{ readonly name: string; readonly value: string }>
  readonly outdated: ReadonlyArray<string>
}

/** What a model changes. An absent field stays as it is. */
export type Changes = Readonly<Record<string, string | ListChanges | RecordChanges | null>>

const forms = {
  text: Schema.String,
  list: Schema.Struct({ add: Schema.Array(Schema.String), outdated: Schema.Array(Schema.String) }),
  record: Schema.Struct({
    set: Schema.Array(Schema.Struct({ name: Schema.String, value: Schema.String })),
    outdated: Schema.Array(Schema.String)
  })
}

const words = {
  text: "the new text, an empty one if it is no longer true",
  list: "items to add, and those that are outdated, word for word",
  record: "names with their new values, and the names that are outdated"
}

export const changesOf = (fields: ReadonlyArray<Field>): Schema.Codec<Changes, any> =>
  // each field has the form of its kind
  Schema.Struct(
    Object.fromEntries(fields.map(({ kind, name }) => [name, Schema.optionalKey(Schema.NullOr(forms[kind]))]))
  ) as unknown as Schema.Codec<Changes, any>

/** How to write the changes. */
export const changesInWords = (fields: ReadonlyArray<Field>): string =>
  fields.map(({ kind, name }) => `- ${name}: ${words[kind]}; left out if nothing changes`).join("\n")

/** The kind of a field with this schema. Undefined if documents cannot have it. */
export const kindOf = (ast: SchemaAST.AST): Field["kind"] | undefined => {
  if (ast._tag === "String") return "text"
  if (ast._tag === "Arrays") {
    const [item, ...more] = ast.rest
    return ast.elements.length === 0 && more.length === 0 && item?._tag === "String" ? "list" : undefined
  }
  if (ast._tag !== "Objects" || ast.propertySignatures.length > 0) return undefined
  const [entry, ...more] = ast.indexSignatures
  return more.length === 0 && entry?.parameter._tag === "String" && entry.type._tag === "String" ? "record" : undefined
}

/** A document is shown with every message, so a model must not fill it with long texts. */
const longest = 500

const clean = (text: string): string => cut(text.trim(), longest)
/** Texts that differ in case or in the white space around them say the same. */
const sameAs = (text: string): string => clean(text).toLowerCase()

/** What a document has, and in which order the entries of its records were set. */
interface Ordered {
  readonly content: Content
  readonly order: Order
}

/** The content with the changes. What they do not name stays; of too many items the newest stay. */
export const merged = (fields: ReadonlyArray<Field>, before: Ordered, changes: Changes): Ordered => {
  const content: Array<readonly [string, Content[string]]> = []
  const order: Array<readonly [string, ReadonlyArray<number>]> = []
  for (const { kind, most, name } of fields) {
    const old = before.content[name]
    const change = changes[name]
    if (kind === "record") {
      const entries = recordOf(old, before.order[name], change).slice(-most)
      const positions = positionsOf(entries)
      if (entries.length > 0) content.push([name, Object.fromEntries(entries)])
      if (positions !== undefined) order.push([name, positions])
      continue
    }
    const next = kind === "text" ? textOf(old, change) : listOf(old, change).slice(-most)
    if (next.length > 0) content.push([name, next])
  }
  return { content: Object.fromEntries(content), order: Object.fromEntries(order) }
}

const textOf = (old: Content[string] | undefined, change: Changes[string] | undefined): string => {
  if (typeof change === "string") return clean(change)
  return typeof old === "string" ? clean(old) : ""
}

const listOf = (old: Content[string] | undefined, change: Changes[string] | undefined): ReadonlyArray<string> => {
  const { add, outdated } =
    typeof change === "object" && change !== null && "add" in change ? change : { add: [], outdated: [] }
  const gone = new Set(outdated.map(sameAs))
  const items = new Map<string, string>()
  for (const item of Array.isArray(old) ? (old as ReadonlyArray<string>) : []) {
    if (!gone.has(sameAs(item))) items.set(sameAs(item), clean(item))
  }
  for (const item of add) {
    // what is said again is the newest
    items.delete(sameAs(item))
    items.set(sameAs(item), clean(item))
  }
  items.delete("")
  return [...items.values()]
}

const recordOf = (
  old: Content[string] | undefined,
  positions: ReadonlyArray<number> | undefined,
  change: Changes[string] | undefined
): ReadonlyArray<readonly [string, string]> => {
  const { outdated, set } =
    typeof change === "object" && change !== null && "set" in change ? change : { set: [], outdated: [] }
  const gone = new Set(outdated.map(sameAs))
  const entries = new Map<string, readonly [string, string]>()
  const isRecord = typeof old === "object" && !Array.isArray(old)
  for (const [name, value] of isRecord ? inOrder(old as Readonly<Record<string, string>>, positions) : []) {
    if (!gone.has(sameAs(name))) entries.set(sameAs(name), [name, clean(value)])
  }
  for (const { name, value } of set) {
    const known = entries.get(sameAs(name))?.[0] ?? clean(name)
    entries.delete(sameAs(name))
    entries.set(sameAs(name), [known, clean(value)])
  }
  return [...entries.values()].filter(([name, value]) => name !== "" && value !== "")
}
