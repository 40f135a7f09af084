/** Collects the parts of an answer of `effect/ai`. */
import type * as AiResponse from "effect/ai/Response"
import { type Ending, problemOf } from "../provider/ending.ts"
import type { Reason, Response, Usage } from "../Provider.ts"

/** The parts that end an answer, whole or streamed. */
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

const endings: Readonly<Record<string, Ending>> = {
  stop: "finished",
  "content-filter": "filtered",
  pause: "waiting",
  "tool-calls": "waiting"
}

/** The model stopped its answer with an error. */
export const broken: Reason = { _tag: "Overloaded", message: "the model broke off with an error: try again" }

/** The length limit stopped the answer. Requests cannot raise that limit. */
const cut: Reason = {
  _tag: "Truncated",
  message: "the length limit cut the answer off: raise it in the model's own settings, or ask for less"
}

/** Collects an answer from its parts, all at once or as they arrive. */
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
    if (this.#finish === "error") return broken
    return this.#finish === "length" ? cut : problemOf(endings[this.#finish ?? ""], this.text)
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
