/** Every way in which a call goes well or badly, and how it must end, once for all dialects. */
import type { Duration } from "effect"
import type { Reason, Usage } from "cogito/Provider"
import { key, prompt } from "./clean.ts"
import type { Dialect, Failure, Kind } from "./dialect.ts"
import { type Answer, after, type End, eventStream, reply, reset, send, silent, stream, trickle } from "./server.ts"

/** How a call is made: for a whole answer, or for a stream. */
export type Way = "whole" | "stream"

export const ways: ReadonlyArray<Way> = ["whole", "stream"]

/** How a call must end. */
type Expected =
  | { readonly text: string }
  | {
      readonly tag: Reason["_tag"]
      /** Milliseconds, from and to. */
      readonly retryAfter?: readonly [number, number]
      readonly category?: string
      /** What was billed all the same. */
      readonly usage?: Usage
      /** Whether the server could say the id of the request. Default: it could. */
      readonly anonymous?: boolean
    }

export interface Deadlines {
  readonly timeout?: Duration.Input
  readonly connectTimeout?: Duration.Input
  readonly idleTimeout?: Duration.Input
}

export interface Row {
  readonly name: string
  readonly answer: (way: Way) => Answer
  readonly expected: (way: Way) => Expected
  readonly deadlines?: Deadlines
  readonly ways?: ReadonlyArray<Way>
}

/** Whether the same call may be made again after such a failure. */
export const retryable: Readonly<Partial<Record<Reason["_tag"], boolean>>> = {
  RateLimited: true,
  QuotaExhausted: false,
  Overloaded: true,
  Connection: true,
  Timeout: true,
  Authentication: false,
  InvalidRequest: false,
  ContextTooLong: false,
  Refused: false,
  Truncated: true,
  EmptyAnswer: true,
  InvalidResponse: true
}

/** What servers say: it repeats the prompt and the key, as real ones do. */
export const said = `You sent ${key} and said: ${prompt} 😀 – naïve`

const html = `<!doctype html><html><body>${said}</body></html>`

type Tag = Reason["_tag"]

const always =
  <A>(value: A) =>
  () =>
    value

// --------------------------------------------------------------------------------------------------------- statuses

const statuses: ReadonlyArray<readonly [status: number, tag: Tag]> = [
  [400, "InvalidRequest"],
  [401, "Authentication"],
  [402, "QuotaExhausted"],
  [403, "Authentication"],
  [404, "InvalidRequest"],
  [408, "Timeout"],
  [409, "Overloaded"],
  [413, "ContextTooLong"],
  [422, "InvalidRequest"],
  [429, "RateLimited"],
  [500, "Overloaded"],
  [501, "Overloaded"],
  [503, "Overloaded"],
  [504, "Timeout"],
  [529, "Overloaded"]
]

const exactly = (millis: number) => [millis, millis] as const

const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1000).toUTCString()

/** What the headers say, and how long that is; nothing where it is no wait. */
const waits: ReadonlyArray<
  readonly [what: string, headers: () => Record<string, string>, retryAfter?: readonly [number, number]]
> = [
  ["of 1 s", always({ "retry-after": "1" }), exactly(1000)],
  ["of 90 s", always({ "retry-after": "90" }), exactly(90_000)],
  ["of 114 h", always({ "retry-after": "410400" }), exactly(410_400_000)],
  ["of 0.25 s", always({ "retry-after": "0.25" }), exactly(250)],
  ["of 100 ms, told twice", always({ "retry-after-ms": "100", "retry-after": "9" }), exactly(100)],
  ["until a date", () => ({ "retry-after": inSeconds(30) }), [20_000, 30_000]],
  ["of 0 s", always({ "retry-after": "0" })],
  ["below 0", always({ "retry-after": "-5", "retry-after-ms": "-7" })],
  ["that is none", always({ "retry-after": "soon", "retry-after-ms": "x" })],
  ["until a date that is past", () => ({ "retry-after": inSeconds(-30) })]
]

