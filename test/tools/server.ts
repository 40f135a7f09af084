/** A server on the loopback interface, for pages. */
import { Effect } from "effect"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export interface Pages {
  /** Such as `127.0.0.1:1234`. */
  readonly host: string
  readonly port: number
  /** The paths that were requested, in order. */
  readonly requested: ReadonlyArray<string>
}

/** Serves until the scope closes. A page that is a text is HTML. */
export const serving = (
  pages: Readonly<Record<string, string | ((request: IncomingMessage, response: ServerResponse) => void)>>
) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly pages: Pages; readonly close: () => void }>((resume) => {
      const requested: Array<string> = []
      const server = createServer((request, response) => {
        const path = request.url ?? ""
        requested.push(path)
        const page = pages[path]
        if (page === undefined) response.writeHead(404).end()
        else if (typeof page === "function") page(request, response)
        else response.setHeader("content-type", "text/html; charset=utf-8").end(page)
      })
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        const close = () => {
          server.close()
          server.closeAllConnections()
        }
        resume(Effect.succeed({ pages: { host: `127.0.0.1:${port}`, port, requested }, close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  ).pipe(Effect.map(({ pages }) => pages))
