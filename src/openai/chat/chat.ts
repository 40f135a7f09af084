/** What goes over the wire of chat completions. */
import type { Refused, Wire } from "../api/api.ts"
import type { Target } from "../api/client.ts"
import { toBody } from "./request.ts"
import { type Completion, reading } from "./response.ts"
import { reader } from "./stream.ts"

const learned: Wire<Completion>["learned"] = ({ reason }, before): Partial<Refused> | undefined => {
  if (reason._tag !== "InvalidRequest" || reason.outOfRange === true) return undefined
  const { parameter = "" } = reason
  if (/^max_(completion_)?tokens$/.test(parameter) && !before.limit) return { limit: true }
  return /^stream_options\b/.test(parameter) && !before.streamOptions ? { streamOptions: true } : undefined
}

export const chat = (target: Target): Wire<Completion> => ({
  call: (request, format, refused, stream) => (client, signal) => {
    const body = toBody(request, format, target, refused.limit)
    const streamOptions = refused.streamOptions ? undefined : { stream_options: { include_usage: true } }
    return client.chat.completions.create(stream ? { ...body, stream, ...streamOptions } : body, { signal })
  },
  reading,
  reader,
  sent: (sampling) => sampling,
  learned
})
