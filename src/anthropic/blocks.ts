/** The blocks of an answer: texts, calls of tools, and those that a later request repeats as they are. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { maybe } from "../http/decoding.ts"
import type { Piece } from "../provider/carry.ts"
import { paramsOf } from "../provider/tools.ts"
import type { StreamPart, ToolCall } from "../Provider.ts"
import { isObject } from "../schema/jsonSchema.ts"

/** A block with all its fields, also those that are not read. */
export const Block = Schema.StructWithRest(Schema.Struct({ type: Schema.String, text: maybe(Schema.String) }), [
  Schema.Record(Schema.String, Schema.Unknown)
])
export type Block = typeof Block.Type

const Named = Schema.Struct({ id: Schema.NonEmptyString, name: Schema.NonEmptyString })

const decodeNamed = Schema.decodeUnknownOption(Named)

/** The call that a block is. `undefined` if it has no id or no name. */
const callIn = (block: Block): ToolCall | undefined => {
  const named = Option.getOrUndefined(decodeNamed(block))
  const params = paramsOf(block["input"])
  return named && { ...named, params: params.trim() === "" ? "{}" : params }
}

/** The parts of an answer in their order. `undefined` if a call of it is invalid. */
export const piecesIn = (blocks: ReadonlyArray<Block>, hasTools: boolean): ReadonlyArray<Piece> | undefined => {
  const pieces: Array<Piece> = []
  for (const block of blocks) {
    if (block.type === "text") pieces.push({ _tag: "Text", text: block.text ?? "" })
    else if (block.type === "tool_use") {
      const call = hasTools ? callIn(block) : undefined
      if (call !== undefined) pieces.push({ _tag: "Call", call })
      else if (hasTools) return undefined
    } else if (block.type !== "fallback") {
      // the API gave JSON
      pieces.push({ _tag: "Item", item: toParam(block) as Extract<Piece, { readonly _tag: "Item" }>["item"] })
    }
  }
  return pieces
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

/** A delta of a block, whatever its kind. */
export type Delta = Readonly<Record<string, unknown>> & { readonly type: string }

/** A block that grows in a stream. */
export class Growing {
  #block: Block
  readonly #call: ToolCall | undefined
  /** The parameters of a call, as the model writes them. */
  #input = ""

  constructor(block: Block, hasTools: boolean) {
    this.#block = block
    this.#call = hasTools && block.type === "tool_use" ? callIn(block) : undefined
  }

  get type(): string {
    return this.#block.type
  }

  /** The block as it is now. The input of a call is its text, until `toParam` reads it. */
  get block(): Block {
    return this.#input === "" ? this.#block : { ...this.#block, input: this.#input }
  }

  /** What a stream passes on when the block begins. `undefined` for a call without id or name. */
  begin(hasTools: boolean): ReadonlyArray<StreamPart> | undefined {
    if (this.type === "text" && this.#block.text) return [{ _tag: "Text", delta: this.#block.text }]
    if (this.type !== "tool_use" || !hasTools) return []
    return this.#call && [this.#called("")]
  }

  grow(delta: Delta): ReadonlyArray<StreamPart> {
    switch (delta.type) {
      case "text_delta":
        return this.type === "text" ? this.#append("text", delta["text"], "Text") : []
      case "thinking_delta":
        return this.#append("thinking", delta["thinking"], "Reasoning")
      case "signature_delta": {
        // it is whole in one event: as the vendor's client does, the last one counts
        const signature = textOf(delta["signature"])
        if (signature !== "") this.#block = { ...this.#block, signature }
        return []
      }
      case "citations_delta": {
        const { citations } = this.#block
        const before: ReadonlyArray<unknown> = Array.isArray(citations) ? citations : []
        this.#block = { ...this.#block, citations: [...before, delta["citation"]] }
        return []
      }
      case "input_json_delta": {
        const piece = paramsOf(delta["partial_json"])
        this.#input += piece
        return piece === "" || this.#call === undefined ? [] : [this.#called(piece)]
      }
      default:
        return []
    }
  }

  /** What was not passed on before the end: some servers send the input of a call at once, or none. */
  end(): ReadonlyArray<StreamPart> {
    if (this.#call === undefined || this.#input.trim() !== "") return []
    this.#input += this.#call.params
    return [this.#called(this.#call.params)]
  }

  #append(field: string, value: unknown, tag: "Text" | "Reasoning"): ReadonlyArray<StreamPart> {
    const delta = textOf(value)
    if (delta === "") return []
    this.#block = { ...this.#block, [field]: textOf(this.#block[field]) + delta }
    return [{ _tag: tag, delta }]
  }

  #called(delta: string): StreamPart {
    const { id = "", name = "" } = this.#call ?? {}
    return { _tag: "Call", id, name, delta }
  }
}

const decodeJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** The input of a call as an object, which the API requires. Invalid JSON goes back as the API's documentation advises. */
export const toInput = (params: string): object => {
  const input = Option.getOrUndefined(decodeJson(params))
  return isObject(input) ? input : { INVALID_JSON: params }
}

/** An unfinished answer as it is sent back, so that the model goes on with it. */
export const toParam = (block: Block): object =>
  typeof block["input"] === "string" ? { ...block, input: toInput(block["input"]) } : block
