/** What the tests do with runs, and what they see of them. */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Pipeline, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { soon } from "../soon.ts"
import { order } from "./flows.ts"

export const amounts = [1, 2, 3, 4] as const
export const thoughtOf = (number: number) => Thought.make("refund", { message: `Please refund order ${number}` })

/** Waits until the condition holds, in real time. */
const until = <E, R>(what: string, condition: Effect.Effect<boolean, E, R>) =>
  soon(
    what,
    90_000
  )(
    Effect.gen(function* () {
      while (!(yield* condition)) yield* Effect.sleep("20 millis")
    })
  )
export const asks = (runId: string, ...keys: ReadonlyArray<string>) =>
  until(
    `${runId} asks ${keys.join(", ")}`,
    Effect.map(Pipeline.waiting({ runId }), (open) => {
      const asked = new Set(open.map(({ key }) => key))
      return asked.size === keys.length && keys.every((key) => asked.has(key))
    })
  )
const status = (runId: string) =>
  Effect.map(Pipeline.runs({ limit: 500 }), (runs) => runs.find(({ id }) => id === runId)?.status)
export const ends = (runId: string, as: string) =>
  until(
    `${runId} is ${as}`,
    Effect.map(status(runId), (now) => now === as)
  )

interface Call {
  readonly run: string
  readonly part: string
  readonly process: number
  readonly ended: unknown
}
export const calls = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<Call>`select run, part, process, ended from call order by id`
)

/** The calls that were made again later: a call is the one of its run and part. */
export const madeAgain = (made: ReadonlyArray<Call>): ReadonlyArray<Call> => {
  const keys = made.map(({ part, run }) => `${run} ${part}`)
  return made.filter((_, i) => keys.lastIndexOf(keys[i] ?? "") !== i)
}

/** Notes without their ids. */
export const contents = (thought: Thought.Thought<any>) =>
  Thought.notes(thought).map(({ content, key, source, step, trust }) => ({ content, key, source, step, trust }))

/** What a run comes to that nothing interrupts, in memory. */
export const unbroken = (number: number) =>
  Effect.gen(function* () {
    const begun = yield* thoughtOf(number)
    yield* Effect.flip(Pipeline.run(order, begun, { durable: { id: "r" } }))
    for (const n of amounts) {
      yield* Pipeline.answer("r", `amount${n}`, n, { by: "jane" })
      yield* Effect.exit(Pipeline.resume(order, "r"))
    }
    return contents(yield* Pipeline.resume(order, "r"))
  }).pipe(
    Effect.provide(
      Layer.merge(
        Testing.memory,
        Testing.scripted(({ messages }) => {
          const text = messages.map((message) => message.text).join("\n")
          const part = [...text.matchAll(/part (\d+) of/g)].at(-1)?.[1]
          return { decision: true, confidence: 0.9, reasoning: [`part ${part} of order ${number}`] }
        }).layer
      )
    )
  )
