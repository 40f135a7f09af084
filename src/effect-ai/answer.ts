/** What the parts of an answer of `effect/ai` amount to. */
import type * as AiResponse from "effect/ai/Response"
import type { Reason, Response, Usage } from "../Provider.ts"

/** The parts that an answer ends with, whole or streamed. */
type Part =
  | { readonly type: "response-metadata"; readonly id?: string | undefined; readonly modelId?: string | undefined }
  | { readonly type: "finish"; readonly reason: AiResponse.FinishReason; readonly usage: AiResponse.Usage }

const toUsage = ({ inputTokens, outputTokens }: AiResponse.Usage): Usage => {
  const counts = {
    inputTokens: inputTokens.total,
    outputTokens: outputTokens.total,
    cachedInputTokens: inputTokens.cacheRead,
    cacheWriteTokens: inputTokens.cacheWrite,
    reasoningTokens: outputTokens.reasoning
  }
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== undefined))
}

/** Why this is no valid answer; `undefined` if it is complete and has text. */
const toProblem = (finish: AiResponse.FinishReason | undefined, text: string): Reason | undefined => {
  switch (finish) {
    case "stop":
      return text.trim() === "" ? { _tag: "EmptyAnswer", message: "the answer has no text" } : undefined
    case "length":
      return {
        _tag: "Truncated",
        message: "the answer was cut off by the length limit: raise it in the model's own settings, or ask for less"
      }
    case "content-filter":
      return { _tag: "Refused", message: "a content filter stopped the answer", category: "content_filter" }
    case "pause":
    case "tool-calls":
      return { _tag: "InvalidResponse", message: "the model waits for more, which nothing asked it to" }
    case "error":
      return { _tag: "Overloaded", message: "the model broke off with an error: try again" }
    default:
      return { _tag: "InvalidResponse", message: "the answer does not say that it is finished" }
  }
}

/** Collects an answer from its parts, whole or as they come. */
export class Answer {
  text = ""
  usage: Usage = {}
  isFinished = false
  #finish: AiResponse.FinishReason | undefined
  #id: string | undefined
  #model: string | undefined

  end(part: Part): void {
    if (part.type === "finish") {
      this.isFinished = true
      this.#finish = part.reason
      this.usage = toUsage(part.usage)
    } else {
      this.#id = part.id ?? this.#id
      this.#model = part.modelId ?? this.#model
    }
  }

  get problem(): Reason | undefined {
    return toProblem(this.#finish, this.text)
  }

  get response(): Response {
    return {
      text: this.text,
      usage: this.usage,
      ...(this.#model && { model: this.#model }),
      ...(this.#id && { id: this.#id })
    }
  }
}
