/**
 * A program with a session of an agent, as a process of its own: `node killed.ts <folder> <run> <death>`. What its tools do
 * outside, they write to a file of the folder. `death` is when the process kills itself: `send a before`, `pay c after`, `12 ms`, or
 * `never`. Its last line is `waiting`, or `done` and the answer.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Tool, Toolkit } from "effect/ai"
import { appendFileSync } from "node:fs"
import { join } from "node:path"
import { Agent } from "../../src/agent/index.ts"
import * as Pipeline from "../../src/Pipeline.ts"
import * as Thought from "../../src/Thought.ts"
import { PgliteMemory } from "../../src/pglite/index.ts"
import { Testing } from "../../src/testing/index.ts"

const [folder = "", id = "", death = "never"] = process.argv.slice(2)

const die = (): void => void process.kill(process.pid, "SIGKILL")
const [, millis] = /^(\d+) ms$/.exec(death) ?? []
if (millis !== undefined) setTimeout(die, Number(millis))

const does = (what: string) =>
  Effect.sync(() => {
    if (death === `${what} before`) die()
    appendFileSync(join(folder, `${id}.effects`), `${what}\n`)
    if (death === `${what} after`) die()
    return "done"
  }).pipe(Effect.tap(() => Effect.yieldNow))

const fields = { parameters: Schema.Struct({ of: Schema.String }), success: Schema.String }
const look = Tool.make("look", fields).annotate(Tool.Readonly, true)
const send = Tool.make("send", fields)
const pay = Tool.make("pay", fields)
const toolkit = Toolkit.make(look, send, pay)
const handlers = toolkit.toLayer({
  look: ({ of }) => does(`look ${of}`),
  send: ({ of }) => does(`send ${of}`),
  pay: ({ of }) => does(`pay ${of}`)
})
const agent = Agent.make("agent", {
  instructions: "You work.",
  toolkit,
  triage: false,
  policy: ({ name }) => (name === "pay" ? "ask" : "allow")
})
const call = (name: string, of: string) => ({ name, params: { of } })
const model = Testing.scripted(({ messages }) => {
  const rounds = messages.filter(({ role }) => role === "tool").length
  if (rounds === 0) return Testing.calls([call("look", "a"), call("send", "a")])
  return rounds === 1 ? Testing.calls([call("send", "b"), call("pay", "c")]) : "All done."
})

const program = Effect.gen(function* () {
  for (const { callId, runId } of yield* Agent.waiting({ runId: id })) yield* Agent.approve(runId, callId, "yes")
  const isKnown = (yield* Pipeline.runs({ limit: 1000 })).some((run) => run.id === id)
  // the lease of a process that was killed ends soon
  const durable = { id, lease: "200 millis" } as const
  const done = yield* isKnown
    ? Pipeline.resume(agent, id, { lease: "200 millis" })
    : Agent.say(agent, yield* Thought.make("work"), "Go on", { durable })
  const results = Thought.notes(done).filter(({ source }) => source === "tool").length
  return `done ${done.get("answer")} ${results}`
}).pipe(
  Effect.catchTag("Suspended", () => Effect.succeed("waiting")),
  Effect.provide(
    Layer.mergeAll(model.layer, handlers, PgliteMemory.layer({ dataDir: join(folder, "memory"), embedder: "none" }))
  )
)

process.stdout.write(`${await Effect.runPromise(program)}\n`)
