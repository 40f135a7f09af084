/**
 * OpenAI's two APIs behind one interface, for whole answers and for streams. They differ only in what goes over the
 * wire.
 */
import type { OpenAI } from "openai"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type Reading, readWhole } from "../../http/answers.ts"
import type { Call } from "../../http/client.ts"
import { parse } from "../../http/decoding.ts"
import { type Endpoint, fail } from "../../http/Endpoint.ts"
import { type Reader, streamed } from "../../http/streamed.ts"
import { isFormInText } from "../../provider/placement.ts"
import type { Exchange } from "../../provider/resumable/Protocol.ts"
import { repeatedTokens, tokensOf } from "../../provider/resumable/tokens.ts"
import { saying } from "../../provider/sent.ts"
import type {
  Capabilities,
  learning,
  ProviderError,
  Reason,
  Request,
  Response,
  Sampling,
  StreamPart
} from "../../Provider.ts"
import type { Client } from "./client.ts"
import { type Format, toAnswer, toFormat } from "./format.ts"

/** Calls that are given the capabilities of the model. */
type Api = Pick<Parameters<typeof learning>[0], "complete" | "stream">

/** What a server has refused by name, although every server of its kind should know it. */
export interface Refused {
  readonly limit: boolean
  readonly streamOptions: boolean
  readonly include: boolean
}

/** What an answer says. */
export type Reply = Pick<Response, "text" | "calls" | "carry">

type Named = { readonly id?: string | null; readonly model?: string | null }

/** What goes over the wire. */
export interface Wire<A extends Named> {
  readonly call: (request: Request, format: Format | undefined, refused: Refused, stream: boolean) => Call<OpenAI>
  /** Calls are read only if the request has tools. */
  readonly reading: (hasTools: boolean) => Reading<A, Reply>
  readonly reader: (endpoint: Endpoint, hasTools: boolean) => Reader
  /** The part of the sampling that this API can send. */
  readonly sent: (sampling: Sampling) => Sampling
  /** What a refusal teaches. Undefined if it was already known when the call was made. */
  readonly learned?: (error: ProviderError, before: Refused) => Partial<Refused> | undefined
}

const cutCall: Reason = {
  _tag: "Truncated",
  message: "the length limit cut a call of a tool off: raise maxTokens or ask for less"
}

/** Whether the limit cut a call off, although the server took the call for complete, as some do. */
const isCutCall = ({ calls = [], usage }: Response, maxTokens: number | undefined): boolean =>
  maxTokens !== undefined &&
  (usage.outputTokens ?? 0) >= maxTokens &&
  calls.some(({ params }) => parse(params) === undefined)

/** A request, with what decides how it is sent. */
export interface Planned {
  readonly request: Request
  readonly format: Format | undefined
  readonly refused: Refused
  readonly hasTools: boolean
}

/** The calls over HTTP: each sends the whole conversation. */
export const overHttp = <A extends Named>({ ask, endpoint, listen }: Client, wire: Wire<A>): Exchange<Planned> => ({
  complete: ({ format, hasTools, refused, request }) =>
    Effect.flatMap(ask(wire.call(request, format, refused, false)), (answer) =>
      readWhole(wire.reading(hasTools), answer, endpoint)
    ),
  stream: ({ format, hasTools, refused, request }) =>
    streamed(listen(wire.call(request, format, refused, true)), endpoint, () => wire.reader(endpoint, hasTools))
})

/** The same calls, whose answers report how much was sent. */
export const reporting = ({ complete, stream }: Exchange<Planned>): Exchange<Planned> => {
  const withSent = (planned: Planned, response: Response): Response => ({
    ...response,
    sent: { tokens: tokensFrom(planned, 0), what: "all" }
  })
  return {
    complete: (planned) => Effect.map(complete(planned), (response) => withSent(planned, response)),
    stream: (planned) =>
      Stream.map(stream(planned), (part): StreamPart =>
        part._tag === "Done" ? { ...part, response: withSent(planned, part.response) } : part
      )
  }
}

/** About how many tokens are sent, if the first messages are there already. */
export const tokensFrom = ({ request }: Planned, from: number): number =>
  tokensOf(request.messages.slice(from)) + repeatedTokens(request)

/** The calls over a wire. A call that fails and teaches something is made again. */
export const apiOver = (
  endpoint: Endpoint,
  { learned, sent }: Pick<Wire<Named>, "learned" | "sent">,
  exchange: Exchange<Planned>,
  formInText: number | false
): Api => {
  let refused: Refused = { limit: false, streamOptions: false, include: false }

  const prepare = (request: Request, { structuredOutput }: Capabilities) => {
    const { sampling, task, tools = [] } = request
    const before = refused
    const isInText = structuredOutput === "json-schema" && isFormInText(request, formInText)
    const format = toFormat(task.output, isInText ? "json" : structuredOutput)
    const planned: Planned = { request, format, refused: before, hasTools: tools.length > 0 }
    return {
      planned,
      finish: (response: Response) => {
        const { text, usage } = response
        const { maxTokens } = sent(sampling)
        if (isCutCall(response, maxTokens)) return Effect.fail(fail(endpoint, cutCall, { usage }))
        const answer = toAnswer(text, task.output, format)
        return Effect.succeed(saying({ ...response, text: answer }, sampling, sent(sampling)))
      },
      learns: (error: ProviderError) => {
        const news = learned?.(error, before)
        refused = { ...refused, ...news }
        return news !== undefined
      }
    }
  }

  const complete: Api["complete"] = (request, capabilities) =>
    Effect.suspend(() => {
      const { finish, learns, planned } = prepare(request, capabilities)
      return exchange.complete(planned).pipe(
        Effect.flatMap(finish),
        Effect.catchIf(learns, () => complete(request, capabilities))
      )
    })

  const stream: Api["stream"] = (request, capabilities) =>
    Stream.suspend(() => {
      const { finish, learns, planned } = prepare(request, capabilities)
      let hasBegun = false
      return exchange.stream(planned).pipe(
        Stream.mapEffect((part): Effect.Effect<StreamPart, ProviderError> => {
          hasBegun = true
          return part._tag === "Done"
            ? Effect.map(finish(part.response), (response) => ({ ...part, response }))
            : Effect.succeed(part)
        }),
        Stream.catch((error) => (!hasBegun && learns(error) ? stream(request, capabilities) : Stream.fail(error)))
      )
    })

  return { complete, stream }
}