const refusals = (dialect: Dialect): ReadonlyArray<Row> => {
  const body = dialect.error("some_error", said)
  const row = (name: string, answer: Answer, expected: Expected): Row => ({
    name,
    answer: always(answer),
    expected: always(expected)
  })
  return [
    ...statuses.map(([status, tag]) => row(`status ${status}`, reply(status, body), { tag })),
    ...[429, 503].flatMap((status) =>
      waits.map(([what, headers, retryAfter]): Row => {
        const tag = status === 429 ? "RateLimited" : "Overloaded"
        return {
          name: `status ${status} with a wait ${what}`,
          answer: () => reply(status, body, headers()),
          expected: always({ tag, ...(retryAfter && { retryAfter }) })
        }
      })
    ),
    row("status 400 that asks to be sent again", reply(400, body, { "x-should-retry": "true" }), {
      tag: "InvalidRequest"
    }),
    row("status 500 that asks to be sent again", reply(500, body, { "x-should-retry": "true" }), {
      tag: "Overloaded"
    }),
    row("status 429 that asks not to be", reply(429, body, { "x-should-retry": "false" }), { tag: "RateLimited" }),
    row("used up quota", reply(429, dialect.usedUp(said)), { tag: "QuotaExhausted" }),
    row("too long a context", reply(400, dialect.tooLong(said)), { tag: "ContextTooLong" }),
    row("an error page", reply(502, html, { "content-type": "text/html" }), { tag: "Overloaded" }),
    row("an error without a body", reply(503, ""), { tag: "Overloaded" }),
    row("an error of another form", reply(429, "[null]"), { tag: "RateLimited" })
  ]
}

// ---------------------------------------------------------------------------------------------------------- answers

/** The rows of an answer that goes in this way, whole and streamed. */
const ofKind = (dialect: Dialect, name: string, kind: Kind, expected: Row["expected"]): Row => ({
  name,
  answer: (way) => (way === "whole" ? reply(200, dialect.body(kind, said)) : stream(dialect.events(kind, said))),
  expected
})

const answers = (dialect: Dialect): ReadonlyArray<Row> => {
  const { usage } = dialect
  const of = (name: string, kind: Kind, tag: Tag, rest: { readonly category?: string } = {}) =>
    ofKind(dialect, name, kind, always({ tag, usage, ...rest }))
  const category = dialect.refusalCategory === undefined ? {} : { category: dialect.refusalCategory }
  return [
    ofKind(dialect, "a good answer", "good", always({ text: said })),
    of("a refusal", "refused", "Refused", category),
    of("a refusal after some text", "refusedLate", "Refused", category),
    of("an answer cut off by its length", "length", "Truncated"),
    of("a filtered answer", "filtered", "Refused", { category: dialect.refusalCategory ?? "content_filter" }),
    of("an empty answer", "empty", "EmptyAnswer"),
    of("an answer of white space", "blank", "EmptyAnswer"),
    of("an answer that is only thought", "thinking", "EmptyAnswer"),
    of("an answer that only calls a tool", "tool", dialect.name === "responses" ? "EmptyAnswer" : "InvalidResponse"),
    ofKind(dialect, "an answer that does not say it is finished", "unfinished", (way) =>
      way === "stream" && dialect.name === "responses"
        ? { tag: "Truncated" }
        : { tag: "InvalidResponse", usage: way === "whole" ? usage : dialect.unfinishedUsage }
    ),
    ofKind(dialect, "an answer that fails in its middle", "failed", (way) =>
      way === "whole"
        ? dialect.name === "chat"
          ? { tag: "InvalidResponse", usage }
          : { tag: "Overloaded", ...(dialect.name === "responses" && { usage }) }
        : { tag: "Overloaded", ...(dialect.failedUsage && { usage: dialect.failedUsage }) }
    )
  ]
}

/** Bodies with a good status that are no answers. */
const nonsense = (dialect: Dialect): ReadonlyArray<Row> => {
  const row = (name: string, body: unknown, headers = {}): Row => ({
    name,
    answer: always(reply(200, body, headers)),
    expected: always({ tag: "InvalidResponse" })
  })
  return [
    row("HTML with a good status", html, { "content-type": "text/html" }),
    row("nothing with a good status", ""),
    row("null", "null"),
    row("a list", "[]"),
    {
      ...row("an error with a good status", dialect.error("some_error", said)),
      expected: always({ tag: "Overloaded" })
    },
    ...dialect.hollow.map(([what, body]): Row => ({ ...row(what, body), ways: ["whole"] })),
    // An answer that was written for a stream, and the other way round.
    {
      name: "a whole answer in place of a stream",
      answer: always(reply(200, dialect.body("good", said))),
      expected: always({ tag: "InvalidResponse" }),
      ways: ["stream"]
    },
    {
      name: "a stream in place of a whole answer",
      answer: always(stream(dialect.events("good", said))),
      expected: always({ tag: "InvalidResponse" }),
      ways: ["whole"]
    }
  ]
}

