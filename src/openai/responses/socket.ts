/** The Responses API over a WebSocket, which keeps the conversation for the next call. */
import * as Effect from "effect/Effect"
import type { Plan, Protocol } from "../../provider/resumable/Protocol.ts"
import { type Planned, tokensFrom } from "../api/api.ts"
import type { Client, Target } from "../api/client.ts"
import { isInWords } from "../api/format.ts"
import { ended } from "../api/messages.ts"
import { toInput } from "./input.ts"
import { type Line, reading } from "./reading.ts"
import { toBody } from "./request.ts"

/** How calls are made over sockets of the Responses API. */
export const overSockets = (
  { dial, endpoint }: Pick<Client, "dial" | "endpoint">,
  target: Target
): Protocol<Line, Planned> => ({
  connect: Effect.map(dial("/responses"), (opened): Line => ({ ...opened, ended: new Set() })),
  restarts: true,
  // the next call names the answer
  resumes: ({ id }) => id !== undefined,
  plan: (planned): Plan<Line> => {
    const { format, hasTools, refused, request } = planned
    const { input: _, ...body } = toBody({ ...request, messages: [] }, format, target, !refused.include)
    // each of these may differ from call to call
    const { max_output_tokens: __, parallel_tool_calls: ___, reasoning: _____, tool_choice: ____, ...settings } = body
    const { output } = request.task
    return {
      messages: ended(request.messages, isInWords(output, format) ? output.instructions : undefined),
      settings: JSON.stringify(settings),
      tokens: (from) => tokensFrom(planned, from),
      frames: (lacking, previous) => [
        JSON.stringify({
          type: "response.create",
          ...body,
          ...(previous !== undefined && { previous_response_id: previous.id }),
          input: toInput(lacking, target)
        })
      ],
      reader: (line) => reading(line, endpoint, hasTools)
    }
  }
})
