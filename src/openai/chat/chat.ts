/** Answers over chat completions, whole and in pieces. */
import * as Effect from "effect/Effect"
import type { Api, Target } from "../Api.ts"
import type { Client } from "../client.ts"
import { toAnswer, toFormat } from "../format.ts"
import { streamed } from "../streamed.ts"
import { toBody } from "./request.ts"
import { decode } from "./response.ts"
import { reader } from "./stream.ts"

export const chat = ({ ask, endpoint, listen }: Client, target: Target): Api => ({
  complete: (request, { structuredOutput }) => {
    const { output } = request.task
    const format = toFormat(output, structuredOutput)
    const body = toBody(request, format, target)
    return ask((client, signal) => client.chat.completions.create(body, { signal })).pipe(
      Effect.flatMap((answer) => decode(answer, endpoint)),
      Effect.map((response) => ({ ...response, text: toAnswer(response.text, output, format) }))
    )
  },
  stream: (request, { structuredOutput }) => {
    const { output } = request.task
    const format = toFormat(output, structuredOutput)
    const body = { ...toBody(request, format, target), stream: true, stream_options: { include_usage: true } } as const
    const events = listen((client, signal) => client.chat.completions.create(body, { signal }))
    return streamed(events, endpoint, () => reader(endpoint, (text) => toAnswer(text, output, format)))
  }
})