// ---------------------------------------------------------------------------------------------- time and connections

const half = (bytes: Uint8Array): Uint8Array => bytes.subarray(0, Math.floor(bytes.length / 2))

const wholeBytes = ({ body }: Dialect) => Buffer.from(JSON.stringify(body("good", said)))
const streamBytes = ({ events }: Dialect) => Buffer.from(events("good", said).join(""))
const bytesOf = (dialect: Dialect, way: Way) => (way === "whole" ? wholeBytes(dialect) : streamBytes(dialect))
const typeOf = (way: Way) => (way === "whole" ? { "content-type": "application/json" } : eventStream)

const good =
  (dialect: Dialect) =>
  (way: Way): Answer =>
    send(bytesOf(dialect, way), "ended", typeOf(way))

const times = (dialect: Dialect): ReadonlyArray<Row> => {
  const halfThen = (end: End) => (way: Way) => send(half(bytesOf(dialect, way)), end, typeOf(way))
  const timeout = always({ tag: "Timeout" } as const)
  const before = always({ tag: "Timeout", anonymous: true } as const)
  const begun = (way: Way): Expected => ({
    tag: "Timeout",
    ...(way === "stream" && dialect.begunUsage && { usage: dialect.begunUsage })
  })
  return [
    { name: "no answer at all", answer: always(silent), expected: before, deadlines: { timeout: 250 } },
    {
      name: "headers after the deadline",
      answer: (way) => after(2000, good(dialect)(way)),
      expected: before,
      deadlines: { timeout: 250 }
    },
    {
      name: "a stream that does not begin",
      answer: always(silent),
      expected: before,
      deadlines: { timeout: "1 minute", connectTimeout: 250 },
      ways: ["stream"]
    },
    {
      name: "headers alone",
      answer: (way) => send("", "open", typeOf(way)),
      expected: timeout,
      deadlines: { timeout: "1 minute", idleTimeout: 200 }
    },
    {
      name: "half an answer that stalls",
      answer: halfThen("open"),
      expected: begun,
      deadlines: { timeout: "1 minute", idleTimeout: 200 }
    },
    {
      name: "an error that stalls",
      answer: always((response) => {
        response.writeHead(500, { "content-type": "application/json" })
        response.write(`{"error": `)
      }),
      expected: before,
      deadlines: { timeout: 250 }
    },
    {
      name: "a byte at a time, for too long",
      answer: (way) => trickle(bytesOf(dialect, way).toString(), 20, typeOf(way)),
      expected: timeout,
      deadlines: { timeout: 500, idleTimeout: "1 minute" }
    },
    {
      name: "a slow answer within its time",
      answer: (way) =>
        after(50, way === "whole" ? good(dialect)(way) : stream(dialect.events("good", said), { millis: 2 })),
      expected: always({ text: said })
    },
    {
      name: "a connection that is reset before the answer",
      answer: always(reset),
      expected: always({ tag: "Connection", anonymous: true })
    },
    {
      name: "a connection that breaks after the headers",
      answer: (way) => send("", "destroyed", typeOf(way)),
      expected: always({ tag: "Truncated" })
    },
    {
      name: "a connection that breaks in the middle",
      answer: halfThen("destroyed"),
      expected: (way) => ({ ...begun(way), tag: "Truncated" })
    },
    {
      name: "an answer that ends in the middle",
      answer: halfThen("ended"),
      // The message was whole, what it says is not.
      expected: (way) => ({ ...begun(way), tag: way === "whole" ? "InvalidResponse" : "Truncated" })
    },
    {
      name: "an answer shorter than it said",
      answer: always((response) => {
        const bytes = wholeBytes(dialect)
        response.writeHead(200, {
          "content-type": "application/json",
          "content-length": bytes.length,
          "x-request-id": "req-123",
          "request-id": "req-123"
        })
        response.write(half(bytes), () => response.socket?.end())
      }),
      expected: always({ tag: "Truncated" }),
      ways: ["whole"]
    }
  ]
}

