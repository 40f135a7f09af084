/** Metrics from signals, by OpenTelemetry's conventions for generative AI, and some of cogito's own. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Signal from "../Signal.ts"

type Call = Extract<Signal.Signal, { readonly _tag: "CallCompleted" | "CallFailed" }>

/** The bounds of buckets that the conventions give. */
const seconds = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
const counts = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864]

const histogram = (name: string, description: string, unit: string, boundaries: ReadonlyArray<number>) =>
  Metric.histogram(name, { description, boundaries, attributes: { unit } })
const counter = (name: string, description: string, unit: string) =>
  Metric.counter(name, { description, attributes: { unit } })

const tokens = histogram("gen_ai.client.token.usage", "Number of input and output tokens used.", "{token}", counts)
const durations = histogram("gen_ai.client.operation.duration", "GenAI operation duration.", "s", seconds)
const steps = histogram("cogito.step.duration", "How long steps run.", "s", seconds)
const money = counter("cogito.cost", "What calls of models cost, where prices are known.", "USD")
const attempts = counter(
  "cogito.attempts.failed",
  "Attempts that failed and were followed by another one.",
  "{attempt}"
)
const hits = counter("cogito.cache.hits", "Calls that a cache answered.", "{call}")
const active = counter("cogito.calls.active", "Calls of models that run now.", "{call}")
const waits = counter("cogito.throttle.waits", "Waits because of a rate or concurrency limit.", "{wait}")
const waited = histogram(
  "cogito.throttle.wait.duration",
  "How long runs wait for a rate limit, where known.",
  "s",
  seconds
)
const crossings = counter("cogito.budget.crossings", "Limits of budgets that were reached.", "{crossing}")
const repairs = counter("cogito.answers.rejected", "Answers that did not have their form.", "{answer}")

/** Records metrics of a program, as a layer. */
export const layer: Layer.Layer<never> = Layer.unwrap(
  Effect.map(Effect.context(), (context) => {
    const record = (
      metric: Metric.Metric<number, unknown>,
      value: number,
      attributes: Readonly<Record<string, string | undefined>> = {}
    ): void => {
      const known = Object.entries(attributes).filter((entry): entry is [string, string] => entry[1] !== undefined)
      Metric.withAttributes(metric, Object.fromEntries(known)).updateUnsafe(value, context)
    }

    const usage = (call: Call): void => {
      const of = modelOf(call)
      const { inputTokens, outputTokens } = call.usage
      if (inputTokens !== undefined) record(tokens, inputTokens, { ...of, "gen_ai.token.type": "input" })
      if (outputTokens !== undefined) record(tokens, outputTokens, { ...of, "gen_ai.token.type": "output" })
    }

    return Signal.layer({
      CallStarted: () => record(active, 1),
      CallCompleted: (call) => {
        record(active, -1)
        if (call.replayed === true) return
        if (call.cached === true) return record(hits, 1, modelOf(call))
        record(durations, call.durationMillis / 1000, modelOf(call))
        usage(call)
        if (call.usd !== undefined) record(money, call.usd, modelOf(call))
      },
      CallFailed: (call) => {
        record(active, -1)
        if (call.replayed === true) return
        record(durations, call.durationMillis / 1000, { ...modelOf(call), "error.type": call.error })
        usage(call)
      },
      EmbeddingCompleted: ({ durationMillis, embedder }) =>
        record(durations, durationMillis / 1000, embeddingBy(embedder)),
      EmbeddingFailed: ({ durationMillis, embedder, error }) =>
        record(durations, durationMillis / 1000, { ...embeddingBy(embedder), "error.type": error }),
      StepCompleted: ({ durationMillis, kind, replayed }) => {
        if (replayed !== true) record(steps, durationMillis / 1000, { "cogito.step.kind": kind })
      },
      StepFailed: ({ durationMillis, error, kind }) =>
        record(steps, durationMillis / 1000, { "cogito.step.kind": kind, "error.type": error }),
      AttemptFailed: ({ error }) => record(attempts, 1, { "error.type": error }),
      AnswerRejected: () => record(repairs, 1),
      Throttled: ({ waitMillis }) => {
        record(waits, 1)
        if (waitMillis !== undefined) record(waited, waitMillis / 1000)
      },
      BudgetCrossed: ({ how, limit }) =>
        record(crossings, 1, { "cogito.budget.limit": limit, "cogito.budget.crossed": how })
    })
  })
)

const called = ({ model, provider }: { readonly model: string; readonly provider: string }) => ({
  "gen_ai.operation.name": "chat",
  "gen_ai.provider.name": provider,
  "gen_ai.request.model": model
})

const modelOf = (call: Call) => ({
  ...called(call),
  ...(call._tag === "CallCompleted" && { "gen_ai.response.model": call.model })
})

const embeddingBy = (embedder: string) => ({
  "gen_ai.operation.name": "embeddings",
  "gen_ai.provider.name": "_OTHER",
  "gen_ai.request.model": embedder
})
