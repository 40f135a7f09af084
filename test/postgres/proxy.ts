/** A network between a store and its server that breaks when a test says so. */
import { Effect } from "effect"
import { connect, createServer, type Socket } from "node:net"

interface Pair {
  readonly client: Socket
  readonly server: Socket
}

interface Proxy {
  readonly url: string
  /** Breaks every connection, without a word. */
  readonly cut: () => void
  /** From now on nothing passes on the connections there are; new ones work. */
  readonly stall: () => void
  /** Holds back what a client says for as long. */
  readonly delay: (millis: number) => void
  /** Swallows the message with a word, and everything after it on that connection, which stays open. */
  readonly freezeAt: (word: string) => void
  /** Passes the message with a word on, and from then on nothing that the server says on that connection, which stays open. */
  readonly muteAt: (word: string) => void
  /** Breaks a connection when its client says a word, before or after the server hears it. The answer never passes. */
  readonly cutAt: (word: string, when: "before" | "after") => void
}

/** Stands before a server until the scope closes. */
export const proxy = (url: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const { hostname, port } = new URL(url)
        const pairs = new Set<Pair>()
        let trap: { readonly word: string; readonly when: "before" | "after" | "never" | "unanswered" } | undefined
        let wait = 0
        const server = createServer((client) => {
          const pair = { client, server: connect(Number(port), hostname) }
          pairs.add(pair)
          const end = () => {
            pairs.delete(pair)
            pair.client.destroy()
            pair.server.destroy()
          }
          for (const socket of [pair.client, pair.server]) socket.on("error", end).on("close", end)
          pair.server.on("data", (bytes) => pair.client.write(bytes))
          const pass = (bytes: Buffer) => {
            if (trap === undefined || !bytes.includes(trap.word)) return pair.server.write(bytes)
            const { when } = trap
            trap = undefined
            if (when === "before") return end()
            if (when === "never") return client.removeAllListeners("data").pause()
            pair.server.removeAllListeners("data").resume()
            // the server has taken it once it answers
            if (when === "after") pair.server.once("data", end)
            return pair.server.write(bytes)
          }
          client.on("data", (bytes: Buffer) => (wait === 0 ? pass(bytes) : setTimeout(() => pass(bytes), wait)))
        })
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
        const address = server.address()
        const target = new URL(url)
        target.port = String(typeof address === "object" ? address?.port : address)
        const each = (change: (pair: Pair) => void) => () => {
          for (const pair of pairs) change(pair)
        }
        const made: Proxy = {
          url: target.href,
          cut: each(({ client, server }) => {
            client.destroy()
            server.destroy()
          }),
          stall: each(({ client, server }) => {
            for (const socket of [client, server]) socket.removeAllListeners("data").pause()
          }),
          delay: (millis) => {
            wait = millis
          },
          freezeAt: (word) => {
            trap = { word, when: "never" }
          },
          muteAt: (word) => {
            trap = { word, when: "unanswered" }
          },
          cutAt: (word, when) => {
            trap = { word, when }
          }
        }
        return { made, server, cut: made.cut }
      }),
      ({ cut, server }) =>
        Effect.promise(
          () =>
            new Promise<void>((resolve) => {
              server.close(() => resolve())
              cut()
            })
        )
    ),
    ({ made }) => made
  )
