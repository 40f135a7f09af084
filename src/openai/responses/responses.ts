/** What goes over the wire of the Responses API. */
import type { Sampling } from "../../Provider.ts"
import type { Refused, Wire } from "../api/api.ts"
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

/** Models that do not reason have no encrypted reasoning to include. */
const learned: Wire<Whole>["learned"] = ({ reason }, before): Partial<Refused> | undefined =>
  reason._tag === "InvalidRequest" && /^include\b/.test(reason.parameter ?? "") && !before.include
    ? { include: true }
    : undefined

export const responses = (target: Target): Wire<Whole> => ({
  call: (request, format, refused, stream) => (client, signal) => {
    const body = toBody(request, format, target, !refused.include)
    return client.responses.create(stream ? { ...body, stream } : body, { signal })
  },
  reading,
  reader,
  sent,
  learned
})
