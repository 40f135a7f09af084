/**
 * Keeps the embedded database open between the commands of a test file: to start one takes ten times as long as what most
 * commands do with it. The lock of the directory, the schema and all that is above the database are as ever. Commands in a
 * process of their own open the directory, so `cogito.ts` closes it first. A new one begins with the archive of a fresh database,
 * which takes a fourth of the time of a first start. Do not use it in files that test how a memory is opened.
 */
import { afterAll, beforeAll } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { join } from "node:path"
import threads, { Worker, type WorkerOptions } from "node:worker_threads"
import type { Order, Reply } from "../../src/pglite/engine/messages.ts"
import { template } from "../pglite/template.ts"

const { Worker: original } = threads

/** A fresh database. */
let fresh: Blob | undefined

/** The options of the thread of a database. A folder without a database gets a copy of the fresh one. */
const beginning = ({ workerData, ...options }: WorkerOptions): WorkerOptions => {
  const isNew = !existsSync(join(workerData.folder, "PG_VERSION"))
  return { ...options, workerData: isNew ? { ...workerData, template: workerData.template ?? fresh } : workerData }
}

/** The thread of a database, which goes on when its memory is closed. */
class Kept extends Worker {
  readonly folder: string
  #disk: Exclude<Reply, "started">["disk"] = { full: false, segments: 0 }
  #isClosed = false
  #isUsable = true

  constructor(program: string | URL, options: WorkerOptions) {
    super(program, beginning(options))
    this.folder = options.workerData.folder
    this.#follow()
  }

  #follow(): void {
    this.on("message", (reply: Reply) => {
      if (reply === "started") return
      this.#disk = reply.disk
      if (reply.failure?.name === "Stopped") this.#isUsable = false
    })
    this.on("exit", () => {
      this.#isUsable = false
    })
  }

  #send(order: Order): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    super.postMessage(order)
  }

  override postMessage(order: Order): void {
    this.#isClosed = order.call === "close" && this.#isUsable
    if (!this.#isClosed) return this.#send(order)
    // a memory that opens it later begins with a session as a new one has it
    this.#send({ id: -1, call: "query", values: ["reset role", []] })
    this.#send({ id: order.id, call: "query", values: ["reset all", []] })
  }

  override async terminate(): Promise<number> {
    return this.#isClosed && this.#isUsable ? keep(this) : super.terminate()
  }

  /** The thread as if it had just started. */
  opened(): this {
    this.#isClosed = false
    for (const event of ["message", "error", "exit"]) this.removeAllListeners(event)
    this.#follow()
    const replies: ReadonlyArray<Reply> = ["started", { id: 0, disk: this.#disk }]
    setImmediate(() => replies.forEach((reply) => this.emit("message", reply)))
    return this
  }

  async end(): Promise<number> {
    if (!this.#isUsable) return 0
    this.ref()
    const closed = once(this, "message")
    this.#send({ id: -1, call: "close", values: [] })
    await closed
    return super.terminate()
  }
}

/** The database that no memory has open now. */
let idle: Kept | undefined

/** Keeps this one, and no other. */
const keep = async (thread: Kept): Promise<number> => {
  const before = idle
  idle = thread
  return (await before?.end()) ?? 0
}

/** Closes the database that is kept open, if there is one. */
export const closeKept = async (): Promise<void> => {
  const kept = idle
  idle = undefined
  await kept?.end()
}

const replace = (worker: typeof Worker): void => {
  threads.Worker = worker
  syncBuiltinESMExports()
}

const keeping = new Proxy(original, {
  construct: (_, [program, options]: [string | URL, WorkerOptions]) => {
    const folder = options.name === "cogito database" ? options.workerData.folder : undefined
    if (folder === undefined) return new original(program, options)
    const kept = idle
    if (kept === undefined || kept.folder !== folder) return new Kept(program, options)
    idle = undefined
    return kept.opened()
  }
})

/** For the tests of this file. What they remove at the end is to be said before. */
export const keepOpen = (): void => {
  beforeAll(async () => {
    fresh = await Effect.runPromise(template)
    replace(keeping)
  })
  afterAll(async () => {
    replace(original)
    await closeKept()
  })
}
