/** The program of a database's thread: it opens the database, and answers each order. */
import { parentPort, workerData } from "node:worker_threads"
import type { Settings } from "./connection.ts"
import { open } from "./here.ts"
import { failureOf, type Order, type Reply } from "./messages.ts"

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
const send = (reply: Reply): void => parentPort?.postMessage(reply)

send("started")
try {
  // `threaded.ts` starts this file with the settings, and sends nothing but orders
  const connection = await open(workerData as Settings)
  const run = ({ call, values }: Order): Promise<unknown> => {
    switch (call) {
      case "query":
        return connection.query(...values)
      case "sendBytes":
        return connection.sendBytes(...values)
      case "close":
        return connection.close()
      default:
        return call satisfies never
    }
  }
  parentPort?.on("message", (order: Order) => {
    run(order).then(
      (result) => send({ id: order.id, disk: connection.disk(), result }),
      (error: unknown) => send({ id: order.id, disk: connection.disk(), failure: failureOf(error) })
    )
  })
  send({ id: 0, disk: connection.disk() })
} catch (error) {
  send({ id: 0, disk: { full: false, segments: 0 }, failure: failureOf(error) })
}
