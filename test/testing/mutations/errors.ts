/** Failures that are wrong in one place. */
import { extend, ProviderError, type Request, type Shape } from "cogito/Provider"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type Mutation, onProvider, type Way, ways } from "./mutation.ts"
import { secret } from "./subject.ts"

const textOf = ({ messages }: Pick<Request, "messages">): string => messages.map(({ text }) => text).join("\n")

type Fields = Partial<Pick<ProviderError, "provider" | "model" | "reason" | "cause" | "usage">>

const altered = ({ model, provider, reason }: ProviderError, fields: Fields): ProviderError =>
  new ProviderError({ provider, model, reason, ...fields })

const showing = (error: ProviderError, name: string, shown: unknown): ProviderError =>
  Object.defineProperty(altered(error, {}), name, { value: shown, configurable: true })

const errors: ReadonlyArray<readonly [name: string, change: (error: ProviderError, request: string) => unknown]> = [
  ["of another provider", (error) => altered(error, { provider: "other" })],
  ["of another model", (error) => altered(error, { model: "other" })],
  ["that uses less than nothing", (error) => altered(error, { usage: { inputTokens: -1 } })],
  ["without a message", (error) => altered(error, { reason: { ...error.reason, message: " " } })],
  ["of another kind", ({ reason: { message } }) => new Error(message)],
  [
    "of another kind with the same fields",
    ({ model, provider, reason }) => Object.assign(new Error(reason.message), { provider, model, reason })
  ],
  ["with the prompt in its message", (error, text) => altered(error, { reason: { ...error.reason, message: text } })],
  ["with the prompt in its cause", (error, text) => altered(error, { cause: { sent: { body: [text] } } })],
  ["with the prompt in its JSON", (error, text) => showing(error, "toJSON", () => text)],
  ["with the prompt as its text", (error, text) => showing(error, "toString", () => text)],
  ["with the secret in its message", (error) => altered(error, { reason: { ...error.reason, message: secret } })],
  ["with the secret in its cause", (error) => altered(error, { cause: new Error(`Bearer ${secret}`) })],
  ["with the secret in its JSON", (error) => showing(error, "toJSON", () => secret)],
  ...(["RateLimited", "Overloaded"] as const).map(
    (_tag) =>
      [
        `with the reason ${_tag}`,
        (error: ProviderError) => altered(error, { reason: { _tag, message: "sorry" } })
      ] as const
  )
]

const failing = ["RateLimited", "Truncated", "InvalidRequest", "Unsupported"] as const

const onError = (
  name: string,
  way: Way | "decide",
  change: (error: ProviderError, request: string) => unknown
): Mutation =>
  onProvider(`${way}: ${name}`, (provider: Shape) => {
    const of = (request: Pick<Request, "messages">) => (error: ProviderError) =>
      change(error, textOf(request)) as ProviderError
    if (way === "decide") {
      return extend(provider, { decide: (request) => Effect.mapError(provider.decide!(request), of(request)) })
    }
    return extend(
      provider,
      way === "complete"
        ? { complete: (request) => Effect.mapError(provider.complete(request), of(request)) }
        : { stream: (request) => Stream.mapError(provider.stream(request), of(request)) }
    )
  })

export const errorMutations: ReadonlyArray<Mutation> = [
  ...ways.flatMap((way) =>
    failing.flatMap((tag) =>
      errors.map(([name, change]) =>
        onError(`error ${tag} ${name}`, way, (error, text) => (error.reason._tag === tag ? change(error, text) : error))
      )
    )
  ),
  ...errors.map(([name, change]) => onError(`error ${name}`, "decide", change)),
  ...failing.map((tag) =>
    onProvider(`complete: an answer in the place of ${tag}`, (provider) =>
      extend(provider, {
        complete: (request) =>
          Effect.catchIf(
            provider.complete(request),
            ({ reason: { _tag } }) => _tag === tag,
            () => Effect.succeed({ text: "The", usage: {} })
          )
      })
    )
  )
]
