import { Effect, Schema } from "effect"
import { message, type Prepare, question, reply, steps } from "./task.ts"

const Decision = Schema.Struct({
  decision: Schema.Boolean,
  confidence: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })),
  reasoning: Schema.NonEmptyArray(Schema.String)
})
const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Decision))

/** A loop of Effect that calls the model and decodes what it writes. */
export const loop: Prepare = async (latency) => {
  let calls = 0
  const complete = (_prompt: string) =>
    Effect.suspend(() => {
      calls++
      const text = Effect.succeed(reply)
      return latency === 0 ? text : Effect.delay(text, latency)
    })
  const program = Effect.gen(function* () {
    const answers: Array<typeof Decision.Type> = []
    for (let step = 0; step < steps; step++) {
      answers.push(yield* decode(yield* complete(`${message}\n\n${question(step)}`)))
    }
    return answers
  }).pipe(Effect.withTracerEnabled(false))
  return { run: () => Effect.runPromise(program), calls: () => calls, close: async () => {} }
}
