/** Errors for services that a program did not provide, each with the line that adds the service. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

const advice: Readonly<Record<string, string>> = {
  "cogito/Memory":
    'There is no memory. Provide one: Effect.provide(Testing.memory) of "cogito/testing", or PgliteMemory.layer({ dataDir }) of ' +
    '"cogito/pglite"; Pipeline.runPromise takes it as `layer`.',
  "cogito/Provider":
    'There is no provider of a model. Provide one: Effect.provide(OpenAi.layer({ model, apiKey })) of "cogito/openai", ' +
    'Anthropic.layer of "cogito/anthropic", or Local.extractive of "cogito/local"; Pipeline.runPromise takes it as `layer`.',
  "cogito/Embedder":
    'There is no embedder. Provide one to the memory: Layer.provide(Local.embedder) of "cogito/local", or OpenAi.embedder({ model, ' +
    'apiKey }) of "cogito/openai". In the list of Cogito.make it comes after the memory.',
  "cogito/Pipeline/Supervisor":
    "There is no supervisor of background work. Provide one: Effect.provide(Pipeline.supervisor())."
}

/**
 * Returns the service. If it is missing, which the types prevent, dies with an error that names the line that provides
 * it.
 */
export const needed = <I, S>(service: Context.Key<I, S>): Effect.Effect<S, never, I> =>
  Effect.withFiber((fiber) => {
    const found = Context.getOption(fiber.context, service)
    return Option.isSome(found)
      ? Effect.succeed(found.value)
      : Effect.die(new Error(advice[service.key] ?? `The service ${service.key} is not provided.`))
  })
