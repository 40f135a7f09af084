/**
 * Providers with one fault each, of the kind that real ones have: a contract that is worth its name finds every one.
 *
 * A mutant wraps a correct provider and breaks one promise of the interface; what it does else is correct.
 */
import {
  type Answer,
  type DecideRequest,
  type DecideResponse,
  extend,
  ProviderError,
  type Request,
  type Response,
  type Shape,
  type StreamPart
} from "cogito/Provider"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { type Mutant, onEnd, onRequest, type Parts } from "./providerChanges.ts"
import { toolMutants } from "./providerToolMutants.ts"

/** With other errors. */
const onError = (change: (error: ProviderError, request: Request) => ProviderError) =>
  onEnd({
    complete: (call, request) => Effect.mapError(call, (error) => change(error, request)),
    stream: (parts, request) => Stream.mapError(parts, (error) => change(error, request))
  })

/** With other answers to closed questions. */
const onDecide = (change: (response: DecideResponse, request: DecideRequest) => DecideResponse) => (provider: Shape) =>
  extend(provider, {
    decide: (request) =>
      Effect.map(provider.decide?.(request) ?? Effect.die("no decide"), (response) => change(response, request))
  })

const changed = (
  { model, provider, reason }: ProviderError,
  fields: Partial<Pick<ProviderError, "provider" | "model" | "reason" | "cause">>
): ProviderError => new ProviderError({ provider, model, reason, ...fields })

const textOf = ({ messages }: Request): string => messages.map(({ text }) => text).join("\n")

