/** Lists whose first items have the form of all others: `Schema.NonEmptyArray` writes them so. */

type JsonSchema = Readonly<Record<string, unknown>>

/** The schema without `prefixItems` where each of them says what `items` says; else as it is. */
export const uniformItems = (schema: JsonSchema): JsonSchema => {
  const { prefixItems, ...rest } = schema
  if (!Array.isArray(prefixItems) || rest["items"] === undefined) return schema
  const items = JSON.stringify(rest["items"])
  return prefixItems.every((item) => JSON.stringify(item) === items) ? rest : schema
}