// ---------------------------------------------------------------------------------------------------------- streams

const failures: ReadonlyArray<readonly [Failure, Tag]> = [
  ["server", "Overloaded"],
  ["overloaded", "Overloaded"],
  ["rateLimited", "RateLimited"]
]

/** Pieces of one to nine bytes, which cut characters and lines wherever they are. */
const shreds = (bytes: Buffer): ReadonlyArray<Buffer> => {
  const found: Array<Buffer> = []
  for (let at = 0, length = 1; at < bytes.length; at += length, length = (length % 9) + 1) {
    found.push(bytes.subarray(at, at + length))
  }
  return found
}

/** The same stream, told in another way that the format of events allows. */
const tellings: ReadonlyArray<
  readonly [what: string, change: (dialect: Dialect, events: ReadonlyArray<string>) => ReadonlyArray<string | Buffer>]
> = [
  ["in one piece", (_, events) => [events.join("")]],
  ["in pieces of a few bytes", (_, events) => shreds(Buffer.from(events.join("")))],
  ["with lines that end in CR LF", (_, events) => [events.join("").replaceAll("\n", "\r\n")]],
  [
    "with CR and LF apart",
    (_, events) =>
      events
        .join("")
        .replaceAll("\n", "\r\n")
        .split(/(?<=\r)/)
  ],
  ["after a byte order mark", (_, events) => ["\uFEFF", ...events]],
  ["with comments", (_, events) => events.flatMap((event) => [": still here\n\n", event])],
  ["with events nobody knows", (dialect, events) => events.flatMap((event) => [event, dialect.unknownEvent])],
  ["with pings", (_, events) => events.flatMap((event) => [event, `event: ping\ndata: {"type": "ping"}\n\n`])],
  ["with ids and waits", (_, events) => events.map((event, index) => `id: ${index}\nretry: 5\n${event}`)],
  [
    "with data over two lines",
    (_, events) => events.map((event) => event.replace(/^(data: \{[^,]*),/m, "$1,\ndata: "))
  ],
  ["without the space before data", (_, events) => events.map((event) => event.replace(/^data: /m, "data:"))],
  ["and then another", (dialect, events) => [...events, ...dialect.events("good", "something else")]]
]

const streams = (dialect: Dialect): ReadonlyArray<Row> => {
  const events = dialect.events("good", said)
  const begun = events.slice(0, Math.floor(events.length / 2))
  const row = (name: string, answer: Answer, expected: Expected): Row => ({
    name,
    answer: always(answer),
    expected: always(expected),
    ways: ["stream"]
  })
  const billed = dialect.begunUsage === undefined ? {} : { usage: dialect.begunUsage }
  return [
    ...tellings.map(([what, change]) => row(`a stream ${what}`, stream(change(dialect, events)), { text: said })),
    ...failures.map(([failure, tag]) =>
      row(`a stream that says in its middle: ${failure}`, stream([...begun, dialect.errorEvent(failure, said)]), {
        tag,
        ...billed
      })
    ),
    row("a stream that only says that it failed", stream([dialect.errorEvent("server", said)]), { tag: "Overloaded" }),
    row("a stream without events", stream([]), { tag: "Truncated" }),
    row("a stream of comments", stream([": hello\n\n"]), { tag: "Truncated" }),
    row("a stream that ends between events", stream(begun), { tag: "Truncated", ...billed }),
    row("a stream with an event that is no JSON", stream([...begun, `data: {"half ${said}\n\n`, ...events]), {
      tag: "InvalidResponse",
      ...billed
    }),
    // Chunks of chat completions do not tell whose they are for certain.
    ...(dialect.name === "chat"
      ? []
      : [
          row("a stream that another begins in the middle of", stream([...begun, ...dialect.events("good", "other")]), {
            tag: "InvalidResponse",
            usage: dialect.begunUsage ?? dialect.usage
          })
        ]),
    row("a stream with an event that is null", stream([...begun, `data: null\n\n`, ...events]), {
      tag: "InvalidResponse",
      ...billed
    })
  ]
}

export const matrix = (dialect: Dialect): ReadonlyArray<Row> => [
  ...refusals(dialect),
  ...answers(dialect),
  ...nonsense(dialect),
  ...times(dialect),
  ...streams(dialect)
]
