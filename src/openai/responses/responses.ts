/** Answers over the Responses API, whole and in pieces. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Request, Response } from "../../Provider.ts"
import type { Api, Target } from "../api/Api.ts"
import type { Client } from "../api/client.ts"
import { toAnswer, toFormat } from "../api/format.ts"
import { streamed } from "../api/streamed.ts"
import { toBody, withoutUnknown } from "./request.ts"
import { decode } from "./response.ts"
import { reader } from "./stream.ts"

/** The answer with what was sent, where wishes could not be. */
const saying = ({ sampling }: Request, response: Response): Response =>
  sampling.seed === undefined && sampling.stop === undefined
    ? response
    : { ...response, sampling: withoutUnknown(sampling) }

export const responses = ({ ask, endpoint, listen }: Client, target: Target): Api => ({
  complete: (request, { structuredOutput }) => {
    const { output } = request.task
    const format = toFormat(output, structuredOutput)
    const body = toBody(request, format, target)
    return ask((client, signal) => client.responses.create(body, { signal })).pipe(
      Effect.flatMap((answer) => Effect.flatMap(Clock.currentTimeMillis, (now) => decode(answer, endpoint, now))),
      Effect.map((response) => saying(request, { ...response, text: toAnswer(response.text, output, format) }))
    )
  },
  stream: (request, { structuredOutput }) => {
    const { output } = request.task
    const format = toFormat(output, structuredOutput)
    const body = { ...toBody(request, format, target), stream: true } as const
    const events = listen((client, signal) => client.responses.create(body, { signal }))
    return streamed(events, endpoint, () => reader(endpoint, (text) => toAnswer(text, output, format))).pipe(
      Stream.map((part) => (part._tag === "Done" ? { ...part, response: saying(request, part.response) } : part))
    )
  }
})
