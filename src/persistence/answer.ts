/** The stored form of answers. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { DecideResponse, Response } from "../Provider.ts"
import { Calls, Carry } from "../recording/messages.ts"
import { Answer, Sampling } from "../recording/Recording.ts"

const Answered = {
  provider: Schema.optionalKey(Schema.String),
  model: Schema.optionalKey(Schema.String),
  id: Schema.optionalKey(Schema.String)
}

const Kept = Schema.Union([
  Schema.Struct({
    ...Answered,
    text: Schema.String,
    calls: Schema.optionalKey(Calls),
    carry: Schema.optionalKey(Carry),
    sampling: Schema.optionalKey(Sampling)
  }),
  Schema.Struct({
    ...Answered,
    answers: Schema.Array(Answer),
    probabilitiesFrom: Schema.optionalKey(Schema.Literals(["measured", "logprobs"]))
  })
])

const decodeKept = Schema.decodeUnknownEffect(Kept)

/** The answer. Undefined for any other value, such as the form of another version. */
export const decode = (kept: unknown): Effect.Effect<Response | DecideResponse | undefined> =>
  decodeKept(kept).pipe(
    Effect.map((answer) => ({ ...answer, usage: {} })),
    Effect.orElseSucceed(() => undefined)
  )

export const encode = (answer: Response | DecideResponse): Effect.Effect<object, Schema.SchemaError> =>
  Schema.encodeEffect(Kept)(answer)
