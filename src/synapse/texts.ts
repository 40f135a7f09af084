/**
 * Adds the formats of dates and the patterns of strings and of numbers in strings to the JSON Schema of an answer. Effect itself only writes
 * "string".
 */
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { numberText, wholeNumberText } from "../schema/jsonSchema.ts"

type Ast = SchemaAST.AST

const isoDateTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}/
const offset = /[+-]\d{2}:\d{2}$/

// A copy keeps the class of a node, as Effect's own copies do. The constructors differ from one kind of node to the
// next.
const copy = <A extends Ast>(ast: A, changes: Partial<Ast>): A =>
  Object.assign(Object.create(Object.getPrototypeOf(ast)) as A, ast, changes)

/**
 * What the schema makes of a text, and what it writes for that; undefined if either fails. Checks of the value, such as a minimum, do not
 * concern how it is written.
 */
const throughText = (ast: Ast, text: string): { readonly value: unknown; readonly text: unknown } | undefined => {
  const codec = Schema.make<Schema.Codec<unknown, unknown>>(copy(ast, { checks: undefined, context: undefined }))
  const decoded = Schema.decodeExit(codec)(text)
  const encoded = Exit.isSuccess(decoded) ? Schema.encodeUnknownExit(codec)(decoded.value) : decoded
  return Exit.isSuccess(decoded) && Exit.isSuccess(encoded) ? { value: decoded.value, text: encoded.value } : undefined
}

/** Whether the schema decodes this text to a date and encodes it as ISO 8601. Dates of HTTP headers do not. */
const takes = (ast: Ast, text: string): boolean => {
  const written = throughText(ast, text)?.text
  return typeof written === "string" && isoDateTime.test(written)
}

const dates = new Set(
  [Schema.Date, Schema.DateTimeUtc, Schema.DateTimeZoned].map(({ ast }) => ast.annotations?.["representation"])
)

const isDate = (ast: Ast): boolean => {
  const own = ast.annotations?.["representation"]
  return ast._tag === "Declaration" && own !== undefined && dates.has(own)
}

const formatOf = SchemaAST.resolveAt<unknown>("format")

/**
 * The encoded string of a date, with a format: the one that its author set, otherwise `date-time` if it applies. A date
 * with a zone may need a numeric offset where `date-time` would allow a Z.
 */
const written = (date: Ast, text: Ast): Ast | undefined => {
  if (text._tag !== "String" || text.encoding !== undefined || formatOf(text) !== undefined) return undefined
  const stated = formatOf(date)
  const format = typeof stated === "string" ? stated : "date-time"
  const formatted = copy(text, { annotations: { ...text.annotations, format } })
  if (typeof stated === "string" || takes(date, "2000-01-01T00:00:00Z")) return formatted
  return takes(date, "2000-01-01T00:00:00+00:00")
    ? copy(formatted, { checks: [...(text.checks ?? []), withPattern(Schema.isPattern(offset))] as SchemaAST.Checks })
    : undefined
}

/** A text of any form, which stands for no other value. */
const isPlain = (text: Ast): boolean =>
  text._tag === "String" && text.encoding === undefined && text.checks === undefined

/**
 * The encoded string of a number, with the pattern of its digits: an empty text would be decoded to 0. Other texts that are decoded to
 * a number, such as "five", stay without one.
 */
const spelled = (number: Ast, text: Ast): Ast | undefined => {
  if ((number._tag !== "Number" && number._tag !== "BigInt") || !isPlain(text)) return undefined
  const isDecimal = ["12", "-7"].every((digits) => {
    const through = throughText(number, digits)
    return through?.text === digits && String(through.value) === digits
  })
  if (!isDecimal) return undefined
  const pattern = new RegExp(number._tag === "BigInt" ? wholeNumberText : numberText)
  return copy(text, { checks: [withPattern(Schema.isPattern(pattern))] })
}

// Effect leaves patterns out of JSON Schemas because they cannot express flags. A pattern fits if its flags do not
// change matches.
const withPattern = (check: SchemaAST.Check<any>): SchemaAST.Check<any> => {
  const own = check._tag === "Filter" ? check.annotations?.["representation"] : undefined
  if (own === undefined || own.id !== Schema.isPattern(offset).annotations?.["representation"]?.id) return check
  const { flags, source } = own.payload as { readonly flags: string; readonly source: string }
  return /^[dgu]*$/.test(flags) ? check.annotate({ toJsonSchema: () => [{ pattern: source }, true] }) : check
}

const sameOr = <A>(before: ReadonlyArray<A>, after: ReadonlyArray<A>): ReadonlyArray<A> =>
  after.every((item, i) => item === before[i]) ? before : after

/** The schema with formats and patterns for the JSON Schema. It decodes the same values. */
export const withTextForms = (schema: Schema.Top): Schema.Top => {
  const seen = new Map<Ast, Ast>()
  const visit = (ast: Ast): Ast => {
    const known = seen.get(ast)
    if (known !== undefined) return known
    const visited = ast.encoding === undefined ? parts(ast) : encoded(ast, ast.encoding)
    seen.set(ast, visited)
    return visited
  }
  const encoded = (ast: Ast, encoding: SchemaAST.Encoding): Ast => {
    const [last = encoding[0]] = encoding.slice(-1)
    const to = (isDate(ast) ? written(ast, last.to) : spelled(ast, last.to)) ?? visit(last.to)
    if (to === last.to) return ast
    const link = new SchemaAST.Link(to, last.transformation)
    const [first, ...rest] = [...encoding.slice(0, -1), link]
    return copy(ast, { encoding: [first ?? link, ...rest] })
  }
  const parts = (ast: Ast): Ast => {
    switch (ast._tag) {
      case "Objects": {
        const properties = sameOr(
          ast.propertySignatures,
          ast.propertySignatures.map((property) => {
            const type = visit(property.type)
            return type === property.type ? property : new SchemaAST.PropertySignature(property.name, type)
          })
        )
        const indexes = sameOr(
          ast.indexSignatures,
          ast.indexSignatures.map((index) => {
            const type = visit(index.type)
            return type === index.type ? index : new SchemaAST.IndexSignature(index.parameter, type)
          })
        )
        return properties === ast.propertySignatures && indexes === ast.indexSignatures
          ? ast
          : new SchemaAST.Objects(
              properties,
              indexes,
              ast.annotations,
              ast.checks,
              undefined,
              ast.context,
              ast.encodingChecks
            )
      }
      case "Arrays": {
        const elements = sameOr(ast.elements, ast.elements.map(visit))
        const rest = sameOr(ast.rest, ast.rest.map(visit))
        return elements === ast.elements && rest === ast.rest
          ? ast
          : new SchemaAST.Arrays(
              ast.isMutable,
              elements,
              rest,
              ast.annotations,
              ast.checks,
              undefined,
              ast.context,
              ast.encodingChecks
            )
      }
      case "Union": {
        const types = sameOr(ast.types, ast.types.map(visit))
        return types === ast.types
          ? ast
          : new SchemaAST.Union(
              types,
              ast.options,
              ast.annotations,
              ast.checks,
              undefined,
              ast.context,
              ast.encodingChecks
            )
      }
      case "Suspend":
        return new SchemaAST.Suspend(() => visit(ast.thunk()), ast.annotations, undefined, undefined, ast.context)
      case "String": {
        const [first, ...rest] = ast.checks?.map(withPattern) ?? []
        return first === undefined ? ast : copy(ast, { checks: [first, ...rest] })
      }
      default:
        return ast
    }
  }
  return Schema.make(visit(schema.ast))
}
