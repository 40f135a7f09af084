import { performance } from "node:perf_hooks"
import { figure, ratio, type Results, type Scenario, type Start, times } from "../harness/scenario.ts"
import { median } from "../harness/statistics.ts"
import { type Open, Script, type Size } from "../libraries/agents/task.ts"

const rounds = 20
const one: Size = { rounds, calls: 1, length: 200 }
const four: Size = { rounds, calls: 4, length: 200 }
const long: Size = { rounds: 215, calls: 1, length: 200 }
const large: Size = { rounds, calls: 1, length: 2000 }

/** Microseconds a round of wall time and of CPU. Closing is part of the CPU: it waits for what runs in the background. */
const cost = async (open: Open, size: Size, runs: number) => {
  const script = new Script(size)
  const { check, close, run } = await open(script, size)
  globalThis.gc?.()
  const cpu = process.cpuUsage()
  const began = performance.now()
  for (let i = 0; i < runs; i++) await run()
  const wall = performance.now() - began
  await close()
  const { system, user } = process.cpuUsage(cpu)
  check()
  const total = runs * rounds
  return { wall: (wall * 1000) / total, cpu: (user + system) / total }
}

/** Microseconds of CPU of the rounds around the 10th and the 200th of one run. */
const growth = async (open: Open) => {
  const script = new Script(long, true)
  const { check, close, run } = await open(script, long)
  globalThis.gc?.()
  await run()
  check()
  const lasted = script.began.slice(1).map((end, i) => end - (script.began[i] ?? 0))
  await close()
  return { early: median(lasted.slice(4, 15)), late: median(lasted.slice(189, 210)) }
}

/** Bytes in the store beside those of the results, after one run. */
const storage = async (open: Open): Promise<Record<string, number>> => {
  const { check, close, run, stored } = await open(new Script(large), large)
  if (stored === undefined) {
    await close()
    return {}
  }
  await run()
  check()
  const bytes = await stored()
  await close()
  return { bytes: bytes / (large.rounds * large.calls * large.length) }
}

const start =
  (library: () => Promise<Open>, runs = 10, warmUps = 10): Start =>
  async (quick) => {
    const open = await library()
    const most = quick ? Math.ceil(runs / 5) : runs
    const round = async () => {
      const [ofOne, ofFour] = [await cost(open, one, most), await cost(open, four, most)]
      const figures = { wall: ofOne.wall, cpu: ofOne.cpu, wall4: ofFour.wall, cpu4: ofFour.cpu }
      return { ...figures, ...(await growth(open)), ...(await storage(open)) }
    }
    for (let i = 0; i < (quick ? 1 : warmUps); i++) await round()
    return round
  }

const reference = "AI SDK"
const langChain = "LangChain"
const plain = "cogito"
const quiet = "cogito, no embedder"
const quietDurable = "cogito, durable, no embedder"
const onPglite = "cogito, durable, PGlite"
const saver = "LangChain, MemorySaver"

const subjects = {
  [reference]: start(async () => (await import("../libraries/agents/aiSdk.ts")).loop),
  [langChain]: start(async () => (await import("../libraries/agents/langChain.ts")).loop, 5, 5),
  [saver]: start(async () => (await import("../libraries/agents/langChain.ts")).loopWithSaver, 5, 5),
  [plain]: start(async () => (await import("../libraries/agents/cogito.ts")).stored),
  [quiet]: start(async () => (await import("../libraries/agents/cogito.ts")).storedWords),
  "cogito, durable": start(async () => (await import("../libraries/agents/cogito.ts")).durable),
  [quietDurable]: start(async () => (await import("../libraries/agents/cogito.ts")).durableWords),
  [onPglite]: start(async () => (await import("../libraries/agents/cogito.ts")).durablePglite, 2, 2)
}

const micros = (results: Results, subject: string, name: string): string => figure(results, subject, name).toFixed(0)

const grown = (results: Results, subject: string): number =>
  figure(results, subject, "late") / figure(results, subject, "early")

const kinds = [
  { calls: "one call", cpu: "cpu", wall: "wall" },
  { calls: "four calls", cpu: "cpu4", wall: "wall4" }
]

const report = (results: Results) => ({
  tables: [
    ...kinds.map(({ calls, cpu, wall }) => ({
      name: `Microseconds a round of ${calls}`,
      columns: ["", "wall", "CPU", `wall beside ${reference}`, `CPU beside ${reference}`, `CPU beside ${langChain}`],
      rows: Object.keys(subjects).map((subject) => [
        subject,
        ...[wall, cpu].map((name) => micros(results, subject, name)),
        ...[wall, cpu].map((name) => times(ratio(results, name, subject, reference))),
        times(ratio(results, cpu, subject, langChain))
      ])
    })),
    {
      name: "CPU of the 10th and of the 200th round of one run, in microseconds",
      columns: ["", "10th", "200th", "200th beside 10th"],
      rows: Object.keys(subjects).map((subject) => [
        subject,
        ...["early", "late"].map((name) => micros(results, subject, name)),
        times(grown(results, subject))
      ])
    },
    {
      name: "Bytes stored beside the results",
      columns: ["", "bytes"],
      rows: [saver, onPglite].map((subject) => [subject, times(figure(results, subject, "bytes"))])
    }
  ],
  goals: [
    ...[
      { beside: reference, limit: 1 },
      { beside: langChain, limit: 0.25 }
    ].flatMap(({ beside, limit }) =>
      kinds.map(({ calls, cpu }) => ({
        what: `CPU of an agent's round of ${calls} beside ${beside}`,
        limit,
        measured: ratio(results, cpu, plain, beside),
        unit: " ×"
      }))
    ),
    ...[quiet, quietDurable, onPglite].map((subject) => ({
      what: `The 200th round of an agent beside the 10th: ${subject}`,
      limit: 1.5,
      measured: grown(results, subject),
      unit: " ×"
    })),
    {
      what: "Bytes of columns beside the results of an agent's tools",
      limit: 1.5,
      measured: figure(results, onPglite, "bytes"),
      unit: " ×"
    }
  ]
})

export const scenario: Scenario = {
  method: `An agent reads the pages of a manual: ${rounds} rounds with one call or with four calls of a tool, whose results have
${one.length} characters, and then an answer. The model is a stub of each library's own kind that returns calls at once, and handlers
return at once. After each measurement it is checked that the last request has shown all results in order. Times are those of
whole runs, divided by ${rounds}; closing the store is part of the CPU time, not of the wall time.

- AI SDK: \`ToolLoopAgent\`. LangChain: \`createAgent\`, also with \`MemorySaver\`.
- cogito: \`Agent.say\` without triage, with \`durable: false\` and durable, each on the store in the process, whose embedder counts
  words, or without embedder; and durable on PGlite in the memory of the process and in the program's own thread.
- Growth: one run of ${long.rounds} rounds with one call each. A round is what lies between two calls of the model; the figures
  are the medians of the CPU of rounds 5 to 15 and 190 to 210. Each request shows the whole conversation. The goals
  are for the stores in the process without embedder, which works beside the rounds and blurs single ones.
- Bytes stored by a run of ${large.rounds} rounds whose results have ${large.length.toLocaleString("en-US")} characters, as multiples of the results, counted as in
  "Bytes stored".`,
  rounds: 9,
  quickRounds: 3,
  subjects,
  report
}
