/** Providers whose fault is so small that one check of the contract alone finds it. */
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
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type Mutant, onEnd, onRequest, type Parts } from "./providerChanges.ts"

const odd = { inputTokens: NaN }
const dated = { input: 1, output: 2, asOf: "2026-11-01" }

const saying = (capabilities: Partial<Shape["capabilities"]>) => (provider: Shape) =>
  extend(provider, { capabilities: { ...provider.capabilities, ...capabilities } })

/** With another answer at the end of a stream. */
const onDone = (change: (response: Response, request: Request) => Response) =>
  onEnd({
    stream: (parts, request) =>
      Stream.map(parts, (part): StreamPart =>
        part._tag === "Done" ? { ...part, response: change(part.response, request) } : part
      )
  })

const onWhole = (change: (response: Response, request: Request) => Response) =>
  onEnd({ complete: (call, request) => Effect.map(call, (response) => change(response, request)) })

/** With something more in a stream that breaks off. */
const onBroken = (more: StreamPart, isOf: (request: Request) => boolean) =>
  onEnd({
    stream: (parts, request) =>
      Stream.catch(parts, (error): Parts =>
        isOf(request) ? Stream.concat(Stream.succeed(more), Stream.fail(error)) : Stream.fail(error)
      )
  })

const onDecide = (change: (response: DecideResponse) => DecideResponse) => (provider: Shape) =>
  extend(provider, {
    decide: (request) => Effect.map(provider.decide?.(request) ?? Effect.die("no decide"), change)
  })

const onAnswer = (change: (answer: Answer) => Answer) =>
  onDecide((response) => ({ ...response, answers: response.answers.map(change) }))

const onQuestions = (change: (request: DecideRequest) => DecideRequest) => (provider: Shape) =>
  extend(provider, { decide: (request) => provider.decide?.(change(request)) ?? Effect.die("no decide") })

const hasTools = ({ tools }: Request) => tools !== undefined

type Reason = ProviderError["reason"]

const withReason = ({ model, provider }: ProviderError, _tag: "RateLimited" | "Overloaded" | "Unsupported") =>
  new ProviderError({ provider, model, reason: { _tag, message: "it failed" } })

const onReason = (change: (error: ProviderError, tag: Reason["_tag"]) => ProviderError) =>
  onEnd({
    complete: Effect.mapError((error) => change(error, error.reason._tag)),
    stream: Stream.mapError((error) => change(error, error.reason._tag))
  })

