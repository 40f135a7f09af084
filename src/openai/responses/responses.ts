/** What goes over the wire of the Responses API. */
import type { Sampling } from "../../Provider.ts"
import type { Wire } from "../api/api.ts"
import type { Target } from "../api/client.ts"
import { toBody } from "./request.ts"
import { reading, type Whole } from "./response.ts"
import { reader } from "./stream.ts"

/** This API supports neither a seed nor stop words. */
const sent = ({ effort, maxTokens, temperature }: Sampling): Sampling => ({
  ...(temperature !== undefined && { temperature }),
  ...(effort !== undefined && { effort }),
  ...(maxTokens !== undefined && { maxTokens })
})

export const responses = (target: Target): Wire<Whole> => ({
  call: (request, format, _, stream) => (client, signal) => {
    const body = toBody(request, format, target)
    return client.responses.create(stream ? { ...body, stream } : body, { signal })
  },
  reading,
  reader,
  sent
})
