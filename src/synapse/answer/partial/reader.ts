/** Reads a typed value while it is being written: which parts are present, and which are complete and valid. */
import * as Equal from "effect/Equal"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import type { Field } from "./Partial.ts"
import { type Node, Scanner, valueOf } from "./scanner.ts"

/** Reads one answer. */
export interface PartialReader {
  /**
   * Takes the next piece of text and returns the value as a `Partial` of its type. Undefined if the piece did not
   * change it.
   */
  readonly push: (piece: string) => unknown
  /** The fields of the final value. Undefined if they were the last ones returned. */
  readonly end: (value: unknown) => unknown
  /** Whether a field that was reported as `done` differs in the final value. */
  readonly contradicts: (value: unknown) => boolean
}

/** The schema of a part, prepared for reading. */
interface Part {
  readonly decode: (value: unknown) => Result.Result<unknown, unknown>
  /** Its fields, if it is an object whose fields are the same in JSON. */
  readonly fields: ReadonlyMap<string, Part> | undefined
  readonly item: Part | undefined
  readonly isText: boolean
}

const partOf = (ast: SchemaAST.AST): Part => {
  let decode: Part["decode"] | undefined
  let fields: Part["fields"]
  let item: Part | undefined
  let looked = false
  // on demand, because a schema may be recursive
  const look = () => {
    if (looked) return
    looked = true
    const at = ast._tag === "Suspend" ? ast.thunk() : ast
    if (at.encoding !== undefined) return
    if (at._tag === "Objects" && at.indexSignatures.length === 0) fields = fieldsOf(at)
    const [only, ...others] = at._tag === "Arrays" && at.elements.length === 0 ? at.rest : []
    if (only !== undefined && others.length === 0) item = partOf(only)
  }
  return {
    decode: (value) => {
      decode ??= Schema.decodeUnknownResult(Schema.toCodecJson(Schema.make<Schema.Codec<unknown, unknown>>(ast)))
      return decode(value)
    },
    get fields() {
      look()
      return fields
    },
    get item() {
      look()
      return item
    },
    isText: isText(ast)
  }
}

const fieldsOf = (ast: SchemaAST.Objects): ReadonlyMap<string, Part> =>
  new Map(
    ast.propertySignatures.flatMap(({ name, type }) =>
      typeof name === "string" ? [[name, partOf(type)] as const] : []
    )
  )

/** Whether the beginning of its text can be shown. */
const isText = (ast: SchemaAST.AST): boolean =>
  ast.encoding === undefined &&
  (ast._tag === "String" ||
    ast._tag === "TemplateLiteral" ||
    (ast._tag === "Literal" && typeof ast.literal === "string") ||
    (ast._tag === "Union" && ast.types.every((member) => member._tag === "Null" || isText(member))))

const pending: Field<never> = { state: "pending" }

/** The fields of values. Complete parts are validated once. */
class Shown {
  readonly #done = new WeakMap<Node, Result.Result<unknown, unknown>>()
  readonly #shown = new WeakMap<
    ReadonlyArray<Node>,
    { readonly items: ReadonlyArray<unknown>; readonly seen: number }
  >()

  field(node: Node | undefined, part: Part): Field<unknown> {
    if (node === undefined) return pending
    const valid = node.done ? this.#decoded(node, part) : undefined
    if (valid !== undefined && Result.isSuccess(valid)) return { state: "done", value: valid.success }
    if (node.kind === "string") return part.isText ? { state: "partial", value: node.text } : pending
    if (node.kind === "object" && part.fields !== undefined) {
      return { state: "partial", value: this.fields(node, part.fields) }
    }
    if (node.kind === "array" && part.item !== undefined) {
      return { state: "partial", value: this.#items(node.items, part.item) }
    }
    return pending
  }

  fields(node: Node | undefined, fields: ReadonlyMap<string, Part>): Readonly<Record<string, Field<unknown>>> {
    const entries = node?.kind === "object" ? node.entries : new Map<string, Node>()
    return Object.fromEntries(Array.from(fields, ([name, part]) => [name, this.field(entries.get(name), part)]))
  }

  /** The items that are complete and valid. Returns the same array until it grows. */
  #items(nodes: ReadonlyArray<Node>, part: Part): ReadonlyArray<unknown> {
    const { items, seen } = this.#shown.get(nodes) ?? { items: [], seen: 0 }
    const more: Array<unknown> = []
    let at = seen
    for (let node = nodes[at]; node?.done === true; node = nodes[++at]) {
      const valid = this.#decoded(node, part)
      if (Result.isSuccess(valid)) more.push(valid.success)
    }
    const shown = more.length === 0 ? items : [...items, ...more]
    this.#shown.set(nodes, { items: shown, seen: at })
    return shown
  }

