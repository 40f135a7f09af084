/** What a model reads of a failure. */
export const reasonOf = (error: unknown): string => {
  if (typeof error !== "object" || error === null) return String(error)
  const { _tag, message, reason } = error as { _tag?: unknown; message?: unknown; reason?: { description?: unknown } }
  const text = typeof reason?.description === "string" ? reason.description : message
  if (typeof text === "string" && text !== "") return text
  return typeof _tag === "string" ? _tag : "It failed."
}
