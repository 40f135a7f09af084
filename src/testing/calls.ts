import { taking } from "../arguments/taking.ts"
import * as kinds from "../arguments/kinds.ts"
import type { Carry, Response, StreamPart, ToolCall } from "../Provider.ts"

/**
 * A call of a tool in a script.
 *
 * **Details**
 *
 * - `params`: a value, sent as JSON, or a text that is sent as it is, such as malformed JSON. Default: `{}`
 * - `id`: default `call_1`, `call_2` …, counted for each provider
 *
 * @category models
 */
export interface ScriptedCall {
  readonly name: string
  readonly params?: unknown
  readonly id?: string
}

/**
 * What a scripted answer has besides its calls.
 *
 * @category models
 */
export interface CallsOptions {
  readonly text?: string
  readonly carry?: Carry
}

/** A reply with calls, whose ids the provider gives. */
export class ScriptedCalls {
  readonly #calls: ReadonlyArray<ScriptedCall>
  readonly #options: CallsOptions

  constructor(calls: ReadonlyArray<ScriptedCall>, options: CallsOptions) {
    this.#calls = calls
    this.#options = options
  }

  answer(nextId: () => string): Pick<Response, "text" | "calls" | "carry"> {
    const { carry, text = "" } = this.#options
    const calls = this.#calls.map(({ id, name, params = {} }): ToolCall => ({
      id: id ?? nextId(),
      name,
      params: typeof params === "string" ? params : JSON.stringify(params)
    }))
    return { text, calls, ...(carry !== undefined && { carry }) }
  }
}

/**
 * A reply of a scripted provider that calls tools.
 *
 * **Example** (A call, and the answer after its result)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Testing } from "cogito/testing"
 *
 * const model = Testing.scripted([Testing.calls([{ name: "weather", params: { city: "Ulm" } }]), "It rains."])
 * const request = {
 *   messages: [{ role: "user", text: "How is the weather in Ulm?" }],
 *   tools: [{ name: "weather", description: "The weather of a city", parameters: { type: "object" } }],
 *   task: { kind: "chat", instruction: "Answer", questions: [], context: [] },
 *   phase: "reason",
 *   sampling: {}
 * } as const
 *
 * const { calls } = await Effect.runPromise(model.provider.complete(request))
 * assert.deepEqual(calls, [{ id: "call_1", name: "weather", params: `{"city":"Ulm"}` }])
 * ```
 *
 * @category constructors
 */
export const calls = taking("Testing.calls", {
  args: [kinds.arrayOf(kinds.object)],
  options: 1,
  optional: true,
  known: ["carry", "text"]
})((list: ReadonlyArray<ScriptedCall>, options: CallsOptions = {}): object => {
  return new ScriptedCalls(list, options)
})

/** The parts of a stream: text and parameters in pieces of at most this length. */
export const inPieces = (length: number, response: Response): ReadonlyArray<StreamPart> => {
  const pieces = (text: string) =>
    Array.from({ length: Math.ceil(text.length / length) }, (_, i) => text.slice(i * length, (i + 1) * length))
  const called = (response.calls ?? []).flatMap(({ id, name, params }) =>
    pieces(params).map((delta): StreamPart => ({ _tag: "Call", id, name, delta }))
  )
  return [
    ...pieces(response.text).map((delta): StreamPart => ({ _tag: "Text", delta })),
    ...called,
    { _tag: "Done", response }
  ]
}
