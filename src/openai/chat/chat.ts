/** Answers over chat completions, whole and in pieces. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ProviderError } from "../../Provider.ts"
import type { Api, Target } from "../api/Api.ts"
import type { Client } from "../api/client.ts"
import { toAnswer, toFormat } from "../api/format.ts"
import { streamed } from "../api/streamed.ts"
import { toBody } from "./request.ts"
import { decode } from "./response.ts"
import { reader } from "./stream.ts"

/** What a server has refused by name, though every server of its kind should know it. */
interface Refused {
  readonly limit: boolean
  readonly streamOptions: boolean
}

/** What is known after a refusal; nothing where it teaches nothing that was not known when the call was made. */
const learned = ({ reason }: ProviderError, before: Refused): Partial<Refused> | undefined => {
  if (reason._tag !== "InvalidRequest" || reason.outOfRange === true) return undefined
  const { parameter = "" } = reason
  if (/^max_(completion_)?tokens$/.test(parameter) && !before.limit) return { limit: true }
  return /^stream_options\b/.test(parameter) && !before.streamOptions ? { streamOptions: true } : undefined
}

export const chat = ({ ask, endpoint, listen }: Client, target: Target): Api => {
  let refused: Refused = { limit: false, streamOptions: false }

  const complete: Api["complete"] = (request, capabilities) =>
    Effect.suspend(() => {
      const before = refused
      const { output } = request.task
      const format = toFormat(output, capabilities.structuredOutput)
      const body = toBody(request, format, target, before.limit)
      return ask((client, signal) => client.chat.completions.create(body, { signal })).pipe(
        Effect.flatMap((answer) => Effect.flatMap(Clock.currentTimeMillis, (now) => decode(answer, endpoint, now))),
        Effect.map((response) => ({ ...response, text: toAnswer(response.text, output, format) })),
        Effect.catch((error) => {
          const news = learned(error, before)
          if (news === undefined) return Effect.fail(error)
          refused = { ...refused, ...news }
          return complete(request, capabilities)
        })
      )
    })

  const stream: Api["stream"] = (request, capabilities) =>
    Stream.suspend(() => {
      const before = refused
      const { output } = request.task
      const format = toFormat(output, capabilities.structuredOutput)
      const body = {
        ...toBody(request, format, target, before.limit),
        stream: true,
        ...(!before.streamOptions && { stream_options: { include_usage: true } })
      } as const
      let hasBegun = false
      const events = listen((client, signal) => client.chat.completions.create(body, { signal }))
      return streamed(events, endpoint, () => reader(endpoint, (text) => toAnswer(text, output, format))).pipe(
        Stream.map((part) => {
          hasBegun = true
          return part
        }),
        Stream.catch((error) => {
          const news = hasBegun ? undefined : learned(error, before)
          if (news === undefined) return Stream.fail(error)
          refused = { ...refused, ...news }
          return stream(request, capabilities)
        })
      )
    })

  return { complete, stream }
}
