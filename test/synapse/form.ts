import { Effect } from "effect"
import { type Note, Synapse } from "cogito"
import { Testing } from "cogito/testing"

/** The form that a model is given, and what comes of answers in it. */
export const form = (schema: () => Note.AnySchema<any>, ...answers: ReadonlyArray<string | object>) =>
  Effect.gen(function* () {
    const model = Testing.scripted(answers.length === 0 ? [{}] : answers)
    const extract = Synapse.extract(schema(), { prompt: "Extract it", repairs: 0, parsing: "strict" })
    const results: Array<unknown> = []
    for (const _ of model.remaining() === 0 ? [] : Array.from({ length: model.remaining() })) {
      const answer = Effect.provide(extract("text"), model.layer)
      results.push(yield* Effect.catchTag(answer, "ResponseError", ({ issues }) => Effect.succeed(issues)))
    }
    return {
      form: JSON.stringify(model.requests[0]?.task.output?.jsonSchema, undefined, 1),
      answers: answers.length === 0 ? undefined : results
    }
  }).pipe(Effect.catchDefect((defect) => Effect.succeed({ throws: defect instanceof Error ? defect.message : defect })))
