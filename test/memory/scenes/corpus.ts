/** Notes to be found: of several tasks, sources, moments and thoughts, some of them equal. */
import { Memory, Thought } from "cogito"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { inSecond, stored } from "./stage.ts"

const parcel = "The parcel was lost on the way to Berlin"

export const corpus = Effect.gen(function* () {
  const parcels = yield* stored(
    "triage parcels",
    {
      message: parcel,
      reply: {
        content: "We refund the lost parcel in full",
        source: "clerk",
        trust: "trusted",
        metadata: { channel: "mail", lang: "en" }
      },
      closing: { content: "Kind regards from the depot", source: "clerk" }
    },
    { taskId: "ticket-7", traceId: "trace-a" }
  )
  yield* TestClock.adjust("1 hour")
  const fork = yield* Memory.commit(
    yield* Thought.append(yield* Thought.fork(parcels, { traceId: "trace-b" }), "answer", {
      content: "Another parcel leaves the depot",
      source: "model",
      metadata: { channel: "chat", lang: "en" }
    })
  )
  yield* TestClock.adjust("1 day")
  const invoices = yield* stored(
    "billing question",
    { message: "Charged twice for one invoice", amount: "Twice forty euros", copy: parcel },
    { taskId: "ticket-3", traceId: "trace-c" }
  )
  yield* TestClock.adjust("1 hour")
  const weather = yield* stored("weather log", {
    forecast: "Storm and rain delay ships",
    blank: " \n",
    odd: { content: "lost\0parcel \ud800", metadata: { "odd\0": "\udfff" }, trust: "trusted" },
    history: { content: "Parcel lost before", source: "seek" },
    tasks: { content: "Parcel tasks before", source: "survey" }
  })
  yield* TestClock.adjust("1 hour")
  const later = yield* stored("triage parcels again", { message: "Storm hit the depot" }, { taskId: "ticket-7" })
  yield* inSecond(stored("elsewhere", { message: "Lost parcel of another tenant" }, { taskId: "ticket-7" }))
  yield* Memory.flush
  return { parcels, fork, invoices, weather, later }
})

const numbers = (values: object) =>
  Object.entries(values)
    .map(([name, value]) => `${name} ${typeof value === "number" ? Number(value.toPrecision(4)) : String(value)}`)
    .join(" ")

const line = ({ copies, note, ranks, score, scores, similarity, thought }: Memory.Match) =>
  `${note.key} of ${thought.traceId}: ${numbers({ score, similarity, copies })}; ranks ${numbers(ranks)}; scores ${numbers(scores)}`

/** What was found, a line for each match. */
export const lines = ({ arms, matches }: Memory.SearchResult) => ({ arms: numbers(arms), matches: matches.map(line) })

export const taskLines = ({ arms, tasks }: Memory.SurveyResult) => ({
  arms: numbers(arms),
  tasks: tasks.map(({ intent, matches, score, similarity, taskId, thoughtId }) => ({
    task: `${taskId}: ${numbers({ score, similarity })}`,
    intent,
    thoughtId,
    matches: matches.map(line)
  }))
})