  #decoded(node: Node, part: Part): Result.Result<unknown, unknown> {
    const known = this.#done.get(node)
    if (known !== undefined) return known
    const decoded = part.decode(valueOf(node))
    this.#done.set(node, decoded)
    return decoded
  }
}

/** Whether two partial values show the same, compared like Effect compares values. */
const isSame = (a: unknown, b: unknown): boolean => {
  if (a === b || (Array.isArray(a) && Array.isArray(b) && a.length === b.length && Equal.equals(a, b))) return true
  if (!isPlain(a) || !isPlain(b)) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => isSame(a[key], b[key]))
}

const isPlain = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype

/**
 * Makes readers of answers with a schema, which providers receive as JSON: inside an object as `value` if `wrapped`.
 *
 * Fields in `hidden`, whose value differs from what is written, are left out. With `inFull`, nothing is shown before
 * the end.
 */
export const partialReader = (
  schema: Schema.Codec<any, any>,
  {
    hidden,
    inFull,
    wrapped
  }: { readonly hidden: ReadonlyArray<string>; readonly inFull: boolean; readonly wrapped: boolean }
): (() => PartialReader) => {
  const root = partOf(schema.ast)
  // a class has fields too, though its schema is not a plain object
  const all = "fields" in schema ? fieldsIn(schema.fields) : root.fields
  const own = all && new Map([...all].filter(([name]) => !hidden.includes(name)))
  return () => {
    const scanner = new Scanner()
    const shown = new Shown()
    let last: unknown
    const changed = (partial: unknown) => {
      if (isSame(partial, last)) return undefined
      last = partial
      return partial
    }
    return {
      push: (piece) => {
        if (inFull || !scanner.push(piece)) return undefined
        const at = scanner.root
        if (wrapped) return changed(shown.field(wrappedIn(at), root))
        return changed(own === undefined ? shown.field(at, root) : shown.fields(at, own))
      },
      end: (value) => {
        const whole = wrapped || own === undefined ? doneAs(value) : fieldsOfValue(value, own)
        return changed(whole)
      },
      contradicts: (value) =>
        wrapped || own === undefined ? isOther(last as Field<unknown> | undefined, value) : areOthers(last, value)
    }
  }
}

/** The value in the wrapping object. An object that begins with another key may be the value itself. */
const wrappedIn = (root: Node | undefined): Node | undefined => {
  const [first] = root?.kind === "object" ? root.entries : []
  return first?.[0] === "value" ? first[1] : undefined
}

const isOther = (field: Field<unknown> | undefined, value: unknown): boolean => {
  if (field?.state === "done") return !Equal.equals(field.value, value)
  return field?.state === "partial" && isPlain(field.value) && areOthers(field.value, value)
}

const areOthers = (fields: unknown, value: unknown): boolean =>
  isPlain(fields) &&
  Object.entries(fields).some(([name, field]) =>
    isOther(
      field as Field<unknown>,
      typeof value === "object" && value !== null ? (value as { readonly [key: string]: unknown })[name] : undefined
    )
  )

const doneAs = (value: unknown): Field<unknown> => (value === undefined ? pending : { state: "done", value })

const fieldsOfValue = (value: unknown, own: ReadonlyMap<string, Part>): unknown =>
  typeof value === "object" && value !== null
    ? Object.fromEntries(
        Array.from(own.keys(), (name) => [name, doneAs((value as { readonly [key: string]: unknown })[name])])
      )
    : doneAs(value)

const fieldsIn = (fields: unknown): ReadonlyMap<string, Part> | undefined =>
  typeof fields === "object" && fields !== null
    ? new Map(
        Object.entries(fields).flatMap(([name, field]) =>
          Schema.isSchema(field) ? [[name, partOf(field.ast)] as const] : []
        )
      )
    : undefined
