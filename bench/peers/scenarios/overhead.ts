import { performance } from "node:perf_hooks"
import { figure, ratio, type Results, type Scenario, type Start, times } from "../harness/scenario.ts"
import { check, type Prepare, steps } from "../libraries/task.ts"

const pipelines = 50

/** Microseconds a step of wall time and of CPU. Closing is part of the CPU: it waits for what runs in the background. */
const start =
  (library: () => Promise<Prepare>): Start =>
  async (quick) => {
    const prepare = await library()
    const round = async () => {
      const { calls, close, run } = await prepare(0)
      globalThis.gc?.()
      const cpu = process.cpuUsage()
      const began = performance.now()
      for (let i = 0; i < pipelines; i++) check(await run())
      const wall = performance.now() - began
      await close()
      const { system, user } = process.cpuUsage(cpu)
      const total = pipelines * steps
      if (calls() !== total) throw new Error(`${calls()} calls, not ${total}`)
      return { wall: (wall * 1000) / total, cpu: (user + system) / total }
    }
    for (let i = 0; i < (quick ? 2 : 20); i++) await round()
    return round
  }

const subjects = {
  "bare Effect loop": start(async () => (await import("../libraries/bare.ts")).loop),
  "AI SDK": start(async () => (await import("../libraries/aiSdk.ts")).plain),
  "AI SDK, chat history": start(async () => (await import("../libraries/aiSdk.ts")).withHistory),
  "effect/ai": start(async () => (await import("../libraries/effectAi.ts")).plain),
  "LangGraph, no model": start(async () => (await import("../libraries/langGraph.ts")).nodes),
  "LangGraph, no model, saver": start(async () => (await import("../libraries/langGraph.ts")).nodesWithSaver),
  "LangGraph, model": start(async () => (await import("../libraries/langGraph.ts")).model),
  "LangGraph, model, saver": start(async () => (await import("../libraries/langGraph.ts")).modelWithSaver),
  "cogito, store": start(async () => (await import("../libraries/cogito.ts")).stored),
  "cogito, store, spans": start(async () => (await import("../libraries/cogito.ts")).storedAndTraced),
  "cogito, store without embedder": start(async () => (await import("../libraries/cogito.ts")).words),
  "cogito, no store": start(async () => (await import("../libraries/cogito.ts")).unstored)
}

const reference = "AI SDK"

const report = (results: Results) => ({
  tables: [
    {
      name: "Microseconds a step",
      columns: ["", "wall", "CPU", `wall beside ${reference}`, `CPU beside ${reference}`],
      rows: Object.keys(subjects).map((subject) => [
        subject,
        figure(results, subject, "wall").toFixed(0),
        figure(results, subject, "cpu").toFixed(0),
        times(ratio(results, "wall", subject, reference)),
        times(ratio(results, "cpu", subject, reference))
      ])
    }
  ],
  goals: [
    {
      what: "CPU of a step beside AI SDK",
      limit: 0.8,
      measured: ratio(results, "cpu", "cogito, store", "AI SDK"),
      unit: " ×"
    },
    {
      what: "CPU of a step beside LangGraph with its saver and no model",
      limit: 0.2,
      measured: ratio(results, "cpu", "cogito, store", "LangGraph, no model, saver"),
      unit: " ×"
    }
  ]
})

export const scenario: Scenario = {
  method: `Ten questions on one message, each answered as \`{ decision, confidence, reasoning }\`, by a model that answers at once:
a stub of each library's own kind that returns the same JSON text. Every library parses and validates it with a schema
made once. A round runs ${pipelines} such pipelines, one after the other, on an empty store; 20 rounds warm up.
Closing the store is part of the CPU time, not of the wall time, as it waits for notes that are embedded in the background.

- AI SDK: \`generateText\` with \`Output.object\`; each call has the message and one question, or the whole chat so far.
- \`effect/ai\`: \`LanguageModel.generateObject\`; each call has the message and one question.
- LangGraph: ten nodes in a row, with and without \`MemorySaver\`; without a model a node returns the answer itself.
- cogito: \`Pipeline.sequence\` of ten \`decide\`, which show the whole conversation so far; the store in the process embeds by
  counting words.
- No side traces and nobody listens. A line of its own has cogito with the spans of Effect's own tracer, which are made unless
  a program turns them off.`,
  rounds: 9,
  quickRounds: 3,
  subjects,
  report
}
