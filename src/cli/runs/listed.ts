/** What is listed of runs beside their rows: their answers, the questions that they wait for, and which process has them. */
import * as Effect from "effect/Effect"
import type { MemoryError, Shape } from "../../Memory.ts"
import type { Note } from "../../Note.ts"
import type { Ledger } from "../../Store.ts"
import { answersIn, notesIn } from "./answers.ts"
import { heldOf, thoughtOf } from "./run.ts"

export interface Listed {
  readonly run: Ledger.RunRow
  readonly held: ReadonlyArray<string>
  readonly answers: ReadonlyArray<Note>
  readonly questions: ReadonlyArray<Ledger.WaitRow>
}

/** Most questions of a scope that are read at once, and of one run where a scope has more. */
const mostQuestions = 500

/** A server that is far away answers several requests in the time of one. */
const atATime = { concurrency: 10 }

/** The runs with what is listed of them. Loads each thought once, however many runs are on it. */
export const listedOf = Effect.fnUntraced(function* (
  memory: Pick<Shape, "ledger" | "load">,
  runs: ReadonlyArray<Ledger.RunRow>
): Effect.fn.Return<ReadonlyArray<Listed>, MemoryError> {
  const answers = yield* answersOfAll(memory, runs)
  const questions = yield* questionsOf(memory, runs)
  return yield* Effect.forEach(runs, (run) =>
    Effect.map(heldOf(memory, run), (held): Listed => ({
      run,
      held,
      answers: answers.get(run.id) ?? [],
      questions: questions.get(run.id) ?? []
    }))
  )
})

type Each<A> = ReadonlyMap<string, ReadonlyArray<A>>

/** The answers of each run. Runs on one thought, such as those of a conversation, share its notes. */
const answersOfAll = (
  memory: Pick<Shape, "load">,
  runs: ReadonlyArray<Ledger.RunRow>
): Effect.Effect<Each<Note>, MemoryError> =>
  Effect.map(
    Effect.forEach(
      Map.groupBy(runs, thoughtOf),
      ([thoughtId, those]) =>
        Effect.map(notesIn(memory, thoughtId), (notes) => those.map((run) => [run.id, answersIn(notes, run)] as const)),
      atATime
    ),
    (found) => new Map(found.flat())
  )

/** The open questions of each run. */
const questionsOf = Effect.fnUntraced(function* (
  { ledger }: Pick<Shape, "ledger">,
  runs: ReadonlyArray<Ledger.RunRow>
): Effect.fn.Return<Each<Ledger.WaitRow>, MemoryError> {
  const asking = runs.filter(({ status }) => status !== "completed")
  if (asking.length === 0) return new Map()
  const open = yield* ledger.waits({ limit: mostQuestions })
  if (open.length < mostQuestions) return Map.groupBy(open, ({ runId }) => runId)
  const each = ({ id: runId }: Ledger.RunRow) =>
    Effect.map(ledger.waits({ runId, limit: mostQuestions }), (waits) => [runId, waits] as const)
  return new Map(yield* Effect.forEach(asking, each, atATime))
})
