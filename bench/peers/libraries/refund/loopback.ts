/** A server on this machine that answers like OpenAI's Responses API and keeps what it was sent. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

/** The parts of a request's body that reach the model. */
export interface Body {
  readonly input: ReadonlyArray<{
    readonly role: string
    readonly content: string | ReadonlyArray<{ readonly type: string; readonly text: string }>
  }>
  readonly instructions?: string
  readonly text?: { readonly format?: { readonly type: string; readonly name?: string; readonly schema?: unknown } }
}

export interface Loopback {
  readonly baseUrl: string
  readonly bodies: ReadonlyArray<Body>
  readonly close: () => void
}

/** Answers with these texts, one after the other. */
export const serve = (replies: ReadonlyArray<string>): Promise<Loopback> =>
  new Promise((resolve) => {
    const bodies: Array<Body> = []
    const server = createServer((request, response) => {
      let body = ""
      request.on("data", (piece) => (body += piece))
      request.on("end", () => {
        const text = replies[bodies.length]
        bodies.push(JSON.parse(body))
        if (text === undefined || request.url !== "/v1/responses") return void response.writeHead(500).end()
        const content = [{ type: "output_text", text, annotations: [] }]
        const message = { type: "message", id: "message", role: "assistant", status: "completed", content }
        response.setHeader("content-type", "application/json").end(
          JSON.stringify({
            id: "response",
            object: "response",
            created_at: 1,
            model: "gpt-5-mini",
            status: "completed",
            output: [message],
            usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
          })
        )
      })
    })
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      resolve({ baseUrl: `http://127.0.0.1:${port}/v1`, bodies, close: () => void server.close() })
    })
  })

export const model = "gpt-5-mini"
export const key = "sk-of-nobody"
