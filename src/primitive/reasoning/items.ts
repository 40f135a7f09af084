/** The items of a step: fixed when it is made, or read from notes when it runs. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { text } from "../../arguments/kinds.ts"
import { quoted } from "../../text/legible.ts"
import { readTrusted } from "../../thought/gathered.ts"
import type { All, Alone, Reads } from "../../thought/types.ts"
import * as Note from "../../thought/Note.ts"
import type { Declaration } from "../../synapse/Declaration.ts"
import type { InvalidItems } from "../../synapse/InvalidItems.ts"
import { checkItems, declareRanking, Ranking } from "../../synapse/ranking.ts"
import type { Posed } from "./reason.ts"

/**
 * Items: a fixed list, the handle of a note that is a list of texts, or a reader of such a list.
 *
 * @category models
 */
export type Items<C extends string = string> =
  | ReadonlyArray<C>
  | Note.Handle<any, ReadonlyArray<string>>
  | Note.Reader<any, ReadonlyArray<string>, any, any>

type ReadBy<I> =
  I extends Note.Reader<infer N, any, any, any> ? N : I extends Note.Handle<infer K, infer A> ? Reads<K, A> : {}

/**
 * The types of a list of items.
 *
 * @category models
 */
export declare namespace Items {
  /** The notes that the items are read from: of a union, those of every member. */
  type In<I> = Alone<I> extends true ? ReadBy<I> : All<ReadBy<I>>
  /** The errors of reading the items. */
  type Err<I> =
    I extends ReadonlyArray<string> ? never : InvalidItems | (I extends Note.Reader<any, any, infer E, any> ? E : never)
  /** The services that reading the items needs. */
  type Req<I> = I extends Note.Reader<any, any, any, infer R> ? R : never
  /** The type of an item. */
  type Item<I> = I extends ReadonlyArray<infer C extends string> ? C : string
}

/**
 * Declares a ranking of items, with the schema of its answer. Throws if the list of fixed items is empty, or if an item
 * is blank or occurs twice.
 */
export const poseRanking = <const I extends Items>(kind: string, step: string, items: I) => {
  if (isList(items) ? !items.every(text.is) : !(Note.isReader(items) || Note.isHandle(items))) {
    throw new Error(`The step ${quoted(step)} needs its items as an array of texts, or as a reader or note of one.`)
  }
  const posed: { readonly schema: Schema.Codec<any, any>; readonly declared: unknown } = isList(items)
    ? fixed(kind, step, items)
    : { schema: Ranking(Schema.String), declared: read(kind, items) }
  // the union does not show that fixed items have the type of their literals, and read ones the errors of their reader
  return posed as {
    readonly schema: Schema.Codec<Ranking<Items.Item<I>>, any>
    readonly declared: Declaration<Ranking<Items.Item<I>>> | Posed<Ranking<Items.Item<I>>, Items.Err<I>, Items.Req<I>>
  }
}

const isList = (items: Items): items is ReadonlyArray<string> => Array.isArray(items)

const fixed = (kind: string, step: string, items: ReadonlyArray<string>) => {
  const checked = checkItems(items)
  if (Result.isFailure(checked)) throw new Error(`The step ${quoted(step)}: ${checked.failure.message}`)
  return { schema: Ranking(Schema.Literals(items)), declared: declareRanking(kind, items) }
}

const read = (kind: string, items: Exclude<Items, ReadonlyArray<string>>): Posed<Ranking, unknown, unknown> => {
  const reader = Note.isReader(items) ? items : Note.from(items, (value) => value)
  const declare = (value: ReadonlyArray<string>, trust: Note.Trust) =>
    Effect.map(Effect.fromResult(checkItems(value, reader.keys, trust)), (checked) =>
      declareRanking(kind, checked, { trust })
    )
  return {
    kind,
    declare: {
      ...reader,
      read: (log) => Effect.flatMap(readTrusted(reader, log), ({ trust, value }) => declare(value, trust))
    }
  }
}
