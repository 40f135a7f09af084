/** The answer to a request: first whether it may have one. */
import * as Effect from "effect/Effect"
import type { IncomingMessage } from "node:http"
import type { Memory } from "../Memory.ts"
import { type Access, hasCookie, hasToken, isLoopback, isOwnPage } from "./access.ts"
import { refused, type Reply } from "./reply.ts"
import { answered, type PageRequest, data, isPage } from "./routes.ts"
import { shell } from "./shell.ts"

/** Most bytes of an answer. */
const most = 1_000_000

const forbidden = refused(403, "Open the address that the studio has printed.")
const missing = refused(404, "Not found.")

/** The parts of a path within the folder of the pages; undefined if it is elsewhere or cannot be decoded. */
const partsOf = (path: string, base: string): ReadonlyArray<string> | undefined => {
  if (!path.startsWith(base)) return undefined
  try {
    return path.slice(base.length).split("/").map(decodeURIComponent)
  } catch {
    return undefined
  }
}

const readBody = (request: IncomingMessage): Effect.Effect<string | undefined> =>
  Effect.promise(async () => {
    const pieces: Array<Buffer> = []
    let size = 0
    // without an encoding, its pieces are bytes
    for await (const piece of request as AsyncIterable<Buffer>) {
      size += piece.length
      if (size > most) return undefined
      pieces.push(piece)
    }
    return Buffer.concat(pieces).toString("utf8")
  })

/** An answer to a question, from a page of the studio. */
const posted = Effect.fnUntraced(function* (request: IncomingMessage, { parts }: PageRequest) {
  if (parts.join("/") !== "data/answers") return refused(405, "Method not allowed.")
  if (!isOwnPage(request.headers)) return refused(403, "Only the pages of the studio may answer.")
  if (!/^application\/json\b/.test(request.headers["content-type"] ?? "")) return refused(415, "An answer is JSON.")
  const body = yield* readBody(request)
  return body === undefined ? refused(413, "The answer is too large.") : yield* answered(body)
})

const gotten = (asked: PageRequest, base: string): Effect.Effect<Reply, never, Memory> => {
  const [first = "", ...rest] = asked.parts
  if (first === "data") return data({ ...asked, parts: rest }) ?? Effect.succeed(missing)
  return Effect.succeed(isPage(asked) ? shell(base) : missing)
}

export const respond = (request: IncomingMessage, access: Access): Effect.Effect<Reply, never, Memory> => {
  const { headers, method, url: target = "" } = request
  if (!isLoopback(headers) || !URL.canParse(target, "http://127.0.0.1")) return Effect.succeed(forbidden)
  const url = new URL(target, "http://127.0.0.1")
  const parts = partsOf(url.pathname, access.base)
  if (parts === undefined) return Effect.succeed(missing)
  const asked = { parts, query: url.searchParams }
  const isReading = method === "GET" || method === "HEAD"
  // the page itself removes the token from its address
  if (isReading && parts.join("/") === "" && hasToken(access, url)) {
    return Effect.succeed({ ...shell(access.base), headers: { "set-cookie": access.cookie } })
  }
  if (!hasCookie(access, headers)) return Effect.succeed(forbidden)
  if (method === "POST") return posted(request, asked)
  return isReading ? gotten(asked, access.base) : Effect.succeed(refused(405, "Method not allowed."))
}
