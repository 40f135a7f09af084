/** How often people are asked about everyday work: at most once a task. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Pipeline, Thought } from "cogito"
import { Agent } from "cogito/agent"
import { Testing } from "cogito/testing"
import { Tools } from "cogito/tools"

const text = { success: Schema.String }
const reads = (name: string, description: string) =>
  Tool.make(name, { ...text, description, parameters: Schema.Struct({ of: Schema.String }) }).annotate(
    Tool.Readonly,
    true
  )
const acts = (name: string, description: string) =>
  Tool.make(name, { ...text, description, parameters: Schema.Struct({ what: Schema.String }) })

const office = Toolkit.make(
  reads("calendar", "The events of a day"),
  reads("mail", "Mails about something"),
  reads("weather", "The weather of a city"),
  reads("order", "An order by its number"),
  reads("contacts", "People by name"),
  acts("add_event", "Adds an event to the calendar"),
  acts("send_mail", "Sends a mail"),
  acts("remind", "Reminds of something later"),
  acts("refund", "Pays an order back").annotate(Tool.Destructive, true)
)

type Call = readonly [name: string, params: Readonly<Record<string, unknown>>]
const of = (name: string, value: string): Call => [name, { of: value }]
const what = (name: string, value: string): Call => [name, { what: value }]

/** A task, what a model does for it in each round, and how often somebody is asked. */
type Task = readonly [message: string, rounds: ReadonlyArray<ReadonlyArray<Call>>, asks: 0 | 1]

const tasks: ReadonlyArray<Task> = [
  ["What is on today?", [[of("calendar", "today")]], 0],
  ["Do I need an umbrella in Ulm?", [[of("weather", "Ulm")]], 0],
  ["Remind me of the bins tonight", [[what("remind", "bins")]], 0],
  ["Where is order 17?", [[of("order", "17")]], 0],
  ["Is it warmer in Rom or in Oslo?", [[of("weather", "Rom"), of("weather", "Oslo")]], 0],
  ["Find the mail with the invoice, and tell me the sum", [[of("mail", "invoice")], [of("contacts", "Ada")]], 0],
  ["Add lunch with Ada at noon", [[what("add_event", "lunch with Ada")]], 0],
  ["Am I free on Friday? If so, add the dentist at 9", [[of("calendar", "Friday")], [what("add_event", "dentist")]], 1],
  ["Write to Bob that I am late", [[of("contacts", "Bob")], [what("send_mail", "Bob: I am late")]], 1],
  [
    "Tell Ada and Bob about the new room",
    [
      [of("contacts", "Ada"), of("contacts", "Bob")],
      [what("send_mail", "Ada"), what("send_mail", "Bob")]
    ],
    1
  ],
  ["Pay order 17 back", [[of("order", "17")], [what("refund", "17")]], 1],
  ["What did the landlord write, and when is the rent due?", [[of("mail", "landlord")], [of("calendar", "rent")]], 0],
  [
    "Plan a picnic on the first dry day",
    [[of("weather", "Ulm")], [of("calendar", "Sunday")], [what("add_event", "picnic")]],
    1
  ],
  ["Which of my notes are about tax?", [[["find_text", { text: "tax" }]]], 0],
  ["What does the plan say about May?", [[["list_files", {}]], [["read_file", { path: "plan.md" }]]], 0],
  ["Save a packing list for Porto", [[["create_file", { path: "packing.md", text: "- coat" }]]], 0],
  [
    "Read the plan and save a summary of it",
    [[["read_file", { path: "plan.md" }]], [["create_file", { path: "summary.md", text: "May" }]]],
    1
  ],
  [
    "Correct the month in the plan",
    [[["read_file", { path: "plan.md" }]], [["edit_file", { path: "plan.md", old: "May", new: "June" }]]],
    1
  ],
  ["Who is Ada?", [[of("contacts", "Ada"), of("mail", "Ada")]], 0],
  ["Good morning!", [], 0]
]

const folder = Effect.acquireRelease(
  Effect.sync(() => {
    const path = mkdtempSync(join(tmpdir(), "cogito-everyday-"))
    writeFileSync(join(path, "plan.md"), "Paint the house in May. Pay the tax.")
    return path
  }),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const handlers = office.toLayer(
  Object.fromEntries(Object.keys(office.tools).map((name) => [name, () => Effect.succeed(`${name}: done`)])) as never
)

describe("everyday work", () => {
  it.live("asks at most once for each of twenty tasks, and not at all for those that only look", () =>
    Effect.gen(function* () {
      const files = Tools.files({ root: yield* folder })
      const agent = Agent.make("assistant", {
        instructions: "You help in the office.",
        triage: false,
        toolkit: Toolkit.merge(office, files.toolkit)
      })
      const asked: Array<readonly [string, number]> = []
      for (const [message, rounds] of tasks) {
        const model = Testing.scripted([
          ...rounds.map((calls) => Testing.calls(calls.map(([name, params]) => ({ name, params })))),
          "Done."
        ])
        yield* Effect.gen(function* () {
          const thought = yield* Thought.make("work")
          const said = Agent.say(agent, thought, message, { durable: { id: message } })
          let times = 0
          let exit = yield* Effect.result(said)
          while (exit._tag === "Failure" && exit.failure._tag === "Suspended") {
            times++
            for (const { callId, runId } of yield* Agent.waiting()) yield* Agent.approve(runId, callId, "yes")
            exit = yield* Effect.result(Pipeline.resume(agent, message) as typeof said)
          }
          assert.strictEqual(exit._tag, "Success", message)
          const results = model.requests.at(-1)?.messages.flatMap(({ results: all = [] }) => all) ?? []
          assert.deepStrictEqual(
            results.filter(({ isFailure }) => isFailure),
            [],
            message
          )
          asked.push([message, times])
        }).pipe(Effect.provide(Layer.mergeAll(model.layer, handlers, files.layer, Testing.memory)))
      }
      assert.deepStrictEqual(
        asked,
        tasks.map(([message, , asks]) => [message, asks] as const)
      )
      yield* Effect.log(
        "asked",
        asked.reduce((sum, [, times]) => sum + times, 0)
      )
    }).pipe(Effect.scoped)
  )
})
