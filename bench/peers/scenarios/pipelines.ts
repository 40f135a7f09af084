import { monitorEventLoopDelay, performance } from "node:perf_hooks"
import { figure, ratio, type Results, type Scenario, type Start, times, whole } from "../harness/scenario.ts"
import { percentile } from "../harness/statistics.ts"
import { check, type Prepare, steps } from "../libraries/task.ts"

const pipelines = 1000
const latency = 50
const least = steps * latency

/** All pipelines at once: how long, how late, and how busy. */
const throughput = async (prepare: Prepare): Promise<Readonly<Record<string, number>>> => {
  const { calls, close, run } = await prepare(latency)
  globalThis.gc?.()
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const cpu = process.cpuUsage()
  const began = performance.now()
  const latencies = await Promise.all(
    Array.from({ length: pipelines }, async () => {
      check(await run())
      return performance.now() - began
    })
  )
  const wall = performance.now() - began
  await close()
  const { system, user } = process.cpuUsage(cpu)
  delay.disable()
  if (calls() !== pipelines * steps) throw new Error(`${calls()} calls, not ${pipelines * steps}`)
  return {
    throughput: pipelines / (wall / 1000),
    added: percentile(latencies, 0.99) - least,
    cpu: (user + system) / 1000,
    delay: delay.percentile(99) / 1e6,
    longest: delay.max / 1e6
  }
}

/** Bytes of the heap for each pipeline when half of the calls have been made. */
const heap = async (prepare: Prepare): Promise<number> => {
  const { calls, close, run } = await prepare(latency)
  const used = (): number => {
    globalThis.gc?.()
    return process.memoryUsage().heapUsed
  }
  const before = used()
  let live = pipelines
  const all = Array.from({ length: pipelines }, () => run().then((answers) => (live--, check(answers))))
  while (calls() < (pipelines * steps) / 2) await new Promise((resolve) => setTimeout(resolve, 5))
  const bytes = (used() - before) / pipelines
  if (live < pipelines) throw new Error("Some pipelines had ended before the heap was measured.")
  await Promise.all(all)
  await close()
  return bytes
}

const start =
  (library: () => Promise<Prepare>): Start =>
  async () => {
    const prepare = await library()
    // This is to warm up, too.
    const bytes = await heap(prepare)
    return async () => ({ ...(await throughput(prepare)), heap: bytes })
  }

const subjects = {
  "bare Effect loop": start(async () => (await import("../libraries/bare.ts")).loop),
  "AI SDK": start(async () => (await import("../libraries/aiSdk.ts")).plain),
  "AI SDK, chat history": start(async () => (await import("../libraries/aiSdk.ts")).withHistory),
  "effect/ai": start(async () => (await import("../libraries/effectAi.ts")).plain),
  LangGraph: start(async () => (await import("../libraries/langGraph.ts")).model),
  "LangGraph, saver": start(async () => (await import("../libraries/langGraph.ts")).modelWithSaver),
  "cogito, store": start(async () => (await import("../libraries/cogito.ts")).stored),
  "cogito, no store": start(async () => (await import("../libraries/cogito.ts")).unstored)
}

const reference = "AI SDK"

const report = (results: Results) => ({
  tables: [
    {
      name: "1,000 pipelines of ten steps",
      columns: [
        "",
        "pipelines a second",
        "added p99, ms",
        "CPU, ms",
        `CPU beside ${reference}`,
        "loop delay p99, ms",
        "longest, ms",
        "heap a live pipeline, kB"
      ],
      rows: Object.keys(subjects).map((subject) => [
        subject,
        ...["throughput", "added", "cpu"].map((name) => whole(figure(results, subject, name))),
        times(ratio(results, "cpu", subject, reference)),
        ...["delay", "longest"].map((name) => whole(figure(results, subject, name))),
        (figure(results, subject, "heap") / 1000).toFixed(1)
      ])
    }
  ],
  goals: [
    {
      what: "CPU of 1,000 pipelines beside AI SDK",
      limit: 1.2,
      measured: ratio(results, "cpu", "cogito, store", reference),
      unit: " ×"
    },
    {
      what: "Added p99 of 1,000 pipelines beside AI SDK",
      limit: 1,
      measured: ratio(results, "added", "cogito, store", reference),
      unit: " ×"
    }
  ]
})

export const scenario: Scenario = {
  method: `The pipelines of the first scenario, 1,000 of them started at the same moment; each call of the model takes ${latency} ms.
Added p99 is how much longer than ${least} ms the pipeline at the 99th percentile took. The heap is measured in a run of its
own, when half of the calls have been made and before any pipeline has ended; for the stores it holds what they have stored
so far. That run also warms up.`,
  rounds: 3,
  quickRounds: 1,
  subjects,
  report
}
