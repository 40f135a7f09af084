/** A network that breaks at any chosen message of the protocol between a store and its server. */
import { Effect } from "effect"
import { connect, createServer, type Socket } from "node:net"

interface Cutter {
  readonly url: string
  /** How many messages have passed since the last call, in both directions. */
  readonly counted: () => number
  /**
   * Breaks the connection before the message of the first number passes, counted from 1 from now on, then the next connection
   * before its message of the second number, and so on. The server gets all that the client sent before. No number: no break.
   */
  readonly cutBefore: (...messages: ReadonlyArray<number>) => void
  /** How many breaks have not come to pass since the last call of `cutBefore`. */
  readonly left: () => number
}

/** Whole messages as they come: the client's first has no letter before its length. */
const messages = (hasLetter: boolean, each: (message: Buffer) => void) => {
  let rest = Buffer.alloc(0)
  let letter = hasLetter ? 1 : 0
  return (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes])
    while (rest.length >= letter + 4) {
      const length = letter + rest.readInt32BE(letter)
      if (rest.length < length) return
      const message = rest.subarray(0, length)
      rest = rest.subarray(length)
      letter = 1
      each(message)
    }
  }
}

/** Stands before a server until the scope closes. */
export const cutter = (url: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const { hostname, port } = new URL(url)
        const open = new Set<Socket>()
        let total = 0
        let due: ReadonlyArray<number> = []
        let armed = 0
        // a message is a packet: without `noDelay`, each would wait until the one before it is acknowledged
        const server = createServer({ noDelay: true }, (client) => {
          const upstream = connect({ port: Number(port), host: hostname, noDelay: true })
          let passed = 0
          let since = armed
          let isCut = false
          const pass = (to: Socket) => (message: Buffer) => {
            if (isCut) return
            if (since !== armed) [since, passed] = [armed, 0]
            total++
            passed++
            if (passed === due[0]) {
              due = due.slice(1)
              isCut = true
              client.destroy()
              // what passed before still arrives
              upstream.end()
              return
            }
            to.write(message)
          }
          const end = () => {
            client.destroy()
            if (!isCut) upstream.destroy()
          }
          for (const socket of [client, upstream]) {
            open.add(socket)
            socket.on("error", end).on("close", end)
          }
          client.on("data", messages(false, pass(upstream)))
          upstream.on("data", messages(true, pass(client)))
        })
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
        const address = server.address()
        const target = new URL(url)
        target.port = String(typeof address === "object" ? address?.port : address)
        const made: Cutter = {
          url: target.href,
          counted: () => {
            const count = total
            total = 0
            return count
          },
          cutBefore: (...numbers) => {
            armed++
            due = numbers
          },
          left: () => due.length
        }
        return { made, server, open }
      }),
      ({ open, server }) =>
        Effect.promise(
          () =>
            new Promise<void>((resolve) => {
              server.close(() => resolve())
              for (const socket of open) socket.destroy()
            })
        )
    ),
    ({ made }) => made
  )
