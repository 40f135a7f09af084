/**
 * The model, in a process of its own: `node model.ts` speaks OpenAI's API, counts its calls, and kills the process that asks at the
 * moment it was given. It tells its parent its port, and what it has seen of a run when it is asked.
 */
import * as http from "node:http"
import { completion } from "../../faults/chat.ts"

/**
 * When the process that asks is killed: at which call of the run from now on, and when during it. `"held"` kills nobody: the call waits
 * until something else is planned.
 */
export interface Death {
  readonly call: number
  readonly when: "before" | "while" | "after" | "held"
  readonly millis: number
}

/** What the model has seen of a run: its calls, and how many of them a death may have lost. */
export interface Seen {
  readonly calls: number
  readonly lost: number
  /** Whether the given death has come. */
  readonly isDead: boolean
}

type Order =
  | { readonly run: string; readonly death: Death | undefined }
  | { readonly run: string; readonly report: true }

interface Run {
  calls: number
  lost: number
  since: number
  death: Death | undefined
  isDead: boolean
  /** Calls that are under way, and those that were answered lately, which may not be recorded yet. */
  readonly open: Set<number>
  readonly answered: Array<number>
}

/** How long a process may take to record an answer. */
const recording = 250

const runs = new Map<string, Run>()
const seenOf = (name: string): Run => {
  const known = runs.get(name)
  if (known !== undefined) return known
  const made: Run = { calls: 0, lost: 0, since: 0, death: undefined, isDead: false, open: new Set(), answered: [] }
  runs.set(name, made)
  return made
}

const kill = (run: Run, pid: number): void => {
  if (run.isDead) return
  run.isDead = true
  run.lost += run.open.size + run.answered.filter((at) => at > performance.now() - recording).length
  run.open.clear()
  run.answered.length = 0
  process.kill(pid, "SIGKILL")
}

const wait = (millis: number) => new Promise((resume) => setTimeout(resume, millis))

/** An answer that says which question it answers. */
const answerTo = (body: string): string => {
  const key = /Is it ([a-z0-9]+)\?/.exec(body)?.[1] ?? "unknown"
  return JSON.stringify({ decision: true, confidence: 0.75, reasoning: [`it is ${key}`] })
}

const answer = async (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
  const [, name = "", pid = ""] = (request.url ?? "").split("/")
  let body = ""
  for await (const chunk of request.setEncoding("utf8")) body += chunk
  const run = seenOf(name)
  const call = ++run.calls
  const { death } = run
  const isLast = death !== undefined && !run.isDead && run.calls - run.since === death.call
  run.open.add(call)
  if (isLast && death.when === "before") return kill(run, Number(pid))
  const text = JSON.stringify(completion(answerTo(body)))
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) })
  if (isLast && death.when === "while") {
    response.write(text.slice(0, text.length / 2))
    await wait(death.millis)
    return kill(run, Number(pid))
  }
  if (isLast && death.when === "held") while (run.death === death) await wait(5)
  // models take a moment
  await wait(2)
  response.end(text)
  run.open.delete(call)
  run.answered.push(performance.now())
  if (!isLast || death.when === "held") return
  await wait(death.millis)
  kill(run, Number(pid))
}

const server = http.createServer((request, response) => void answer(request, response))

process.on("message", (order: Order) => {
  const run = seenOf(order.run)
  if ("report" in order) {
    const { calls, isDead, lost } = run
    process.send?.({ calls, isDead, lost } satisfies Seen)
    return
  }
  Object.assign(run, { death: order.death, since: run.calls, isDead: false })
  process.send?.({})
})
process.on("disconnect", () => process.exit())
server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as { readonly port: number }).port }))
