/** The parts of an answer with calls in their order, and what an answer carries for the next request. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Message } from "./request.ts"
import type { Carry, ToolCall } from "./tools.ts"

/** A part of an answer. Items are opaque: only their provider knows them. */
export type Piece =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Call"; readonly call: ToolCall }
  | { readonly _tag: "Item"; readonly item: Schema.Json }

/** The provider and model that an answer is from. */
type Whose = Pick<Carry, "provider" | "model">

/** Texts and calls are in the message. Only their places are carried. */
const Places = Schema.Array(
  Schema.Union([
    Schema.Struct({ text: Schema.Int }),
    Schema.Struct({ call: Schema.String }),
    Schema.Struct({ item: Schema.Json })
  ])
)

const decodePlaces = Schema.decodeUnknownOption(Places)

const placeOf = (piece: Piece): (typeof Places.Type)[number] => {
  if (piece._tag === "Text") return { text: piece.text.length }
  return piece._tag === "Call" ? { call: piece.call.id } : { item: piece.item }
}

/** What an answer carries: its items, among the places of its texts and calls. Nothing without both items and calls. */
export const carryOf = ({ model, provider }: Whose, pieces: ReadonlyArray<Piece>): { readonly carry?: Carry } => {
  const has = (tag: Piece["_tag"]) => pieces.some(({ _tag }) => _tag === tag)
  return has("Item") && has("Call") ? { carry: { provider, model, data: pieces.map(placeOf) } } : {}
}

/** What an answer carries whose calls have other ids now, in the same order. What is not of this form stays as it is. */
export const withIds = (carry: Carry, given: ReadonlyArray<ToolCall>, now: ReadonlyArray<ToolCall>): Carry => {
  if (given.every(({ id }, i) => now[i]?.id === id)) return carry
  return Option.match(decodePlaces(carry.data), {
    onNone: () => carry,
    onSome: (places) => {
      let next = 0
      return {
        ...carry,
        data: places.map((place) => ("call" in place ? { call: now[next++]?.id ?? place.call } : place))
      }
    }
  })
}

const isBlank = (text: string): boolean => text.trim() === ""

/**
 * The parts of an earlier answer, as they are sent. Items are left out if another model gave them, or if the message has
 * other calls than they were given with.
 */
export const piecesOf = (message: Message, { model, provider }: Whose): ReadonlyArray<Piece> => {
  const { calls = [], carry, text } = message
  const texts: ReadonlyArray<Piece> = isBlank(text) ? [] : [{ _tag: "Text", text }]
  const plain = [...texts, ...calls.map((call): Piece => ({ _tag: "Call", call }))]
  if (carry?.provider !== provider || carry.model !== model) return plain
  const places = Option.getOrElse(decodePlaces(carry.data), () => [])
  const ids = places.flatMap((place) => ("call" in place ? [place.call] : []))
  const byId = new Map(calls.map((call) => [call.id, call]))
  // each place must have a call of its own
  if (new Set(ids).size !== calls.length || ids.length !== calls.length || !ids.every((id) => byId.has(id)))
    return plain
  const length = places.reduce((sum, place) => sum + ("text" in place ? place.text : 0), 0)
  // a text that was changed, such as one without the white space around it, stands where its first part stood
  const isChanged = length !== text.length
  const first = places.findIndex((place) => "text" in place)
  const whole = first === -1 ? places.findIndex((place) => "call" in place) : first
  let at = 0
  return places.flatMap((place, i): ReadonlyArray<Piece> => {
    const before = isChanged && i === whole ? texts : []
    if ("item" in place) return [{ _tag: "Item", item: place.item }]
    if ("call" in place) {
      const call = byId.get(place.call)
      return call === undefined ? before : [...before, { _tag: "Call", call }]
    }
    const part = text.slice(at, (at += place.text))
    return isChanged || isBlank(part) ? before : [{ _tag: "Text", text: part }]
  })
}
