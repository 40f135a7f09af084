/** Calls of a provider to a server on this machine, with everything that the server was sent and that came of it. */
import { Effect, Stream } from "effect"
import { ProviderError, type Request, type Shape, type StreamPart } from "cogito/Provider"
import { type Answer, type Recorded, serve } from "../faults/server.ts"

/** Headers that tell of the machine, of its Node, and of the version of a package. */
const ofMachine =
  /^(host|connection|content-length|user-agent|accept-(encoding|language)|sec-fetch-mode|x-stainless-(arch|lang|os|package-version|runtime|runtime-version))$/

interface Sent {
  readonly path: string
  readonly headers: object
  readonly body: Readonly<Record<string, unknown>>
}

const seen = ({ body, headers, path }: Recorded): Sent => ({
  path,
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !ofMachine.test(name))),
  body
})

/** The first call gets the first answer, and so on; the last one is for all that follow. */
const inTurn = (answers: ReadonlyArray<Answer>): Answer => {
  let calls = 0
  return (response, request, asked) => answers[Math.min(calls++, answers.length - 1)]?.(response, request, asked)
}

/** Sends calls for any https address to a server on this machine. */
const to =
  (port: number): typeof fetch =>
  (input, init) =>
    fetch(new globalThis.Request(input).url.replace(/^https:\/\/[^/]+/, `http://127.0.0.1:${port}`), init)

/** Calls against a server with these answers: all that was sent, and what came of it. */
export const wire = <A, E>(
  answers: Answer | ReadonlyArray<Answer>,
  call: (fetch: typeof globalThis.fetch, port: number) => Effect.Effect<A, E>
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const server = yield* serve(inTurn([answers].flat()))
      const outcome = yield* Effect.result(call(to(server.port), server.port))
      return {
        sent: server.recorded.map(seen),
        outcome: outcome._tag === "Success" ? outcome.success : told(outcome.failure)
      }
    })
  )

/** An error with all its fields and what it says of itself. */
export const told = (error: unknown): unknown =>
  error instanceof ProviderError
    ? {
        error: `${error.provider}, ${error.model}, ${error.isRetryable ? "may be retried" : "not to be retried"}`,
        ...error.reason,
        usage: error.usage,
        requestId: error.requestId,
        cause: error.cause
      }
    : error

const shown = (part: StreamPart): unknown =>
  part._tag === "Text" ? part.delta : part._tag === "Done" ? part.response : part

/** The parts of a stream until its end or failure. */
export const listen = (provider: Shape, request: Request) =>
  Effect.gen(function* () {
    const parts: Array<unknown> = []
    const outcome = yield* provider.stream(request).pipe(
      Stream.runForEach((part) => Effect.sync(() => parts.push(shown(part)))),
      Effect.result
    )
    return outcome._tag === "Success" ? parts : [...parts, told(outcome.failure)]
  })

/** What stands in one body and not, or otherwise, in another. */
export const beyond = (body: Sent["body"], other: Sent["body"]): object =>
  Object.fromEntries(
    [...new Set([...Object.keys(other), ...Object.keys(body)])].flatMap((name) =>
      JSON.stringify(body[name]) === JSON.stringify(other[name]) ? [] : [[name, body[name] ?? "not sent"]]
    )
  )
