/** Spans and metrics for OpenTelemetry, by its conventions for generative AI. */
import * as Config from "effect/Config"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import type * as OtlpExporter from "effect/observability/OtlpExporter"
import * as OtlpMetrics from "effect/observability/OtlpMetrics"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import * as OtlpTracer from "effect/observability/OtlpTracer"
import * as Redacted from "effect/Redacted"
import { taking } from "../arguments/taking.ts"
import { Content, type Redact } from "../run/content.ts"
import * as metrics from "./metrics.ts"

/**
 * Whether spans have the texts of prompts, answers, and parameters and results of tools.
 *
 * **Details**
 *
 * - `content`: default `false`
 * - `redact`: required with `content: true`. It is called with each text, and with the name of the attribute that it is for, such
 *   as `"gen_ai.input.messages"`, and returns what the span has instead. If it throws, or returns no string, such as a promise, the span
 *   has `(not redacted)` there
 *
 * @category models
 */
export type Options = { readonly content?: false } | { readonly content: true; readonly redact: Redact }

/**
 * Where to send spans and metrics, and how often.
 *
 * @category models
 */
export type OtlpOptions = Options & {
  /** The address of the collector, such as `"http://localhost:4318"`. `/v1/traces` and `/v1/metrics` are appended. It has no
   *  user, query or fragment. */
  readonly baseUrl: string
  /** The attribute `service.name`. Default: `OTEL_SERVICE_NAME`, or `"unknown_service"`. */
  readonly serviceName?: string
  /** Headers of each request, such as a key. */
  readonly headers?: Readonly<Record<string, string | Redacted.Redacted>>
  /** Time between exports. What is left is sent when the layer is released. Default: 5 seconds for spans, 10 for metrics. */
  readonly interval?: Duration.Input
}

/**
 * Records metrics, and texts in spans if the options say so. Spans are made for any tracer of Effect.
 *
 * **Details**
 *
 * Metrics are Effect's own (`Metric.snapshot`), and any exporter of Effect sends them. Provide the layer to the memory too, so
 * that calls of its embedder are counted. It adds listeners, as `Signal.layer` does: provide one layer to the other, instead of
 * merging them.
 *
 * **Example** (Counting the tokens of a program)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Layer, Metric } from "effect"
 * import { Synapse } from "cogito"
 * import { Telemetry } from "cogito/telemetry"
 * import { Testing } from "cogito/testing"
 *
 * const model = Testing.scripted([{ decision: true, confidence: 1, reasoning: ["so"] }], { usage: { inputTokens: 12 } })
 * const program = Effect.gen(function*() {
 *   yield* Synapse.binary({ question: "Is it urgent?" })("Now!")
 *   const all = yield* Metric.snapshot
 *   const tokens = all.find(({ id }) => id === "gen_ai.client.token.usage")
 *   assert.equal(tokens?.type === "Histogram" && tokens.state.sum, 12)
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Layer.merge(model.layer, Telemetry.layer()))))
 * ```
 *
 * @category layers
 */
export const layer = taking("Telemetry.layer", { options: 0, optional: true, known: ["content", "redact"] })(
  (options: Options = {}): Layer.Layer<never> => Layer.merge(metrics.layer, contentLayer(options))
)

const contentLayer = (options: Options): Layer.Layer<never> => {
  if (options.content !== true) return Layer.empty
  const { redact } = options
  // a program without types may leave it out
  if (typeof redact !== "function") {
    throw new Error(
      "Telemetry with content: true needs a function as redact, which changes texts before they are in spans."
    )
  }
  return Layer.succeed(Content, redact)
}

/**
 * Sends spans and metrics to a collector of OpenTelemetry over OTLP/HTTP in JSON, with Effect's own exporters and `fetch`.
 *
 * **Details**
 *
 * Includes `layer`. Provide it to the whole program, memory and providers included. When the layer is released, it sends
 * what is left, and `OtlpExporter.Flusher` of Effect sends it earlier. A collector that cannot be reached does not fail the program: spans are dropped and a warning is logged.
 * Throws if `baseUrl` is no address.
 *
 * **Example** (A collector on this machine)
 *
 * ```ts no-run
 * import { Effect, Layer } from "effect"
 * import { Pipeline, Primitive, Thought } from "cogito"
 * import { Local } from "cogito/local"
 * import { Telemetry } from "cogito/telemetry"
 * import { Testing } from "cogito/testing"
 *
 * const urgent = Primitive.decide("urgent", { question: "Is it urgent?" })
 * const program = Effect.flatMap(Thought.make("triage", { message: "Now!" }), (thought) => Pipeline.run(urgent, thought))
 *
 * const telemetry = Telemetry.otlp({ baseUrl: "http://localhost:4318", serviceName: "support" })
 * const services = Layer.merge(Local.extractive, Testing.memory).pipe(Layer.provideMerge(telemetry))
 * await Effect.runPromise(program.pipe(Effect.provide(services)))
 * ```
 *
 * @category layers
 */
export const otlp = taking("Telemetry.otlp", {
  options: 0,
  known: ["baseUrl", "content", "headers", "interval", "redact", "serviceName"],
  texts: ["baseUrl"],
  maybeTexts: ["serviceName"]
})((options: OtlpOptions): Layer.Layer<OtlpExporter.Flusher> => {
  const { baseUrl, interval } = options
  // the address may contain a key, so the message leaves it out
  if (!isAddress(baseUrl)) {
    throw new Error(
      "Telemetry.otlp needs an http: or https: URL without user, query or fragment as the option baseUrl."
    )
  }
  const base = baseUrl.replace(/\/+$/, "")
  const headers = Object.fromEntries(
    Object.entries(options.headers ?? {}).map(([name, value]) => [
      name,
      typeof value === "string" ? value : Redacted.value(value)
    ])
  )
  const common = {
    headers,
    ...(interval !== undefined && { exportInterval: interval })
  }
  const exporters = Layer.unwrap(
    Effect.map(nameOf(options), (serviceName) => {
      const all = { ...common, resource: { serviceName } }
      return Layer.mergeAll(
        OtlpTracer.layer({ ...all, url: `${base}/v1/traces` }),
        OtlpMetrics.layer({ ...all, url: `${base}/v1/metrics` })
      )
    })
  ).pipe(Layer.provide([OtlpSerialization.layerJson, FetchHttpClient.layer]))
  return Layer.merge(exporters, Layer.merge(metrics.layer, contentLayer(options)))
})

const isAddress = (baseUrl: string): boolean => {
  if (!URL.canParse(baseUrl)) return false
  const { hash, password, protocol, search, username } = new URL(baseUrl)
  return /^https?:$/.test(protocol) && `${username}${password}${search}${hash}` === ""
}

/** The name of the service. Effect's exporters would die without one. */
const nameOf = ({ serviceName }: OtlpOptions): Effect.Effect<string> =>
  serviceName !== undefined
    ? Effect.succeed(serviceName)
    : Effect.orElseSucceed(Config.String("OTEL_SERVICE_NAME"), () => "unknown_service")
