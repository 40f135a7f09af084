/** When two requests are equal. */
import type * as Effect from "effect/Effect"
import { canonicalJson } from "../../schema/canonicalJson.ts"
import { sha256 } from "../../schema/sha256.ts"
import type { Named } from "./perModel.ts"
import type { AnyRequest } from "../request.ts"
import { essentialOf } from "../tools.ts"

/**
 * A hash of everything that determines an answer: provider, model, request, form, sampling and tools. A request for
 * text and one for a stream have the same key.
 */
export const requestKey = ({ model, name }: Named, call: AnyRequest): Effect.Effect<string> => {
  const { request } = call
  const { input, instruction, kind, output, questions } = request.task
  const messages = request.messages.map(essentialOf)
  const asked =
    call.asked === "text"
      ? {
          phase: call.request.phase,
          sampling: call.request.sampling,
          // a fallback with other capabilities is sent more of the wishes
          wish: call.request.wish ?? call.request.sampling,
          form: output === undefined ? undefined : [output.jsonSchema, output.instructions],
          tools: call.request.tools,
          toolChoice: call.request.toolChoice,
          parallelCalls: call.request.parallelCalls
        }
      : "native"
  return sha256(canonicalJson({ name, model, messages, kind, instruction, input, questions, asked }))
}
