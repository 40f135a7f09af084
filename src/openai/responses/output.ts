/** The parts of a response: texts, calls of tools, and what a later request has to repeat before them. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { maybe } from "../../http/decoding.ts"
import type { Piece } from "../../provider/carry.ts"
import { paramsOf } from "../../provider/tools.ts"

/** An item with all its fields, also those that are not read. */
export const Item = Schema.StructWithRest(
  Schema.Struct({
    type: Schema.String,
    phase: maybe(Schema.String),
    status: maybe(Schema.String),
    content: maybe(Schema.Unknown),
    call_id: maybe(Schema.Unknown),
    name: maybe(Schema.Unknown),
    arguments: maybe(Schema.Unknown),
    encrypted_content: maybe(Schema.Unknown)
  }),
  [Schema.Record(Schema.String, Schema.Unknown)]
)
export type Item = typeof Item.Type

const Part = Schema.Struct({ type: Schema.String, text: maybe(Schema.String) })

const decodeParts = Schema.decodeUnknownOption(Schema.Array(Part))

const partsOf = ({ content }: Item) => Option.getOrElse(decodeParts(content), () => [])

/** Whether an item of the output is a message that precedes the answer. */
export const isCommentary = ({ phase }: { readonly phase?: string | null }): boolean => phase === "commentary"

const textOf = (item: Item): string =>
  partsOf(item)
    .flatMap(({ text, type }) => (type === "output_text" ? [text ?? ""] : []))
    .join("")

export const isMessage = (item: Item): boolean => item.type === "message" && !isCommentary(item)

export const hasRefusal = (item: Item): boolean =>
  isMessage(item) && partsOf(item).some(({ type }) => type === "refusal")

/** The call that an item is. `undefined` if it has no id or no name. */
export const callIn = ({ arguments: given, call_id: id, name }: Item) => {
  if (typeof id !== "string" || id === "" || typeof name !== "string" || name === "") return undefined
  const params = paramsOf(given)
  return { id, name, params: params.trim() === "" ? "{}" : params }
}

const isListed = (value: unknown): boolean => Array.isArray(value) && value.length > 0

/** What a later request repeats of an item, without the ids, since nothing is stored under them. */
const itemOf = (item: Item): ReadonlyArray<Piece> => {
  const { content, encrypted_content: secret, id: _, phase, status: __, ...rest } = item
  if (item.type === "message") {
    // the API gave JSON
    return [{ _tag: "Item", item: { role: "assistant", content: textOf(item), phase: phase ?? null } }]
  }
  if (typeof secret !== "string" && !isListed(content)) return []
  const kept = {
    ...rest,
    ...(isListed(content) && { content }),
    ...(typeof secret === "string" && { encrypted_content: secret })
  }
  // JSON that the server sent, which is sent back as it is
  return [{ _tag: "Item", item: kept as unknown as Extract<Piece, { readonly _tag: "Item" }>["item"] }]
}

/** The parts of an output in their order. `undefined` if a call of it is invalid. */
export const piecesIn = (output: ReadonlyArray<Item>): ReadonlyArray<Piece> | undefined => {
  const pieces: Array<Piece> = []
  for (const item of output) {
    if (isMessage(item)) pieces.push({ _tag: "Text", text: textOf(item) })
    else if (item.type === "message" || item.type === "reasoning") pieces.push(...itemOf(item))
    else if (item.type === "function_call") {
      const call = callIn(item)
      if (call === undefined) return undefined
      pieces.push({ _tag: "Call", call })
    }
  }
  return pieces
}
