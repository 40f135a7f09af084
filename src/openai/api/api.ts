/**
 * OpenAI's two APIs behind one interface, for whole answers and for streams. They differ only in what goes over the
 * wire.
 */
import type { OpenAI } from "openai"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type Reading, readWhole } from "../../http/answers.ts"
import type { Call } from "../../http/client.ts"
import type { Endpoint } from "../../http/Endpoint.ts"
import { type Reader, streamed } from "../../http/streamed.ts"
import { isFormInText } from "../../provider/placement.ts"
import { saying } from "../../provider/sent.ts"
import type { Capabilities, LearningOptions, ProviderError, Request, Response, Sampling } from "../../Provider.ts"
import type { Client } from "./client.ts"
import { type Format, toAnswer, toFormat } from "./format.ts"

/** Calls that are given the capabilities of the model. */
type Api = Pick<LearningOptions, "complete" | "stream">

/** What a server has refused by name, although every server of its kind should know it. */
export interface Refused {
  readonly limit: boolean
  readonly streamOptions: boolean
  readonly include: boolean
}

/** What an answer says. */
export type Said = Pick<Response, "text" | "calls" | "carry">

type Named = { readonly id?: string | null; readonly model?: string | null }

/** What goes over the wire. */
export interface Wire<A extends Named> {
  readonly call: (request: Request, format: Format | undefined, refused: Refused, stream: boolean) => Call<OpenAI>
  /** Calls are read only if the request has tools. */
  readonly reading: (hasTools: boolean) => Reading<A, Said>
  readonly reader: (endpoint: Endpoint, hasTools: boolean) => Reader
  /** The part of the sampling that this API can send. */
  readonly sent: (sampling: Sampling) => Sampling
  /** What a refusal teaches. Undefined if it was already known when the call was made. */
  readonly learned?: (error: ProviderError, before: Refused) => Partial<Refused> | undefined
}

/** The calls over a wire. A call that fails and teaches something is made again. */
export const apiOver = <A extends Named>(
  { ask, endpoint, listen }: Client,
  wire: Wire<A>,
  formInText: number | false
): Api => {
  let refused: Refused = { limit: false, streamOptions: false, include: false }

  const prepare = (request: Request, { structuredOutput }: Capabilities) => {
    const { sampling, task, tools = [] } = request
    const before = refused
    const isInText = structuredOutput === "json-schema" && isFormInText(request, formInText)
    const format = toFormat(task.output, isInText ? "json" : structuredOutput)
    return {
      hasTools: tools.length > 0,
      call: (stream: boolean) => wire.call(request, format, before, stream),
      finish: (response: Response) =>
        saying({ ...response, text: toAnswer(response.text, task.output, format) }, sampling, wire.sent(sampling)),
      learns: (error: ProviderError) => {
        const news = wire.learned?.(error, before)
        refused = { ...refused, ...news }
        return news !== undefined
      }
    }
  }

  const complete: Api["complete"] = (request, capabilities) =>
    Effect.suspend(() => {
      const { call, finish, hasTools, learns } = prepare(request, capabilities)
      return ask(call(false)).pipe(
        Effect.flatMap((answer) => readWhole(wire.reading(hasTools), answer, endpoint)),
        Effect.map(finish),
        Effect.catchIf(learns, () => complete(request, capabilities))
      )
    })

  const stream: Api["stream"] = (request, capabilities) =>
    Stream.suspend(() => {
      const { call, finish, hasTools, learns } = prepare(request, capabilities)
      let hasBegun = false
      return streamed(listen(call(true)), endpoint, () => wire.reader(endpoint, hasTools)).pipe(
        Stream.map((part) => {
          hasBegun = true
          return part._tag === "Done" ? { ...part, response: finish(part.response) } : part
        }),
        Stream.catch((error) => (!hasBegun && learns(error) ? stream(request, capabilities) : Stream.fail(error)))
      )
    })

  return { complete, stream }
}
