/** Sockets to a server on this machine. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import * as http from "node:http"
import { type WebSocket, WebSocketServer } from "ws"
import { openSocket } from "../../src/http/webSocket.ts"
import { met } from "../soon.ts"

/** An open socket, and the server's end of it. */
const opened = Effect.gen(function* () {
  const server = http.createServer()
  const others: Array<WebSocket> = []
  new WebSocketServer({ server }).on("connection", (socket) => others.push(socket))
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () =>
      Effect.sync(() => {
        for (const socket of others) socket.terminate()
        server.close()
      })
  )
  const address = server.address()
  const host = `127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
  const endpoint = { provider: "house", model: "m", host, secrets: [], keyName: "KEY", addressEnd: "/v1" }
  const [connect, idle, total] = [Duration.seconds(10), Duration.seconds(10), Duration.minutes(1)]
  const socket = yield* openSocket({ url: `ws://${host}/`, headers: {} }, endpoint, { connect, idle, total })
  yield* met("the server has the socket", () => others.length > 0)
  return { host, socket, other: others[0]! }
})

describe("a socket that the server has closed", () => {
  it.live("sends nothing any more, and still gives what had come before", () =>
    Effect.gen(function* () {
      const { host, other, socket } = yield* opened
      assert.isTrue(socket.isOpen())
      other.send("text")
      other.send(Buffer.from("bytes"))
      other.close()
      yield* met("the socket is closed", () => !socket.isOpen())
      const reason = { _tag: "Connection", message: `the connection to ${host} was closed: try again` }
      assert.deepStrictEqual<object>((yield* Effect.flip(socket.send("more"))).reason, reason)
      assert.deepStrictEqual([yield* socket.receive, yield* socket.receive], ["text", "bytes"])
      assert.deepStrictEqual<object>((yield* Effect.flip(socket.receive)).reason, reason)
    }).pipe(Effect.scoped)
  )
})
