/**
 * Where calls go, and errors that may tell it.
 *
 * A server's own words are never passed on: they may repeat the prompt or the key. Only codes, parameter names and
 * request ids are, when they look like such.
 */
import { ProviderError, type Reason, type Usage } from "../Provider.ts"

/** Where calls go, as errors may tell it. */
export interface Endpoint {
  readonly provider: string
  readonly model: string
  /** Host and port. */
  readonly host: string
  /** What no error may hold. */
  readonly secrets: ReadonlyArray<string>
}

/** What is known of the answer, beside the reason. */
export interface Details {
  readonly usage?: Usage
  readonly requestId?: unknown
}

/** The value when it looks like a code, a name or an id, and is neither a secret nor a part of one. */
export const identifier = (value: unknown, { secrets }: Endpoint): string | undefined =>
  typeof value === "string" &&
  /^[\w.:[\]-]{1,100}$/.test(value) &&
  !secrets.some((secret) => value.includes(secret) || secret.includes(value))
    ? value
    : undefined

/** Model and id that an answer tells of itself, where they look like such: they go into notes and spans. */
export const named = (
  { id, model }: { readonly id?: string | null | undefined; readonly model?: string | null | undefined },
  { secrets }: Endpoint
): { readonly model?: string; readonly id?: string } => {
  const isName = (value: string | null | undefined): value is string =>
    typeof value === "string" &&
    /^[\w.:/@+-]{1,200}$/.test(value) &&
    !secrets.some((secret) => value.includes(secret) || secret.includes(value))
  return { ...(isName(model) && { model }), ...(isName(id) && { id }) }
}

export const fail = (endpoint: Endpoint, reason: Reason, { requestId, usage }: Details = {}): ProviderError => {
  const id = identifier(requestId, endpoint)
  return new ProviderError({
    provider: endpoint.provider,
    model: endpoint.model,
    reason,
    ...(usage && Object.keys(usage).length > 0 && { usage }),
    ...(id !== undefined && { requestId: id })
  })
}
