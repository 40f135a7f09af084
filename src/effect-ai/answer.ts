/** Collects the parts of an answer of `effect/ai`. */
import type * as AiResponse from "effect/ai/Response"
import { carryOf, type Piece } from "../provider/carry.ts"
import { type Ending, problemOf } from "../provider/ending.ts"
import type { Reason, Response, StreamPart, Usage } from "../Provider.ts"
import type { Caller } from "./failure.ts"
import { textOf } from "./prompt.ts"
import { itemPiece } from "./toPrompt.ts"

/** The parts that end an answer, whole or streamed. */
type EndPart =
  | { readonly type: "response-metadata"; readonly id?: string | undefined; readonly modelId?: string | undefined }
  | { readonly type: "finish"; readonly reason: AiResponse.FinishReason; readonly usage: AiResponse.Usage }

interface CallPart {
  readonly id: string
  readonly name: string
  readonly params: unknown
  readonly providerExecuted?: boolean | undefined
  readonly metadata: AiResponse.ProviderMetadata
}

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

const isEmpty = (metadata: AiResponse.ProviderMetadata): boolean => Object.keys(metadata).length === 0

/** Collects an answer from its parts, all at once or as they arrive. Calls count only if the request has tools. */
export class Answer {
  usage: Usage = {}
  isFinished = false
  readonly #pieces: Array<Piece> = []
  readonly #caller: Caller
  readonly #hasTools: boolean
  /** The parameters of calls that have begun, by their ids. */
  readonly #open = new Map<string, string>()
  #finish: AiResponse.FinishReason | undefined
  #id: string | undefined
  #model: string | undefined

  constructor(caller: Caller, hasTools: boolean) {
    this.#caller = caller
    this.#hasTools = hasTools
  }

  end(part: EndPart): void {
    if (part.type === "finish") {
      this.isFinished = true
      this.#finish = part.reason
      this.usage = toUsage(part.usage)
    } else {
      this.#id = part.id ?? this.#id
      this.#model = part.modelId ?? this.#model
    }
  }

  say(text: string): void {
    const last = this.#pieces.at(-1)
    if (last?._tag === "Text") this.#pieces[this.#pieces.length - 1] = { _tag: "Text", text: last.text + text }
    else this.#pieces.push({ _tag: "Text", text })
  }

  /** What the model reasoned, with what its provider needs to see again. */
  reason(text: string, metadata: AiResponse.ProviderMetadata): void {
    if (!isEmpty(metadata)) this.#pieces.push(itemPiece({ reasoning: text, options: { ...metadata } }))
  }

  /** A call begins, or goes on. */
  grow(id: string, name: string, delta: string): ReadonlyArray<StreamPart> {
    if (!this.#hasTools) return []
    const before = this.#open.get(id)
    this.#open.set(id, `${before ?? ""}${delta}`)
    return before !== undefined && delta === "" ? [] : [{ _tag: "Call", id, name, delta }]
  }

  /** A call is complete. Returns what of it has not been passed on. */
  call({ id, metadata, name, params: given, providerExecuted = false }: CallPart): ReadonlyArray<StreamPart> {
    if (!this.#hasTools || providerExecuted) return []
    const begun = this.#open.get(id) ?? ""
    this.#open.delete(id)
    const params = begun.trim() === "" ? textOf(given ?? {}) : begun
    if (!isEmpty(metadata)) this.#pieces.push(itemPiece({ call: id, options: { ...metadata } }))
    this.#pieces.push({ _tag: "Call", call: { id, name, params } })
    return begun.trim() === "" ? [{ _tag: "Call", id, name, delta: params }] : []
  }

  get problem(): Reason | undefined {
    if (this.#finish === "error") return broken
    if (this.#finish === "length") return cut
    const problem = problemOf(endings[this.#finish ?? ""], this.#text, this.#calls)
    return problem === undefined && this.#open.size > 0
      ? { _tag: "InvalidResponse", message: "a call of the model has no end: try again" }
      : problem
  }

  get response(): Response {
    const { model, name: provider } = this.#caller
    const calls = this.#calls
    return {
      text: this.#text,
      ...(calls.length > 0 && { calls, ...carryOf({ provider, model }, this.#pieces) }),
      usage: this.usage,
      ...(this.#model && { model: this.#model }),
      ...(this.#id && { id: this.#id })
    }
  }

  get #text(): string {
    return this.#pieces.map((piece) => (piece._tag === "Text" ? piece.text : "")).join("")
  }

  get #calls() {
    return this.#pieces.flatMap((piece) => (piece._tag === "Call" ? [piece.call] : []))
  }
}
