/** A collector of OpenTelemetry on the loopback interface, which keeps what it is sent over OTLP/HTTP in JSON. */
import { Effect } from "effect"
import { createServer, type IncomingHttpHeaders } from "node:http"

interface Value {
  readonly stringValue?: string
  readonly boolValue?: boolean
  readonly intValue?: number | string
  readonly doubleValue?: number
  readonly arrayValue?: { readonly values: ReadonlyArray<Value> }
}
type Attributes = ReadonlyArray<{ readonly key: string; readonly value: Value }>

interface SentSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly attributes: Attributes
  readonly status: { readonly code: number; readonly message?: string }
  readonly events: ReadonlyArray<{ readonly name: string; readonly attributes: Attributes }>
}
interface Point {
  readonly attributes: Attributes
  readonly count?: number | string
  readonly sum?: number
  readonly explicitBounds?: ReadonlyArray<number>
  readonly asDouble?: number
  readonly asInt?: number | string
}
interface SentMetric {
  readonly name: string
  readonly unit: string
  readonly histogram?: { readonly dataPoints: ReadonlyArray<Point> }
  readonly sum?: { readonly dataPoints: ReadonlyArray<Point>; readonly isMonotonic: boolean }
}
interface Sent {
  readonly resourceSpans?: ReadonlyArray<{
    readonly resource: { readonly attributes: Attributes }
    readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<SentSpan> }>
  }>
  readonly resourceMetrics?: ReadonlyArray<{
    readonly scopeMetrics: ReadonlyArray<{ readonly metrics: ReadonlyArray<SentMetric> }>
  }>
}

const plain = ({ arrayValue, boolValue, doubleValue, intValue, stringValue }: Value): unknown =>
  arrayValue?.values.map(plain) ?? stringValue ?? boolValue ?? doubleValue ?? Number(intValue)

export const attributesOf = (attributes: Attributes): Readonly<Record<string, unknown>> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)]))

/** Starts a collector for the scope. */
export const collecting = Effect.acquireRelease(
  Effect.callback<{
    readonly baseUrl: string
    readonly bodies: ReadonlyArray<string>
    readonly headers: ReadonlyArray<IncomingHttpHeaders>
    readonly paths: ReadonlyArray<string>
    readonly services: () => ReadonlyArray<unknown>
    readonly spans: () => ReadonlyArray<SentSpan>
    /** The last points of a metric, with their attributes as a record. */
    readonly points: (
      name: string
    ) => ReadonlyArray<Omit<Point, "attributes"> & { readonly of: Readonly<Record<string, unknown>> }>
    readonly metrics: () => ReadonlyMap<string, SentMetric>
    readonly close: () => void
  }>((resume) => {
    const bodies: Array<string> = []
    const headers: Array<IncomingHttpHeaders> = []
    const paths: Array<string> = []
    const server = createServer((request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        bodies.push(Buffer.concat(chunks).toString())
        headers.push(request.headers)
        paths.push(request.url ?? "")
        response.setHeader("content-type", "application/json")
        response.end("{}")
      })
    })
    // the shape is checked by the assertions
    const sent = () => bodies.map((body) => JSON.parse(body) as Sent)
    const metrics = () =>
      new Map(
        sent()
          .flatMap(({ resourceMetrics = [] }) => resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics))
          .flatMap((scope) => scope.metrics.map((metric) => [metric.name, metric] as const))
      )
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" ? address?.port : undefined
      resume(
        Effect.succeed({
          baseUrl: `http://127.0.0.1:${port}`,
          bodies,
          headers,
          paths,
          metrics,
          services: () =>
            sent().flatMap(({ resourceSpans = [] }) =>
              resourceSpans.map(({ resource }) => attributesOf(resource.attributes)["service.name"])
            ),
          spans: () =>
            sent().flatMap(({ resourceSpans = [] }) =>
              resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
            ),
          points: (name) => {
            const { histogram, sum } = metrics().get(name) ?? {}
            return (
              (histogram ?? sum)?.dataPoints.map(({ attributes, ...point }) => ({
                ...point,
                of: attributesOf(attributes)
              })) ?? []
            )
          },
          close: () => {
            server.closeAllConnections()
            server.close()
          }
        })
      )
    })
  }),
  ({ close }) => Effect.sync(close)
)
