import * as Effect from "effect/Effect"
import { Memory, Pipeline, Primitive, Provider, Thought } from "cogito"

const urgent = Primitive.decide("urgent", { question: "Does this need an answer today?" })

/** With a memory of the caller's own. */
export const run = (
  message: string,
  ask: (text: string) => Promise<string>,
  memory: Memory.Shape
): Promise<boolean> => {
  const complete: Provider.Shape["complete"] = ({ messages }) =>
    Effect.map(
      Effect.promise(() => ask(messages.at(-1)?.text ?? "")),
      (text) => ({ text, usage: {} })
    )
  return Effect.gen(function* () {
    const done = yield* Pipeline.run(urgent, yield* Thought.make("sort the mail", { message }))
    return done.get("urgent").decision
  }).pipe(
    Effect.provideService(Provider.Provider, Provider.make({ name: "own", model: "own", complete })),
    Effect.provideService(Memory.Memory, memory),
    Effect.runPromise
  )
}
