/** What chooses among candidates: diversity, and a second look. */
import { Memory } from "cogito"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { corpus, lines } from "./corpus.ts"
import { scene } from "./stage.ts"

const query = "storm and lost parcel"

/** Scores by the length of the text, and what was asked. */
const scoring = () => {
  const asked: Array<unknown> = []
  const score: Memory.Rerank["score"] = (text, notes) => {
    asked.push({ text, keys: notes.map(({ key }) => key) })
    return Effect.succeed(notes.map(({ content }) => 100 - content.length))
  }
  return { asked, score }
}

const reranking = (options: Omit<Memory.Rerank, "score">, more: Memory.SearchOptions = {}) =>
  Effect.gen(function* () {
    const { asked, score } = scoring()
    const result = yield* Memory.search(query, { ...more, rerank: { ...options, score } })
    return { asked, ...lines(result) }
  })

const scored = (score: Memory.Rerank["score"], deadline?: "3 seconds") =>
  Effect.map(
    Memory.search(query, { limit: 3, rerank: { score, ...(deadline === undefined ? {} : { deadline }) } }),
    lines
  )

export const choosingScenes = [
  scene("Matches that differ", ({ show }) =>
    Effect.gen(function* () {
      yield* corpus
      for (const diversity of [0, 0.25, 0.5, 1]) {
        yield* show(`diversity ${diversity}`, Effect.map(Memory.search(query, { diversity, limit: 4 }), lines))
      }
      const filtered = { diversity: 0.6, limit: 2, sources: ["clerk", "model"] }
      yield* show("with a filter", Effect.map(Memory.search(query, filtered), lines))
      yield* show(
        "by words alone",
        Effect.map(Memory.search(query, { diversity: 0.9, fusion: { vectorWeight: 0 } }), lines)
      )
    })
  ),
  scene("A second look at the candidates", ({ show }) =>
    Effect.gen(function* () {
      yield* corpus
      yield* show("all", reranking({}))
      yield* show("three candidates", reranking({ candidates: 3 }))
      yield* show("more candidates than matches", reranking({ candidates: 6 }, { limit: 2 }))
      yield* show("fewer candidates than matches", reranking({ candidates: 1 }, { limit: 4 }))
      yield* show("with diversity", reranking({ candidates: 4 }, { limit: 2, diversity: 0.8 }))
      yield* show("with a filter", reranking({}, { taskId: "ticket-3" }))
      yield* show("nothing to look at", reranking({}, { keys: ["nothing"] }))
    })
  ),
  scene("A second look that goes wrong", ({ show }) =>
    Effect.gen(function* () {
      yield* corpus
      yield* show(
        "it fails",
        scored(() => Effect.fail("no model"))
      )
      yield* show(
        "it dies",
        scored(() => Effect.die(new Error("broken")))
      )
      yield* show(
        "it throws",
        scored(() => {
          throw new Error("broken")
        })
      )
      yield* show(
        "too few scores",
        scored(() => Effect.succeed([1]))
      )
      yield* show(
        "a score that is none",
        scored((_, notes) => Effect.succeed(notes.map(() => Number.NaN)))
      )
      yield* show(
        "no list",
        scored(() => Effect.succeed("best" as never))
      )
      const waiting = Effect.fnUntraced(function* (
        program: Effect.Effect<unknown, unknown, Memory.Memory>,
        seconds: number
      ) {
        const fiber = yield* Effect.forkChild(program, { startImmediately: true })
        let waited = 0
        while (fiber.pollUnsafe() === undefined) {
          yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 2)))
          // the search has come to the second look
          if (begun) {
            yield* TestClock.adjust(`${seconds} seconds`)
            waited += seconds
          }
        }
        return { waited, ...((yield* Fiber.join(fiber)) as object) }
      })
      let begun = false
      const never = Effect.suspend(() => {
        begun = true
        return Effect.never
      })
      yield* show(
        "it never answers",
        waiting(
          scored(() => never),
          1
        )
      )
      yield* show(
        "it answers after the deadline",
        waiting(
          scored((_, notes) => Effect.delay(Effect.succeed(notes.map(() => 1)), "4 seconds"), "3 seconds"),
          1
        )
      )
    })
  )
]
