import { Effect } from "effect"
import { Memory, Pipeline, Primitive, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { answersOf, open } from "../cogito.ts"
import { check, message, question, steps } from "../task.ts"
import type { Grow } from "./grow.ts"

const grow =
  (view: { readonly recent: number } | undefined): Grow =>
  async (others) => {
    const { close, run } = await open(Testing.memory, { traced: false, latency: 0 })
    for (let i = 0; i < others; i++) {
      const other = Thought.make("sort the mail", { message: `Letter ${i}: ${message}` })
      await run(Effect.flatMap(other, Memory.commit))
    }
    await run(Memory.embedPending)
    return {
      start: async () => {
        let thought: Thought.Thought<any> = await run(Thought.make("sort the mail", { message }))
        let length = 0
        return {
          length: () => length,
          next: () => {
            const keys = Array.from({ length: steps }, (_, step) => `d${length + step}`)
            const decisions = Pipeline.sequence(
              "decisions",
              keys.map((key, step) => Primitive.decide(key, { question: question(step), ...(view && { view }) }))
            )
            return async () => {
              thought = await run(Pipeline.run(decisions, thought))
              check(answersOf(thought, keys))
              length += steps
            }
          }
        }
      },
      close
    }
  }

export const recent = grow({ recent: 5 })
export const all = grow(undefined)