export const mutants: ReadonlyArray<Mutant> = [
  {
    name: "an answer whose lines end otherwise",
    mutate: onEnd({
      complete: Effect.map((response) => ({ ...response, text: response.text.replaceAll("\r\n", "\n") }))
    })
  },
  {
    name: "a stream that cuts signs of two units",
    mutate: onEnd({
      stream: Stream.map((part) => (part._tag === "Text" ? { ...part, delta: part.delta.toWellFormed() } : part))
    })
  },
  { name: "a stream without its first piece", mutate: onEnd({ stream: Stream.drop(1) }) },
  {
    name: "a stream that ends twice",
    mutate: onEnd({
      stream: Stream.flatMap((part): Parts =>
        part._tag === "Done" ? Stream.make<[StreamPart, StreamPart]>(part, part) : Stream.succeed(part)
      )
    })
  },
  {
    name: "a stream that ends without its answer",
    mutate: onEnd({ stream: Stream.filter((part) => part._tag === "Text") })
  },
  {
    name: "a stream that forgets its tokens",
    mutate: onEnd({
      stream: Stream.map((part) =>
        part._tag === "Done" ? { ...part, response: { ...part.response, usage: {} } } : part
      )
    })
  },
  {
    name: "a stream that broke off taken for an answer",
    mutate: onEnd({
      stream: Stream.catch(() => Stream.succeed<StreamPart>({ _tag: "Done", response: { text: "", usage: {} } }))
    })
  },
  {
    name: "an answer that broke off taken for a whole one",
    mutate: onEnd({
      complete: Effect.catchIf(
        (error) => error.reason._tag === "Truncated",
        () => Effect.succeed({ text: "The customer", usage: {} })
      )
    })
  },
  {
    name: "tokens that are no number",
    mutate: onEnd({ complete: Effect.map((r) => ({ ...r, usage: { inputTokens: NaN } })) })
  },
  {
    name: "tokens without end",
    mutate: onEnd({
      complete: Effect.map((response) => ({ ...response, usage: { inputTokens: Infinity } })),
      stream: Stream.map((part) =>
        part._tag === "Done" ? { ...part, response: { ...part.response, usage: { inputTokens: Infinity } } } : part
      )
    })
  },
  { name: "a call that cannot be interrupted", mutate: onEnd({ complete: Effect.uninterruptible }) },
  {
    name: "an interruption that does not reach the backend",
    mutate: onEnd({ complete: (call) => Effect.flatMap(Effect.forkDetach(call), Fiber.join) })
  },
  {
    name: "an interrupted call that is made again",
    mutate: onEnd({
      complete: (call) =>
        Effect.onInterrupt(call, () =>
          Effect.flatMap(Effect.forkDetach(call, { startImmediately: true }), Fiber.interrupt)
        )
    })
  },
  {
    name: "an interrupted stream that is read again",
    mutate: onEnd({
      stream: (parts) => {
        const again = Effect.forkDetach(Stream.runDrain(parts), { startImmediately: true })
        return Stream.onExit(parts, (exit) =>
          Exit.hasInterrupts(exit) ? Effect.flatMap(again, Fiber.interrupt) : Effect.void
        )
      }
    })
  },
  {
    name: "a stream that is read on when nobody reads it",
    mutate: onEnd({
      stream: (parts) =>
        Stream.unwrap(
          Effect.map(Effect.forkDetach(Stream.runCollect(parts)), (fiber) =>
            Stream.unwrap(Effect.map(Fiber.join(fiber), Stream.fromIterable))
          )
        )
    })
  },
  { name: "an error of another name", mutate: onError((error) => changed(error, { provider: "somebody" })) },
  { name: "an error of another model", mutate: onError((error) => changed(error, { model: "something" })) },
  {
    name: "an error with the prompt in its message",
    mutate: onError((error, request) =>
      changed(error, { reason: { _tag: "Overloaded", message: `no answer to ${textOf(request)}` } })
    )
  },
  {
    name: "an error with the prompt in its cause",
    mutate: onError((error, request) => changed(error, { cause: { sent: { body: [textOf(request)] } } }))
  },
  {
    name: "every failure is of one kind",
    mutate: onError((error) => changed(error, { reason: { _tag: "Overloaded", message: "it failed" } }))
  },
  {
    name: "a failure that is no error of a provider's",
    // what a provider in JavaScript may fail with
    mutate: onError(() => new Error("it failed") as ProviderError)
  },
  { name: "calls that are made again in secret", mutate: onEnd({ complete: Effect.retry({ times: 1 }) }) },
  {
    name: "a temperature of 0 that is not sent",
    mutate: onRequest((request) => {
      const { temperature, ...rest } = request.sampling
      return { ...request, sampling: { ...rest, ...(temperature ? { temperature } : {}) } }
    })
  },
  {
    name: "a temperature that nobody asked for",
    mutate: onRequest((request) => ({ ...request, sampling: { temperature: 0.7, ...request.sampling } }))
  },
  {
    name: "an answer that claims another temperature",
    mutate: onEnd({ complete: Effect.map((response) => ({ ...response, sampling: { temperature: 1 } })) })
  },
  {
    name: "a form that is not asked for",
    mutate: onRequest(({ task, ...request }) => {
      const { context, instruction, kind, questions } = task
      return { ...request, task: { context, instruction, kind, questions } }
    })
  },
  {
    name: "a system message that is left out",
    mutate: onRequest((request) => ({ ...request, messages: request.messages.filter(({ role }) => role !== "system") }))
  },
  {
    name: "messages from the last to the first",
    mutate: onRequest((request) => ({ ...request, messages: request.messages.toReversed() }))
  },
  {
    name: "a request that is changed",
    mutate: onRequest((request) => Object.assign(request, { sampling: request.sampling }))
  },
  {
    name: "answers that are kept",
    mutate: (provider) => {
      const kept = new Map<string, Response>()
      const complete = (request: Request) =>
        Effect.suspend(() => {
          const known = kept.get(textOf(request))
          return known
            ? Effect.succeed(known)
            : Effect.tap(provider.complete(request), (response) =>
                Effect.sync(() => kept.set(textOf(request), response))
              )
        })
      return extend(provider, { complete })
    }
  },
  {
    name: "a call that is made before it is run",
    mutate: onEnd({
      complete: (call) => {
        const running = Effect.runFork(call)
        return Effect.andThen(Fiber.await(running), call)
      }
    })
  },
  {
    name: "calls at the same time that share their answer",
    mutate: (provider) => {
      let last: Response | undefined
      const complete = (request: Request) =>
        Effect.gen(function* () {
          last = yield* provider.complete(request)
          yield* Effect.yieldNow
          return last
        })
      return extend(provider, { complete })
    }
  },
  {
    name: "prices without a date",
    mutate: (provider) =>
      extend(provider, { capabilities: { ...provider.capabilities, prices: { input: 1, output: 2, asOf: "lately" } } })
  },
  ...toolMutants,
  {
    name: "answers in another order",
    mutate: onDecide((response) => ({ ...response, answers: response.answers.toReversed() }))
  },
  {
    name: "a refusal that takes the answers after it",
    mutate: onDecide(({ answers, ...response }) => {
      const refused = answers.findIndex(({ _tag }) => _tag === "Refusal")
      return { ...response, answers: refused < 0 ? answers : answers.slice(0, refused + 1) }
    })
  },
  {
    name: "probabilities of each label by itself",
    mutate: onDecide((response) => ({
      ...response,
      answers: response.answers.map((answer): Answer =>
        answer._tag === "Choice" ? { ...answer, distribution: { ...answer.distribution, other: 0.9 } } : answer
      )
    }))
  },
  {
    name: "labels that nobody asked for",
    mutate: onDecide((response) => ({
      ...response,
      answers: response.answers.map((answer): Answer =>
        answer._tag === "Score" ? { ...answer, distribution: { ...answer.distribution, happy: 0 } } : answer
      )
    }))
  }
]
