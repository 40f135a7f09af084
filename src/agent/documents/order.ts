/**
 * The order in which the entries of records were set. Objects give names that are whole numbers before all others, so it is kept
 * beside the content, in the metadata of its note: as positions, since names may be private.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Note } from "../../thought/Note.ts"

/** For each field that is a record: which of its entries was set first, which next, and so on. Absent if it is their own order. */
export type Order = Readonly<Record<string, ReadonlyArray<number>>>

const metadataKey = "order"

const read = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Array(Schema.Int))))

/** The order of the records of a document, as its note says. */
export const orderIn = (note: Pick<Note, "metadata"> | undefined): Order =>
  Option.getOrElse(read(note?.metadata[metadataKey]), () => ({}))

/** What the metadata of a note says of the order. */
export const orderMetadata = (order: Order): Readonly<Record<string, string>> =>
  Object.keys(order).length === 0 ? {} : { [metadataKey]: JSON.stringify(order) }

type Entries = ReadonlyArray<readonly [name: string, value: string]>

/** The entries of a record in the order in which they were set. */
export const inOrder = (record: Readonly<Record<string, string>>, positions: ReadonlyArray<number> = []): Entries => {
  const entries = Object.entries(record)
  const ordered = [...new Set(positions)].flatMap((position) => entries.slice(position, position + 1))
  return ordered.length === entries.length ? ordered : entries
}

/** The positions of entries in their record. Undefined if that has the same order. */
export const positionsOf = (entries: Entries): ReadonlyArray<number> | undefined => {
  const names = Object.keys(Object.fromEntries(entries))
  const positions = entries.map(([name]) => names.indexOf(name))
  return positions.every((position, i) => position === i) ? undefined : positions
}
