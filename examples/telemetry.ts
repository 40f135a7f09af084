// Runs offline, with a script in the place of a model: `npm run telemetry`.
/**
 * Sends the spans and metrics of a pipeline to a collector of OpenTelemetry, and prints what arrives there.
 *
 * The collector is a small server in this process, so that nothing needs to be installed. To send everything to a real one
 * instead, pass its address: `npm run telemetry -- http://localhost:4318`.
 */
import { Effect, Layer, Schema } from "effect"
import { createServer } from "node:http"
import { Pipeline, Primitive, Thought } from "cogito"
import { Telemetry } from "cogito/telemetry"
import { Testing } from "cogito/testing"

// ------------------------------------------------------------------------------------------------------- the pipeline

const Ticket = Schema.Struct({ customer: Schema.String, issue: Schema.String })
const ticket = Primitive.analyze("ticket", { schema: Ticket, prompt: "Extract the customer and the issue" })
const urgent = Primitive.decide("urgent", { question: "Does it need an answer today?" })
const triage = Pipeline.sequence("triage", [ticket, urgent])

const model = Testing.scripted(
  [
    { customer: "Ada", issue: "charged twice" },
    { decision: true, confidence: 0.9, reasoning: ["She was charged twice."] }
  ],
  { usage: { inputTokens: 210, outputTokens: 24 } }
)

const program = Effect.flatMap(Thought.make("triage", { message: "Ada here. I was charged twice!" }), (thought) =>
  Pipeline.run(triage, thought)
)

// ------------------------------------------------------------------------------------------------------ the collector

interface Attribute {
  readonly key: string
  readonly value: { readonly stringValue?: string; readonly intValue?: unknown; readonly doubleValue?: number }
}

interface Traces {
  readonly resourceSpans: ReadonlyArray<{ readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<Span> }> }>
}

interface Span {
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly attributes: ReadonlyArray<Attribute>
}

interface Metrics {
  readonly resourceMetrics: ReadonlyArray<{
    readonly scopeMetrics: ReadonlyArray<{
      readonly metrics: ReadonlyArray<{ readonly name: string; readonly unit: string }>
    }>
  }>
}

const spans: Array<Span> = []
const metrics = new Map<string, string>()

const collector = createServer((request, response) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    const json: unknown = JSON.parse(Buffer.concat(chunks).toString())
    // an exporter of OTLP sends these to these paths
    if (request.url === "/v1/traces") {
      spans.push(...(json as Traces).resourceSpans.flatMap((one) => one.scopeSpans.flatMap((scope) => scope.spans)))
    } else {
      for (const { scopeMetrics } of (json as Metrics).resourceMetrics) {
        for (const { name, unit } of scopeMetrics.flatMap((scope) => scope.metrics)) metrics.set(name, unit)
      }
    }
    response.setHeader("content-type", "application/json")
    response.end("{}")
  })
})

const listening = Effect.callback<string>((resume) => {
  collector.listen(0, "127.0.0.1", () => {
    const address = collector.address()
    const port = typeof address === "object" ? address?.port : undefined
    resume(Effect.succeed(`http://127.0.0.1:${port}`))
  })
})

// ----------------------------------------------------------------------------------------------------------- together

const given = process.argv[2]
const baseUrl = given ?? (await Effect.runPromise(listening))

const telemetry = Telemetry.otlp({ baseUrl, serviceName: "support" })
const services = Layer.merge(model.layer, Testing.memory).pipe(Layer.provideMerge(telemetry))
// what is left is sent when the services are released
await Effect.runPromise(program.pipe(Effect.provide(services)))
collector.close()

const print = (parent: string | undefined, depth: number): void => {
  for (const { attributes, name, parentSpanId, spanId } of spans) {
    if (parentSpanId !== parent) continue
    const tokens = attributes.find(({ key }) => key === "gen_ai.usage.input_tokens")
    const known = tokens === undefined ? "" : ` (${String(tokens.value.intValue)} input tokens)`
    process.stdout.write(`${"  ".repeat(depth)}${name}${known}\n`)
    print(spanId, depth + 1)
  }
}
if (given === undefined) {
  print(undefined, 0)
  for (const [name, unit] of metrics) process.stdout.write(`${name} in ${unit}\n`)
}
