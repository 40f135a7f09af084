/** Answers of the server, with the headers that all of them have. */
import type { OutgoingHttpHeaders, ServerResponse } from "node:http"
import { scriptHash, styleHash } from "./assets.ts"

export interface Reply {
  readonly status: number
  readonly type: "text/html" | "application/json" | "text/plain"
  readonly body: string
  readonly headers?: OutgoingHttpHeaders
}

/** Only the script and the style of the pages, by their hashes, no frames, no other site. What a text contains stays text. */
const policy = [
  "default-src 'none'",
  `script-src '${scriptHash}'`,
  `style-src '${styleHash}'`,
  "connect-src 'self'",
  // an icon without a picture
  "img-src data:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'"
].join("; ")

const always: OutgoingHttpHeaders = {
  "cache-control": "no-store",
  "content-security-policy": policy,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY"
}

export const json = (value: unknown, status = 200): Reply => ({
  status,
  type: "application/json",
  body: JSON.stringify(value)
})

export const problem = (status: number, error: string): Reply => json({ error }, status)

/** The same for everybody: it says nothing about what there is. */
export const refused = (status: 403 | 404 | 405 | 413 | 415, body: string): Reply => ({
  status,
  type: "text/plain",
  body: `${body}\n`
})

export const send = (
  response: ServerResponse,
  { body, headers, status, type }: Reply,
  method: string | undefined
): void => {
  const bytes = Buffer.from(body)
  response.writeHead(status, {
    ...always,
    ...headers,
    "content-type": `${type}; charset=utf-8`,
    "content-length": bytes.length
  })
  response.end(method === "HEAD" ? undefined : bytes)
}
