/** A service over HTTP: one client for all requests, a tenant for each, and runs that end with their connection. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { text } from "node:stream/consumers"
import { type Memory, Pipeline, Primitive, type Provider } from "cogito"
import type { Cogito } from "cogito/promise"
import { z } from "zod"

// -------------------------------------------------------------------------------------------------------- the pipeline

const Ticket = z.object({ customer: z.string(), issue: z.string() })

const triage = Pipeline.sequence("triage", [
  Primitive.analyze("ticket", { schema: Ticket, prompt: "Extract the customer and the issue" }),
  Primitive.decide("urgent", { question: "Does this need an answer today?" })
])

// --------------------------------------------------------------------------------------------------------- the service

/** What the service needs: the client, the tenant of each key, how long running requests may take at the end, and a log. */
interface Options {
  readonly ai: Cogito.Cogito<Provider.Provider | Memory.Memory>
  readonly tenants: ReadonlyMap<string, string>
  readonly graceMillis: number
  readonly log: (line: string) => void
}

/** A request that is refused with a status. */
class Refused extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

const most = 100_000

const Body = z.object({ message: z.string().min(1) })

const jsonOf = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** The message of a request. */
const messageOf = async (request: IncomingMessage): Promise<string> => {
  if (Number(request.headers["content-length"] ?? Infinity) > most) throw new Refused(413, "The body is too long.")
  const body = Body.safeParse(jsonOf(await text(request)))
  if (!body.success) throw new Refused(400, "The body must be JSON with a message.")
  return body.data.message
}

export const service = ({ ai, graceMillis, log, tenants }: Options) => {
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()

  const triaged = async (request: IncomingMessage, response: ServerResponse, tenant: string): Promise<void> => {
    // a client that leaves ends its run, and so does the end of the service
    const leaving = new AbortController()
    response.on("close", () => leaving.abort(new Error("the client has left")))
    const options = {
      scope: tenant,
      signal: AbortSignal.any([leaving.signal, stopping.signal]),
      onUsage: ({ calls, usd = 0 }: { readonly calls: number; readonly usd?: number }) =>
        log(`${tenant}: ${calls} calls, ${usd.toFixed(4)} USD`)
    }
    const start = { intent: "triage", notes: { message: await messageOf(request) } }
    if (request.headers.accept !== "text/event-stream") {
      const done = await ai.run(triage, start, options)
      return json(response, 200, { id: done.id, ticket: done.get("ticket"), urgent: done.get("urgent").decision })
    }
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" })
    for await (const event of ai.stream(triage, start, options)) {
      const { _tag, ...data } = event._tag === "Done" ? { _tag: "Done", id: event.thought.id } : event
      const isFree = response.write(`event: ${_tag}\ndata: ${JSON.stringify(data)}\n\n`)
      // a slow reader slows the run down
      if (!isFree) await new Promise<void>((resolve) => response.once("drain", resolve).once("close", resolve))
    }
    response.end()
  }

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? "/", "http://localhost")
    if (url.pathname === "/health") return json(response, 200, { ok: true })
    const tenant = tenants.get(request.headers.authorization ?? "")
    if (tenant === undefined) throw new Refused(401, "The key is not known.")
    if (url.pathname === "/triage" && request.method === "POST") return triaged(request, response, tenant)
    if (url.pathname === "/search") {
      const { matches } = await ai.search(url.searchParams.get("q") ?? "", { scope: tenant, limit: 5 })
      return json(
        response,
        200,
        matches.map(({ note, score }) => ({ id: note.thoughtId, text: note.content, score }))
      )
    }
    throw new Refused(404, "There is no such page.")
  }

  const server = createServer((request, response) => {
    const handled = answer(request, response).catch((error: unknown) => failed(response, error, log))
    running.add(handled)
    void handled.finally(() => running.delete(handled))
  })

  /** Refuses new connections, waits for running requests, aborts those that take too long, and closes the client. */
  const stop = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeIdleConnections()
    const timer = setTimeout(() => stopping.abort(new Error("the service stops")), graceMillis)
    await Promise.allSettled(running)
    clearTimeout(timer)
    server.closeIdleConnections()
    await closed
    await ai.close()
  }

  return { server, stop }
}

const json = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
}

/** Says what has failed without its texts: messages of `PipelineError` have none either. */
const failed = (response: ServerResponse, error: unknown, log: (line: string) => void): void => {
  log(String(error))
  const status = error instanceof Refused ? error.status : error instanceof Pipeline.PipelineError ? 502 : 500
  const message = error instanceof Refused ? error.message : "The request has failed."
  if (response.headersSent) response.end(`event: Failed\ndata: ${JSON.stringify({ message })}\n\n`)
  else json(response, status, { message })
}

/** Begins to listen, and resolves to the port. */
export const listen = (server: Server, port: number): Promise<number> =>
  new Promise((resolve) => {
    server.listen(port, "127.0.0.1", () => {
      const address = server.address()
      resolve(typeof address === "object" && address !== null ? address.port : port)
    })
  })
