/** Questions that runs wait for, and their answers. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Memory, MemoryError } from "../Memory.ts"
import { answer, waiting } from "../Pipeline.ts"
import { misfit } from "../schema/misfit.ts"
import type { Ledger } from "../Store.ts"
import { json, problem, type Reply } from "./reply.ts"
import type { Question, QuestionsPage } from "./model.ts"

const most = 200

const questionOf = (wait: Ledger.WaitRow): Question => {
  const { createdMillis, dueMillis, frame, key, prompt, runId, schema, thoughtId } = wait
  return {
    runId,
    thoughtId,
    frame,
    key,
    prompt,
    schema,
    createdMillis,
    ...(dueMillis === undefined ? {} : { dueMillis })
  }
}

/** The questions of all runs, or of one; the oldest first. */
export const questionsPage = (runId: string | undefined): Effect.Effect<QuestionsPage, MemoryError, Memory> =>
  Effect.map(waiting({ limit: most + 1, ...(runId === undefined ? {} : { runId }) }), (found) => ({
    questions: found.slice(0, most).map(questionOf),
    isCut: found.length > most
  }))

const Given = Schema.fromJsonString(
  Schema.Struct({
    runId: Schema.NonEmptyString,
    frame: Schema.NonEmptyString,
    value: Schema.Unknown,
    by: Schema.optionalKey(Schema.NonEmptyString)
  })
)

const misfitIn = (error: Schema.SchemaError): string => `The answer does not fit: ${misfit(error)}.`

/** Gives an answer, as `Pipeline.answer` does. */
export const give = (body: string): Effect.Effect<Reply, MemoryError, Memory> =>
  Schema.decodeEffect(Given)(body).pipe(
    Effect.matchEffect({
      onFailure: () => Effect.succeed(problem(400, "The request is no answer.")),
      onSuccess: ({ by, frame, runId, value }) =>
        Effect.as(answer(runId, frame, value, by === undefined ? {} : { by }), json({ done: true }))
    }),
    Effect.catchTags({
      SchemaError: (error) => Effect.succeed(problem(422, misfitIn(error))),
      AlreadyAnswered: ({ message }) => Effect.succeed(problem(409, message)),
      AnswerTooLate: ({ message }) => Effect.succeed(problem(409, message))
    })
  )
