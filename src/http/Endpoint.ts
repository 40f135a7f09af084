/**
 * The server that calls go to, and the errors that name it.
 *
 * Texts of a server are never passed on, as they may repeat the prompt or the key. Only codes, parameter names and
 * request ids are, and only if they look like one.
 */
import { ProviderError, type Reason, type Usage } from "../Provider.ts"

/** The server that calls go to, with what errors may say about it. */
export interface Endpoint {
  readonly provider: string
  readonly model: string
  /** Host and port. */
  readonly host: string
  /** The key and the values of custom headers. Errors must not contain them or parts of them. */
  readonly secrets: ReadonlyArray<string>
  /** The environment variable that usually has the key. */
  readonly keyName: string
  /** How `baseUrl` must end: advice for an address that the server does not know. */
  readonly addressEnd: string
}

/** What is known about the answer, in addition to the reason. */
export interface Details {
  readonly usage?: Usage | undefined
  readonly headers?: Headers | undefined
  /** The id of the request, if the headers have none. */
  readonly requestId?: unknown
}

const isSafe = (value: unknown, pattern: RegExp, { secrets }: Endpoint): value is string =>
  typeof value === "string" &&
  pattern.test(value) &&
  !secrets.some((secret) => value.includes(secret) || secret.includes(value))

/** The value if it looks like a code, a name or an id, and is neither a secret nor part of one. */
export const identifier = (value: unknown, endpoint: Endpoint): string | undefined =>
  isSafe(value, /^[\w.:[\]-]{1,100}$/, endpoint) ? value : undefined

/** The model and the id that an answer names, if they look valid. They go into notes and spans. */
export const named = (
  { id, model }: { readonly id?: string | null | undefined; readonly model?: string | null | undefined },
  endpoint: Endpoint
): { readonly model?: string; readonly id?: string } => {
  const pattern = /^[\w.:/@+-]{1,200}$/
  return { ...(isSafe(model, pattern, endpoint) && { model }), ...(isSafe(id, pattern, endpoint) && { id }) }
}

/** The error of a failed call to this server. */
export const fail = (
  endpoint: Endpoint,
  reason: Reason,
  { headers, requestId, usage }: Details = {}
): ProviderError => {
  const id = identifier(headers?.get("x-request-id") ?? headers?.get("request-id") ?? requestId, endpoint)
  return new ProviderError({
    provider: endpoint.provider,
    model: endpoint.model,
    reason,
    ...(usage && Object.keys(usage).length > 0 && { usage }),
    ...(id !== undefined && { requestId: id })
  })
}