export const slips: ReadonlyArray<Mutant> = [
  {
    name: "an answer whose tokens are no number",
    mutate: onWhole((response, request) =>
      hasTools(request) ? response : { ...response, usage: { ...response.usage, ...odd } }
    )
  },
  {
    name: "a failure that has used less than nothing",
    mutate: onEnd({
      complete: Effect.mapError(
        ({ model, provider, reason }) => new ProviderError({ provider, model, reason, usage: { inputTokens: -1 } })
      )
    })
  },
  {
    name: "calls whose tokens are no number",
    mutate: onWhole((response, request) => (hasTools(request) ? { ...response, usage: odd } : response))
  },
  {
    name: "a stream whose tokens are no number",
    mutate: onDone((response) => ({ ...response, usage: { ...response.usage, ...odd } }))
  },
  { name: "an effort that is there twice", mutate: saying({ efforts: ["low", "low"] }) },
  { name: "no room for a prompt", mutate: saying({ contextTokens: 0 }) },
  { name: "no room for an answer", mutate: saying({ outputTokens: 0 }) },
  { name: "a prompt that earns money", mutate: saying({ prices: { ...dated, input: -1 } }) },
  { name: "an answer that earns money", mutate: saying({ prices: { ...dated, output: -1 } }) },
  {
    name: "an older message that is left out",
    mutate: onRequest((request) => ({
      ...request,
      messages: request.messages.filter(({ text }) => text !== "user-1")
    }))
  },
  {
    name: "two messages that change places",
    mutate: onRequest((request) => {
      const { messages } = request
      const [system, user, assistant, ...rest] = messages
      return assistant?.text === "assistant-1"
        ? { ...request, messages: [system!, assistant, user!, ...rest] }
        : request
    })
  },
  {
    name: "failures that are taken for each other",
    mutate: onReason((error, tag) =>
      tag === "Overloaded" || tag === "RateLimited"
        ? withReason(error, tag === "Overloaded" ? "RateLimited" : "Overloaded")
        : error
    )
  },
  {
    name: "a refusal of what cannot be sent that says otherwise",
    mutate: onReason((error, tag) => (tag === "InvalidRequest" ? withReason(error, "Unsupported") : error))
  },
  {
    name: "a refusal of what cannot be sent that sends something",
    mutate: (provider) =>
      onEnd({
        complete: Effect.tapError(({ reason: { _tag } }) =>
          _tag === "InvalidRequest"
            ? provider.complete({
                messages: [{ role: "user", text: "Hello" }],
                task: { kind: "test", instruction: "", questions: [], context: [] },
                phase: "reason",
                sampling: {}
              })
            : Effect.void
        )
      })(provider)
  },
  {
    name: "a broken answer whose error names another model",
    mutate: onEnd({
      complete: (call, request) =>
        Effect.mapError(call, (error) =>
          error.reason._tag === "Truncated" && !hasTools(request)
            ? new ProviderError({ provider: error.provider, model: "something", reason: error.reason })
            : error
        )
    })
  },
  {
    name: "a broken stream with a word of its own",
    mutate: onBroken({ _tag: "Text", delta: " so on." }, (request) => !hasTools(request))
  },
  {
    name: "a broken call with parameters of its own",
    mutate: onBroken({ _tag: "Call", id: "call_1", name: "weather", delta: `{"city":"Bonn"}` }, hasTools)
  },
  {
    name: "an answer after a failure that repeats it",
    mutate: (provider) => {
      let failed = false
      return onEnd({
        complete: (call) =>
          call.pipe(
            Effect.map((response) => (failed ? { ...response, text: `half of ${response.text}` } : response)),
            Effect.tapError(() => Effect.sync(() => (failed = true)))
          )
      })(provider)
    }
  },
  {
    name: "an interruption that is taken for a failure",
    mutate: (provider) =>
      onEnd({
        complete: (call) =>
          Effect.uninterruptibleMask((restore) =>
            Effect.catchCauseIf(restore(call), Cause.hasInterrupts, () =>
              Effect.fail(
                new ProviderError({
                  provider: provider.name,
                  model: provider.model,
                  reason: { _tag: "Overloaded", message: "interrupted" }
                })
              )
            )
          )
      })(provider)
  },
  {
    name: "a text beside calls that is lost",
    mutate: onWhole((response) => (response.calls === undefined ? response : { ...response, text: "" }))
  },
  {
    name: "a stream whose calls are written anew at its end",
    mutate: onDone((response) =>
      response.calls === undefined
        ? response
        : { ...response, calls: response.calls.map((call) => ({ ...call, params: `${call.params} ` })) }
    )
  },
  {
    name: "a stream that carries something else beside calls",
    mutate: onDone((response) =>
      response.calls === undefined ? response : { ...response, carry: { provider: "house", model: "m-1", data: 1 } }
    )
  },
  {
    name: "a stream that gives the text beside calls at its end only",
    mutate: onEnd({
      stream: (parts, request) => (hasTools(request) ? Stream.filter(parts, (part) => part._tag !== "Text") : parts)
    })
  },
  {
    name: "an answer without calls that has a list of them",
    mutate: onWhole((response) => ({ calls: [], ...response }))
  },
  {
    name: "an answer to results that says more",
    mutate: onWhole((response, { messages }) =>
      messages.some(({ results }) => results !== undefined)
        ? { ...response, text: `${response.text} It snows.` }
        : response
    )
  },
  {
    name: "an answer to another question",
    mutate: onAnswer((answer) => (answer._tag === "Predicate" ? { ...answer, name: "other" } : answer))
  },
  {
    name: "a refusal that is taken for a no",
    mutate: onAnswer((answer) =>
      answer._tag === "Refusal" ? { _tag: "Predicate", name: answer.name, probability: 0 } : answer
    )
  },
  {
    name: "a choice that is not the likeliest",
    mutate: onAnswer((answer) => (answer._tag === "Choice" ? { ...answer, label: "other" } : answer))
  },
  {
    name: "a score above the highest level",
    mutate: onAnswer((answer) => (answer._tag === "Score" ? { ...answer, value: 10.5 } : answer))
  },
  {
    name: "a score below the lowest level",
    mutate: onAnswer((answer) => (answer._tag === "Score" ? { ...answer, value: -0.5 } : answer))
  },
  {
    name: "an answer that nobody asked for",
    mutate: onDecide((response) => ({
      ...response,
      answers: [...response.answers, { _tag: "Predicate", name: "other", probability: 1 }]
    }))
  },
  {
    name: "answers whose tokens are no number",
    mutate: onDecide((response) => ({ ...response, usage: odd }))
  },
  {
    name: "a question in other words",
    mutate: onQuestions((request) => ({
      ...request,
      task: { ...request.task, questions: request.task.questions.map((one) => ({ ...one, question: "Is it?" })) }
    }))
  },
  {
    name: "a decision that fails otherwise",
    mutate: (provider) =>
      extend(provider, {
        decide: (request) =>
          Effect.mapError(provider.decide?.(request) ?? Effect.die("no decide"), (error) =>
            withReason(error, "RateLimited")
          )
      })
  }
]
