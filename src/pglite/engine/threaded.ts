/** PGlite in a thread of its own, so that its start and its statements hold up nothing in this one. */
import type { Worker } from "node:worker_threads"
import * as Threads from "../../threads/start.ts"
import { type Connection, type DiskState, type Result, type Settings, Stopped } from "./connection.ts"
import { errorOf, type Order, type Reply } from "./messages.ts"

type Call = Order extends infer O ? (O extends Order ? Omit<O, "id"> : never) : never

interface Waiting {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
}

const startThread = (settings: Settings): Worker | undefined => {
  try {
    return Threads.start(import.meta.url, "databaseThread", { name: "cogito database", workerData: settings })
  } catch {
    return undefined
  }
}

/** Opens a database in a new thread. Resolves to nothing if no thread can be started. */
export const open = async (settings: Settings): Promise<Connection | undefined> => {
  const thread = startThread(settings)
  if (thread === undefined) return undefined
  const waiting = new Map<number, Waiting>()
  let disk: DiskState = { full: false, segments: 0 }
  let calls = 0
  let started = false
  let ended = false

  const reply = (id: number) =>
    new Promise<unknown>((resolve, reject) => {
      if (ended) reject(new Stopped())
      else waiting.set(id, { resolve, reject })
      // the process ends when nobody waits for the database
      thread.ref()
    })

  const call = (order: Call): Promise<unknown> => {
    calls++
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    thread.postMessage({ ...order, id: calls })
    return reply(calls)
  }

  thread.on("message", (message: Reply) => {
    if (message === "started") {
      started = true
      return
    }
    ;({ disk } = message)
    const { failure, id, result } = message
    const one = waiting.get(id)
    waiting.delete(id)
    if (waiting.size === 0) thread.unref()
    if (failure === undefined) one?.resolve(result)
    else one?.reject(errorOf(failure))
  })
  // the end of a thread follows its error
  thread.on("error", () => {})
  thread.on("exit", () => {
    ended = true
    for (const { reject } of waiting.values()) reject(new Stopped())
    waiting.clear()
  })

  try {
    await reply(0)
  } catch (error) {
    await thread.terminate()
    if (!started) return undefined
    throw error
  }
  return {
    // casts, because the thread runs the same function
    query: (...values) => call({ call: "query", values }) as Promise<Result>,
    sendBytes: (...values) => call({ call: "sendBytes", values }) as Promise<void>,
    close: async () => {
      try {
        await call({ call: "close", values: [] })
      } finally {
        await thread.terminate()
      }
    },
    disk: () => disk
  }
}
