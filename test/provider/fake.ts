/** A provider that answers as a test says, in each of the three kinds of calls, and remembers what it was asked. */
import { Clock, Duration, Effect, Layer, Stream } from "effect"
import { Provider } from "cogito"

export type Kind = "complete" | "stream" | "decide"
export const kinds: ReadonlyArray<Kind> = ["complete", "stream", "decide"]

interface Call {
  readonly kind: Kind
  readonly request: Provider.Request | Provider.DecideRequest
  readonly at: number
}

export type Reply = Effect.Effect<Partial<Provider.Response>, Provider.ProviderError>

export interface Fake {
  readonly provider: Provider.Shape
  readonly layer: Layer.Layer<Provider.Provider>
  readonly calls: ReadonlyArray<Call>
  /** Times of the calls. */
  readonly times: () => ReadonlyArray<number>
  /** How many calls were interrupted, and how many streams let go of before their end. */
  readonly dropped: () => number
}

/** Answers the call with that number, from 0. A stream gives its text in two pieces, and then fails as `broken` says. */
export const fake = (
  reply: (call: number, request: Provider.Request | Provider.DecideRequest) => Reply,
  options: {
    readonly name?: string
    readonly model?: string
    readonly capabilities?: Partial<Provider.Capabilities>
    readonly broken?: (call: number) => Provider.ProviderError | undefined
    readonly decides?: boolean
  } = {}
): Fake => {
  const calls: Array<Call> = []
  let dropped = 0
  const asked = (kind: Kind, request: Provider.Request | Provider.DecideRequest) =>
    Effect.flatMap(Clock.currentTimeMillis, (at) => {
      const number = calls.push({ kind, request, at }) - 1
      return reply(number, request).pipe(
        Effect.map((response) => ({ number, response: { text: "Hello there", usage: {}, ...response } })),
        Effect.onInterrupt(() => Effect.sync(() => void dropped++))
      )
    })
  const provider = Provider.make({
    name: options.name ?? "fake",
    model: options.model ?? "fake-1",
    capabilities: { tools: true, ...options.capabilities },
    complete: (request) => Effect.map(asked("complete", request), ({ response }) => response),
    stream: (request) =>
      Stream.unwrap(
        Effect.map(asked("stream", request), ({ number, response }) => {
          const middle = Math.ceil(response.text.length / 2)
          const pieces = [response.text.slice(0, middle), response.text.slice(middle)].map((delta) => ({
            _tag: "Text" as const,
            delta
          }))
          const broken = options.broken?.(number)
          let ended = false
          return Stream.concat(
            // one at a time, as they come from a socket
            Stream.rechunk(Stream.fromArray<Provider.StreamPart>(pieces), 1),
            broken === undefined ? Stream.make<[Provider.StreamPart]>({ _tag: "Done", response }) : Stream.fail(broken)
          ).pipe(
            Stream.tap((part) => Effect.sync(() => void (ended = part._tag === "Done"))),
            Stream.ensuring(Effect.sync(() => void (ended || broken !== undefined || dropped++)))
          )
        })
      ),
    ...(options.decides !== false && {
      decide: (request: Provider.DecideRequest) =>
        Effect.map(asked("decide", request), ({ response: { text, ...rest } }) => ({
          ...rest,
          answers: [{ _tag: "Refusal" as const, name: text }]
        }))
    })
  })
  return {
    provider,
    layer: Layer.succeed(Provider.Provider, provider),
    calls,
    times: () => calls.map(({ at }) => at),
    dropped: () => dropped
  }
}

type Reason = Provider.ProviderError["reason"]["_tag"]

export const failing = (
  tag: Exclude<Reason, "BudgetExceeded" | "ReplayMismatch">,
  more: {
    readonly retryAfter?: Duration.Input
    readonly usage?: Provider.Usage
    readonly provider?: string
    readonly model?: string
    readonly requestId?: string
    readonly cause?: unknown
  } = {}
): Provider.ProviderError => {
  const { cause, model = "fake-1", provider = "fake", requestId, retryAfter, usage } = more
  const after = retryAfter === undefined ? {} : { retryAfter: Duration.fromInputUnsafe(retryAfter) }
  return new Provider.ProviderError({
    provider,
    model,
    reason: { _tag: tag, message: "planted", ...after },
    ...(usage === undefined ? {} : { usage }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(cause === undefined ? {} : { cause })
  })
}

export const request: Provider.Request = {
  messages: [{ role: "user", text: "Is this urgent?" }],
  task: { kind: "test", instruction: "Answer.", questions: [], context: [] },
  phase: "reason",
  sampling: { temperature: 0 }
}

/** What a call of any kind came to. */
export interface Outcome extends Omit<Provider.Response, "text"> {
  readonly text: string
  readonly pieces: ReadonlyArray<string>
}

export const ask = (
  kind: Kind,
  provider: Provider.Shape,
  asked: Provider.Request = request
): Effect.Effect<Outcome, Provider.ProviderError> => {
  if (kind === "complete") return Effect.map(provider.complete(asked), (response) => ({ ...response, pieces: [] }))
  if (kind === "decide") {
    if (provider.decide === undefined) return Effect.die(new Error("no native decisions"))
    return Effect.map(provider.decide(asked), ({ answers, ...rest }) => ({
      ...rest,
      text: answers.map(({ name }) => name).join(),
      pieces: []
    }))
  }
  return Effect.flatMap(Stream.runCollect(provider.stream(asked)), (parts) => {
    const done = parts.at(-1)
    if (done?._tag !== "Done") return Effect.die(new Error("a stream without an end"))
    const pieces = parts.flatMap((part) => (part._tag === "Text" ? [part.delta] : []))
    return Effect.succeed({ ...done.response, pieces })
  })
}

/** Runs something with the provider that a layer makes of another one. */
export const through =
  <E, R>(
    layer: Layer.Layer<Provider.Provider, E, R>
  ): (<A, E2, R2>(
    program: (provider: Provider.Shape) => Effect.Effect<A, E2, R2>
  ) => Effect.Effect<A, E | E2, R | Exclude<R2, Provider.Provider>>) =>
  (program) =>
    Effect.provide(Effect.flatMap(Provider.Provider, program), layer)
