/** Says in the JSON Schema of an answer what its dates and patterns are like. Effect's own says no more than "string". */
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"

type Ast = SchemaAST.AST

const isoDateTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}/
const offset = /[+-]\d{2}:\d{2}$/

// A copy keeps the class of a node, as Effect's own copies do; the constructors differ from one kind of node to the next.
const copy = <A extends Ast>(ast: A, changes: Partial<Ast>): A =>
  Object.assign(Object.create(Object.getPrototypeOf(ast)) as A, ast, changes)

/** Whether such text becomes a date here that is written as ISO 8601 again; dates as of HTTP headers are not. */
const takes = (ast: Ast, text: string): boolean => {
  // Checks of the date itself, such as a minimum, say nothing about how it is written.
  const codec = Schema.make<Schema.Codec<unknown, unknown>>(copy(ast, { checks: undefined, context: undefined }))
  const decoded = Schema.decodeExit(codec)(text)
  if (Exit.isFailure(decoded)) return false
  const encoded = Schema.encodeUnknownExit(codec)(decoded.value)
  return Exit.isSuccess(encoded) && typeof encoded.value === "string" && isoDateTime.test(encoded.value)
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
 * The text that a date is written as, with a format: what its author says, else `date-time` where that is so. A date with
 * a zone may need an offset in numbers where `date-time` would allow a Z.
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

// Effect leaves patterns out of its documents, as flags do not fit in: those without a flag that changes a match do.
const withPattern = (check: SchemaAST.Check<any>): SchemaAST.Check<any> => {
  const own = check._tag === "Filter" ? check.annotations?.["representation"] : undefined
  if (own === undefined || own.id !== Schema.isPattern(offset).annotations?.["representation"]?.id) return check
  const { flags, source } = own.payload as { readonly flags: string; readonly source: string }
  return /^[dgu]*$/.test(flags) ? check.annotate({ toJsonSchema: () => [{ pattern: source }, true] }) : check
}

const sameOr = <A>(before: ReadonlyArray<A>, after: ReadonlyArray<A>): ReadonlyArray<A> =>
  after.every((item, i) => item === before[i]) ? before : after

/** The schema with a format for each text that is a date and with its patterns, for the document; it decodes the same. */
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
    const to = (isDate(ast) ? written(ast, last.to) : undefined) ?? visit(last.to)
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
