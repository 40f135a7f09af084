import { figure, type Results, type Scenario, type Start, times, whole } from "../harness/scenario.ts"
import type { Grow, Growing } from "../libraries/growth/grow.ts"

const sizes = [10, 1000, 10_000, 100_000]
/** CPU milliseconds after which a subject grows no further. */
const patience = 120_000

const spent = (since?: NodeJS.CpuUsage): number => {
  const { system, user } = process.cpuUsage(since)
  return (system + user) / 1000
}

/** Milliseconds of CPU for so many times ten steps. The steps are built before. */
const grown = async (thought: Growing, tens: number): Promise<number> => {
  let total = 0
  for (let i = 0; i < tens; i++) {
    const ten = thought.next()
    const cpu = process.cpuUsage()
    await ten()
    total += spent(cpu)
  }
  return total
}

const warmUp = 30
const fresh = 30

const start =
  (library: () => Promise<Grow>, most: number, others: number): Start =>
  async (quick) => {
    const grow = await library()
    const reached = sizes.filter((size) => size <= (quick ? Math.min(most, 1000) : most))
    const atTen = async (): Promise<number> => {
      const { close, start } = await grow(quick ? Math.min(others, 1000) : others)
      let total = 0
      for (let i = 0; i < warmUp + fresh; i++) {
        const thought = await start()
        await grown(thought, 1)
        const second = await grown(thought, 1)
        if (i >= warmUp) total += second
      }
      await close()
      return total / (fresh * 10)
    }
    return async () => {
      const figures: Record<string, number> = { "at 10": await atTen() }
      if (others > 0) return figures
      const { close, start } = await grow(0)
      const thought = await start()
      let total = 0
      for (const size of reached) {
        while (thought.length() < size && total < patience) total += await grown(thought, 1)
        if (thought.length() < size) break
        figures[`total ${size}`] = total
        const next = await grown(thought, 10)
        if (size > 10) figures[`at ${size}`] = next / 100
        total += next
      }
      await close()
      return figures
    }
  }

const subjects = {
  "cogito, last five turns": start(async () => (await import("../libraries/growth/cogito.ts")).recent, 100_000, 0),
  "cogito, whole conversation": start(async () => (await import("../libraries/growth/cogito.ts")).all, 10_000, 0),
  "cogito, beside 10,000 thoughts": start(
    async () => (await import("../libraries/growth/cogito.ts")).recent,
    10,
    10_000
  ),
  "AI SDK, chat history": start(async () => (await import("../libraries/growth/aiSdk.ts")).all, 10_000, 0)
}

const recent = "cogito, last five turns"
const conversation = "cogito, whole conversation"
const beside = "cogito, beside 10,000 thoughts"
const base = "at 10"

/** A figure, or infinity for a size that the subject did not reach. */
const reached = (results: Results, subject: string, name: string): number => results[subject]?.[name] ?? Infinity

const cost = (results: Results, subject: string, size: number): string => {
  const value = results[subject]?.[`at ${size}`]
  if (value === undefined) return ""
  return `${whole(value * 1000)} (${times(value / figure(results, subject, base))})`
}

const seconds = (results: Results, subject: string, size: number): string => {
  const value = results[subject]?.[`total ${size}`]
  return value === undefined ? "" : (value / 1000).toFixed(1)
}

const report = (results: Results) => ({
  tables: [
    {
      name: "CPU of a step at so many notes, in microseconds, and beside the step at 10",
      columns: ["", ...sizes.map(whole)],
      rows: [recent, conversation, "AI SDK, chat history"].map((subject) => [
        subject,
        ...sizes.map((size) => cost(results, subject, size))
      ])
    },
    {
      name: "CPU of a step at 10 notes, in microseconds, and beside the step in an empty store",
      columns: ["", "at 10"],
      rows: [
        [
          beside,
          `${whole(figure(results, beside, base) * 1000)} (${times(figure(results, beside, base) / figure(results, recent, base))})`
        ]
      ]
    },
    {
      name: "CPU of growing to so many notes, in seconds",
      columns: ["", ...sizes.slice(1).map(whole)],
      rows: [recent, conversation, "AI SDK, chat history"].map((subject) => [
        subject,
        ...sizes.slice(1).map((size) => seconds(results, subject, size))
      ])
    }
  ],
  goals: [
    ...[recent, conversation].map((subject) => ({
      what: `A step at 10,000 notes beside one at 10: ${subject}`,
      limit: 1.3,
      measured: reached(results, subject, "at 10000") / figure(results, subject, base),
      unit: " ×"
    })),
    {
      what: "A step beside 10,000 other thoughts",
      limit: 1.3,
      measured: figure(results, beside, base) / figure(results, recent, base),
      unit: " ×"
    },
    {
      what: "Growing to 100,000 notes beside 10,000",
      limit: 12,
      measured: reached(results, recent, "total 100000") / reached(results, recent, "total 10000"),
      unit: " ×"
    }
  ]
})

export const scenario: Scenario = {
  method: `One thought grows by ten decisions at a time in the store in the process; every decision has a key of its own and writes
one note. Building the steps is not measured. A step's cost is the mean of 100 steps after so many notes; at 10 notes, of 300
steps in 30 new thoughts. A decision is shown the last five turns (\`view: { recent: 5 }\`), or the whole conversation, which
is an ever longer list of messages for AI SDK too. The other thoughts have one note each. A subject that has used
${patience / 1000} seconds of CPU grows no further: its other cells are empty, and goals about them are not reached.`,
  rounds: 1,
  quickRounds: 1,
  subjects,
  report
}
